#!/usr/bin/env bash
# Generates the listers and the informers. With --verify it prints a diff instead, and
# fails if there is one.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
# Not go tool: the users of this module would carry the dependencies of the generator.
go -C .. build -o build/bin/informer-gen ./cmd/informer-gen
exec ../build/bin/informer-gen --output-dir=. --go-header-file=../hack/boilerplate.go.txt \
	--versioned-clientset-package=k8s.io/client-go/kubernetes "$@" k8s.io/api/...
