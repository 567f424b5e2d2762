package deepcopy

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPublished writes deep copies for the projects, compares the functions with those that the projects
// publish, and runs the tests of package behavior with ours.
func TestPublished(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles k8s.io/api")
	}
	dir, err := filepath.Abs("../../build/deepcopy") // always the same folder, so that the build cache knows it
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	var copies []*Copy
	for _, project := range Projects {
		c, err := Make(t.Context(), project, dir)
		if err != nil {
			t.Fatal(err)
		}
		copies = append(copies, c)
		compareFunctions(t, c)
	}
	modFile, err := ModFile(dir, copies)
	if err != nil {
		t.Fatal(err)
	}
	output, err := goOutput(t.Context(), "test", "-vet=off", "-modfile="+modFile, "./behavior")
	t.Log(output)
	if err != nil {
		t.Fatal(err)
	}
}

func compareFunctions(t *testing.T, c *Copy) {
	t.Helper()
	folders, err := c.Folders()
	if err != nil {
		t.Fatal(err)
	}
	if len(folders) != c.Packages {
		t.Errorf("%s publishes the deep copies of %d packages, and this test has %d", c.Module, len(folders), c.Packages)
	}
	ourSize, theirSize := 0, 0
	for _, folder := range folders {
		theirs, size, err := Functions(filepath.Join(c.Published, folder, file))
		if err != nil {
			t.Fatal(err)
		}
		theirSize += size
		ours, size, err := Functions(filepath.Join(c.Dir, folder, file))
		if err != nil {
			t.Error(err)
			continue
		}
		ourSize += size
		missing, more := minus(theirs, ours), minus(ours, theirs)
		if len(missing)+len(more) > 0 {
			t.Errorf("%s/%s: ours lacks\n\t%s\nand has\n\t%s", c.Module, folder, strings.Join(missing, "\n\t"), strings.Join(more, "\n\t"))
		}
	}
	if ourSize >= theirSize {
		t.Errorf("%s: our files have %d bytes, theirs %d", c.Module, ourSize, theirSize)
	}
	t.Logf("%s: our files have %d bytes, theirs %d", c.Module, ourSize, theirSize)
}

func minus(a, b map[string]bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(a)), func(name string) bool { return b[name] })
}
