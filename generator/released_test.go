package generator_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestReleased compiles and runs the generated code of earlier releases with the runtime of this tree. Users
// upgrade the runtime before they generate again, and a library that they require may still have the old code.
func TestReleased(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles client-go")
	}
	const released = testdata + "/released"
	entries, err := os.ReadDir(released)
	if err != nil {
		t.Fatal(err)
	}
	versions := 0
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		versions++
		cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "./"+entry.Name()+"/...")
		cmd.Dir, cmd.Env = released, append(os.Environ(), "GOPROXY=off")
		output, err := cmd.CombinedOutput()
		switch text := string(output); {
		case strings.Contains(text, "updates to go.mod needed") || strings.Contains(text, "go mod tidy"):
			t.Errorf("testdata/released/go.mod is out of date; run go mod tidy there\n%s", text)
		case err != nil:
			t.Errorf("code that informer-gen %s has generated no longer works with this runtime: %v\n"+
				"Do not change that code. Keep what it calls, with its behavior, and mark it Deprecated: docs/compatibility.md promises that it works until "+
				"the next minor version but one.\n%s", entry.Name(), err, text)
		case !strings.Contains(text, "ok  \tgithub.com/typedinformers/informer-gen/testdata/released/"+entry.Name()):
			t.Errorf("the folder of %s has no test; take it again with hack/snapshot.sh\n%s", entry.Name(), text)
		}
	}
	if versions == 0 {
		t.Errorf("%s has no version; add one with hack/snapshot.sh", released)
	}
}
