package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/typedinformers/informer-gen/cmd/informer-gen/internal/migrate"
	"github.com/typedinformers/informer-gen/generator"
	"github.com/typedinformers/informer-gen/internal/spelling"
)

const migrateSynopsis = `informer-gen migrate replaces the generators of code-generator in the module of the working folder, and in
the modules below it. It edits scripts, makefiles, go:generate lines and go.mod, deletes the output of the replaced
generators, generates, and compiles the module. After a failure the tree is as it was.

Usage:
  informer-gen migrate [flags]

Flags:
`

// runMigrate is run for the command migrate.
func runMigrate(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o := migrate.Options{Out: stdout, Log: stderr}
	set := pflag.NewFlagSet("informer-gen migrate", pflag.ContinueOnError)
	set.Usage = func() {}
	set.SortFlags = false
	set.BoolVar(&o.DryRun, "dry-run", false, "print what would be done, and change nothing")
	set.StringVar(&o.Informers, "informers", "", "API of informers and listers: client-go, which changes no code of the project, or typed; "+
		"by default client-go, and typed in a project of kubebuilder, which has no informers yet")
	set.BoolVar(&o.ControllerRuntime, "controller-runtime", false, "only make these informers the cache of the managers of controller-runtime: set NewCache in their options")
	set.StringVar(&o.Clone, "clone", "", "`FOLDER` with a clone of informer-gen that replaces its modules; by default the one in go.mod, or else the latest release")
	buildTags := set.String("build-tags", "", "comma-separated `TAGS` of the files to compile and to rewrite, as of go build -tags")
	set.BoolVar(&o.Force, "force", false, "also change a tree with uncommitted changes")
	err := set.Parse(args)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Fprint(stdout, migrateSynopsis+set.FlagUsages())
		return exitOK
	case err == nil && set.NArg() > 0:
		err = fmt.Errorf("migrate has no arguments, but %q is one; run it in the folder of the module", set.Arg(0))
	case err == nil && o.Informers != "" && !slices.Contains(generator.AllInformers, generator.Informers(o.Informers)):
		err = fmt.Errorf("--informers=%s is unknown%s", o.Informers, spelling.DidYouMean(o.Informers, generator.AllInformers))
	}
	if err == nil && o.Clone != "" {
		if _, missing := os.Stat(filepath.Join(o.Clone, "cmd", "informer-gen")); missing != nil {
			err = fmt.Errorf("--clone=%s is no clone of informer-gen; name its root folder", o.Clone)
		}
	}
	if err != nil {
		fmt.Fprintf(stderr, "informer-gen: %v\nRun informer-gen migrate --help for the flags.\n", err)
		return exitUsage
	}
	if *buildTags != "" { // all commands and packages.Load read it
		err = os.Setenv("GOFLAGS", strings.TrimSpace(os.Getenv("GOFLAGS")+" -tags="+*buildTags))
	}
	if err == nil {
		o.Dir, err = os.Getwd()
	}
	if err == nil {
		if o.Tool, err = os.Executable(); err == nil {
			err = migrate.Run(ctx, o)
		}
	}
	if err != nil {
		fmt.Fprintf(stderr, "informer-gen: %v\n", err)
		return exitFailed
	}
	return exitOK
}
