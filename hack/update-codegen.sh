#!/usr/bin/env bash
# Writes everything in the repository that is generated: the example's code, the golden
# output of the generator's tests, and the code of the operators in test/migration.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
examples/operator/hack/update-codegen.sh
go test ./generator -run Golden -count=1 -update
go -C test test ./migration -run Generated -count=1 -update
