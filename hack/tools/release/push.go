package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// publish pushes the release commit and the tags, or prints what would be pushed.
//
// The root module is first: the others require it, and a proxy caches a missing version for some time. It
// has a push of its own, because GitHub starts no workflow for a push of more than three tags.
func (r *release) publish(ctx context.Context, modules []module) error {
	var others []string
	for _, m := range modules[1:] {
		if m.released {
			others = append(others, "refs/tags/"+m.tag(r.version))
		}
	}
	pushes := [][]string{{r.branchRef(), "refs/tags/" + r.version}, others}
	if !r.push {
		fmt.Fprintln(r.out, "\nThis was a dry run. With --push it would run, in build/release/tree:")
		for _, refs := range pushes {
			fmt.Fprintf(r.out, "  git push --atomic origin %s\n", strings.Join(refs, " "))
		}
		return nil
	}
	tags, err := r.remoteTags(ctx) // another person may have released meanwhile
	if err != nil {
		return err
	}
	for _, m := range modules {
		if tag := m.tag(r.version); tags[tag] != "" {
			return fmt.Errorf("origin has got the tag %s during this run, which has pushed nothing; fetch it, and choose a later version", tag)
		}
	}
	for _, refs := range pushes {
		if err := r.pushRefs(ctx, refs); err != nil {
			return err
		}
	}
	r.step("released %s; run git pull, and publish the draft on %s/releases when its workflow has finished", r.version, repository)
	if r.target() != "main" {
		fmt.Fprintf(r.out, "note  copy the section of %s to main, and clear \"Set as the latest release\" of the draft if there is a later version\n", changelogFile)
	}
	return nil
}

// branchRef names the push of the release commit to its branch.
func (r *release) branchRef() string { return r.releaseCommit + ":refs/heads/" + r.target() }

// tryPush tries the push of the branch without pushing, before the proofs take their minutes: a server may
// ask for credentials that the clone does not have.
func (r *release) tryPush(ctx context.Context) error {
	if !r.push {
		return nil
	}
	_, err := git(ctx, r.tree(), "push", "--dry-run", "origin", r.branchRef())
	return err
}

// pushRefs pushes refs of the clone to origin, all or none. An error does not tell whether they arrived.
func (r *release) pushRefs(ctx context.Context, refs []string) error {
	if _, err := git(ctx, r.tree(), append([]string{"push", "--atomic", "origin"}, refs...)...); err != nil {
		return fmt.Errorf("%w\norigin may have a part of %s; to finish it, run: hack/release.sh --resume %s", err, r.version, r.version)
	}
	return nil
}

// finish finishes a release that stopped between its pushes: origin gets the tags that it lacks, at the
// commit of the root module's tag.
func (r *release) finish(ctx context.Context) error {
	if err := checkVersion(r.version); err != nil {
		return err
	}
	tags, err := r.remoteTags(ctx)
	if err != nil {
		return err
	}
	commit := tags[r.version]
	if commit == "" {
		return fmt.Errorf("origin has no tag %s, so the root module is not released; run: hack/release.sh --push %s", r.version, r.version)
	}
	if err := r.clone(ctx); err != nil {
		return err
	}
	for _, args := range [][]string{{"fetch", "--quiet", "--no-tags", "origin", "refs/tags/" + r.version}, {"checkout", "--quiet", "--detach", commit}} {
		if _, err := git(ctx, r.tree(), args...); err != nil {
			return err
		}
	}
	if _, err := git(ctx, r.tree(), "fetch", "--quiet", "--no-tags", "origin", "+refs/heads/*:refs/remotes/target/*"); err != nil {
		return err
	}
	branches, err := git(ctx, r.tree(), "for-each-ref", "--format=%(refname)", "--contains="+commit, "refs/remotes/target/main", "refs/remotes/target/"+minorBranch(r.version))
	if err != nil {
		return err
	}
	if branches == "" {
		return fmt.Errorf("the tag %s of origin is at %s, which is on neither main nor %s any more, so release a later version", r.version, commit, minorBranch(r.version))
	}
	modules, err := readModules(ctx, r.tree())
	if err != nil {
		return err
	}
	if err := checkRequirements(r.tree(), modules, r.version, nil); err != nil {
		return fmt.Errorf("the tag %s of origin is not at a release commit, so release a later version; only hack/release.sh makes tags: %w", r.version, err)
	}
	var missing []module
	var refs []string
	var errs []error
	for _, m := range modules {
		tag := m.tag(r.version)
		switch {
		case m.released && tags[tag] == "":
			missing, refs = append(missing, m), append(refs, "refs/tags/"+tag)
		case m.released && tags[tag] != commit:
			errs = append(errs, fmt.Errorf("the tag %s of origin is at %s, and %s is at %s; %s cannot be finished, so release a later version", tag, tags[tag], r.version, commit, r.version))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if len(missing) > 0 {
		if err := r.tag(ctx, missing); err != nil {
			return err
		}
		if err := r.pushRefs(ctx, refs); err != nil {
			return err
		}
	}
	r.step("origin lacked %d tags, and has all of %s now; run git pull, and publish the draft on %s/releases", len(missing), r.version, repository)
	return nil
}
