#!/usr/bin/env bash
# Generates code and CRDs from api/ with the commands in generate.go.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
# Not ./...: go generate first lists the files of all packages, and fails if
# informer-gen then deletes one of them.
go generate .
