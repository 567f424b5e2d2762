package main

import (
	"bytes"
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

// mistakesOf returns the mistakes of the right repository with other files; a file with the text "-" is deleted.
func mistakesOf(t *testing.T, changed map[string]string) []string {
	t.Helper()
	files := maps.Clone(right)
	maps.Copy(files, changed)
	tree := fstest.MapFS{}
	for name, text := range files {
		if text != "-" {
			tree[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	mistakes, err := check(newRepository(tree, slices.Collect(maps.Keys(tree))))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range mistakes {
		got = append(got, m.String())
	}
	return got
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
		"HTML":                     guide(`<a id="here"></a> [a](#here)`),
		"a folder":                 guide("[a](../pkg) [b](..) [c](../docs/#docs)"),
		"lines":                    guide("[a](../pkg/pkg.go#L3-L5)"),
		"a file on GitHub":         guide("https://github.com/typedinformers/informer-gen/blob/main/pkg/pkg.go#L1"),
		"an issue":                 guide("https://github.com/typedinformers/informer-gen/issues/7"),
		"a package":                guide("[a](https://pkg.go.dev/github.com/typedinformers/informer-gen/pkg@v0.1.0#F)"),
		"another project":          guide("[a](https://github.com/typedinformers/informer-gen-other/blob/main/x)"),
		"a link in code":           guide("`[a](nowhere.md)` <!-- [b](nowhere.md) -->"),
		"a target of make":         guide("`make test lint ARGS=\"no such thing\"` and ``make -C other all``"),
		"make in text":             guide("They make no such thing."),
		"code":                     guide("```go\nfunc F() int {\n\treturn 1\n}\n```"),
		"code with …":              guide("```go\nfunc F() int {\n…\n}\n```"),
		"the end of code, …":       guide("```go\nfunc F() int {\n…\n…\n}\n```"),
		"make with a variable":     guide("`A=1 B=\"c\" make test`"),
		"code that is comments":    guide("```go\n//go:generate true\n```"),
		"a block of no language":   guide("```\nfunc G()\n```"),
		"a comment in the index":   {"docs/README.md": right["docs/README.md"] + "<!-- - [later](later.md) -->\n"},
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
		want  string // the beginning of the only mistake, and after … its end
	}{
		{"no file", guide("[a](nowhere.md)"), `docs/guide.md:5: the link "nowhere.md" names docs/nowhere.md, which does not exist; …`},
		{"another case", guide("[a](Guide.md)"), `docs/guide.md:5: the link "Guide.md" names docs/Guide.md, which does not exist; …write the relative path of docs/guide.md`},
		{"an image", guide("![a](no.png)"), `docs/guide.md:5: the link "no.png" …`},
		{"HTML", guide(`<img src="no.png">`), `docs/guide.md:5: the link "no.png" …`},
		{"in a table", guide("| a |\n|---|\n| [a](no.md) |"), `docs/guide.md:7: the link "no.md" …`},
		{"HTML with other quotes", guide(`<img src='no.png'>`), `docs/guide.md:5: the link "no.png" …`},
		{"by a label", guide("[a][b]\n\n[b]: no.md"), `docs/guide.md:5: the link "no.md" …`},
		{"no label", guide("[a][b]"), `docs/guide.md:5: this paragraph has a link that is shown as text; …`},
		{"a space", guide("[a](no space.md)"), `docs/guide.md:5: this paragraph has a link that is shown as text; …`},
		{"no heading", guide("[a](#mor)"), `docs/guide.md:5: the link "#mor" has an anchor that is no heading of docs/guide.md; …write #more`},
		{"a third heading", guide("[a](#more-2)"), `docs/guide.md:5: the link "#more-2" has an anchor …`},
		{"an anchor of code", guide("[a](../pkg/pkg.go#f)"), `docs/guide.md:5: the link "../pkg/pkg.go#f" has an anchor, but pkg/pkg.go is not Markdown; …`},
		{"a line", guide("[a](../pkg/pkg.go#L6)"), `docs/guide.md:5: the link "../pkg/pkg.go#L6" names line 6, but pkg/pkg.go has 5 lines; …`},
		{"outside", guide("[a](../../x)"), `docs/guide.md:5: the link "../../x" leaves the repository; …`},
		{"absolute", guide("[a](/pkg)"), `docs/guide.md:5: the link "/pkg" is absolute; …`},
		{"http", guide("[a](http://example.com)"), `docs/guide.md:5: the link "http://example.com" is not https; …`},
		{"no host", guide("[a](https:///x)"), `docs/guide.md:5: the link "https:///x" has no host; …`},
		{"a bad escape", guide("[a](https://example.com/%zz)"), `docs/guide.md:5: the link "https://example.com/%zz" cannot be parsed: …`},
		{"a file on GitHub", guide("https://github.com/typedinformers/informer-gen/blob/main/no.go"), `docs/guide.md:5: the link "https://github.com/typedinformers/informer-gen/blob/main/no.go" names no.go, …`},
		{"a heading on GitHub", map[string]string{"x.go": "package x\n\n// https://github.com/typedinformers/informer-gen/blob/main/docs/guide.md#no.\n"}, `x.go:3: the link "https://github.com/typedinformers/informer-gen/blob/main/docs/guide.md#no" has an anchor …`},
		{"no address of GitHub", guide("https://github.com/typedinformers/informer-gen/pkg"), `docs/guide.md:5: the link "https://github.com/typedinformers/informer-gen/pkg" is not an address of GitHub; …`},
		{"no package", guide("[a](https://pkg.go.dev/github.com/typedinformers/informer-gen/docs)"), `docs/guide.md:5: the link "https://pkg.go.dev/github.com/typedinformers/informer-gen/docs" names the package docs, …`},
		{"no target", guide("`make tset`"), `docs/guide.md:5: the Makefile has no target tset; …`},
		{"no target in a block", guide("```sh\ncd x && make test # all\nmake lnt\n```"), `docs/guide.md:7: the Makefile has no target lnt; …`},
		{"no target after a variable", guide("`A=1 B=c make tset`"), `docs/guide.md:5: the Makefile has no target tset; …`},
		{"Golang", guide("```Golang\nfunc F() int {\n\treturn 2\n}\n```"), `docs/guide.md:5: no test compiles …`},
		{"code in another order", guide("```go\n}\n…\nfunc F() int {\n```"), `docs/guide.md:5: no test compiles this code, because no Go file has the line "func F() int {" …`},
		{"other code", guide("```go\nfunc F() int {\n\treturn 2\n}\n```"), `docs/guide.md:5: no test compiles this code, because no Go file has the line "return 2" next to the others; …`},
		{"code of generated files", map[string]string{"docs/guide.md": guide("```go\nfunc G() {}\n```")["docs/guide.md"], "pkg/g.go": "// Code generated by x. DO NOT EDIT.\npackage pkg\n\nfunc G() {}\n"}, `docs/guide.md:5: no test compiles …`},
		{"code of test data", map[string]string{"docs/guide.md": guide("```go\nfunc G() {}\n```")["docs/guide.md"], "pkg/testdata/g.go": "package pkg\n\nfunc G() {}\n"}, `docs/guide.md:5: no test compiles …`},
		{"an import", guide("```go\nimport \"fmt\"\n\nfunc F() int {\n```"), `docs/guide.md:5: no test compiles this code, because no Go file has the line "\"fmt\"" …`},
		{"a page outside the index", map[string]string{"docs/new.md": "# New\n\nThis page is for users.\n"}, "docs/README.md:1: the index does not link docs/new.md; write a line with [text](new.md), …"},
		{"a folder outside the index", map[string]string{"docs/design/README.md": "# Design\n\nThis page is for contributors.\n"}, "docs/README.md:1: the index does not link docs/design/README.md; write a line with [text](design/README.md), …"},
		{"an index that README.md does not link", map[string]string{"README.md": "# Project\n"}, "README.md:1: the index does not link docs/README.md; write a line with [text](docs/README.md), …"},
		{"no sentence", map[string]string{"docs/guide.md": "# Guide\n\n```\ntext\n```\n"}, "docs/guide.md:3: the page does not begin with a title and a sentence on who needs it; …"},
		{"no title", map[string]string{"docs/guide.md": "This page is for users.\n"}, "docs/guide.md:1: the page does not begin with a title …"},
		{"an exception without a test", map[string]string{"docs/markers.md": "# Markers\n\nThis page is for users. [index](README.md)\n\n```go\ntype T int\n```\n", "docs/README.md": right["docs/README.md"] + "- [markers](markers.md)\n"}, "hack/tools/pages/code.go:1: generator/markers_doc_test.go has no TestMarkersDoc, …"},
		{"an exception without code", map[string]string{"docs/markers.md": "# Markers\n\nThis page is for users.\n", "docs/README.md": right["docs/README.md"] + "- [markers](markers.md)\n", "generator/markers_doc_test.go": "package generator_test\n\nfunc TestMarkersDoc() {}\n"}, "hack/tools/pages/code.go:1: docs/markers.md has no block for the exception TestMarkersDoc; …"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := mistakesOf(t, test.files)
			begin, end, _ := strings.Cut(test.want, "…")
			if len(got) != 1 || !strings.HasPrefix(got[0], begin) || !strings.HasSuffix(got[0], end) || !strings.Contains(got[0], "; ") {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestNoIndex(t *testing.T) {
	got := mistakesOf(t, map[string]string{"docs/README.md": "-", "README.md": "# Project\n"})
	if want := "docs/README.md:1: this index does not exist, and docs/guide.md has to be linked; write it"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRun checks the exit codes, and that git lists the files.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	if code := run(dir, &stdout, &stderr); code != 2 || !strings.Contains(stderr.String(), "run it in a clone") {
		t.Errorf("without git: exit code %d, %s", code, &stderr)
	}
	if output, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	for name, text := range right {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if code := run(dir, &stdout, &stderr); code != 0 || stdout.Len() > 0 {
		t.Errorf("without a mistake: exit code %d, %s", code, &stdout)
	}
	if err := os.Remove(filepath.Join(dir, "pkg/pkg.go")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "docs/guide.md"), []byte("# Guide\n\nThis page is for [users](../pkg).\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if code := run(dir, &stdout, &stderr); code != 1 || !strings.HasPrefix(stdout.String(), "docs/guide.md:3: ") || strings.Count(stdout.String(), "\n") != 1 {
		t.Errorf("with a mistake: exit code %d, %s", code, &stdout)
	}
}
