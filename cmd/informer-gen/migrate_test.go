package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// migrated returns a committed project of code-generator.
func migrated(t *testing.T, more map[string]string) (dir, clone string) {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles client-go")
	}
	files := archiveFiles(t, "testdata/migrate.txtar")
	for name, content := range more {
		files[name] = content
	}
	dir = operatorModule(t, files)
	inShell(t, dir, "git init -q && git add -A && git -c user.name=test -c user.email=test@example.com commit -qm before")
	clone, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir, clone
}

func inShell(t *testing.T, dir, script string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "sh", "-c", script)
	command.Dir = dir
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, output)
	}
}

// contents returns the names and the content of all files below dir, without those of git.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Name() == ".git":
			return filepath.SkipDir
		case entry.IsDir():
			fmt.Fprintln(&all, file)
			return nil
		}
		content, err := os.ReadFile(file)
		fmt.Fprintf(&all, "%s %q\n", file, content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// TestMigrate migrates a project, runs again, and undoes it with the printed commands.
func TestMigrate(t *testing.T) {
	dir, clone := migrated(t, nil)
	before := contents(t, dir)
	dry := runTool(t, dir, "migrate", "--dry-run", "--clone="+clone)
	if dry.code != exitOK || contents(t, dir) != before {
		t.Fatalf("--dry-run: exit code %d, or the tree has changed: %s", dry.code, dry.stderr)
	}
	// The names of the group in the clientset that exists stay.
	if line := "informer-gen --informers=client-go --output-dir=pkg/client --group-dirs=shop.example.com:store --group-go-names=shop.example.com:Store ./pkg/apis/..."; !strings.Contains(dry.stdout, line) {
		t.Errorf("the plan has no line %s: %s", line, dry.stdout)
	}
	got := runTool(t, dir, "migrate", "--clone="+clone)
	if got.code != exitOK || !strings.HasPrefix(got.stdout, strings.TrimSpace(dry.stdout)) {
		t.Fatalf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	goCommand(t, dir, "vet", "./...")
	after := contents(t, dir)
	again := runTool(t, dir, "migrate", "--clone="+clone, "--force")
	if again.code != exitOK || !strings.Contains(again.stdout, "nothing to migrate") || contents(t, dir) != after {
		t.Errorf("the second run: exit code %d, or the tree has changed: %s%s", again.code, again.stdout, again.stderr)
	}
	_, undo, ok := strings.Cut(got.stdout, "To undo this:\n")
	if !ok {
		t.Fatalf("no way back is printed: %s", got.stdout)
	}
	inShell(t, dir, undo)
	if contents(t, dir) != before {
		t.Error("the printed commands do not undo the migration")
	}
}

// TestMigrateUncommitted migrates a project with a changed go.mod, as the tool itself was added there. The printed commands keep that
// change.
func TestMigrateUncommitted(t *testing.T) {
	dir, clone := migrated(t, nil)
	inShell(t, dir, "echo '// a line that is not committed' >>go.mod")
	before := contents(t, dir)
	got := runTool(t, dir, "migrate", "--clone="+clone)
	if got.code != exitOK || contents(t, dir) == before {
		t.Fatalf("exit code %d, or nothing has changed: %s%s", got.code, got.stdout, got.stderr)
	}
	_, undo, _ := strings.Cut(got.stdout, "To undo this:\n")
	inShell(t, dir, undo)
	if contents(t, dir) != before {
		t.Errorf("the printed commands do not undo the migration: %s", undo)
	}
}

// TestMigrateVendor requires that a folder vendor has the new modules afterwards, and the old ones after a failure and after the
// printed commands.
func TestMigrateVendor(t *testing.T) {
	dir, clone := migrated(t, map[string]string{"broken/broken.go": "package broken\n\nvar _ int = \"\"\n"})
	goCommand(t, dir, "mod", "tidy")
	goCommand(t, dir, "mod", "vendor")
	const commit = "git add -A && git -c user.name=test -c user.email=test@example.com commit -qm "
	inShell(t, dir, commit+"vendor")
	before := contents(t, dir)
	if got := runTool(t, dir, "migrate", "--clone="+clone); got.code != exitFailed || contents(t, dir) != before {
		t.Errorf("a failure: exit code %d, or the tree has changed: %s", got.code, got.stderr)
	}
	inShell(t, dir, "git rm -rq broken && "+commit+"fixed")
	before = contents(t, dir)
	got := runTool(t, dir, "migrate", "--clone="+clone)
	if got.code != exitOK {
		t.Fatalf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "vendor/github.com/typedinformers/informer-gen/adapters/clientgo")); err != nil {
		t.Error(err)
	}
	_, undo, _ := strings.Cut(got.stdout, "To undo this:\n")
	inShell(t, dir, undo)
	if contents(t, dir) != before {
		t.Error("the printed commands do not undo the migration")
	}
}

// TestMigrateRestores requires that a run that fails at its last step leaves the tree as it was.
func TestMigrateRestores(t *testing.T) {
	dir, clone := migrated(t, map[string]string{"broken/broken.go": "package broken\n\nvar _ int = \"\"\n"})
	before := contents(t, dir)
	got := runTool(t, dir, "migrate", "--clone="+clone)
	if got.code != exitFailed || !strings.Contains(got.stderr, "broken/broken.go:3:13") || !strings.Contains(got.stderr, "The tree is as it was") {
		t.Errorf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if contents(t, dir) != before {
		t.Error("the tree has changed")
	}
}

// TestMigrateRefusesKinds requires that the plan has the errors of the generator.
func TestMigrateRefusesKinds(t *testing.T) {
	dir, clone := migrated(t, map[string]string{"pkg/apis/shop/v1/doc.go": "// +groupName=other.example.com\npackage v1\n"})
	got := runTool(t, dir, "migrate", "--dry-run", "--clone="+clone)
	if got.code != exitFailed || !strings.Contains(got.stderr, "pkg/apis/shop/v1/doc.go:1:4: +groupName is") {
		t.Errorf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
}

// TestMigrateRefuses requires that uncommitted changes stop a run, except for those that add the tool.
func TestMigrateRefuses(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"go.mod": "module example.com/shop\n", "pkg/apis/v1/types.go": "package v1\n\n// +genclient\ntype Order struct{}\n",
		"update.sh": "kube::codegen::gen_client --output-pkg example.com/shop/pkg/client pkg/apis\n",
	})
	if got := runTool(t, dir, "migrate"); got.code != exitFailed || !strings.Contains(got.stderr, "in no git repository") {
		t.Errorf("without git: exit code %d: %s", got.code, got.stderr)
	}
	inShell(t, dir, "git init -q && git add -A && git -c user.name=test -c user.email=test@example.com commit -qm before")
	writeFiles(t, dir, map[string]string{"go.mod": "module example.com/shop\n\ngo 1.25.0\n", "notes.txt": "new\n"})
	if got := runTool(t, dir, "migrate"); got.code != exitFailed || !strings.Contains(got.stderr, "uncommitted changes, such as notes.txt") {
		t.Errorf("with a new file: exit code %d: %s", got.code, got.stderr)
	}
	inShell(t, dir, "rm notes.txt")
	if got := runTool(t, dir, "migrate"); got.code != exitFailed || !strings.Contains(got.stderr, "Until informer-gen has a release, name a clone of it by --clone") {
		t.Errorf("with a changed go.mod: exit code %d: %s", got.code, got.stderr)
	}
}

func TestMigrateFlags(t *testing.T) {
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--help"}, exitOK, "--controller-runtime"},
		{[]string{"./..."}, exitUsage, "migrate has no arguments"},
		{[]string{"--informers=typd"}, exitUsage, "did you mean typed?"},
		{[]string{"--no"}, exitUsage, "unknown flag"},
		{[]string{"--clone=none"}, exitUsage, "--clone=none is no clone of informer-gen"},
	} {
		if got := runTool(t, t.TempDir(), append([]string{"migrate"}, test.args...)...); got.code != test.code || !strings.Contains(got.stdout+got.stderr, test.want) {
			t.Errorf("%q: exit code %d: %s%s", test.args, got.code, got.stdout, got.stderr)
		}
	}
}

