package migration_test

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/test/compare/project"
)

// TestGeneratedCodeIsUpToDate runs the commands of both files generate.go, with another
// output folder. With -update it runs them as they are.
func TestGeneratedCodeIsUpToDate(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles four generators")
	}
	if *update {
		run(t, ".", "go", "generate", "./clientgo", "./migrated")
		return
	}
	t.Run("client-go", func(t *testing.T) {
		fresh := t.TempDir()
		for _, arguments := range commands(t, "clientgo") {
			for i, argument := range arguments {
				arguments[i] = strings.Replace(argument, "--output-dir=generated", "--output-dir="+fresh, 1)
			}
			run(t, "clientgo", arguments...)
		}
		compareFiles(t, goFiles(t, "clientgo/generated"), goFiles(t, fresh))
	})
	t.Run("migrated", func(t *testing.T) {
		for _, arguments := range commands(t, "migrated") {
			run(t, "migrated", append(arguments, "--verify")...)
		}
	})
}

var directive = regexp.MustCompile(`(?m)^//go:generate (.*)$`)

// commands returns the commands in the file generate.go of an operator.
func commands(t *testing.T, operator string) (all [][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(operator, "generate.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range directive.FindAllStringSubmatch(string(text), -1) {
		all = append(all, strings.Fields(match[1]))
	}
	if len(all) == 0 {
		t.Fatalf("%s has no command", operator)
	}
	return all
}

func run(t *testing.T, dir string, arguments ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), arguments[0], arguments[1:]...)
	command.Dir, command.Env = dir, project.Environ()
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v; run go test ./migration -update in the folder test\n%s", strings.Join(arguments, " "), err, output)
	}
}

// goFiles returns the Go files below dir by their paths.
func goFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := fs.ReadFile(root, path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func compareFiles(t *testing.T, committed, fresh map[string]string) {
	t.Helper()
	if got, want := slices.Sorted(maps.Keys(committed)), slices.Sorted(maps.Keys(fresh)); !slices.Equal(got, want) {
		t.Errorf("the files are %q, want %q", got, want)
	}
	for path, text := range fresh {
		if committed[path] != text {
			t.Errorf("%s is out of date; run go test ./migration -update in the folder test", path)
		}
	}
}

// TestMigratedWithoutClientGoCache holds the migrated operator against a half migration: no
// package of it, generated or written, needs informers or listers of client-go.
func TestMigratedWithoutClientGoCache(t *testing.T) {
	imports := func(operator string) []string {
		command := exec.CommandContext(t.Context(), "go", "list", "-deps", "./"+operator+"/controller")
		output, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(strings.Fields(string(output)), func(path string) bool {
			return !strings.HasPrefix(path, "k8s.io/client-go/tools/cache") &&
				!strings.HasPrefix(path, "k8s.io/client-go/informers") && !strings.HasPrefix(path, "k8s.io/client-go/listers")
		})
	}
	if left := imports("migrated"); len(left) > 0 {
		t.Errorf("the migrated operator still needs %q", left)
	}
	if all := imports("clientgo"); len(all) < 3 {
		t.Errorf("the operator on client-go needs only %q: is its cache elsewhere now?", all)
	}
}
