package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAPI runs hack/api.sh in a small repository with a release, and in a clone of it.
func TestAPI(t *testing.T) {
	const changelog = "# Changelog\n\n## [Unreleased]\n\n### Changed\n\n"
	const order = "package order\n\ntype List[T any] struct{ Items []T }\n\nfunc (l *List[T]) Len() int { return len(l.Items) }\n\nfunc New() *List[int] { return nil }\n"
	repo := newRepository(t, map[string]string{
		".gitignore":                    "/build/\n/hack/tools\n",
		"CHANGELOG.md":                  changelog,
		"Makefile":                      "USER_MODULES := . metrics\n",
		"go.mod":                        "module github.com/some/shop\n\ngo 1.25.0\n",
		"order/order.go":                order,
		"old/old.go":                    "// Package old has a file that another version lacks.\npackage old\n\nimport _ \"embed\"\n\n//go:embed old.txt\nvar Text string\n",
		"old/old.txt":                   "text",
		"metrics/go.mod":                "module github.com/some/shop/metrics\n\ngo 1.25.0\n",
		"metrics/metrics.go":            "package metrics\n\nfunc Count() {}\n",
		"cmd/informer-gen/main.go":      "package main\n\nfunc main() {}\n",
		"testdata/released/go.mod":      "module github.com/some/shop/testdata/released\n\ngo 1.25.0\n",
		"testdata/released/go.sum":      "",
		"testdata/released/v0.1.0/a.go": "package a\n\nfunc NewForConfig() {}\n",
		"testdata/released/v0.0.9/a.go": "package a\n\nfunc Old() {}\n",
	}, "api.sh")
	check := func(dir, arguments string, pass bool, want string) {
		t.Helper()
		strict, modules, _ := strings.Cut(arguments, ": ")
		cmd := exec.CommandContext(t.Context(), "bash", append([]string{"hack/api.sh"}, strings.Fields(modules)...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "STRICT="+strict)
		if out, err := cmd.CombinedOutput(); (err == nil) != pass || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, want success: %t, and %q\n%s", arguments, err, pass, want, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(repo, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check(repo, "1: .", true, "there is no release to compare with")
	sh(t, repo, "git tag v0.1.0")
	check(repo, "1: . metrics", true, "lint api metrics: no Go file has changed since v0.1.0")
	check(repo, "1: .", true, "generated code is that of testdata/released/v0.1.0")

	write("order/order.go", strings.Replace(order, "Len()", "Length()", 1))
	check(repo, ": .", false, "(*List[T]).Len: removed; undo it, or add to CHANGELOG.md, for a minor version: - `order.List.Len` …")
	write("CHANGELOG.md", changelog+"- `order.List.Length` is new.\n")
	check(repo, ": .", false, "incompatible - ./order.(*List[T]).Len")
	write("CHANGELOG.md", changelog+"- `order.List.Len` is `Length`.\n")
	check(repo, ": .", true, "CHANGELOG.md names - ./order.(*List[T]).Len")
	check(repo, ": --no-breaks .", false, "incompatible - ./order.(*List[T]).Len")
	write("order/order.go", order+"\nfunc More() {}\n")
	check(repo, ": --no-breaks .", true, "lint api .: compare with v0.1.0")
	sh(t, repo, "rm -r old")
	check(repo, ": .", false, "package github.com/some/shop/old: removed")
	sh(t, repo, "git checkout --quiet . && rm -r metrics && mkdir shard && printf 'module github.com/some/shop/shard\n' >shard/go.mod")
	check(repo, ": . shard", false, "lint api metrics: the module is removed")
	write("CHANGELOG.md", changelog+"- The module `metrics` is gone.\n")
	check(repo, ": . shard", true, "lint api shard: the module is new since v0.1.0")

	write("cmd/informer-gen/main.go", "package main\n\nimport \"os\"\n\nfunc main() { os.WriteFile(\"v0.1.0/a.go\", []byte(\"package a\\n\\nfunc New() {}\\n\"), 0o666) }\n")
	check(repo, ": .", false, "v0.1.0.NewForConfig: removed")
	write("cmd/informer-gen/main.go", "package main\n\nfunc main() { panic(\"no code\") }\n")
	check(repo, ": .", false, "no code")

	clone := filepath.Join(t.TempDir(), "clone")
	sh(t, repo, "git commit --quiet --allow-empty --message=second && git clone --quiet --depth=1 'file://"+repo+"' '"+clone+"'")
	check(clone, ": .", true, "run: git fetch --unshallow --tags")
	check(clone, "1: .", false, "run: git fetch --unshallow --tags")
}
