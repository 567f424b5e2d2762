package packed_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestOnlyThisPackageLinksTheCompression: a program without the option does not link it.
func TestOnlyThisPackageLinksTheCompression(t *testing.T) {
	const module = "github.com/typedinformers/informer-gen/"
	for name, want := range map[string]bool{"runtime/cache": false, "runtime/healthz": false, "apitest": false, "runtime/packed": true} {
		text, err := exec.CommandContext(t.Context(), "go", "list", "-deps", module+name).Output()
		if err != nil {
			t.Fatal(err)
		}
		links := slices.ContainsFunc(strings.Fields(string(text)), func(path string) bool { return strings.HasPrefix(path, "github.com/klauspost/") })
		if links != want {
			t.Errorf("%s links the compression: %v, want %v", name, links, want)
		}
	}
}
