package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestUserModulesAreReleased compares the modules that get a tag with those whose API and licenses make lint and make
// security check.
func TestUserModulesAreReleased(t *testing.T) {
	const repo = "../../.."
	modules, err := readModules(t.Context(), repo)
	if err != nil {
		t.Skipf("git does not list the modules: %v", err)
	}
	makefile, err := os.ReadFile(repo + "/Makefile")
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`(?m)^USER_MODULES := (.*)$`).FindSubmatch(makefile)
	if match == nil {
		t.Fatal("the Makefile does not set USER_MODULES; hack/api.sh reads it too")
	}
	listed := strings.Fields(string(match[1]))
	for _, m := range modules {
		if m.released && !slices.Contains(listed, m.dir) {
			t.Errorf("USER_MODULES in the Makefile lacks %s, which is released; add it", m.dir)
		} else if !m.released && slices.Contains(listed, m.dir) {
			t.Errorf("USER_MODULES in the Makefile has %s, which is not released; remove it", m.dir)
		}
		listed = slices.DeleteFunc(listed, func(dir string) bool { return dir == m.dir })
	}
	if len(listed) > 0 {
		t.Errorf("USER_MODULES in the Makefile has %q, and the repository has no such modules; remove them", listed)
	}
}
