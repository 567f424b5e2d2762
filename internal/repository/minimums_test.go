package repository_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// TestMinimums compares the table of versions in docs/compatibility.md with go.mod and with the versions of make test-matrix,
// and the modules of docs/install.md with those of the Makefile.
func TestMinimums(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	mod, err := modfile.Parse("go.mod", []byte(read("go.mod")), nil)
	if err != nil {
		t.Fatal(err)
	}
	lowest := ""
	for _, r := range mod.Require {
		if r.Mod.Path == "k8s.io/apimachinery" {
			lowest = r.Mod.Version
		}
	}
	matrix := regexp.MustCompile(`(?m)^KUBERNETES \?= (.*)$`).FindStringSubmatch(read("Makefile"))
	if matrix == nil || lowest == "" {
		t.Fatalf("the Makefile has no versions, or go.mod no k8s.io/apimachinery: %q, %q", matrix, lowest)
	}
	if !strings.HasPrefix(matrix[1], lowest+" ") {
		t.Errorf("make test-matrix runs with %s, want the version of go.mod first: %s", matrix[1], lowest)
	}
	modules := strings.Fields(regexp.MustCompile(`(?m)^USER_MODULES := \. (.*)$`).FindStringSubmatch(read("Makefile"))[1])
	slices.Sort(modules)
	if loop := `for part in "" /` + strings.Join(modules, " /") + "; do"; !strings.Contains(read("docs/install.md"), loop) {
		t.Errorf("docs/install.md has no line %q with the USER_MODULES of the Makefile", loop)
	}
	for _, row := range []string{
		"| Go | " + strings.TrimSuffix(mod.Go.Version, ".0") + " |",
		"| `k8s.io/apimachinery`, `k8s.io/client-go` | " + lowest + " | " + strings.ReplaceAll(matrix[1], " ", ", ") + " |",
	} {
		if !strings.Contains(read("docs/compatibility.md"), row) {
			t.Errorf("docs/compatibility.md has no row %q, as go.mod and the Makefile say", row)
		}
	}
}
