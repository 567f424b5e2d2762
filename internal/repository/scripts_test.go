package repository_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestScriptsWorkInTheirRepository runs the head of each script, up to its cd, with a
// CDPATH in which there is another folder of that name. A path with a space has to do too.
func TestScriptsWorkInTheirRepository(t *testing.T) {
	scripts, err := exec.CommandContext(t.Context(), "git", "ls-files", "-co", "--exclude-standard", "*.sh", ".ci").Output()
	if err != nil {
		t.Skipf("git does not list the scripts: %v", err)
	}
	names := strings.Fields(string(scripts))
	if len(names) < 6 {
		t.Fatalf("only these scripts are found: %q", names)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			at := strings.Index(string(text), "BASH_SOURCE")
			end := strings.Index(string(text[max(at, 0):]), "\n")
			if at < 0 || end < 0 || !strings.Contains(string(text[:at]), "\nset -euo pipefail\n") {
				t.Fatal("it does not begin with set -euo pipefail and a cd to its repository")
			}
			folder := filepath.Dir(name)
			repository, elsewhere := filepath.Join(t.TempDir(), "the repository"), t.TempDir()
			for _, dir := range []string{filepath.Join(repository, folder), filepath.Join(elsewhere, folder)} {
				if err := os.MkdirAll(dir, 0o777); err != nil {
					t.Fatal(err)
				}
			}
			head := string(text[:at+end]) + "\npwd -P\n"
			if err := os.WriteFile(filepath.Join(repository, name), []byte(head), 0o777); err != nil {
				t.Fatal(err)
			}
			command := exec.CommandContext(t.Context(), "bash", name)
			command.Dir, command.Env = repository, append(os.Environ(), "CDPATH="+elsewhere)
			output, err := command.CombinedOutput()
			want, _ := filepath.EvalSymlinks(filepath.Join(repository, folder, ".."))
			if err != nil || strings.TrimSpace(string(output)) != want {
				t.Errorf("it works in %s, want %s: %v", output, want, err)
			}
		})
	}
}
