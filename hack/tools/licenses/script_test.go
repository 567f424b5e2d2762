package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestScript runs hack/security.sh with a govulncheck that finds something in module a, finds nothing in c, and has no
// database for b.
func TestScript(t *testing.T) {
	script, err := os.ReadFile("../../security.sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"hack/security.sh":      string(script),
		"hack/tools/go.mod":     "module example.com/tools\n",
		"build/bin/licenses":    "#!/bin/sh\necho licenses of \"$@\"\n",
		"stub/go":               "#!/bin/sh\n", // builds nothing
		"build/bin/govulncheck": "#!/bin/sh\ncase $2 in\na) exit 3 ;;\nb) echo fetching vulnerabilities: no such host; exit 1 ;;\nesac\necho No vulnerabilities found\n",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for args, pass := range map[string]bool{
		"c": true, "c STRICT=1": true, "a c": false, "b": true, "b STRICT=1": false, "c b": true, "c b STRICT=1": false,
		"a b":          false, // a missing database does not hide what was found
		"--licenses a": true,
	} {
		modules, strict, _ := strings.Cut(args, " STRICT=")
		cmd := exec.CommandContext(t.Context(), "bash", append([]string{"hack/security.sh"}, strings.Fields(modules)...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+filepath.Join(dir, "stub")+string(filepath.ListSeparator)+os.Getenv("PATH"), "STRICT="+strict)
		if output, err := cmd.CombinedOutput(); (err == nil) != pass || !strings.Contains(string(output), "licenses of ") {
			t.Errorf("%q: %v, want success: %t\n%s", args, err, pass, output)
		}
	}
}
