package main

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// shop is a repository of a root module, and of a module that requires it through a replace directive.
var shop = map[string]string{
	"LICENSE":              "A license.\n",
	"CHANGELOG.md":         "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Shops.\n\n[Unreleased]: https://example.com\n",
	".gitignore":           "/build/\n",
	"go.mod":               "module example.com/shop\n\ngo 1.25.0\n",
	"order/order.go":       "// Package order has orders.\npackage order\n\ntype Order struct{}\n",
	"metrics/go.mod":       "module example.com/shop/metrics\n\ngo 1.25.0\n\nrequire example.com/shop v0.0.0\n\nreplace example.com/shop => ../\n",
	"metrics/metrics.go":   "// Package metrics counts.\npackage metrics\n\nimport \"example.com/shop/order\"\n\ntype Count map[order.Order]int\n",
	"testdata/go.mod":      "module example.com/shop/testdata\n\ngo 1.25.0\n\nrequire example.com/shop/metrics v0.0.0\n\nrequire example.com/shop v0.0.0 // indirect\n\nreplace example.com/shop => ../\n\nreplace example.com/shop/metrics => ../metrics\n",
	"testdata/testdata.go": "// Package testdata tests.\npackage testdata\n\nimport _ \"example.com/shop/metrics\"\n",

	"testdata/released/v0.1.0/README": "Code of v0.1.0.\n",
	// What the script gets, and a break if there is a file of that name.
	"hack/api.sh": "#!/bin/sh\necho \"$@\" >build/api\nif test -e broken; then echo order.Order: removed; exit 1; fi\n",
}

// newRelease returns a release of the repository with some files changed, and the folder of its origin.
func newRelease(t *testing.T, changes map[string]string) (*release, string) {
	t.Helper()
	files := maps.Clone(shop)
	maps.Copy(files, changes)
	parent := t.TempDir()
	repo, origin := filepath.Join(parent, "a checkout"), filepath.Join(parent, "origin")
	for name, content := range files {
		file := filepath.Join(repo, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if content == "" { // the file is left out
			continue
		}
		if err := os.WriteFile(file, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for key, value := range map[string]string{"GOMODCACHE": filepath.Join(parent, "modules"), "GOPROXY": "off", "GOFLAGS": "", "GOSUMDB": "off", "GIT_CONFIG_GLOBAL": os.DevNull} {
		t.Setenv(key, value)
	}
	for _, args := range []string{"init --quiet --initial-branch=main", "config user.name Someone", "config user.email someone@example.com",
		"add --all", "commit --quiet --message=first", "clone --quiet --bare . ../origin", "remote add origin " + origin} {
		mustGit(t, repo, args)
	}
	return &release{repo: repo, version: "v0.1.0", out: io.Discard, now: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}, origin
}

// mustGit runs git with arguments that have no spaces.
func mustGit(t *testing.T, dir, args string) string {
	t.Helper()
	output, err := git(t.Context(), dir, strings.Fields(args)...)
	if err != nil {
		t.Fatal(err)
	}
	return output
}

// dryRun runs all that needs no goreleaser.
func (r *release) dryRun(t *testing.T) ([]module, error) {
	t.Helper()
	if err := r.check(t.Context()); err != nil {
		return nil, err
	}
	modules, err := r.commitInClone(t.Context())
	if err != nil {
		return nil, err
	}
	return modules, r.prove(t.Context(), modules)
}

func TestRelease(t *testing.T) {
	r, origin := newRelease(t, nil)
	r.push = true
	modules, err := r.dryRun(t)
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("GOMODCACHE"), "*", "*@*")); len(left) > 0 {
		t.Errorf("the module cache has %q", left)
	}
	if err := r.publish(t.Context(), modules); err != nil {
		t.Fatal(err)
	}
	show := func(object string) string {
		text, err := git(t.Context(), origin, "show", object)
		if err != nil {
			t.Error(err)
		}
		return text
	}
	for _, revision := range []string{"main", "v0.1.0", "metrics/v0.1.0"} {
		if text := show(revision + ":metrics/go.mod"); !strings.Contains(text, "require example.com/shop v0.1.0\n") || !strings.Contains(text, "replace example.com/shop => ../") {
			t.Errorf("at %s, metrics/go.mod is\n%s", revision, text)
		}
	}
	if text := show("main:testdata/go.mod"); !strings.Contains(text, "example.com/shop v0.1.0 // indirect") || !strings.Contains(text, "example.com/shop/metrics v0.1.0") {
		t.Errorf("testdata/go.mod is\n%s", text)
	}
	if text := show("main:CHANGELOG.md"); !strings.Contains(text, "## [Unreleased]\n\n## [0.1.0] - 2026-12-01\n\n### Added\n") {
		t.Errorf("CHANGELOG.md is\n%s", text)
	}
	if tags, _ := git(t.Context(), origin, "tag"); tags != "metrics/v0.1.0\nv0.1.0" {
		t.Errorf("origin has the tags %q", tags)
	}
	if changes, _ := git(t.Context(), r.repo, "status", "--porcelain"); changes != "" {
		t.Errorf("the release changed the checkout: %s", changes)
	}
}

func TestReleaseFails(t *testing.T) {
	require := shop["metrics/go.mod"]
	for name, test := range map[string]struct {
		changes map[string]string
		want    string
	}{
		"no license":                    {map[string]string{"LICENSE": ""}, "has no LICENSE"},
		"nothing to release":            {map[string]string{"CHANGELOG.md": strings.Replace(shop["CHANGELOG.md"], "- Shops.", "", 1)}, "no entries"},
		"a blank after a heading":       {map[string]string{"CHANGELOG.md": strings.Replace(shop["CHANGELOG.md"], unreleased, unreleased+" ", 1)}, "has 0 lines that are exactly"},
		"a path of another folder":      {map[string]string{"metrics/go.mod": strings.Replace(require, "shop/metrics", "shop/counters", 1), "testdata/go.mod": "module example.com/shop/testdata\n", "testdata/testdata.go": "package testdata\n"}, "users cannot download"},
		"a command and a replacement":   {map[string]string{"metrics/cmd/count/main.go": "package main\n\nfunc main() {}\n"}, "go install refuses"},
		"a replacement of another":      {map[string]string{"metrics/go.mod": require + "\nreplace example.com/fork => ../fork\n"}, "users of the module get the original"},
		"an import of a test module":    {map[string]string{"metrics/go.mod": require + "\nrequire example.com/shop/testdata v0.0.0\n\nreplace example.com/shop/testdata => ../testdata\n", "testdata/go.mod": "module example.com/shop/testdata\n\ngo 1.25.0\n", "testdata/testdata.go": "package testdata\n", "metrics/import.go": "package metrics\n\nimport _ \"example.com/shop/testdata\"\n"}, "which is not released"},
		"a file that a zip cannot have": {map[string]string{".gitattributes": "order.go export-ignore\n"}, "cannot find module providing package example.com/shop/order"},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := newRelease(t, test.changes)
			if _, err := r.dryRun(t); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %q", err, test.want)
			}
		})
	}
}

