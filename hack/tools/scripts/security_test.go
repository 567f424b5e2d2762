package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecurity runs hack/security.sh with a govulncheck that finds something in module a, finds nothing in c, and has no
// database for b, and with a go-licenses that refuses what d needs on Windows.
func TestSecurity(t *testing.T) {
	repo := newRepository(t, map[string]string{
		"go.mod": "module github.com/some/shop\n",
		"a/a":    "", "b/b": "", "c/c": "", "d/d": "",
		"stub/go":               "#!/bin/sh\n", // builds nothing
		"build/bin/go-licenses": "#!/bin/sh\ncase $PWD/$GOOS in */d/windows) exit 1 ;; esac\n",
		"build/bin/govulncheck": "#!/bin/sh\ncase $2 in\na) exit 3 ;;\nb) echo fetching vulnerabilities: no such host; exit 1 ;;\nesac\necho No vulnerabilities found\n",
	}, "security.sh")
	for args, pass := range map[string]bool{
		"c": true, "c STRICT=1": true, "a c": false, "b": true, "b STRICT=1": false, "c b": true, "c b STRICT=1": false,
		"a b":          false, // a missing database does not hide what was found
		"--licenses a": true, "--licenses a d a": false, "d c": false,
	} {
		modules, strict, _ := strings.Cut(args, " STRICT=")
		cmd := exec.CommandContext(t.Context(), "bash", append([]string{"hack/security.sh"}, strings.Fields(modules)...)...)
		cmd.Dir, cmd.Env = repo, append(os.Environ(), "PATH="+filepath.Join(repo, "stub")+string(filepath.ListSeparator)+os.Getenv("PATH"), "STRICT="+strict)
		if out, err := cmd.CombinedOutput(); (err == nil) != pass || !strings.Contains(string(out), "licenses of ") {
			t.Errorf("%q: %v, want success: %t\n%s", args, err, pass, out)
		}
	}
}
