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

// TestNewcomer generates everything for a package of structs with +genclient, and uses the result.
func TestNewcomer(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a clientset")
	}
	dir := operatorModule(t, archiveFiles(t, "testdata/newcomer.txtar"))
	args := []string{"--output-dir=generated", "--deepcopy", "--register", "--with-applyconfig", "./api/..."}
	if got := runTool(t, dir, args...); got.code != exitOK || !strings.Contains(got.stderr, "3 kinds in 1 group version: wrote ") {
		t.Fatalf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	goCommand(t, dir, "vet", "./...")
	goCommand(t, dir, "test", "-vet=off", "./...")

	before := snapshot(t, dir)
	if got := runTool(t, dir, append(slices.Clone(args), "--verify")...); got.code != exitOK || got.stdout != "" {
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

	args := []string{"--output-dir=generated", "--deepcopy", "--register", "--exclude=example.com/operator/api/mixed/v1.Excluded", "./api/..."}
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
	goCommand(t, dir, "test", "-vet=off", "./api/...")
	if got := runTool(t, dir, append(args, "--verify")...); got.code != exitOK {
		t.Errorf("--verify: exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
}

// ownKind is a package with one kind and a group, without methods, list type and registration.
const ownKind = `// +groupName=shop.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +genclient
type Order struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Tags []string ` + "`json:\"tags,omitempty\"`" + `
}
`

const (
	copyFile     = "api/v1/zz_generated.deepcopy.go"
	registerFile = "api/v1/zz_generated.register.go"
)

// TestOwnFilesAgain runs the tool after each change to a package that has files of earlier runs.
func TestOwnFilesAgain(t *testing.T) {
	dir := operatorModule(t, map[string]string{"api/v1/types.go": ownKind})
	run := func(args ...string) outcome {
		t.Helper()
		return runTool(t, dir, append([]string{"--output-dir=generated"}, append(args, "./api/...")...)...)
	}
	read := func(name string) string {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(content)
	}
	succeed := func(got outcome, want string) {
		t.Helper()
		if got.code != exitOK || !strings.Contains(got.stderr, want) {
			t.Fatalf("exit code %d, want %q in\n%s", got.code, want, got.stderr)
		}
	}

	got := run("--deepcopy", "--register", "--verify")
	for _, name := range []string{copyFile, registerFile, "generated/clientset/versioned/clientset.go"} {
		if !strings.Contains(got.stdout, "--- /dev/null\n+++ b/"+name+"\n") {
			t.Errorf("--verify does not print %s", name)
		}
	}
	if got.code != exitFailed || read(copyFile)+read(registerFile) != "" {
		t.Errorf("--verify has exit code %d, and may have written files: %s", got.code, got.stderr)
	}
	succeed(run("--deepcopy", "--register"), "wrote")

	// A field and a kind are added.
	changed := strings.Replace(ownKind, "Tags []string", "Parts map[string][]string `json:\"parts\"`\n\tTags []string", 1)
	shelf := strings.ReplaceAll(ownKind[strings.Index(ownKind, "// +genclient"):], "Order", "Shelf")
	writeFiles(t, dir, map[string]string{"api/v1/types.go": changed + "\n" + shelf})
	got = run("--deepcopy", "--register", "--verify")
	if got.code != exitFailed || !strings.Contains(got.stdout, "--- a/"+copyFile) || !strings.Contains(got.stdout, "--- a/"+registerFile) {
		t.Errorf("--verify has exit code %d, and prints\n%s%s", got.code, got.stdout, got.stderr)
	}
	succeed(run("--deepcopy", "--register"), "2 kinds")
	if !strings.Contains(read(copyFile), "in.Parts") || !strings.Contains(read(registerFile), "&ShelfList{}") {
		t.Errorf("the files lack the new field or the new kind:\n%s\n%s", read(copyFile), read(registerFile))
	}

	// The kind is removed. Its list type is in the old file, which the run must not read.
	writeFiles(t, dir, map[string]string{"api/v1/types.go": changed})
	succeed(run("--deepcopy", "--register"), "1 kind")
	if strings.Contains(read(copyFile)+read(registerFile), "Shelf") {
		t.Error("the files still have the removed kind")
	}

	// The file is broken, as by a merge.
	writeFiles(t, dir, map[string]string{copyFile: strings.Replace(read(copyFile), "\npackage v1\n", "\npackage v1\n<<<<<<< ours\n", 1)})
	succeed(run("--deepcopy", "--register"), "wrote 1 file")

	// Without the flags, the package uses the files of the earlier run, and nothing changes in it.
	before := read(copyFile) + read(registerFile)
	succeed(run(), "unchanged")
	if read(copyFile)+read(registerFile) != before {
		t.Error("a run without the flags has changed the package")
	}
	// A run with one of the flags uses the other file.
	succeed(run("--deepcopy"), "unchanged")
	succeed(run("--register"), "unchanged")

	// The user writes the registration, so the file is not needed, with or without the flag.
	byHand := strings.NewReplacer("// Code generated by github.com/typedinformers/informer-gen. DO NOT EDIT.\n", "").Replace(read(registerFile))
	for _, args := range [][]string{{"--deepcopy", "--register"}, {"--deepcopy"}} {
		generated := read(registerFile)
		writeFiles(t, dir, map[string]string{"api/v1/register.go": byHand})
		succeed(run(args...), "delete "+registerFile+", which is no longer generated")
		if read(registerFile) != "" {
			t.Errorf("%v: the run has not deleted %s", args, registerFile)
		}
		writeFiles(t, dir, map[string]string{registerFile: generated})
	}
	if err := os.Remove(filepath.Join(dir, "api/v1/register.go")); err != nil {
		t.Fatal(err)
	}

	// The package is no longer named, or excluded: its files are not touched.
	writeFiles(t, dir, map[string]string{"api/v2/types.go": strings.Replace(ownKind, "package v1", "package v2", 1)})
	before = read(copyFile) + read(registerFile)
	succeed(run("--deepcopy", "--register", "--exclude=example.com/operator/api/v1"), "1 kind")
	if read(copyFile)+read(registerFile) != before {
		t.Error("the run has changed an excluded package")
	}
}

// TestRegisterOnly generates list types with their deep copies, in a file with a build constraint.
func TestRegisterOnly(t *testing.T) {
	dir := operatorModule(t, archiveFiles(t, "testdata/register_only.txtar"))
	args := []string{"--output-dir=generated", "--register", "--build-tags=shelves", "./api/..."}
	if got := runTool(t, dir, args...); got.code != exitOK {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	content, err := os.ReadFile(filepath.Join(dir, registerFile))
	if err != nil || !strings.HasPrefix(string(content), "//go:build shelves\n\n") {
		t.Errorf("the file is (%v)\n%s", err, content)
	}
	goCommand(t, dir, "vet", "./api/...")
	goCommand(t, dir, "vet", "-tags=shelves", "./api/...")
	goCommand(t, dir, "test", "-tags=shelves", "./api/...")
	if got := runTool(t, dir, append(args, "--verify")...); got.code != exitOK {
		t.Errorf("--verify: exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
}
