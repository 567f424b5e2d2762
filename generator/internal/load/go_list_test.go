package load

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEnviron checks that a user's GOVCS counts, wherever the user has set it.
func TestEnviron(t *testing.T) {
	const off = "GOVCS=*:off"
	for name, test := range map[string]struct {
		variable, file string
		isOff          bool
	}{
		"not set":                 {isOff: true},
		"variable":                {variable: "private:git"},
		"file":                    {file: "GOPROXY=off\nGOVCS=private:git\n"},
		"file without last line":  {file: "GOVCS=private:git"},
		"file from Windows":       {file: "GOVCS=private:git\r\n"},
		"file with other setting": {file: "# GOVCS=private:git\nNOGOVCS=1\nGOVCSX=1\n", isOff: true},
		"empty in the file":       {file: "GOVCS=private:git\nGOVCS=\r\n", isOff: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOVCS", test.variable)
			t.Setenv("GOENV", filepath.Join(t.TempDir(), "env"))
			if test.file != "" {
				if err := os.WriteFile(os.Getenv("GOENV"), []byte(test.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := slices.Contains(environ(), off); got != test.isOff {
				t.Errorf("%s is set: %t", off, got)
			}
		})
	}
	// The folder of go env -w depends on the system.
	t.Setenv("GOVCS", "")
	t.Setenv("GOENV", "")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	dir, err := os.UserConfigDir()
	if err != nil {
		t.Skip(err)
	}
	if !slices.Contains(environ(), off) {
		t.Errorf("without a file, %s is not set", off)
	}
	if err := os.MkdirAll(filepath.Join(dir, "go"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go", "env"), []byte("GOVCS=private:git\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(environ(), off) {
		t.Errorf("with a setting of go env -w, %s is set", off)
	}
	t.Setenv("GOENV", "off")
	if !slices.Contains(environ(), off) {
		t.Errorf("with GOENV=off, %s is not set", off)
	}
}

// TestOneEnvironment checks that the generator executes programs only through Options.config.
func TestOneEnvironment(t *testing.T) {
	execution := regexp.MustCompile(`"os/exec"|syscall\.Exec\(|os\.StartProcess\(|packages\.Config\{|gocommand`)
	var found []string
	for _, root := range []string{"../..", "../../../cmd/informer-gen"} {
		err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
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
	if !slices.Equal(found, []string{"load.go"}) {
		t.Errorf("the programs are executed by %v; only Options.config of load.go has the environment", found)
	}
}