// TestMigrateTyped rewrites the code of a project for typed informers, and it compiles.
func TestMigrateTyped(t *testing.T) {
	dir, clone := migrated(t, nil)
	got := runTool(t, dir, "migrate", "--informers=typed", "--clone="+clone)
	left := "Left to do by hand:\n\tcontroller/controller.go:19: a typed handler never gets a DeletedFinalStateUnknown; remove the code for it\nFiles changed: "
	if got.code != exitOK || !strings.Contains(got.stdout, left) {
		t.Fatalf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	goCommand(t, dir, "vet", "./...")
}

// TestMigrateTypedLeaves requires that what does not compile is listed with its position, and a file that build constraints exclude, but
// no error from before.
func TestMigrateTypedLeaves(t *testing.T) {
	dir, clone := migrated(t, map[string]string{"other/other.go": `package other

import (
	"k8s.io/client-go/tools/cache"

	informers "example.com/operator/pkg/client/informers/externalversions"
)

type informer interface{ Informer() cache.SharedIndexInformer }

func Orders(factory informers.SharedInformerFactory) informer {
	return factory.Store().V1().Orders()
}
`, "other/other_test.go": "package other\n\nvar _ = undefinedBefore\n", "other/tagged.go": `//go:build tagged

package other

import informers "example.com/operator/pkg/client/informers/externalversions"

var _ informers.SharedInformerFactory
`})
	got := runTool(t, dir, "migrate", "--informers=typed", "--clone="+clone)
	if got.code != exitOK || strings.Contains(got.stdout, "undefinedBefore") {
		t.Fatalf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	for _, want := range []string{
		"\tother/other.go:12: cannot use factory.Store().V1().Orders()",
		"\tother/tagged.go:1: it imports example.com/operator/pkg/client/informers/externalversions, and is not rewritten",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%s is missing in %s", want, got.stdout)
		}
	}
}
