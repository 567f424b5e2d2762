package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// identity are the settings of git that a commit, a tag and a push depend on. A clone does not have those
// of the repository.
var identity = []string{"user.name", "user.email", "user.signingkey", "gpg.format", "gpg.program", "gpg.ssh.program", "commit.gpgsign", "tag.gpgsign", "core.sshcommand"}

// commitInClone makes the release commit and its tags in a clone. So a dry run does everything but push,
// and no run changes the checkout.
func (r *release) commitInClone(ctx context.Context) ([]module, error) {
	if err := r.clone(ctx); err != nil {
		return nil, err
	}
	if _, err := git(ctx, r.tree(), "checkout", "--quiet", "--detach", r.head); err != nil {
		return nil, err
	}
	modules, err := r.commit(ctx, r.version)
	if err != nil {
		return nil, err
	}
	if r.releaseCommit, err = git(ctx, r.tree(), "rev-parse", "HEAD"); err != nil {
		return nil, err
	}
	var released []module
	for _, m := range modules {
		if m.released {
			released = append(released, m)
		}
	}
	if err := r.tag(ctx, released); err != nil {
		return nil, err
	}
	r.step("the release commit has %d tags; see it with: git -C build/release/tree show", len(released))
	return modules, nil
}

// clone deletes build/release, and clones the repository into it. The origin of the clone is the place to
// which the repository pushes. No message prints its URL, which may contain a token.
func (r *release) clone(ctx context.Context) error {
	if err := removeAll(r.work("")); err != nil {
		return err
	}
	if err := os.MkdirAll(r.work(""), 0o755); err != nil {
		return err
	}
	if _, err := git(ctx, r.repo, "clone", "--quiet", "--no-checkout", ".", r.tree()); err != nil {
		return err
	}
	for _, key := range identity {
		if value, err := git(ctx, r.repo, "config", "--get", key); err == nil {
			if _, err := git(ctx, r.tree(), "config", key, value); err != nil {
				return err
			}
		}
	}
	if _, err := git(ctx, r.tree(), "config", "push.followTags", "false"); err != nil { // a push has the refs that it names
		return err
	}
	url, err := r.pushURL(ctx)
	if err == nil {
		_, err = git(ctx, r.tree(), "config", "remote.origin.url", url)
	}
	return r.forPush(err)
}

// pushURL returns the place to which the repository pushes, also for a command in another folder.
func (r *release) pushURL(ctx context.Context) (string, error) {
	url, err := git(ctx, r.repo, "remote", "get-url", "--push", "origin")
	if err == nil && !strings.Contains(url, ":") && !filepath.IsAbs(url) {
		url = filepath.Join(r.repo, url)
	}
	return url, err
}

// readPushURL runs git ls-remote for the place to which the repository pushes, which may differ from that
// from which it fetches.
func (r *release) readPushURL(ctx context.Context, args ...string) (string, error) {
	url, err := r.pushURL(ctx)
	if err != nil {
		return "", err
	}
	env := []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=remote.release-target.url", "GIT_CONFIG_VALUE_0=" + url}
	return command(ctx, r.repo, env, "git", append([]string{"ls-remote"}, args...)...)
}

// tag tags HEAD of the clone for some modules. The clone may have tags that origin lacks: they do not count.
func (r *release) tag(ctx context.Context, modules []module) error {
	for _, m := range modules {
		if _, err := git(ctx, r.tree(), "tag", "--force", "--annotate", "--message", m.path+" "+r.version, m.tag(r.version)); err != nil {
			return err
		}
	}
	return nil
}

// commit makes a commit in which each go.mod requires the version of its siblings, and the changelog has
// a section for it. go mod tidy must have nothing to change then.
func (r *release) commit(ctx context.Context, version string) ([]module, error) {
	modules, err := readModules(ctx, r.tree())
	if err != nil {
		return nil, err
	}
	if err := requireVersion(r.tree(), modules, version); err != nil {
		return nil, err
	}
	commands := map[string]bool{}
	for _, m := range modules {
		dir := filepath.Join(r.tree(), m.dir)
		if m.released {
			names, err := command(ctx, dir, nil, "go", "list", "-find", "-f", "{{.Name}}", "./...")
			if err != nil {
				return nil, err
			}
			commands[m.path] = strings.Contains("\n"+names+"\n", "\nmain\n")
		}
		if _, err := command(ctx, dir, nil, "go", "mod", "tidy", "-diff"); err != nil {
			return nil, fmt.Errorf("the release commit is not tidy: %w", err)
		}
	}
	if err := checkRequirements(r.tree(), modules, version, commands); err != nil {
		return nil, err
	}
	name := filepath.Join(r.tree(), changelogFile)
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	released, err := releaseChangelog(string(text), version, r.now)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(name, []byte(released), 0o644); err != nil {
		return nil, err
	}
	if err := os.WriteFile(r.work("notes.md"), []byte(notes(released, version)+"\n"), 0o644); err != nil {
		return nil, err
	}
	_, err = git(ctx, r.tree(), "commit", "--quiet", "--all", "--message", "release "+version)
	return modules, err
}
