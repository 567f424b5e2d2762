package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// operatorModule writes a module with the files and the requirements of testdata, so that generated code
// compiles in it, and returns its folder.
func operatorModule(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(root, "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(content)
	}
	files["go.mod"] = strings.NewReplacer(
		"module github.com/typedinformers/informer-gen/testdata\n", "module example.com/operator\n",
		"=> ../\n", "=> "+root+"\n", "=> ./dependency", "=> "+filepath.Join(root, "testdata/dependency"),
	).Replace(files["go.mod"])
	writeFiles(t, dir, files)
	return dir
}

// archiveFiles returns the files of an archive.
func archiveFiles(t *testing.T, name string) map[string]string {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	return files
}

// goCommand runs the go command in a module, offline.
func goCommand(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, output)
	}
}

// TestNewcomer generates everything for a package that is one struct with +genclient, and uses the result.
func TestNewcomer(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a clientset")
	}
	dir := operatorModule(t, archiveFiles(t, "testdata/newcomer.txtar"))
	args := []string{"--output-dir=generated", "--deepcopy", "--register", "./api/..."}
	if got := runTool(t, dir, args...); got.code != exitOK || !strings.Contains(got.stderr, "1 kind in 1 group version: wrote ") {
		t.Fatalf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	goCommand(t, dir, "vet", "./...")
	goCommand(t, dir, "test", "./...")

	before := snapshot(t, dir)
	if got := runTool(t, dir, append(args, "--verify")...); got.code != exitOK || got.stdout != "" {
		t.Errorf("--verify: exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if got := runTool(t, dir, args...); got.code != exitOK || strings.Contains(got.stderr, "wrote") {
		t.Errorf("the second run: exit code %d: %s", got.code, got.stderr)
	}
	if snapshot(t, dir) != before {
		t.Error("the second run has changed files")
	}
}

// TestRegister generates for packages that lack different things, and registers all of them.
func TestRegister(t *testing.T) {
	const file = "testdata/register.txtar"
	files := archiveFiles(t, file)
	const crlf = "api/crlf/v1/types.go"
	files[crlf] = strings.ReplaceAll(files[crlf], "\n", "\r\n")
	dir := operatorModule(t, files)
	goCommand(t, dir, "mod", "edit", "-require=sigs.k8s.io/controller-runtime@v0.0.0", "-replace=sigs.k8s.io/controller-runtime=./controller-runtime")

	args := []string{"--output-dir=generated", "--deepcopy", "--register", "./api/..."}
	if got := runTool(t, dir, args...); got.code != exitOK {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	written, err := filepath.Glob(filepath.Join(dir, "api/*/v1/zz_generated.register.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(written, filepath.Join(dir, "api/plain/zz_generated.register.go")) {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		way, _ := filepath.Rel(filepath.Join(dir, "api"), name)
		got["want.register/"+filepath.ToSlash(way)] = string(content)
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if *update && !slices.ContainsFunc(archive.Files, func(f txtar.File) bool { return f.Name == name }) {
			archive.Files = append(archive.Files, txtar.File{Name: name})
		}
	}
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want.") && got[f.Name] == "" {
			t.Errorf("the run has not written %s", f.Name)
		}
	}
	compareArchive(t, file, archive, got)
	goCommand(t, dir, "vet", "./api/...")
	goCommand(t, dir, "test", "./api/...")
	if got := runTool(t, dir, append(args, "--verify")...); got.code != exitOK {
		t.Errorf("--verify: exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
}
