package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestScript runs hack/api.sh in a small repository with a history, and in clones of it.
func TestScript(t *testing.T) {
	tools, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("../../api.sh")
	if err != nil {
		t.Fatal(err)
	}
	r := testRepository{t, t.TempDir()}
	const generator = "package main\n\nfunc main() {}\n"
	for name, text := range map[string]string{
		"go.mod":                        "module " + repository + "\n\ngo 1.25.0\n",
		"CHANGELOG.md":                  changelog,
		"Makefile":                      "USER_MODULES := . metrics\n",
		"shop/shop.go":                  shop,
		"metrics/go.mod":                "module " + repository + "/metrics\n\ngo 1.25.0\n",
		"metrics/metrics.go":            "package metrics\n\nfunc New() {}\n",
		"cmd/informer-gen/main.go":      generator,
		"hack/api.sh":                   string(script),
		".gitignore":                    "/build/\n/hack/tools\n",
		"testdata/released/go.mod":      "module " + repository + "/testdata/released\n\ngo 1.25.0\n",
		"testdata/released/go.sum":      "",
		"testdata/released/v0.1.0/a.go": "package a\n\nfunc NewForConfig() {}\n",
		"testdata/released/v0.0.9/a.go": "package a\n",
	} {
		r.write(name, text)
	}
	if err := os.Symlink(tools, filepath.Join(r.dir, "hack", "tools")); err != nil {
		t.Fatal(err)
	}
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"}, args...)...)
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, output)
		}
	}
	commit := func() {
		t.Helper()
		git(r.dir, "add", "-A")
		git(r.dir, "commit", "-q", "--allow-empty", "-m", "a commit")
	}
	// check runs the script, and checks its exit code and that it prints a text.
	check := func(dir string, pass bool, want string, args ...string) {
		t.Helper()
		environment := os.Environ()
		if len(args) > 0 && args[0] == "STRICT=1" {
			environment, args = append(environment, args[0]), args[1:]
		}
		cmd := exec.CommandContext(t.Context(), "bash", append([]string{"hack/api.sh"}, args...)...)
		cmd.Dir, cmd.Env = dir, environment
		if output, err := cmd.CombinedOutput(); (err == nil) != pass || !strings.Contains(string(output), want) {
			t.Errorf("%q: %v, want success: %t, and %q\n%s", args, err, pass, want, output)
		}
	}
	git(r.dir, "init", "-q", "-b", "main")
	check(r.dir, true, "skipped, because this is no git repository with commits", ".")
	check(r.dir, false, "skipped", "STRICT=1", ".")
	commit()
	check(r.dir, true, "lint api metrics: no Go file has changed since the merge base with main", ".", "metrics")

	// A commit on main is compared with the one before it.
	broken := strings.Replace(shop, "func New(", "func Make(", 1)
	r.write("shop/shop.go", broken)
	commit()
	check(r.dir, false, "shop.New is incompatible: removed", ".", "metrics")
	r.write("CHANGELOG.md", changelog+"- `shop.New` is `shop.Make`.\n")
	check(r.dir, true, "CHANGELOG.md names it: shop.New", ".", "metrics")
	check(r.dir, false, "release a minor version", "--no-breaks", ".", "metrics")
	r.write("shop/shop.go", shop)
	r.write("CHANGELOG.md", changelog)
	commit()

	// The base is the tag of the module, or that of the root module if the module has none.
	git(r.dir, "tag", "v0.1.0")
	commit()
	check(r.dir, true, "lint api metrics: no Go file has changed since v0.1.0", ".", "metrics")
	git(r.dir, "tag", "metrics/v0.1.1")
	commit()
	check(r.dir, true, "lint api metrics: no Go file has changed since metrics/v0.1.1", ".", "metrics")

	// The module is no longer an argument, because make lint passes those of the new Makefile.
	if err := os.RemoveAll(filepath.Join(r.dir, "metrics")); err != nil {
		t.Fatal(err)
	}
	r.write("Makefile", "USER_MODULES := .\n")
	commit()
	check(r.dir, false, "metrics is incompatible: module removed", ".")
	r.write("CHANGELOG.md", changelog+"- The module `metrics` is gone.\n")
	check(r.dir, true, "CHANGELOG.md names it: "+repository+"/metrics: module removed", ".")

	// Generated code is compared with the newest release.
	check(r.dir, true, "generated code is that of testdata/released/v0.1.0", ".")
	r.write("cmd/informer-gen/main.go", "package main\n\nimport \"os\"\n\nfunc main() { os.WriteFile(\"v0.1.0/a.go\", []byte(\"package a\\n\\nfunc New() {}\\n\"), 0o666) }\n")
	check(r.dir, false, "a.NewForConfig is incompatible: removed", ".")
	r.write("CHANGELOG.md", changelog+"- The module `metrics` is gone.\n- `a.NewForConfig` is `a.New`.\n")
	check(r.dir, true, "CHANGELOG.md names it: a.NewForConfig", ".")
	r.write("cmd/informer-gen/main.go", "package main\n\nfunc main() { panic(\"no code\") }\n")
	check(r.dir, false, "no code", ".")
	r.write("cmd/informer-gen/main.go", generator)

	// A shallow clone of a break has no base, also with the tags.
	r.write("shop/shop.go", broken)
	commit()
	clone := filepath.Join(t.TempDir(), "clone")
	git(r.dir, "clone", "-q", "--depth=1", "file://"+r.dir, clone)
	if err := os.Symlink(tools, filepath.Join(clone, "hack", "tools")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		check(clone, true, "lint api .: skipped, because this shallow clone", ".")
		check(clone, false, "git fetch --unshallow --tags", "STRICT=1", ".")
		git(clone, "fetch", "-q", "--depth=1", "--tags")
	}
	git(clone, "fetch", "-q", "--unshallow", "--tags")
	check(clone, false, "shop.New is incompatible: removed", "STRICT=1", ".")
}
