#!/usr/bin/env bash
# Generates deep copies, CRDs and the role, as make generate manifests does in a project of
# kubebuilder. With --verify it prints a diff instead, and fails if there is one.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
# The module does not require the tool itself, as projects of kubebuilder do not.
controller_gen=$(go -C ../../examples/operator tool -n controller-gen)
to=.
if [ "${1:-}" = --verify ]; then
	to=$(mktemp -d)
	trap 'rm -rf "$to"' EXIT
fi
"$controller_gen" object:headerFile=hack/boilerplate.go.txt crd rbac:roleName=manager-role paths=./... \
	output:object:dir="$to/api/v1" output:crd:dir="$to/config/crd/bases" output:rbac:dir="$to/config/rbac"
if [ "$to" != . ]; then
	for path in api/v1/zz_generated.deepcopy.go config; do
		diff -ruN "$path" "$to/$path"
	done
fi
