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

// operator is a published project whose authors use the generators of code-generator.
type operator struct {
	name string
	// module is the project with a version.
	module string
	// client is the module with the API and the generated code, in the folder of that name, if it is not the project.
	client, clientModule string
	// output is the folder of clientset, listers and informers, apis the pattern of the API packages, and flags what informer-gen
	// needs besides, all in the module with the generated code.
	output, apis string
	flags        []string
	// tests are the patterns of the packages whose tests run.
	tests []string
}

var operators = []operator{
	{
		name: "flagger", module: "github.com/fluxcd/flagger@v1.44.0", output: "pkg/client", apis: "./pkg/apis/...", flags: []string{"--go-header-file=hack/boilerplate.go.txt"},
		tests: []string{"./pkg/canary/...", "./pkg/controller/..."},
	},
	{
		name: "argo-rollouts", module: "github.com/argoproj/argo-rollouts@v1.9.0", output: "pkg/client", apis: "./pkg/apis/...", flags: []string{"--go-header-file=hack/boilerplate.go.txt"},
		tests: []string{"./analysis/...", "./experiments/...", "./ingress/...", "./service/..."},
	},
	{
		name: "external-snapshotter", module: "github.com/kubernetes-csi/external-snapshotter/v8@v8.7.0", output: ".", apis: "./apis/...", flags: []string{"--go-header-file=hack/boilerplate.go.txt"},
		client: "client", clientModule: "github.com/kubernetes-csi/external-snapshotter/client/v8@v8.7.0", tests: []string{"./pkg/..."},
	},
}

// result is what became of an operator.
type result struct {
	linesBefore, linesAfter int
	before, after           tests
}

// tests counts the tests of a run, without subtests.
type tests struct{ passed, failed int }

func main() {
	repo := pflag.String("repo", "..", "root `FOLDER` of the repository")
	only := pflag.String("only", "", "run the projects whose names match a `REGEXP`")
	pflag.Parse()
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *repo, *only)
	release()
	if err != nil {
		fmt.Fprintln(os.Stderr, "operators:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, repo, only string) error {
	matches, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("--only: %w", err)
	}
	if repo, err = filepath.Abs(repo); err != nil {
		return err
	}
	r := runner{repo: repo, build: filepath.Join(repo, "build", "operators")}
	if err := r.command(ctx, repo, "go", "build", "-o", r.tool(), "./cmd/informer-gen"); err != nil {
		return err
	}
	fmt.Println("| project | generated lines before, after | tests passed before, after | failed before, after |")
	fmt.Println("|---|---|---|---|")
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
		fmt.Printf("| %s | %d, %d | %d, %d | %d, %d |\n", o.module, got.linesBefore, got.linesAfter, got.before.passed, got.after.passed, got.before.failed, got.after.failed)
		if got.before != got.after || got.before.passed == 0 {
			errs = append(errs, fmt.Errorf("%s: the tests differ, or there are none", o.name))
		}
	}
	errs = append(errs, r.managedRows(ctx, matches.MatchString))
	return errors.Join(errs...)
}

type runner struct{ repo, build string }

func (r runner) tool() string { return filepath.Join(r.build, "bin", "informer-gen") }

func (r runner) run(ctx context.Context, o operator) (got result, err error) {
	before, after := filepath.Join(r.build, o.name, "before"), filepath.Join(r.build, o.name, "after")
	for _, dir := range []string{before, after} {
		if err := r.unpack(ctx, o, dir); err != nil {
			return got, err
		}
	}
	const ours = "github.com/typedinformers/informer-gen"
	modules := []string{filepath.Join(after, o.client)}
	if o.client != "" {
		modules = append(modules, after)
	}
	edit := []string{"mod", "edit"}
	for _, module := range []string{"", "/adapters/clientgo"} {
		edit = append(edit, "-replace="+ours+module+"="+filepath.Join(r.repo, module))
	}
	for _, dir := range modules {
		for _, arguments := range [][]string{edit, {"get", ours + "/adapters/clientgo@v0.0.0"}} {
			if err := r.command(ctx, dir, "go", arguments...); err != nil {
				return got, err
			}
		}
	}
	if got.linesBefore, err = removeGenerated(filepath.Join(after, o.client, o.output)); err != nil {
		return got, err
	}
	if err := r.command(ctx, modules[0], r.tool(), append(append([]string{"--informers=client-go", "--output-dir=" + o.output}, o.flags...), o.apis)...); err != nil {
		return got, err
	}
	for _, dir := range modules {
		if err := r.command(ctx, dir, "go", "mod", "tidy"); err != nil {
			return got, err
		}
	}
	if got.linesAfter, err = countGenerated(filepath.Join(after, o.client, o.output)); err != nil {
		return got, err
	}
	if err := r.command(ctx, after, "go", "build", "./..."); err != nil {
		return got, err
	}
	if got.before, err = r.test(ctx, before, o.tests); err != nil {
		return got, err
	}
	got.after, err = r.test(ctx, after, o.tests)
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
	return nil
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

var header = regexp.MustCompile(`(?m)^// Code generated by (client|lister|informer|github\.com/typedinformers/informer)-gen\. DO NOT EDIT\.$`)

// removeGenerated removes the output of the generators, and returns its lines.
func removeGenerated(root string) (lines int, err error) {
	err = eachGenerated(root, func(path string, count int) error {
		lines += count
		return os.Remove(path)
	})
	return lines, err
}

func countGenerated(root string) (lines int, err error) {
	err = eachGenerated(root, func(_ string, count int) error {
		lines += count
		return nil
	})
	return lines, err
}

func eachGenerated(root string, do func(path string, lines int) error) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil || !header.Match(content) {
			return err
		}
		return do(path, strings.Count(string(content), "\n"))
	})
}

// test runs tests and counts them. Failed tests are no error: both sides may have them.
func (r runner) test(ctx context.Context, dir string, patterns []string) (counted tests, err error) {
	command := exec.CommandContext(ctx, "go", append([]string{"test", "-json", "-count=1"}, patterns...)...)
	command.Dir, command.Env, command.Stderr = dir, environ(), os.Stderr
	output, err := command.Output()
	for line := range strings.Lines(string(output)) {
		var event struct{ Action, Test string }
		if json.Unmarshal([]byte(line), &event) != nil || event.Test == "" || strings.Contains(event.Test, "/") {
			continue
		}
		switch event.Action {
		case "pass":
			counted.passed++
		case "fail":
			counted.failed++
		}
	}
	if counted.failed > 0 {
		err = nil
	}
	return counted, err
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
