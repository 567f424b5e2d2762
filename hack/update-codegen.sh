#!/usr/bin/env bash
# Writes everything in the repository that is generated: the code of the example, the
# informers of built-in kinds, the golden output of the generator's tests, the code of the
# operators in test/migration and for test/apply, and that of the project in test/kubebuilder.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
examples/operator/hack/update-codegen.sh
kubernetes/hack/codegen.sh
go test ./generator -run Golden -count=1 -update
go -C test test ./migration -run Generated -count=1 -update
(cd test/apply && go generate .)
test/kubebuilder/hack/codegen.sh
