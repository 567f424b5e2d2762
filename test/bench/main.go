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
	// rounds are for inputs that take peers many seconds, smallRounds for others.
	rounds, smallRounds int
	check               bool
	progress            io.Writer
}

// errMissed is what --check fails with.
var errMissed = errors.New("a row does not reach what it is to reach")

func main() {
	o := options{progress: os.Stderr}
	pflag.StringVar(&o.repo, "repo", "..", "root `FOLDER` of the repository")
	pflag.IntVar(&o.rounds, "rounds", 3, "rounds for all of k8s.io/api")
	pflag.IntVar(&o.smallRounds, "small-rounds", 5, "rounds for one small package")
	pflag.BoolVar(&o.check, "check", false, "exit with 1 if a row misses its reach")
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
	if o.rounds < 1 || o.smallRounds < 1 {
		return errors.New("at least one round is needed")
	}
	rows, err := benchmarkGenerator(ctx, o)
	if err != nil {
		return err
	}
	if err := printRows(os.Stdout, rows); err != nil {
		return err
	}
	for _, row := range rows {
		if o.check && !row.OK() {
			return fmt.Errorf("%w: %s", errMissed, row.Name)
		}
	}
	return nil
}
