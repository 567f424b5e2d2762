// Command release releases all modules of the repository that users require, with one version. Without
// --push it is a dry run: it does all work in a clone below build/release, and pushes nothing.
//
//	check ──▶ clone ──▶ release commit and tags ──▶ module zips ──▶ a user of each module ──▶ goreleaser ──▶ push
//
// A user of a module ignores its replace directives. So the release commit requires the new version of
// each sibling, and keeps the replace directives for development: one commit has the tags of all modules.
// With --resume it finishes a release that stopped between its two pushes.
// docs/design/release.md has the reasons.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	var r release
	flag.StringVar(&r.repo, "repo", ".", "root folder of the repository")
	flag.BoolVar(&r.push, "push", false, "push the release commit and the tags to origin")
	flag.BoolVar(&r.resume, "resume", false, "only push the tags that origin lacks of a release that stopped half way")
	flag.BoolVar(&r.binaries, "binaries", false, "only build the binaries of the tag, which HEAD has, as the workflow does after the push")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "release: want one version, such as v0.1.0")
		os.Exit(2)
	}
	r.version, r.out, r.now = flag.Arg(0), os.Stdout, time.Now().UTC()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	if err := r.run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

// release is one run of the command.
type release struct {
	repo, version string
	branch, head  string // those of the checkout, as check has read them
	releaseCommit string // as commitInClone has made it
	push          bool
	resume        bool
	binaries      bool
	out           io.Writer
	now           time.Time
}

// The parts of build/release. A run deletes all of it first.
func (r *release) work(name string) string { return filepath.Join(r.repo, "build", "release", name) }
func (r *release) tree() string            { return r.work("tree") }

func (r *release) run(ctx context.Context) error {
	var err error
	if r.repo, err = filepath.Abs(r.repo); err != nil {
		return err
	}
	if err := forgetGitEnvironment(ctx); err != nil {
		return err
	}
	unlock, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if r.binaries {
		return r.buildRelease(ctx)
	}
	if r.resume {
		r.push = true
		return r.finish(ctx)
	}
	if err := r.check(ctx); err != nil {
		return err
	}
	modules, err := r.commitInClone(ctx)
	if err != nil {
		return err
	}
	if err := r.tryPush(ctx); err != nil {
		return err
	}
	if err := r.prove(ctx, modules); err != nil {
		return err
	}
	if err := r.buildBinaries(ctx); err != nil {
		return err
	}
	return r.publish(ctx, modules)
}

// forgetGitEnvironment removes the variables with which git tells its hooks and aliases which repository
// they belong to. With them, the commands for the clone would change the checkout.
func forgetGitEnvironment(ctx context.Context) error {
	names, err := exec.CommandContext(ctx, "git", "rev-parse", "--local-env-vars").Output()
	if err != nil {
		return fmt.Errorf("git rev-parse --local-env-vars: %w", err)
	}
	for _, name := range strings.Fields(string(names)) {
		if err := os.Unsetenv(name); err != nil {
			return err
		}
	}
	return nil
}

// lock keeps other runs away from build/release of this checkout, until unlock or the end of the program. The lock is in
// the folder of git, because a run deletes build/release first.
func (r *release) lock(ctx context.Context) (unlock func(), err error) {
	name, err := git(ctx, r.repo, "rev-parse", "--git-path", "release.lock")
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.repo, name)
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		return nil, fmt.Errorf("another release runs in this checkout, and both would use build/release; wait for it: lock %s: %w", name, err)
	}
	return func() { file.Close() }, nil
}

// step prints what was checked or done.
func (r *release) step(format string, args ...any) { fmt.Fprintf(r.out, "ok    "+format+"\n", args...) }

// git runs git in a folder, and returns its output without the last newline.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	return command(ctx, dir, nil, "git", args...)
}

// command runs a command, and returns its output. An error has what the command printed.
func command(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := gently(exec.CommandContext(ctx, name, args...))
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "PWD="+dir), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s, in %s: %w\n%s%s", name, strings.Join(args, " "), dir, err, output, stderr.String())
	}
	return strings.TrimSpace(string(output)), nil
}

// gently makes a command end as after Ctrl-C when its context ends, so that it can clean up and stop its own
// commands.
func gently(cmd *exec.Cmd) *exec.Cmd {
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// removeAll deletes a folder that may have read-only folders in it, as the go command writes them.
func removeAll(dir string) error {
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return err
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.RemoveAll(dir)
}
