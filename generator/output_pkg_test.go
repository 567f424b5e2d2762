package generator

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOutputPackage(t *testing.T) {
	root := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("mod/go.mod", "// a comment\nmodule \"example.com/mod\"\n")
	write("mod/tools/go.mod", "module example.com/mod/tools\n")
	write("mod/file", "")
	write("mod/odd/go.mod/README.md", "a folder that is called go.mod")
	write("empty/go.mod", "go 1.25.0\n")

	for _, test := range []struct{ dir, asked, want, wantErr string }{
		{dir: "mod", want: "example.com/mod"},
		{dir: "mod/generated", want: "example.com/mod/generated"},
		{dir: "mod/not/there/yet", want: "example.com/mod/not/there/yet"},
		{dir: "mod/tools/generated", want: "example.com/mod/tools/generated"},
		{dir: "mod/odd", want: "example.com/mod/odd"},
		{dir: "mod/file/generated", want: "example.com/mod/file/generated"}, // NewPlan refuses it
		{dir: "mod/generated", asked: "example.com/mod/generated", want: "example.com/mod/generated"},
		{dir: "mod/generated", asked: "example.com/mod/generated/", want: "example.com/mod/generated"},
		{dir: "mod/generated", asked: "example.com/mod", wantErr: "is not the import path"},
		{dir: "mod/vendor/generated", wantErr: "Go imports packages there by other paths"},
		{dir: "mod/my folder", wantErr: "does not accept"},
		{dir: "empty/generated", wantErr: "this go.mod has no module line"},
		{dir: "none/generated", wantErr: "no go.mod above it"},
		{dir: "none/generated", asked: "example.com/x/", want: "example.com/x"},
		{dir: "none/generated", asked: "./x y", wantErr: "does not accept"},
	} {
		got, err := outputPackage(filepath.Join(root, test.dir), test.asked)
		switch {
		case test.wantErr == "" && (err != nil || got != test.want):
			t.Errorf("%s, wanted %q: %q, %v; want %q", test.dir, test.asked, got, err, test.want)
		case test.wantErr != "" && (err == nil || !strings.Contains(err.Error(), test.wantErr)):
			t.Errorf("%s, wanted %q: %q, %v; want an error with %q", test.dir, test.asked, got, err, test.wantErr)
		}
	}
}

func TestOptionsSayAllMistakes(t *testing.T) {
	_, err := Options{ClientsetName: "my-set", HeaderFile: "/not/there"}.resolve()
	if err == nil || strings.Count(err.Error(), "\n") != 3 {
		t.Errorf("the error is %v, want four lines", err)
	}
}

// TestOptionErrorsNameFields checks that errors name fields, or flags on request.
func TestOptionErrorsNameFields(t *testing.T) {
	err := Options{OutputDir: "out", Patterns: []string{"."}, ClientsetName: "my-set"}.Validate()
	var mistake *OptionError
	if !errors.As(err, &mistake) || mistake.Field != "ClientsetName" || !strings.HasPrefix(err.Error(), "ClientsetName=my-set is not the name of a Go package") {
		t.Fatalf("the error is %#v", err)
	}
	toFlag := func(field string) string { return "--" + strings.ToLower(field) }
	if text := mistake.Message(toFlag); !strings.HasPrefix(text, "--clientsetname=my-set ") || !strings.HasSuffix(text, "; use --clientsetname=versioned") {
		t.Errorf("with flags it is %q", text)
	}
	_, err = Options{OutputDir: t.TempDir(), OutputPackage: "example.com/p", Patterns: []string{"."}, HeaderFile: "/not/there"}.resolve()
	if !errors.As(err, &mistake) || mistake.Field != "HeaderFile" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
}
