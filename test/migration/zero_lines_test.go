package migration_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/typedinformers/informer-gen/test/compare/project"
)

// TestZeroLines lays the output of --informers=client-go over that of code-generator, and runs the tests of the operator
// on client-go again. No line of the operator or of its tests is changed.
func TestZeroLines(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the operator again")
	}
	fresh := t.TempDir()
	run(t, ".", "go", "run", "github.com/typedinformers/informer-gen/cmd/informer-gen", "--informers=client-go", "--output-dir="+fresh,
		"--output-pkg=github.com/typedinformers/informer-gen/test/migration/clientgo/generated", "--go-header-file=boilerplate.go.txt", "./apis/...")
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	at := func(path string) string {
		absolute, err := filepath.Abs(filepath.Join("clientgo", "generated", path))
		if err != nil {
			t.Fatal(err)
		}
		return absolute
	}
	for path := range goFiles(t, "clientgo/generated") {
		overlay.Replace[at(path)] = "" // deleted
	}
	for path := range goFiles(t, fresh) {
		overlay.Replace[at(path)] = filepath.Join(fresh, path)
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-count=1", "-overlay="+file, "-run=^Test(Scenarios|FailedWritesAreRepeated|RetriesSlowDown|Quiet|WaitsForBothCaches|StopsBeforeTheCachesAreFilled|MissedDeletion|StopsWatching)$", ".")
	command.Env = project.Environ()
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}
