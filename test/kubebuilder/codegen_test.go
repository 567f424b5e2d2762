// Package kubebuilder_test checks the generated files of the project.
package kubebuilder_test

import (
	"os/exec"
	"testing"
)

func TestGeneratedFilesAreUpToDate(t *testing.T) {
	if output, err := exec.CommandContext(t.Context(), "hack/codegen.sh", "--verify").CombinedOutput(); err != nil {
		t.Fatalf("%v; run hack/codegen.sh\n%s", err, output)
	}
}
