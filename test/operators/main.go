package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
)

func main() {
	repo := pflag.String("repo", "..", "root `FOLDER` of the repository")
	only := pflag.String("only", "", "run the projects whose names match a `REGEXP`")
	skipTests := pflag.Bool("skip-tests", false, "only generate, and measure first syncs")
	pflag.Parse()
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *repo, *only, *skipTests)
	release()
	if err != nil {
		fmt.Fprintln(os.Stderr, "operators:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, repo, only string, skipTests bool) error {
	matches, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("--only: %w", err)
	}
	if repo, err = filepath.Abs(repo); err != nil {
		return err
	}
	r := runner{repo: repo, build: filepath.Join(repo, "build", "operators"), skipTests: skipTests}
	if err := r.command(ctx, repo, "go", "build", "-o", r.tool(), "./cmd/informer-gen"); err != nil {
		return err
	}
	fmt.Println(heading)
	var errs []error
	for _, o := range operators {
		if !matches.MatchString(o.name) {
			continue
		}
		got, err := r.run(ctx, o)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", o.name, err))
			continue
		}
		fmt.Println(got.row(o))
		if !skipTests { // a run that is interrupted has the rows so far
			errs = append(errs, publish(repo, o, got))
		}
		if err := got.check(); err != nil && !skipTests {
			errs = append(errs, fmt.Errorf("%s: %w", o.name, err))
		}
	}
	errs = append(errs, r.managedRows(ctx, matches.MatchString))
	return errors.Join(errs...)
}

type runner struct {
	repo, build string
	skipTests   bool
}

func (r runner) tool() string { return filepath.Join(r.build, "bin", "informer-gen") }

func (r runner) run(ctx context.Context, o operator) (got result, err error) {
	before, after := filepath.Join(r.build, o.name, "before"), filepath.Join(r.build, o.name, "after")
	for _, dir := range []string{before, after} {
		if err := r.unpack(ctx, o, dir); err != nil {
			return got, err
		}
	}
	if got.migration, err = r.migrate(ctx, o, after); err != nil {
		return got, err
	}
	if !r.skipTests {
		if got.before, err = r.test(ctx, before, o.tests); err != nil {
			return got, err
		}
		if got.after, err = r.test(ctx, after, o.tests); err != nil {
			return got, err
		}
	}
	if o.first.kind != "" {
		got.syncBefore, got.syncAfter, err = r.firstSyncs(ctx, o, before, after)
	}
	return got, err
}

// unpack copies a project, and the module with its generated code, from the module cache.
func (r runner) unpack(ctx context.Context, o operator, dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for module, to := range map[string]string{o.module: dir, o.clientModule: filepath.Join(dir, o.client)} {
		if module == "" {
			continue
		}
		command := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
		command.Env = append(os.Environ(), "GOFLAGS=")
		output, err := command.Output()
		var downloaded struct{ Dir, Error string }
		if json.Unmarshal(output, &downloaded) != nil || err != nil {
			return fmt.Errorf("download %s: %w: %s", module, err, downloaded.Error)
		}
		if err := copyTree(downloaded.Dir, to); err != nil {
			return err
		}
	}
	// The archive of a module has the list of a folder vendor, and not its packages.
	return os.RemoveAll(filepath.Join(dir, "vendor"))
}

// copyTree copies files, which may be written to then.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, 0o644)
	})
}

func environ() []string { return append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK=off") }

func (r runner) command(ctx context.Context, dir, name string, arguments ...string) error {
	command := exec.CommandContext(ctx, name, arguments...)
	command.Dir, command.Env = dir, environ()
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(arguments, " "), err, output)
	}
	return nil
}
