#!/usr/bin/env bash
# Generates what is generated from api/; generate.go says how.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
# Not ./...: go generate lists the files of all packages before it starts, and
# fails when informer-gen removes one that is no longer needed.
go generate .
