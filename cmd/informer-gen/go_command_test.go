package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoCommand runs the tool with settings of the go command, and without a go command.
func TestGoCommand(t *testing.T) {
	dir := orderModule(t)
	content, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, map[string]string{
		"other/alt.mod": string(content),
		"go.mod":        strings.ReplaceAll(string(content), "k8s.io/client-go", "example.com/moved"), // so the tool warns of it
		"env":           "GOFLAGS=-modfile=other/alt.mod\n",
		"cgo/types.go":  "package cgo\n\nimport \"C\"\n\n// +genclient\ntype Order struct{}\n",
	})
	for _, test := range []struct {
		name, setting, pattern string
		code                   int
		want                   string
	}{
		{"the module of -modfile", "GOFLAGS=-mod=mod -modfile=other/alt.mod", "./shop/...", exitOK, ""},
		{"the module of go env -w", "GOENV=" + filepath.Join(dir, "env"), "./shop/...", exitOK, ""},
		{"no such file", "GOFLAGS=-modfile=gone.mod", "./shop/...", exitFailed, "go: open gone.mod: no such file or directory; correct go.mod, or the settings of the go command"},
		{"no modules", "GO111MODULE=off", "./shop/...", exitFailed, "GO111MODULE=off is set, but informer-gen reads packages of modules; unset it"},
		{"no go command", "PATH=" + dir, "./shop/...", exitFailed, "cannot list the packages ./shop/...: there is no go command in PATH; install Go"},
		{"no cgo", "CGO_ENABLED=0", "./cgo", exitFailed, `(types.go has import "C"); set CGO_ENABLED=1 to include it`},
		{"no cgo, below a pattern", "CGO_ENABLED=0", "./cgo/...", exitFailed, `or set CGO_ENABLED=1 to include ./cgo/types.go, which has import "C"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			settings := []string{"GOPROXY=off", "GOWORK=off", "GOFLAGS=", test.setting}
			got := runToolWith(t, dir, settings, "--output-dir=out", test.pattern)
			if got.code != test.code || !strings.Contains(got.stderr, test.want) {
				t.Errorf("exit code %d, stderr %s; want %d and %s", got.code, got.stderr, test.code, test.want)
			}
			if test.code == exitOK && strings.Contains(got.stderr, "client-go") {
				t.Errorf("the tool has not read the other go.mod: %s", got.stderr)
			}
		})
	}
}
