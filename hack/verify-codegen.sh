#!/usr/bin/env bash
# Fails, and prints the stale files, if hack/update-codegen.sh would change anything.
# It changes nothing itself.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
examples/operator/hack/verify-codegen.sh
kubernetes/hack/codegen.sh --verify
go test ./generator -run Golden -count=1
go -C test test ./migration -run Generated -count=1
go -C test test ./apply -run GeneratedFiles -count=1
test/kubebuilder/hack/codegen.sh --verify
