package scripts

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// shop is a repository of a root module, and of a module that requires it through a replace directive. The scripts that
// hack/release.sh calls only print what they get.
var shop = map[string]string{
	"LICENSE":                       "A license.\n",
	"CHANGELOG.md":                  "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Shops.\n\n[Unreleased]: https://example.com\n",
	"Makefile":                      "USER_MODULES := . metrics\n",
	".gitignore":                    "/build/\n/hack/tools\n",
	"go.mod":                        "module github.com/some/shop\n\ngo 1.25.0\n",
	"order/order.go":                "package order\n\ntype Order struct{}\n",
	"cmd/informer-gen/main.go":      "package main\n\nimport (\n\t\"fmt\"\n\t\"runtime/debug\"\n)\n\nfunc main() {\n\tinfo, _ := debug.ReadBuildInfo()\n\tversion := info.Main.Version\n\tfmt.Println(\"informer-gen\", version, \"(go)\")\n}\n",
	"metrics/go.mod":                "module github.com/some/shop/metrics\n\ngo 1.25.0\n\nrequire github.com/some/shop v0.0.0\n\nreplace github.com/some/shop => ../\n",
	"metrics/metrics.go":            "package metrics\n\nimport \"github.com/some/shop/order\"\n\ntype Count map[order.Order]int\n",
	"test/go.mod":                   "module github.com/some/shop/test\n\ngo 1.25.0\n\nrequire github.com/some/shop/metrics v0.0.0\n\nrequire github.com/some/shop v0.0.0 // indirect\n\nreplace github.com/some/shop => ../\n\nreplace github.com/some/shop/metrics => ../metrics\n",
	"hack/api.sh":                   "#!/bin/sh\necho api.sh \"$@\"\n! test -e build/broken\n",
	"hack/goreleaser.sh":            "#!/bin/sh\necho goreleaser: skipped, in \"$TREE\"\n",
	"test/test.go":                  "package test\n\nimport _ \"github.com/some/shop/metrics\"\n",
	"testdata/released/v0.1.0/code": "Code of v0.1.0.\n",
}

// newShop returns a repository with some files changed, and the folder of its origin.
func newShop(t *testing.T, changes map[string]string) (repo, origin string) {
	t.Helper()
	files := maps.Clone(shop)
	maps.Copy(files, changes)
	repo = newRepository(t, files, "release.sh")
	origin = filepath.Join(filepath.Dir(repo), "origin")
	sh(t, repo, "git clone --quiet --bare . ../origin && git remote add origin '"+origin+"'")
	return repo, origin
}

