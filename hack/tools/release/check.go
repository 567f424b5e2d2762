package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/semver"
)

// check checks everything that needs no work: the version, the state of the checkout, the changelog, the
// pages, and the exported API of a patch version. It returns all errors that it can find.
func (r *release) check(ctx context.Context) error {
	err := checkVersion(r.version)
	if err == nil {
		r.branch, err = git(ctx, r.repo, "branch", "--show-current")
	}
	if err == nil {
		r.head, err = git(ctx, r.repo, "rev-parse", "HEAD")
	}
	if err != nil {
		return err // the other checks need them
	}
	r.step("%s is a version", r.version)
	errs := []error{r.checkTags(ctx), r.checkClean(ctx), r.checkBranch(ctx), r.checkChangelog(), r.checkSnapshot(ctx), r.checkPages(ctx)}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := r.checkAPI(ctx); err != nil {
		return err
	}
	head, err := git(ctx, r.repo, "rev-parse", "HEAD")
	if err == nil && head != r.head {
		err = fmt.Errorf("the checkout has moved from %s to %s during the checks; run the release again", r.head, head)
	}
	return err
}

// forPush returns an error that only stops a release. A dry run prints it, so that a maintainer can try a
// branch, or a version before everything is ready for it.
func (r *release) forPush(err error) error {
	if err != nil && !r.push {
		fmt.Fprintf(r.out, "note  --push would fail: %v\n", err)
		return nil
	}
	return err
}

// checkClean returns an error if the checkout differs from its commit, which is all that a release contains.
func (r *release) checkClean(ctx context.Context) error {
	changes, err := git(ctx, r.repo, "status", "--porcelain")
	if err != nil {
		return err
	}
	if changes != "" {
		return fmt.Errorf("the checkout has changes that a release would not contain; commit or remove them:\n%s", changes)
	}
	head, err := git(ctx, r.repo, "log", "-1", "--format=%h %s")
	if err != nil {
		return err
	}
	r.step("the checkout is clean, at %s", head)
	return nil
}

// checkBranch returns an error if the commit is not that of a branch for releases, as origin has it.
func (r *release) checkBranch(ctx context.Context) error {
	err := r.isPushed(ctx)
	if err == nil {
		r.step("the branch is %s, as on origin", r.branch)
	}
	return r.forPush(err)
}

func (r *release) isPushed(ctx context.Context) error {
	if r.branch != r.target() {
		return fmt.Errorf("the branch is %q; release %s from main, or from %s if main has a later minor version", r.branch, r.version, minorBranch(r.version))
	}
	remote, err := r.readPushURL(ctx, "release-target", "refs/heads/"+r.branch)
	if err != nil {
		return err
	}
	if remote == "" {
		return fmt.Errorf("origin has no branch %s; push it first", r.branch)
	}
	if hash, _, _ := strings.Cut(remote, "\t"); hash != r.head {
		return fmt.Errorf("%s of origin is at %s, and the checkout at %s; push or pull first", r.branch, hash, r.head)
	}
	return nil
}

// checkChangelog returns an error if the changelog has nothing for the version.
func (r *release) checkChangelog() error {
	text, err := os.ReadFile(filepath.Join(r.repo, changelogFile))
	if err != nil {
		return err
	}
	released, err := releaseChangelog(string(text), r.version, r.now)
	if err != nil {
		return err
	}
	r.step("%s has %d lines for %s", changelogFile, len(strings.Split(notes(released, r.version), "\n")), r.version)
	return nil
}

// checkSnapshot returns an error if a minor version has no generated code that later versions are tested with.
func (r *release) checkSnapshot(ctx context.Context) error {
	if isPatch(r.version) || semver.Prerelease(r.version) != "" {
		return nil
	}
	folder := "testdata/released/" + r.version
	files, err := git(ctx, r.repo, "ls-files", folder)
	if err != nil {
		return err
	}
	if files == "" {
		return r.forPush(fmt.Errorf("%s is missing: with it, tests show that generated code works with later versions; run hack/snapshot.sh %s, and commit the folder", folder, r.version))
	}
	r.step("%s has what this version generates", folder)
	return nil
}

// noRelease matches a line of a page that is wrong as soon as there is a release.
var noRelease = regexp.MustCompile(`(There is no release yet|[Uu]ntil there is a release|@v0\.0\.0)(?:[^-0-9A-Za-z]|$)`)

// checkPages returns an error if a page would say, in the release, that there is none. A prerelease is
// for people who know of it, so it may have such pages.
func (r *release) checkPages(ctx context.Context) error {
	if semver.Prerelease(r.version) != "" {
		return nil
	}
	pages, err := git(ctx, r.repo, "ls-files", "-z", "*.md")
	if err != nil {
		return err
	}
	var found strings.Builder
	for _, page := range strings.FieldsFunc(pages, func(c rune) bool { return c == 0 }) {
		text, err := os.ReadFile(filepath.Join(r.repo, filepath.FromSlash(page)))
		if err != nil {
			return err
		}
		for n, line := range strings.Split(string(text), "\n") {
			if match := noRelease.FindStringSubmatch(line); match != nil {
				fmt.Fprintf(&found, "\n\t%s:%d: %s", page, n+1, match[1])
			}
		}
	}
	if found.Len() > 0 {
		return r.forPush(fmt.Errorf("these lines say that there is no release, and %s would contain them; replace each recipe with go get MODULE@%s:%s", r.version, r.version, found.String()))
	}
	r.step("no page says that there is no release")
	return nil
}

// checkAPI returns an error if a patch version changes the exported API in a way that can break users. A
// line in the changelog allows that only for a minor version. The script compares generated code too.
func (r *release) checkAPI(ctx context.Context) error {
	if !isPatch(r.version) {
		return nil
	}
	modules, err := readModules(ctx, r.repo)
	if err != nil {
		return err
	}
	args := []string{"--no-breaks"}
	for _, m := range modules {
		if m.released {
			args = append(args, m.dir)
		}
	}
	if _, err := command(ctx, r.repo, []string{"STRICT=1"}, filepath.Join(r.repo, "hack", "api.sh"), args...); err != nil {
		return fmt.Errorf("%s is a patch version, which keeps the exported API; undo the break, or release a minor version: %w", r.version, err)
	}
	r.step("the exported API has no break since the last version")
	return nil
}
