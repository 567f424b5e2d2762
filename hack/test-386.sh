#!/usr/bin/env bash
# Runs the tests of the runtime as 32-bit programs, in which words, alignment and
# the sizes of slices differ. The race detector needs 64 bits.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
if [ "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" != linux/amd64 ]; then
	echo "GOARCH=386: skipped, because only linux/amd64 runs such programs"
	exit
fi
export CGO_ENABLED=0 GOOS=linux GOARCH=386
probe=$(mktemp -d)
trap 'rm -r "$probe"' EXIT
echo 'package main; func main() {}' >"$probe/main.go"
exec=()
if ! go run "$probe/main.go"; then
	echo "GOARCH=386: the tests are only compiled, because this kernel runs no 32-bit programs"
	exec=(-exec=true)
fi
go test -vet=off -short "${exec[@]}" "$@" ./runtime/... ./apitest/...
