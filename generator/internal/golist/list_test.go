package golist

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestOneEnvironment checks that a run of the generator executes programs only through config. A migration runs the commands that a
// person would type.
func TestOneEnvironment(t *testing.T) {
	execution := regexp.MustCompile(`"os/exec"|syscall\.Exec\(|os\.StartProcess\(|packages\.Config\{|gocommand`)
	var found []string
	for _, root := range []string{"../..", "../../../cmd/informer-gen"} {
		err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() && (entry.Name() == "migrate" || entry.Name() == "rewrite") {
				return filepath.SkipDir
			}
			if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			content, err := os.ReadFile(file)
			for range execution.FindAll(content, -1) {
				found = append(found, filepath.Base(file))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(found, []string{"list.go"}) {
		t.Errorf("the programs are executed by %v; only config of list.go has the environment", found)
	}
}
