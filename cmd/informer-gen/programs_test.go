//go:build unix

package main

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hostile is a module whose dependencies only version control has, at a server of their author's choice.
var hostile = map[string]string{
	"go.mod": "module example.com/mod\n\ngo 1.25.0\n\nrequire (\n" +
		"\tevil.example/a.git v1.0.0\n\tevil.example/b.hg v1.0.0\n\tevil.example/c.svn v1.0.0\n\tevil.example/d.bzr v1.0.0\n\tevil.example/e.fossil v1.0.0\n)\n",
	"go.sum":      sums("evil.example/a.git", "evil.example/b.hg", "evil.example/c.svn", "evil.example/d.bzr", "evil.example/e.fossil"),
	"cmd/main.go": "package main\n\nfunc main() {}\n", // the go command stamps the revision into programs
	".git/HEAD":   "ref: refs/heads/main\n",
	".git/config": "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch ran\n",
	"api/types.go": `package v1

// #cgo pkg-config: evil
// #cgo LDFLAGS: -fuse-ld=evil
import "C"

//go:generate gcc -fplugin=evil

import (
	"cmp"
	"evil.example/a.git/p"
	"evil.example/b.hg/p"
	"evil.example/c.svn/p"
	"evil.example/d.bzr/p"
	"evil.example/e.fossil/p"
)

// +genclient
type Order struct {
	p.Meta
	A a.T
	B b.T
	C c.T
	D d.T
	E e.T
}
`,
}

func sums(modules ...string) string {
	var b strings.Builder
	for _, module := range modules {
		hash := "h1:" + strings.Repeat("A", 43) + "=\n"
		b.WriteString(module + " v1.0.0 " + hash + module + " v1.0.0/go.mod " + hash)
	}
	return b.String()
}

// recorder writes a fake of each program that the go command may execute into a new folder in front of PATH. It
// returns a function that returns the lines of the programs that ran.
func recorder(t *testing.T) (ran func() string) {
	t.Helper()
	dir := t.TempDir()
	trace := filepath.Join(dir, "trace")
	for _, program := range []string{"git", "hg", "svn", "bzr", "fossil", "ssh", "pkg-config", "gcc", "g++", "cc", "clang", "clang++", "ld", "go1.99.0"} {
		writeScript(t, filepath.Join(dir, program), "echo "+program+" \"$@\" >>'"+trace+"'\nexit 1\n")
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() string {
		content, _ := os.ReadFile(trace)
		_ = os.Remove(trace)
		return string(content)
	}
}

// TestModuleChoosesNoProgram runs the tool in modules that name programs and servers in all the ways that a
// module has. Without a proxy, the go command would run version control. No program may run.
func TestModuleChoosesNoProgram(t *testing.T) {
	const view = "package v1\n\n// +informer:view=evil.example/a.git/p.Order\ntype View struct{}\n"
	const advice, goGet, other = "if you trust the module, run go mod download first, or set GOVCS", "go get evil.example/a.git/p", "no kind to generate for"
	for name, test := range map[string]struct {
		files    map[string]string
		settings []string
		args     []string
		// want is in the error. It is other if the run needs no module.
		want string
	}{
		"types":            {args: []string{"./api"}},
		"all types":        {args: []string{"--with-applyconfig", "--deepcopy", "--register", "./api"}},
		"a package":        {args: []string{"evil.example/a.git/p"}},
		"a program":        {args: []string{"./cmd"}, want: other},
		"a private module": {args: []string{"./api"}, settings: []string{"GOPRIVATE=evil.example"}},
		"a replaced module": {args: []string{"evil.example/x/p"}, files: map[string]string{"go.mod": "module example.com/mod\n\ngo 1.25.0\n\n" +
			"require evil.example/x v1.0.0\n\nreplace evil.example/x => evil.example/a.git v1.0.0\n"}},
		"a workspace":        {args: []string{"./api"}, settings: []string{"GOWORK="}, files: map[string]string{"go.work": "go 1.25.0\n\nuse .\n"}},
		"a missing module":   {args: []string{"./api"}, settings: []string{"GOFLAGS=-mod=mod"}, files: map[string]string{"go.mod": "module example.com/mod\n\ngo 1.25.0\n"}},
		"a tool":             {args: []string{"tool"}, files: map[string]string{"go.mod": "module example.com/mod\n\ngo 1.25.0\n\ntool evil.example/a.git/p\n\nrequire evil.example/a.git v1.0.0\n"}},
		"the kind of a view": {args: []string{"./view"}, want: "view View does not embed", files: map[string]string{"view/types.go": view}},
		"a clientset": {args: []string{"--versioned-clientset-package=evil.example/a.git/p", "./ok"}, want: goGet,
			files: map[string]string{"ok/types.go": "package ok\n\n// +genclient\ntype Order struct{}\n"}},
		"aliases":              {args: []string{"--alias-package=alias/v1", "./api"}},
		"a toolchain is named": {args: []string{"./cmd"}, want: other, files: map[string]string{"go.mod": "module example.com/mod\n\ngo 1.25.0\n\ntoolchain go1.99.0\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, ran := t.TempDir(), recorder(t)
			files := maps.Clone(hostile)
			maps.Copy(files, test.files)
			writeFiles(t, dir, files)
			if !strings.Contains(strings.Join(test.args, " "), "--alias-package") {
				test.args = append([]string{"--output-dir=out"}, test.args...)
			}
			run := func(settings ...string) outcome {
				settings = append([]string{"GOPROXY=direct", "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local", "GOENV=off", "GOVCS=", "GOPACKAGESDRIVER=off",
					"CGO_ENABLED=1", "GOMODCACHE=" + filepath.Join(dir, "cache")}, settings...)
				return runToolWith(t, dir, append(settings, test.settings...), test.args...)
			}
			got := run()
			if programs := ran(); programs != "" {
				t.Errorf("the run executed\n%s", programs)
			}
			if got.code == exitOK || !strings.Contains(got.stderr, cmp.Or(test.want, advice)) {
				t.Errorf("exit code %d, stderr %s", got.code, got.stderr)
			}
			if test.want == other {
				return
			}
			// The same run executes programs if the user allows it, so the above shows something.
			if got := run("GOVCS=*:all"); ran() == "" {
				t.Errorf("with GOVCS=*:all in the environment, no program ran: %s", got.stderr)
			}
			settings := filepath.Join(dir, "env")
			if err := os.WriteFile(settings, []byte("GOVCS=*:all\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := run("GOENV=" + settings); ran() == "" {
				t.Errorf("with GOVCS=*:all in the settings, no program ran: %s", got.stderr)
			}
		})
	}
}
