package golist

import (
	"go/token"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

func TestPosition(t *testing.T) {
	for s, want := range map[string]token.Position{
		"":                 {},
		"-":                {},
		"a.go":             {Filename: "a.go"},
		"a.go:3":           {Filename: "a.go", Line: 3},
		"a.go:3:7":         {Filename: "a.go", Line: 3, Column: 7},
		"/x/./a.go:3:7":    {Filename: "/x/a.go", Line: 3, Column: 7},
		`C:\x\a.go:3:7`:    {Filename: `C:\x\a.go`, Line: 3, Column: 7},
		`C:\x\a.go`:        {Filename: `C:\x\a.go`},
		"a:b.go:3:7":       {Filename: "a:b.go", Line: 3, Column: 7},
		"dir:12/a.go:3:7":  {Filename: "dir:12/a.go", Line: 3, Column: 7},
		"a.go:3:7:trailer": {Filename: "a.go:3:7:trailer"},
	} {
		if got := position(s); got != want {
			t.Errorf("position(%q) = %#v, want %#v", s, got, want)
		}
	}
}

// TestListErrors checks messages about errors of the go command that depend on the module cache.
func TestListErrors(t *testing.T) {
	for text, want := range map[string]string{
		"pattern k8s.io/api/...: k8s.io/api@v0.37.2: missing go.sum entry": "" +
			"pattern k8s.io/api/...: k8s.io/api@v0.37.2: missing go.sum entry; to add it: go get k8s.io/api@v0.37.2",
		"k8s.io/api@v0.37.2: missing go.sum entry for go.mod file; to add it:\n\tgo mod download k8s.io": "" +
			"k8s.io/api@v0.37.2: missing go.sum entry for go.mod file; to add it:\n\tgo mod download k8s.io",
		"package corev1 is not in std (/go/src/corev1)": "" +
			"package corev1 is not in std (/go/src/corev1); write the whole import path, such as k8s.io/api/core/v1, or ./corev1 for a folder",
		"pattern ./api/...: lstat ./api/: no such file or directory": "" +
			"pattern ./api/... matches no package, because the folder does not exist; name a folder with API types",
	} {
		var errs model.Errors
		addError(&errs, t.TempDir(), packages.Error{Msg: text}, nil)
		if err := errs.Join(); err == nil || err.Error() != want {
			t.Errorf("%s:\n%v\nwant\n%s", text, err, want)
		}
	}
}
