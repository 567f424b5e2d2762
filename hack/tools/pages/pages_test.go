package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// right is a repository without mistakes. Each case below replaces or adds files.
var right = map[string]string{
	"Makefile":       "test: lint ## Run all\n\t@true\n\nlint: ## Check\n\t@true\n",
	"README.md":      "# Project\n\n[docs](docs/README.md)\n",
	"docs/README.md": "# Docs\n\nThis page is for everyone.\n\n- [guide](guide.md): for users.\n",
	"docs/guide.md":  "# Guide\n\nThis page is for users.\n\n## More\n\nText.\n",
	"pkg/pkg.go":     "package pkg\n\nfunc F() int {\n\treturn 1\n}\n",
}

// mistakesOf returns the mistakes of the right repository with other files.
func mistakesOf(t *testing.T, changed map[string]string) []string {
	t.Helper()
	files := maps.Clone(right)
	maps.Copy(files, changed)
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	mistakes, err := check(tree, slices.Collect(maps.Keys(tree)))
	if err != nil {
		t.Fatal(err)
	}
	return mistakes
}

// guide returns docs/guide.md with one more line, which is line 5, and more headings.
func guide(line string) map[string]string {
	return map[string]string{"docs/guide.md": "# Guide\n\nThis page is for users.\n\n" + line + "\n\n## More\n\n## More\n\n## A `b` & C_d, “e”\n"}
}

