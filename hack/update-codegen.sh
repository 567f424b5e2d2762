#!/usr/bin/env bash
# Writes everything in the repository that is generated: the example's code, the
# informers of built-in kinds, and the golden output of the generator's tests.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
examples/operator/hack/update-codegen.sh
kubernetes/hack/codegen.sh
go test ./generator -run Golden -count=1 -update
