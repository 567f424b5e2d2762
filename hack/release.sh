#!/usr/bin/env bash
# Releases all modules that users require, with the version that is the argument, such as v0.1.0. This is a dry
# run, which changes nothing but build/release. With --push as the first argument, it pushes the release commit
# and the tags to origin. With --resume, it pushes the tags of a release that stopped half way.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
if [ $# -eq 0 ]; then
	echo "release: want a version; run: make release-dry-run VERSION=v0.1.0, or hack/release.sh --push v0.1.0" >&2
	exit 2
fi
go -C hack/tools build -o ../../build/bin/release ./release
exec build/bin/release "$@"