func TestReleaseChangelogAfterARelease(t *testing.T) {
	const before = "# Changelog\n\n## [Unreleased]\n\n### Fixed\n\n- More.\n\n## [0.1.0] - 2026-12-01\n\n### Added\n\n- Shops.\n\n[Unreleased]: https://x\n[0.1.0]: https://y\n"
	got, err := releaseChangelog(before, "v0.2.0", time.Date(2027, 1, 2, 0, 0, 0, 0, time.UTC))
	want := strings.NewReplacer("## [Unreleased]\n", "## [Unreleased]\n\n## [0.2.0] - 2027-01-02\n",
		"[Unreleased]: https://x\n", "[Unreleased]: "+repository+"/compare/v0.2.0...HEAD\n[0.2.0]: "+repository+"/compare/v0.1.0...v0.2.0\n").Replace(before)
	if err != nil || got != want {
		t.Errorf("error %v, got\n%s\nwant\n%s", err, got, want)
	}
	if notes := section(got, "v0.2.0"); notes != "### Fixed\n\n- More." {
		t.Errorf("the notes are %q", notes)
	}
	if notes := section(got, "v0.1.0"); notes != "### Added\n\n- Shops." {
		t.Errorf("the notes of the last section are %q", notes)
	}
	if _, err := releaseChangelog(got, "v0.3.0", time.Now()); err == nil {
		t.Error("a release without changes is no error")
	}
}

func TestProofVersion(t *testing.T) {
	for version, want := range map[string]string{"v0.1.0": "v0.1.0-proof.1", "v0.1.0-rc.1": "v0.1.0-rc.1.proof.1"} {
		if got := proofVersion(version, "1"); got != want {
			t.Errorf("got %s for %s, want %s", got, version, want)
		}
	}
}
