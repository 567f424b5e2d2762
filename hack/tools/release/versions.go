package main

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	xmodule "golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// checkVersion returns an error unless version can be a tag of all modules.
func checkVersion(version string) error {
	switch {
	case !semver.IsValid(version) || semver.Canonical(version) != version:
		return fmt.Errorf("%q is not a version; write it in full and without build metadata, such as v0.1.0 or v0.2.0-rc.1", version)
	case xmodule.IsPseudoVersion(version):
		return fmt.Errorf("%s is a pseudo-version, which the go command refuses as a tag; choose one such as v0.1.0 or v0.2.0-rc.1", version)
	case semver.Major(version) != "v0" && semver.Major(version) != "v1":
		return fmt.Errorf("%s needs module paths that end with /%s; change them first", version, semver.Major(version))
	}
	return nil
}

// isPatch reports whether a version is a patch version, such as v0.1.1, or a prerelease of one.
func isPatch(version string) bool {
	version = strings.TrimSuffix(version, semver.Prerelease(version))
	return !strings.HasSuffix(version, ".0")
}

// minorBranch returns the branch for versions of an older minor version, such as release-0.1 for v0.1.2.
func minorBranch(version string) string {
	return "release-" + strings.TrimPrefix(semver.MajorMinor(version), "v")
}

// target returns the branch that gets the release commit.
func (r *release) target() string {
	if r.branch == minorBranch(r.version) {
		return r.branch
	}
	return "main"
}

// checkTags returns an error unless the version is later than those of all tags. On the branch of a minor
// version these are its tags, and those of the history of the branch. The tags of origin count too: one of
// this version would stop the release half way.
func (r *release) checkTags(ctx context.Context) error {
	list, err := git(ctx, r.repo, "tag", "--list")
	if err != nil {
		return err
	}
	history, err := git(ctx, r.repo, "tag", "--list", "--merged=HEAD")
	if err != nil {
		return err
	}
	remote, err := r.remoteTags(ctx)
	if err := r.forPush(err); err != nil {
		return err
	}
	minor, hasMinor := semver.MajorMinor(r.version), false
	local, theirs := strings.Fields(list), slices.Sorted(maps.Keys(remote))
	for _, tag := range slices.Concat(local, theirs) {
		version := path.Base(tag)
		hasMinor = hasMinor || semver.MajorMinor(version) == minor && semver.Prerelease(version) == ""
		switch {
		case !semver.IsValid(version):
		case semver.Compare(version, r.version) == 0:
			err := fmt.Errorf("the tag %s exists; a version that was published must never change, so choose a later one", tag)
			if remote[r.version] != "" {
				err = fmt.Errorf("%w. If a release of %s has stopped half way, finish it with: hack/release.sh --resume %s", err, r.version, r.version)
			}
			return err
		case r.target() != "main" && semver.MajorMinor(version) != minor && !slices.Contains(strings.Fields(history), tag):
		case semver.Compare(version, r.version) > 0:
			return fmt.Errorf("the tag %s is later than %s; choose a later version, or make a branch %s of the last %s version, and release from there", tag, r.version, minorBranch(r.version), minor)
		}
	}
	if isPatch(r.version) && !hasMinor {
		return fmt.Errorf("%s is a patch version, and there is no tag of %s; the first version of it is %s.0", r.version, minor, minor)
	}
	if r.target() != "main" && !hasMinor {
		return fmt.Errorf("the branch %s is for patches, and there is no tag of %s; release %s from main", r.branch, minor, r.version)
	}
	for _, tag := range theirs {
		if semver.IsValid(path.Base(tag)) && !slices.Contains(local, tag) {
			return fmt.Errorf("origin has the tag %s, and this clone lacks it; run: git fetch --tags origin", tag)
		}
	}
	r.step("no tag has this version or a later one")
	return nil
}

// remoteTags returns the tags of origin, each with its commit.
func (r *release) remoteTags(ctx context.Context) (map[string]string, error) {
	list, err := r.readPushURL(ctx, "--tags", "release-target")
	if err != nil {
		return nil, fmt.Errorf("read the tags of origin: %w", err)
	}
	tags := map[string]string{}
	for line := range strings.Lines(list) {
		hash, ref, _ := strings.Cut(strings.TrimSpace(line), "\trefs/tags/")
		// The commit of an annotated tag is on a second line, after that of the tag.
		tags[strings.TrimSuffix(ref, "^{}")] = hash
	}
	return tags, nil
}
