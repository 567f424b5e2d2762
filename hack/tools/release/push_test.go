package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// publishAll makes a release as the command does, without the proofs and goreleaser.
func publishAll(t *testing.T, r *release) error {
	t.Helper()
	if err := r.check(t.Context()); err != nil {
		return err
	}
	modules, err := r.commitInClone(t.Context())
	if err != nil {
		return err
	}
	if err := r.tryPush(t.Context()); err != nil {
		return err
	}
	return r.publish(t.Context(), modules)
}

// refuse makes origin refuse pushes to a tag, until the returned function is called.
func refuse(t *testing.T, origin, tag string) (allow func()) {
	t.Helper()
	hook := filepath.Join(origin, "hooks", "update")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\ntest \"$1\" != refs/tags/"+tag+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(hook); err != nil {
			t.Fatal(err)
		}
	}
}

func TestResume(t *testing.T) {
	r, origin := newRelease(t, nil)
	r.push = true
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte("[push]\n\tfollowTags = true\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	allow := refuse(t, origin, "metrics/v0.1.0")
	if err := publishAll(t, r); err == nil || !strings.Contains(err.Error(), "run: hack/release.sh --resume v0.1.0") {
		t.Fatalf("got error %v", err)
	}
	if tags := mustGit(t, origin, "tag"); tags != "v0.1.0" {
		t.Fatalf("origin has the tags %q", tags)
	}
	mustGit(t, r.repo, "commit --quiet --allow-empty --message=later")
	allow()
	resumed := &release{repo: r.repo, version: r.version, out: r.out, resume: true} // nothing is left of the first run
	if err := os.RemoveAll(r.work("")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_DIR", filepath.Join(r.repo, ".git")) // as in an alias of git
	for range 2 {                                      // the second time there is nothing to do
		if err := resumed.run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if branch := mustGit(t, r.repo, "branch --show-current"); branch != "main" {
		t.Errorf("the checkout has the branch %q", branch)
	}
	root := mustGit(t, origin, "rev-parse v0.1.0^{commit}")
	if other := mustGit(t, origin, "rev-parse metrics/v0.1.0^{commit}"); other != root || root != mustGit(t, origin, "rev-parse main") {
		t.Errorf("v0.1.0 is at %s, and metrics/v0.1.0 at %s", root, other)
	}
	if kind := mustGit(t, origin, "cat-file -t metrics/v0.1.0"); kind != "tag" {
		t.Errorf("metrics/v0.1.0 is a %s", kind)
	}
}

func TestResumeOfALostBranch(t *testing.T) {
	r, origin := newRelease(t, nil)
	r.push = true
	allow := refuse(t, origin, "metrics/v0.1.0")
	if err := publishAll(t, r); err == nil {
		t.Fatal("no error")
	}
	allow()
	mustGit(t, origin, "update-ref refs/heads/main main~1")
	if err := r.finish(t.Context()); err == nil || !strings.Contains(err.Error(), "on neither main nor release-0.1 any more") {
		t.Errorf("got error %v", err)
	}
	if tags := mustGit(t, origin, "tag"); tags != "v0.1.0" {
		t.Errorf("origin has the tags %q", tags)
	}
}

// TestPushesWhatWasChecked has other people and programs at work during the proofs.
func TestPushesWhatWasChecked(t *testing.T) {
	r, origin := newRelease(t, nil)
	r.push = true
	if err := r.check(t.Context()); err != nil {
		t.Fatal(err)
	}
	modules, err := r.commitInClone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := mustGit(t, origin, "rev-parse main")
	mustGit(t, r.repo, "push --quiet origin HEAD:refs/tags/metrics/v0.1.0")
	if err := r.publish(t.Context(), modules); err == nil || !strings.Contains(err.Error(), "has got the tag metrics/v0.1.0 during this run") || mustGit(t, origin, "rev-parse main") != before {
		t.Errorf("got error %v", err)
	}
	mustGit(t, origin, "tag -d metrics/v0.1.0")
	mustGit(t, r.tree(), "commit --quiet --allow-empty --message=proof")
	if err := r.publish(t.Context(), modules); err != nil {
		t.Fatal(err)
	}
	if main := mustGit(t, origin, "rev-parse main"); main != mustGit(t, origin, "rev-parse v0.1.0^{commit}") || main == before {
		t.Errorf("main is at %s, before at %s", main, before)
	}
}

func TestOneReleaseAtATime(t *testing.T) {
	r, _ := newRelease(t, nil)
	unlock, err := r.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.run(t.Context()); err == nil || !strings.Contains(err.Error(), "another release runs in this checkout") {
		t.Errorf("got error %v", err)
	}
	unlock()
	if unlock, err = r.lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestResumeFails(t *testing.T) {
	for name, test := range map[string]struct {
		half bool   // origin has what the first push of a release has
		tag  string // a tag of origin that is not at a release commit
		want string
	}{
		"nothing was pushed":    {false, "", "origin has no tag v0.1.0, so the root module is not released; run: hack/release.sh --push v0.1.0"},
		"a tag made by hand":    {false, "v0.1.0", "is not at a release commit"},
		"a tag of another time": {true, "metrics/v0.1.0", "v0.1.0 cannot be finished, so release a later version"},
	} {
		t.Run(name, func(t *testing.T) {
			r, origin := newRelease(t, nil)
			r.push = true
			if test.half {
				allow := refuse(t, origin, "metrics/v0.1.0")
				if err := publishAll(t, r); err == nil {
					t.Fatal("the release is complete")
				}
				allow()
			}
			if test.tag != "" {
				mustGit(t, r.repo, "tag "+test.tag)
				mustGit(t, r.repo, "push --quiet origin "+test.tag)
			}
			before := mustGit(t, origin, "show-ref")
			if err := r.finish(t.Context()); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %q", err, test.want)
			}
			if after := mustGit(t, origin, "show-ref"); after != before {
				t.Errorf("origin has\n%s\nand had\n%s", after, before)
			}
		})
	}
}

// edit changes the changelog, commits it and pushes the branch.
func edit(t *testing.T, r *release, branch, entry string) {
	t.Helper()
	name := filepath.Join(r.repo, changelogFile)
	text, err := os.ReadFile(name)
	changed := strings.Replace(string(text), unreleased+"\n", unreleased+"\n\n### Fixed\n\n- "+entry+"\n", 1)
	if err := errors.Join(err, os.WriteFile(name, []byte(changed), 0o644)); err != nil {
		t.Fatal(err)
	}
	mustGit(t, r.repo, "commit --quiet --all --message=fix")
	mustGit(t, r.repo, "push --quiet origin "+branch)
}

func TestPatchOfAnOlderMinorVersion(t *testing.T) {
	r, origin := newRelease(t, map[string]string{"testdata/released/v0.2.0/README": "Code of v0.2.0.\n", "hack/api.sh": "#!/bin/sh\n"})
	r.push = true
	for _, version := range []string{"v0.1.0", "v0.2.0"} {
		r.version = version
		if version != "v0.1.0" {
			edit(t, r, "main", "Second.")
		}
		if err := publishAll(t, r); err != nil {
			t.Fatal(err)
		}
		mustGit(t, r.repo, "pull --quiet --tags origin main")
	}
	main := mustGit(t, origin, "rev-parse main")
	mustGit(t, r.repo, "switch --quiet -c release-0.1 v0.1.0")
	edit(t, r, "release-0.1", "A hole.")
	r.version = "v0.1.1"
	var out strings.Builder
	r.out = &out
	if err := publishAll(t, r); err != nil {
		t.Fatal(err)
	}
	if mustGit(t, origin, "rev-parse main") != main || mustGit(t, origin, "rev-parse release-0.1") != mustGit(t, origin, "rev-parse metrics/v0.1.1^{commit}") {
		t.Error("the release commit of v0.1.1 is not on the branch release-0.1 alone")
	}
	if !strings.Contains(out.String(), "copy the section of CHANGELOG.md to main") {
		t.Errorf("got\n%s", out.String())
	}
}

func TestReleaseAfterItsPrerelease(t *testing.T) {
	r, origin := newRelease(t, nil)
	r.push = true
	for _, version := range []string{"v0.1.0-rc.1", "v0.1.0-rc.2", "v0.1.0"} {
		r.version = version
		if err := publishAll(t, r); err != nil {
			t.Fatal(err)
		}
		if notes, err := os.ReadFile(r.work("notes.md")); err != nil || string(notes) != "### Added\n\n- Shops.\n" {
			t.Errorf("error %v; the notes of %s are %q", err, version, notes)
		}
		if text := mustGit(t, origin, "show "+version+":metrics/go.mod"); !strings.Contains(text, "require example.com/shop "+version+"\n") {
			t.Errorf("at %s, metrics/go.mod is\n%s", version, text)
		}
		mustGit(t, r.repo, "pull --quiet --tags origin main")
	}
	if text := mustGit(t, origin, "show main:CHANGELOG.md"); strings.Contains(text, "rc.") || !strings.Contains(text, "## [0.1.0] - 2026-12-01\n\n### Added\n\n- Shops.\n") {
		t.Errorf("the changelog is\n%s", text)
	}
}

func TestRelativeURL(t *testing.T) {
	r, origin := newRelease(t, nil)
	r.push = true
	mustGit(t, r.repo, "remote set-url origin ../origin")
	if err := publishAll(t, r); err != nil {
		t.Fatal(err)
	}
	if tags := mustGit(t, origin, "tag"); tags != "metrics/v0.1.0\nv0.1.0" {
		t.Errorf("origin has the tags %q", tags)
	}
}

func TestPushURL(t *testing.T) {
	r, origin := newRelease(t, nil)
	r.push = true
	elsewhere := filepath.Join(filepath.Dir(origin), "secret-token")
	mustGit(t, r.repo, "clone --quiet --bare . "+elsewhere)
	mustGit(t, r.repo, "remote set-url --push origin "+elsewhere)
	refuse(t, elsewhere, "metrics/v0.1.0")
	err := publishAll(t, r)
	if tags := mustGit(t, elsewhere, "tag"); tags != "v0.1.0" || mustGit(t, origin, "tag") != "" {
		t.Errorf("the push URL has the tags %q", tags)
	}
	if tags, err := r.remoteTags(t.Context()); err != nil || tags["v0.1.0"] == "" {
		t.Errorf("error %v, the tags are %v", err, tags)
	}
	if command, _, _ := strings.Cut(err.Error(), "\n"); !strings.Contains(command, "push --atomic origin refs/tags/metrics/v0.1.0, in ") || strings.Contains(command, "secret-token") {
		t.Errorf("got error %v", err)
	}
}