// newRepository returns a repository with some files, the script that is tested, and the folder hack/tools of this one.
func newRepository(t *testing.T, files map[string]string, script string) string {
	t.Helper()
	repo := filepath.Join(t.TempDir(), "a checkout")
	text, err := os.ReadFile("../../" + script)
	if err != nil {
		t.Fatal(err)
	}
	files["hack/"+script] = string(text)
	for name, text := range files {
		file := filepath.Join(repo, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	tools := output(t, "..", nil, "pwd")
	sh(t, repo, "ln -s '"+tools+"' hack/tools && git init --quiet --initial-branch=main && git config user.name Someone && git config user.email someone@example.com && "+
		"git add --all && git commit --quiet --message=first")
	return repo
}

func sh(t *testing.T, dir, commands string) string {
	t.Helper()
	return output(t, dir, nil, "sh", "-ec", commands)
}

func release(t *testing.T, repo string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", append([]string{"hack/release.sh"}, args...)...)
	cmd.Dir = repo
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestPush releases two versions.
func TestPush(t *testing.T) {
	repo, origin := newShop(t, nil)
	if out, err := release(t, repo, "v0.1.0"); err != nil || !strings.Contains(out, "git push --atomic --no-follow-tags origin refs/tags/metrics/v0.1.0") {
		t.Errorf("dry run: %v\n%s", err, out)
	}
	if tags := sh(t, repo, "git tag; git -C ../origin tag"); tags != "" {
		t.Errorf("a dry run made the tags %q", tags)
	}
	if out, err := release(t, repo, "--push", "v0.1.0"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sh(t, repo, "git pull --quiet --tags origin main && sed -i 's/^## .Unreleased.$/&\\n\\n- More./' CHANGELOG.md && git commit --quiet --all --message=more && git push --quiet origin main")
	if out, err := release(t, repo, "--push", "v0.1.1"); err != nil || !strings.Contains(out, "api.sh --no-breaks\n") {
		t.Fatalf("%v\n%s", err, out)
	}
	if tags := sh(t, origin, "git tag"); tags != "metrics/v0.1.0\nmetrics/v0.1.1\nv0.1.0\nv0.1.1" {
		t.Errorf("origin has the tags %q", tags)
	}
	if at := sh(t, origin, "git rev-parse main v0.1.1^{commit} metrics/v0.1.1^{commit} | uniq | wc -l"); strings.TrimSpace(at) != "1" {
		t.Errorf("main and the tags are at %s commits", at)
	}
	if text := sh(t, origin, "git show main:metrics/go.mod main:test/go.mod"); strings.Count(text, " v0.1.1") != 3 || strings.Contains(text, "v0.0.0") {
		t.Errorf("the requirements are\n%s", text)
	}
	text := sh(t, origin, "git show main:CHANGELOG.md")
	for _, want := range []string{"## [Unreleased]\n\n## [0.1.1] - 2", "\n\n- More.\n\n## [0.1.0] - 2", "\n\n### Added\n\n- Shops.\n\n",
		"[Unreleased]: https://github.com/some/shop/compare/v0.1.1...HEAD\n[0.1.1]: https://github.com/some/shop/compare/v0.1.0...v0.1.1\n[0.1.0]: https://github.com/some/shop/releases/tag/v0.1.0"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	if notes, err := os.ReadFile(filepath.Join(repo, "build/release/notes.md")); err != nil || strings.TrimSpace(string(notes)) != "- More." {
		t.Errorf("error %v, the notes are %q", err, notes)
	}
}

// TestPushFails checks what stops a release.
func TestPushFails(t *testing.T) {
	for name, test := range map[string]struct {
		version, commands string
		changes           map[string]string
		want              string
	}{
		"short version":            {version: "v0.1", want: "is not a version"},
		"second major":             {version: "v2.0.0", want: "is not a version"},
		"uncommitted files":        {commands: "rm order/order.go", want: "the checkout has changes"},
		"another branch":           {commands: "git switch --quiet -c fix", want: `the branch is "fix"`},
		"unpushed commit":          {commands: "git commit --quiet --allow-empty --message=second", want: "push or pull first"},
		"origin that fails":        {commands: "git remote set-url origin /dev/null", want: "push or pull first"},
		"tag of origin":            {commands: "git tag metrics/v0.1.0; git push --quiet origin metrics/v0.1.0; git tag -d metrics/v0.1.0", want: "a tag of v0.1.0 exists"},
		"later patch":              {commands: "git tag v0.1.3", want: "there is a tag of v0.1.3, which is later"},
		"prerelease after release": {version: "v0.1.0-rc.1", commands: "git tag metrics/v0.1.0", want: "there is a tag of v0.1.0, which is later"},
		"earlier prerelease":       {version: "v0.1.0-rc.9", commands: "git tag v0.1.0-rc.10", want: "there is a tag of v0.1.0-rc.10, which is later"},
		"patch without its minor":  {version: "v0.2.1", commands: "git tag v0.1.0", want: "the first version of it is v0.2.0"},
		"no entries":               {changes: map[string]string{"CHANGELOG.md": strings.Replace(shop["CHANGELOG.md"], "- Shops.", "", 1)}, want: "no entries below [Unreleased]"},
		"no snapshot":              {version: "v0.2.0", want: "run hack/snapshot.sh v0.2.0"},
		"a page before releases":   {changes: map[string]string{"docs/a page.md": "There is no release yet.\n"}, want: "docs/a page.md:1:There is no release yet"},
		"a break in a patch":       {version: "v0.1.1", commands: "git tag v0.1.0; mkdir build; touch build/broken", want: "release a minor version"},
		"a module without a tag":   {changes: map[string]string{"Makefile": "USER_MODULES := .\n"}, want: "lacks metrics"},
		"a command with a replace": {changes: map[string]string{"metrics/cmd/count/main.go": "package main\n\nfunc main() {}\n"}, want: "more replace directives. It must not"},
		"an import of a test":      {changes: map[string]string{"metrics/go.mod": shop["metrics/go.mod"] + "\nrequire github.com/some/shop/help v0.0.0\n\nreplace github.com/some/shop/help => ../test/help\n", "metrics/help.go": "package metrics\n\nimport _ \"github.com/some/shop/help\"\n", "test/help/go.mod": "module github.com/some/shop/help\n", "test/help/help.go": "package help\n"}, want: "github.com/some/shop/help"},
	} {
		t.Run(name, func(t *testing.T) {
			repo, origin := newShop(t, test.changes)
			if test.version == "" {
				test.version = "v0.1.0"
			}
			sh(t, repo, test.commands)
			before := sh(t, origin, "git show-ref")
			if out, err := release(t, repo, "--push", test.version); err == nil || !strings.Contains(out, test.want) {
				t.Errorf("%v, want %q\n%s", err, test.want, out)
			}
			if after := sh(t, origin, "git show-ref"); after != before {
				t.Errorf("origin has\n%s\nand had\n%s", after, before)
			}
		})
	}
}

// TestPatchOfAnOlderMinorVersion releases v0.1.1 from its branch, after a prerelease of v0.2.0.
func TestPatchOfAnOlderMinorVersion(t *testing.T) {
	repo, origin := newShop(t, nil)
	sh(t, repo, "git tag v0.1.0")
	if out, err := release(t, repo, "--push", "v0.2.0-rc.1"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if text := sh(t, origin, "git show v0.2.0-rc.1:CHANGELOG.md"); strings.TrimSpace(text) != strings.TrimSpace(shop["CHANGELOG.md"]) {
		t.Errorf("a prerelease has changed the changelog to\n%s", text)
	}
	main := sh(t, origin, "git rev-parse main")
	sh(t, repo, "git switch --quiet -c release-0.1 v0.1.0 && git push --quiet origin release-0.1")
	if out, err := release(t, repo, "--push", "v0.1.1"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if sh(t, origin, "git rev-parse main") != main || sh(t, origin, "git rev-parse release-0.1") != sh(t, origin, "git rev-parse metrics/v0.1.1^{commit}") {
		t.Error("the release commit of v0.1.1 is not on the branch release-0.1 alone")
	}
}
