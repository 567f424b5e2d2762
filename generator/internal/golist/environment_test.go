package golist

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEnviron checks that a user's GOVCS counts, wherever the user has set it.
func TestEnviron(t *testing.T) {
	const off = "GOVCS=*:off"
	isOff := func() bool {
		env, _ := environ()
		return slices.Contains(env, off)
	}
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
			if got := isOff(); got != test.isOff {
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
	if !isOff() {
		t.Errorf("without a file, %s is not set", off)
	}
	if err := os.MkdirAll(filepath.Join(dir, "go"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go", "env"), []byte("GOVCS=private:git\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if isOff() {
		t.Errorf("with a setting of go env -w, %s is set", off)
	}
	t.Setenv("GOENV", "off")
	if !isOff() {
		t.Errorf("with GOENV=off, %s is not set", off)
	}
}

// TestModFile moves -modfile from GOFLAGS to the flags of the commands that list packages.
func TestModFile(t *testing.T) {
	for _, test := range []struct{ goFlags, flags, others string }{
		{"", "", ""},
		{"-mod=mod -tags=a,b", "", ""},
		{"-modfile=alt.mod", "-modfile=alt.mod", "GOFLAGS= "},
		{" -mod=mod  --modfile=alt.mod\t-tags=a", "--modfile=alt.mod", "GOFLAGS= -mod=mod -tags=a "},
		{`'-modfile=a b.mod' "-tags=c"`, "-modfile=a b.mod", `GOFLAGS= "-tags=c" `},
		{`-mod=mod "-modfile=open`, "-modfile=open", "GOFLAGS= -mod=mod "}, // the go command refuses the next one
		{`"`, "", ""},
	} {
		for _, inFile := range []bool{false, true} {
			t.Run(test.goFlags, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "env")
				t.Setenv("GOENV", file)
				t.Setenv("GOFLAGS", test.goFlags)
				if inFile {
					t.Setenv("GOFLAGS", "")
					if err := os.WriteFile(file, []byte("GOFLAGS="+test.goFlags+"\n"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				env, flags := environ()
				if got := strings.Join(flags, "|"); got != test.flags {
					t.Errorf("the flags are %q, want %q", got, test.flags)
				}
				last := ""
				for _, text := range env[len(os.Environ()):] {
					if strings.HasPrefix(text, "GOFLAGS=") {
						last = text
					}
				}
				if last != test.others {
					t.Errorf("GOFLAGS is %q, want %q", last, test.others)
				}
			})
		}
	}
}
