// Command bench measures this repository's work side by side with its peers', on
// this machine, and prints the medians as a table. make bench runs it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/pflag"
)

// options are what the command line says.
type options struct {
	repo string
	only string
	// rounds are for inputs that take peers many seconds, smallRounds for others, and
	// runtimeRounds for informers.
	rounds, smallRounds, runtimeRounds int
	// objects are how many an informer caches.
	objects      int
	check, write bool
	progress     io.Writer
}

// section is a part of the benchmark.
type section struct {
	name    string
	measure func(context.Context, options) ([]Row, error)
}

var sections = []section{{"generator", benchmarkGenerator}, {"runtime", benchmarkRuntime}}

// errMissed is what --check fails with.
var errMissed = errors.New("a row does not reach what it is to reach")

func main() {
	o := options{progress: os.Stderr}
	pflag.StringVar(&o.repo, "repo", "..", "root `FOLDER` of the repository")
	pflag.StringVar(&o.only, "only", "", "measure one `SECTION` only: generator or runtime")
	pflag.IntVar(&o.rounds, "rounds", 3, "rounds for generating all of k8s.io/api")
	pflag.IntVar(&o.smallRounds, "small-rounds", 5, "rounds for generating one small package")
	pflag.IntVar(&o.runtimeRounds, "runtime-rounds", 5, "rounds for informers")
	pflag.IntVar(&o.objects, "objects", 100_000, "how many objects an informer caches")
	pflag.BoolVar(&o.check, "check", false, "exit with 1 if a row misses its reach")
	pflag.BoolVar(&o.write, "write", false, "write the tables to docs/benchmarks.md")
	pflag.Parse()
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	release()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if o.rounds < 1 || o.smallRounds < 1 || o.runtimeRounds < 1 {
		return errors.New("at least one round is needed")
	}
	if o.objects < minObjects {
		return fmt.Errorf("at least %d objects are needed", minObjects)
	}
	var missed error
	known := false
	for _, section := range sections {
		if o.only != "" && o.only != section.name {
			continue
		}
		known = true
		rows, err := section.measure(ctx, o)
		if err != nil {
			return err
		}
		if err := printRows(os.Stdout, rows); err != nil {
			return err
		}
		if o.write {
			if err := writeSection(o, section.name, rows); err != nil {
				return err
			}
		}
		for _, row := range rows {
			if o.check && !row.OK() {
				missed = errors.Join(missed, fmt.Errorf("%w: %s", errMissed, row.Name))
			}
		}
	}
	if !known {
		return fmt.Errorf("there is no section %q", o.only)
	}
	return missed
}
