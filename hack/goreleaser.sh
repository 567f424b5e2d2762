#!/usr/bin/env bash
# Runs goreleaser with the given arguments, in the repository or in the folder TREE. The first run compiles it, in 15 CPU
# minutes. Without network it is skipped, or fails if STRICT is set.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
version=v2.16.0
export GOBIN=$PWD/build/bin/goreleaser/$version
# In a folder without go.mod, so that a go line there does not choose the toolchain.
if [ ! -x "$GOBIN/goreleaser" ] && ! go -C / install "github.com/goreleaser/goreleaser/v2@$version"; then
	echo "goreleaser: skipped, because it could not be compiled; it needs a module proxy and the Go version that its error names: try GOTOOLCHAIN=auto"
	exit "$([ -z "${STRICT:-}" ]; echo $?)"
fi
cd "${TREE:-.}"
exec "$GOBIN/goreleaser" "$@"
