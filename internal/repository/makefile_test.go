package repository_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMakefileInFolderWithSpace runs the Makefile in a folder whose name begins with
// that of another one, which make clean once deleted.
func TestMakefileInFolderWithSpace(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	parent := t.TempDir()
	folder, sibling := filepath.Join(parent, "my project"), filepath.Join(parent, "my")
	for _, dir := range []string{filepath.Join(folder, "build", "bin"), sibling} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "Makefile"), makefile, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		command := exec.Command("make", args...)
		command.Dir = folder
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("make %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	targets := regexp.MustCompile(`(?m)^([a-z0-9-]+):.*## `).FindAllStringSubmatch(string(makefile), -1)
	if len(targets) < 10 {
		t.Fatalf("only %d targets were found", len(targets))
	}
	for _, target := range targets {
		if script := run("-n", "--no-print-directory", target[1]); strings.Contains(script, parent) {
			t.Errorf("make %s has an absolute path, which the shell splits at its spaces:\n%s", target[1], script)
		}
	}
	run("clean")
	if _, err := os.Stat(sibling); err != nil {
		t.Errorf("make clean deleted another folder: %v", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "build")); !os.IsNotExist(err) {
		t.Errorf("make clean left the build folder: %v", err)
	}
}

// TestMakeDoesNotExpandVersion has the name of a tag that would run a command if a recipe contained $(VERSION).
func TestMakeDoesNotExpandVersion(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	for _, target := range []string{"release-dry-run", "release-binaries"} {
		command := exec.Command("make", "-n", target)
		command.Env = append(os.Environ(), "VERSION=v1$(shell touch "+ran+");touch "+ran)
		out, err := command.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "hack/release.sh") || strings.Contains(string(out), "touch") {
			t.Errorf("make %s: %v\n%s", target, err, out)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("make ran a command in the name of the version")
	}
}

// TestMakeReal chooses commands with a whole API server, which do not get the choice as an option.
func TestMakeReal(t *testing.T) {
	for args, want := range map[string]string{
		"demo ARGS=--stay":                   "build/bin/demo --repo=. --stay\n",
		"demo ARGS=--real --stay":            "build/bin/demo-real --repo=.  --stay\n",
		"apiserver ARGS=--crds='a b'":        "build/bin/apiserver --crds='a b'\n",
		"apiserver ARGS=--real --crds='a b'": "build/bin/apiserver-real  --crds='a b'\n",
	} {
		target, set, _ := strings.Cut(args, " ")
		out, err := exec.Command("make", "-n", "--no-print-directory", target, set).CombinedOutput()
		if err != nil || !strings.HasSuffix(string(out), want) {
			t.Errorf("make %s: %v\n%swant\n%s", args, err, out, want)
		}
	}
}
