// Command informer-gen generates a clientset, apply configurations, listers, informers and a factory
// for the kinds of Go API packages. Run it with --help.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/typedinformers/informer-gen/generator"
	"github.com/typedinformers/informer-gen/internal/terminal"
)

func main() {
	os.Exit(run(interruptible(), os.Args[1:], os.Stdout, os.Stderr))
}

// interruptible returns a context that the first SIGINT, SIGTERM or SIGHUP cancels, so that the run undoes its
// changes. The second signal has its default action, in case the run does not return. A reader of the output that is gone, such as
// head, cancels it too.
func interruptible() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals, unread := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup does
		signal.Notify(signals, syscall.SIGHUP)
	}
	signal.Notify(unread, syscall.SIGPIPE) // its default action would end the run at the next write, also while it undoes changes
	go func() {
		<-unread
		cancel()
	}()
	go func() {
		<-signals
		signal.Stop(signals) // before cancel, so that the next signal has its default action
		cancel()
	}()
	return ctx
}

// run is main without os.Exit. It returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	stdout, stderr = terminal.Writer(stdout), terminal.Writer(stderr)
	if len(args) > 0 && args[0] == "migrate" {
		return runMigrate(ctx, args[1:], stdout, stderr)
	}
	f, err := parseFlags(args)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Fprint(stdout, f.usage())
		return exitOK
	case err != nil:
		f.printError(stderr, err)
		fmt.Fprintln(stderr, seeHelp)
		return exitUsage
	case f.version:
		fmt.Fprintln(stdout, "informer-gen "+version(debug.ReadBuildInfo()))
		return exitOK
	}
	do := generate
	if f.aliasDir != "" {
		do = alias
	}
	if err := do(ctx, f, stdout, stderr); err != nil {
		f.printError(stderr, err)
		return exitFailed
	}
	return exitOK
}

// seeHelp ends the output of a run with wrong flags.
const seeHelp = "Run informer-gen --help for the flags and examples."

// printError prints each error on a line of its own. An error with a position begins with it, so
// that an editor finds it; others begin with the name of the command.
func (f *flags) printError(w io.Writer, err error) {
	switch err := err.(type) {
	case interface{ Unwrap() []error }:
		for _, err := range err.Unwrap() {
			f.printError(w, err)
		}
		return
	case interface{ HasPos() bool }:
		if err.HasPos() {
			fmt.Fprintf(w, "%v\n", err)
			return
		}
	case *generator.OptionError:
		fmt.Fprintf(w, "informer-gen: %s\n", err.Message(f.flagOf))
		return
	}
	fmt.Fprintf(w, "informer-gen: %v\n", err)
}

// errStale is the error of --verify.
var errStale = errors.New("the generated code is not up to date; run the same command without --verify")

func generate(ctx context.Context, f *flags, stdout, stderr io.Writer) error {
	started := time.Now()
	result, err := generator.Generate(ctx, f.options)
	if err != nil {
		return err
	}
	printPassedOver(stderr, result.PassedOver, f.verbosity > 0)
	printWarnings(stderr, result.Warnings, f.verbosity > 0)
	if f.verbosity == 0 {
		for _, path := range result.Deletions() {
			fmt.Fprintf(stderr, "informer-gen: delete %s, which is no longer generated\n", path)
		}
	}
	if f.verbosity > 0 {
		printDetails(stderr, result)
	}
	if dropped := result.Dropped(); len(dropped) > 0 {
		fmt.Fprintf(stderr, "informer-gen: delete the generated code of %s, because no package of this run has a kind of it; "+
			"if you generate several packages into one folder, name all of them in one run\n", strings.Join(dropped, ", "))
	}
	if f.verify {
		return verify(f, result, stdout)
	}
	if err := result.Write(ctx); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "informer-gen: %s (%.2f s)\n", result.Summary(true), time.Since(started).Seconds())
	return nil
}

// alias writes a file of aliases for the kinds of a package.
func alias(ctx context.Context, f *flags, _, stderr io.Writer) error {
	file, err := generator.Aliases(ctx, f.options, f.aliasDir)
	if err != nil {
		return err
	}
	if err := file.Write(); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "informer-gen: wrote %s with aliases of %s, of group %q and version %s; "+
		"check it, then run informer-gen --output-dir=… %s\n", filepath.Join(f.aliasDir, filepath.Base(file.Path)),
		strings.Join(file.Kinds, ", "), file.Group, file.Version, terminal.Quote(packagePattern(f.aliasDir)))
	if len(file.Guessed) > 0 {
		fmt.Fprintf(stderr, "informer-gen: the scope of %s is a guess; "+
			"add +genclient:nonNamespaced to each kind that is cluster-scoped, or delete the file and run again with --crd=…\n",
			strings.Join(file.Guessed, ", "))
	}
	return nil
}

// packagePattern returns the pattern of the go command for a folder.
func packagePattern(dir string) string {
	if filepath.IsAbs(dir) || strings.HasPrefix(dir, ".") {
		return filepath.ToSlash(dir)
	}
	return "./" + filepath.ToSlash(dir)
}

// printPassedOver prints the packages without a kind. If there are many, it prints their number unless all
// is set.
func printPassedOver(w io.Writer, packages []string, all bool) {
	if len(packages) > 3 && !all {
		fmt.Fprintf(w, "informer-gen: %d packages have no kind and are ignored; -v prints them\n", len(packages))
		return
	}
	for _, pkg := range packages {
		fmt.Fprintf(w, "informer-gen: %s has no kind and is ignored\n", pkg)
	}
}

// printWarnings prints the first warning, or every one if all is set.
func printWarnings(w io.Writer, warnings []string, all bool) {
	for n, warning := range warnings {
		if n > 0 && !all {
			fmt.Fprintf(w, "informer-gen: %d more warnings; -v prints them\n", len(warnings)-n)
			return
		}
		fmt.Fprintln(w, warning)
	}
}

func verify(f *flags, result *generator.Result, stdout io.Writer) error {
	if !result.Stale() {
		return nil
	}
	diff, err := result.Diff()
	if err != nil {
		return err
	}
	fmt.Fprint(stdout, diff)
	if result.HasNone() {
		return fmt.Errorf("the folder %s has no generated files; check --output-dir, or run the same command without --verify",
			f.options.OutputDir)
	}
	return errStale
}

// printDetails prints the lines that -v adds.
func printDetails(w io.Writer, result *generator.Result) {
	for _, line := range slices.Concat(result.Loaded, result.Decisions) {
		fmt.Fprintf(w, "informer-gen: %s\n", line)
	}
	for _, line := range result.Changes() {
		fmt.Fprintf(w, "informer-gen: %s\n", line)
	}
	t, ms := result.Timing, time.Millisecond
	fmt.Fprintf(w, "informer-gen: load %v, decide %v, render %v, compare %v\n",
		t.Load.Round(ms), t.Decide.Round(ms), t.Render.Round(ms), t.Compare.Round(ms))
}
