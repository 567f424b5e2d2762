package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestChecksOfCheckout(t *testing.T) {
	const page = "# Shop\n\nClone it, until there is a release:\n\n    go mod edit -require=example.com/shop@v0.0.0\n"
	for name, test := range map[string]struct {
		version string
		changes map[string]string
		git     []string
		want    string // "" if the check passes
	}{
		"first version":               {},
		"short version":               {version: "v0.1", want: "is not a version"},
		"build metadata":              {version: "v0.1.0+linux", want: "is not a version"},
		"pseudo-version":              {version: "v0.2.1-0.20260101000000-abcdefabcdef", want: "is a pseudo-version"},
		"second major":                {version: "v2.0.0", want: "needs module paths that end with /v2"},
		"existing tag":                {git: []string{"tag metrics/v0.1.0"}, want: "the tag metrics/v0.1.0 exists; a version"},
		"tag of origin":               {git: []string{"tag metrics/v0.1.0", "push --quiet origin metrics/v0.1.0", "tag -d metrics/v0.1.0"}, want: "the tag metrics/v0.1.0 exists; a version"},
		"half a release":              {git: []string{"tag v0.1.0", "push --quiet origin v0.1.0", "tag -d v0.1.0"}, want: "finish it with: hack/release.sh --resume v0.1.0"},
		"tag that the clone lacks":    {git: []string{"tag v0.0.1", "push --quiet origin v0.0.1", "tag -d v0.0.1"}, want: "run: git fetch --tags origin"},
		"origin that does not answer": {git: []string{"remote set-url origin /dev/null"}, want: "read the tags of origin"},
		"later patch":                 {git: []string{"tag v0.1.3"}, want: "the tag v0.1.3 is later"},
		"later minor":                 {version: "v0.1.1", git: []string{"tag v0.1.0", "tag v0.2.0"}, want: "v0.2.0 is later than v0.1.1; choose a later version, or make a branch release-0.1 of the last v0.1 version"},
		"prerelease after release":    {version: "v0.1.0-rc.1", git: []string{"tag metrics/v0.2.0"}, want: "the tag metrics/v0.2.0 is later"},
		"later minor, on its branch":  {version: "v0.1.1", git: []string{"tag v0.1.0", "commit --quiet --allow-empty --message=second", "tag v0.2.0", "switch --quiet -c release-0.1 v0.1.0", "push --quiet origin release-0.1"}},
		"branch of main":              {version: "v0.1.1", git: []string{"tag v0.1.0", "commit --quiet --allow-empty --message=second", "tag v0.2.0", "switch --quiet -c release-0.1", "push --quiet origin release-0.1"}, want: "v0.2.0 is later than v0.1.1"},
		"patch without its minor":     {version: "v0.2.1", git: []string{"tag v0.1.0"}, want: "there is no tag of v0.2; the first version of it is v0.2.0"},
		"later patch, on its branch":  {version: "v0.1.1", git: []string{"tag v0.1.2", "switch --quiet -c release-0.1", "push --quiet origin release-0.1"}, want: "the tag v0.1.2 is later"},
		"branch of another minor":     {version: "v0.3.1", git: []string{"tag v0.3.0", "switch --quiet -c release-0.2", "push --quiet origin release-0.2"}, want: `the branch is "release-0.2"; release v0.3.1 from main, or from release-0.3`},
		"branch only here":            {version: "v0.1.1", git: []string{"tag v0.1.0", "switch --quiet -c release-0.1"}, want: "origin has no branch release-0.1; push it first"},
		"first minor on its branch":   {version: "v0.2.0", git: []string{"tag v0.1.0", "switch --quiet -c release-0.2", "push --quiet origin release-0.2"}, want: "there is no tag of v0.2; release v0.2.0 from main"},
		"patch of a prerelease":       {version: "v0.1.1", git: []string{"tag v0.1.0-rc.1"}, want: "v0.1.1 is a patch version"},
		"commit during the checks":    {version: "v0.1.1", changes: map[string]string{"hack/api.sh": "#!/bin/sh\ngit commit --quiet --allow-empty --message=unfinished\n"}, git: []string{"tag v0.1.0"}, want: "the checkout has moved"},
		"uncommitted files":           {git: []string{"rm --quiet --cached LICENSE"}, want: "has changes"},
		"another branch":              {git: []string{"checkout --quiet -b fix"}, want: `the branch is "fix"`},
		"unpushed commit":             {git: []string{"commit --quiet --allow-empty --message=second"}, want: "push or pull first"},
		"no snapshot":                 {version: "v0.2.0", want: "run hack/snapshot.sh v0.2.0"},
		"no snapshot of a prerelease": {version: "v0.2.0-rc.1"},
		"no snapshot of a patch":      {version: "v0.2.1", git: []string{"tag v0.2.0"}},
		"a page before releases":      {changes: map[string]string{"docs/a page.md": page}, want: "\n\tdocs/a page.md:3: until there is a release\n\tdocs/a page.md:5: @v0.0.0"},
		"a page of a prerelease":      {version: "v0.1.0-rc.1", changes: map[string]string{"docs/page.md": page}},
		"a pseudo-version in a page":  {changes: map[string]string{"page.md": "Run go get example.com/tool@v0.0.0-20260101000000-abcdefabcdef.\n"}},
		"a break in a patch":          {version: "v0.2.1", changes: map[string]string{"broken": "yes\n"}, git: []string{"tag v0.2.0"}, want: "order.Order: removed"},
		"a break in a minor version":  {changes: map[string]string{"broken": "yes\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := newRelease(t, test.changes)
			r.push = true
			if test.version != "" {
				r.version = test.version
			}
			for _, args := range test.git {
				mustGit(t, r.repo, args)
			}
			err := r.check(t.Context())
			switch {
			case test.want == "" && err != nil:
				t.Errorf("got error %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got error %v, want %q", err, test.want)
			}
		})
	}
}

func TestPatchComparesTheAPIOfAllModules(t *testing.T) {
	r, _ := newRelease(t, nil)
	if err := os.Mkdir(filepath.Join(r.repo, "build"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.version = "v0.1.1-rc.1"
	mustGit(t, r.repo, "tag v0.1.0")
	if err := r.check(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(r.repo, "build", "api"))
	if want := "--no-breaks . metrics\n"; err != nil || string(got) != want {
		t.Errorf("error %v, hack/api.sh got %q, want %q", err, got, want)
	}
}

func TestDryRunBeforeEverythingIsReady(t *testing.T) {
	r, _ := newRelease(t, map[string]string{"README.md": "There is no release yet.\n", "testdata/released/v0.1.0/README": ""})
	mustGit(t, r.repo, "checkout --quiet -b fix")
	mustGit(t, r.repo, "remote remove origin")
	var out strings.Builder
	r.out = &out
	if err := r.check(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"README.md:1", "hack/snapshot.sh v0.1.0", `the branch is "fix"`, "tags of origin"} {
		if !strings.Contains(out.String(), want) || strings.Count(out.String(), "note  --push would fail: ") != 4 {
			t.Errorf("got\n%swant a note with %q, and four notes", out.String(), want)
		}
	}
}