func TestRight(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"nothing more":             nil,
		"a heading":                guide("[a](#more)"),
		"the second heading":       guide("[a](#more-1)"),
		"a heading with signs":     guide("[a](#a-b--c_d-e)"),
		"a heading of another":     {"README.md": "# Project\n\n[docs](docs/README.md), [more](docs/guide.md#more)\n"},
		"a folder":                 guide("[a](../pkg) [b](..) [c](../docs/#docs)"),
		"a file on GitHub":         guide("https://github.com/typedinformers/informer-gen/blob/main/pkg/pkg.go"),
		"an issue":                 guide("https://github.com/typedinformers/informer-gen/issues/7"),
		"a package":                guide("[a](https://pkg.go.dev/github.com/typedinformers/informer-gen/pkg@v0.1.0#F)"),
		"another project":          guide("[a](https://github.com/typedinformers/informer-gen-other/blob/main/x)"),
		"a link in code":           guide("`[a](nowhere.md)` <!-- [b](nowhere.md) -->"),
		"a target of make":         guide("`make test lint ARGS=\"no such thing\"` and ``make -C other all``"),
		"make in text":             guide("They make no such thing."),
		"code":                     guide("```go\nfunc F() int {\n\treturn 1\n}\n```"),
		"code with …":              guide("```go\nfunc F() int {\n…\n}\n```"),
		"code that is comments":    guide("```go\n//go:generate true\n```"),
		"an address with an error": {"x.yaml": "url: https://github.com/typedinformers/informer-gen/blob/main/docs/guide.md#{{ .x }}\n"},
	} {
		if got := mistakesOf(t, files); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestMistakes(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		want  string // the beginning of the only mistake
	}{
		{"no file", guide("[a](nowhere.md)"), `docs/guide.md:5: the link "nowhere.md" names docs/nowhere.md, which does not exist; `},
		{"an image", guide("![a](no.png)"), `docs/guide.md:5: the link "no.png" `},
		{"by a label", guide("[a][b]\n\n[b]: no.md"), `docs/guide.md:5: the link "no.md" `},
		{"no label", guide("[a][b]"), `docs/guide.md:5: this paragraph has a link that is shown as text; `},
		{"a space", guide("[a](no space.md)"), `docs/guide.md:5: this paragraph has a link that is shown as text; `},
		{"no heading", guide("[a](#mor)"), `docs/guide.md:5: the link "#mor" has an anchor that is no heading of docs/guide.md; `},
		{"an anchor of code", guide("[a](../pkg/pkg.go#f)"), `docs/guide.md:5: the link "../pkg/pkg.go#f" has an anchor that is no heading of pkg/pkg.go; `},
		{"http", guide("[a](http://example.com)"), `docs/guide.md:5: the link "http://example.com" is not https, `},
		{"no host", guide("[a](https:///x)"), `docs/guide.md:5: the link "https:///x" is not https, or has no host; `},
		{"a bad escape", guide("[a](https://example.com/%zz)"), `docs/guide.md:5: the link "https://example.com/%zz" cannot be parsed: `},
		{"a file on GitHub", guide("https://github.com/typedinformers/informer-gen/blob/main/no.go"), `docs/guide.md:5: the link "https://github.com/typedinformers/informer-gen/blob/main/no.go" names no.go, `},
		{"a heading on GitHub", map[string]string{"x.go": "package x\n\n// https://github.com/typedinformers/informer-gen/blob/main/docs/guide.md#no.\n"}, `x.go:3: the link "https://github.com/typedinformers/informer-gen/blob/main/docs/guide.md#no" has an anchor `},
		{"no package", guide("[a](https://pkg.go.dev/github.com/typedinformers/informer-gen/no)"), `docs/guide.md:5: the link "https://pkg.go.dev/github.com/typedinformers/informer-gen/no" names a folder that does not exist; `},
		{"no target", guide("`make tset`"), `docs/guide.md:5: the Makefile has no target tset; `},
		{"no target in a block", guide("```sh\ncd x && make test # all\nmake lnt\n```"), `docs/guide.md:7: the Makefile has no target lnt; `},
		{"no target after a variable", guide("`A=1 B=c make tset`"), `docs/guide.md:5: the Makefile has no target tset; `},
		{"Golang", guide("```Golang\nfunc F() int {\n\treturn 2\n}\n```"), `docs/guide.md:5: no test compiles `},
		{"code in another order", guide("```go\n}\n…\nfunc F() int {\n```"), `docs/guide.md:5: no test compiles this code, because no Go file has the line "func F() int {" next`},
		{"other code", guide("```go\nfunc F() int {\n\treturn 2\n}\n```"), `docs/guide.md:5: no test compiles this code, because no Go file has the line "return 2" next to the others; `},
		{"code of generated files", map[string]string{"docs/guide.md": guide("```go\nfunc G() {}\n```")["docs/guide.md"], "pkg/g.go": "// Code generated by x. DO NOT EDIT.\npackage pkg\n\nfunc G() {}\n"}, `docs/guide.md:5: no test compiles `},
		{"code of test data", map[string]string{"docs/guide.md": guide("```go\nfunc G() {}\n```")["docs/guide.md"], "pkg/testdata/g.go": "package pkg\n\nfunc G() {}\n"}, `docs/guide.md:5: no test compiles `},
		{"an import", guide("```go\nimport \"fmt\"\n\nfunc F() int {\n```"), `docs/guide.md:5: no test compiles this code, because no Go file has the line "\"fmt\"" `},
		{"a page outside the index", map[string]string{"docs/new.md": "# New\n\nThis page is for users.\n"}, "docs/README.md:1: this index does not link docs/new.md; "},
		{"a folder outside the index", map[string]string{"docs/design/README.md": "# Design\n\nThis page is for contributors.\n"}, "docs/README.md:1: this index does not link docs/design/README.md; "},
		{"an index that README.md does not link", map[string]string{"README.md": "# Project\n"}, "README.md:1: this index does not link docs/README.md; "},
		{"no sentence", map[string]string{"docs/guide.md": "# Guide\n\n```\ntext\n```\n"}, "docs/guide.md:1: the page does not begin with a title and a sentence on who needs it; "},
		{"no title", map[string]string{"docs/guide.md": "This page is for users.\n"}, "docs/guide.md:1: the page does not begin with a title "},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := mistakesOf(t, test.files)
			if len(got) != 1 || !strings.HasPrefix(got[0], strings.TrimSuffix(test.want, "…")) || !strings.Contains(got[0], "; ") {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestRun has a file that git ignores, and one that is deleted and not staged.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	if _, err := checkFolder(dir); err == nil || !strings.Contains(err.Error(), "run it in a clone") {
		t.Errorf("without git: error %v", err)
	}
	files := maps.Clone(right)
	files["deleted.md"], files["ignored.md"], files[".gitignore"] = "", "[a](nowhere)\n", "ignored.md\n"
	for name, text := range files {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if output, err := exec.Command("sh", "-ec", "cd '"+dir+"'; git init -q; git add .; rm deleted.md").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	if mistakes, err := checkFolder(dir); err != nil || len(mistakes) > 0 {
		t.Errorf("got %q, %v", mistakes, err)
	}
}
