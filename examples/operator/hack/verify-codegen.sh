#!/usr/bin/env bash
# Prints a diff, and fails, if hack/update-codegen.sh would change anything. It
# changes nothing itself.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

fresh="$(mktemp -d)"
trap 'rm -rf "$fresh"' EXIT

# arguments TOOL prints the arguments of the tool in generate.go, one on each line.
arguments() {
	sed -n "s|^//go:generate go tool $1 ||p" generate.go | tr ' ' '\n'
}
mapfile -t controller_gen < <(arguments controller-gen)
mapfile -t informer_gen < <(arguments informer-gen)

stale=0

# controller-gen cannot verify files, so generate into another folder and compare.
# If there are two output rules, controller-gen uses the last one.
mkdir -p "$fresh/api/v1" "$fresh/config/crd"
go tool controller-gen "${controller_gen[@]}" output:object:dir="$fresh/api/v1" output:crd:dir="$fresh/config/crd"
diff -u api/v1/zz_generated.deepcopy.go "$fresh/api/v1/zz_generated.deepcopy.go" || stale=1
diff -ruN config/crd "$fresh/config/crd" || stale=1

go tool informer-gen --verify "${informer_gen[@]}" || stale=1

if [ "$stale" != 0 ]; then
	echo "Generated files are not up to date; run hack/update-codegen.sh" >&2
	exit 1
fi
