#!/usr/bin/env bash
# Builds and vets the root module, with its tests, for each operating system and architecture
# that users have, and the modules that are its arguments for Windows. It runs nothing.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
export CGO_ENABLED=0 GOOS GOARCH
for platform in windows/amd64 darwin/arm64 linux/arm64 linux/386 freebsd/amd64 windows/arm64; do
	GOOS=${platform%/*} GOARCH=${platform#*/}
	echo "test $platform: root module"
	go build ./...
	go vet ./...
done
GOOS=windows GOARCH=amd64
for module in "$@"; do
	echo "test $GOOS/$GOARCH: $module"
	(cd "$module" && go build ./... && go vet ./...)
done
