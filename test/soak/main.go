package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

// isServer makes a process of this program the server.
const isServer = "INFORMER_SOAK_SERVER"

// options are those of a run.
type options struct {
	Objects, Rate int
	// For is how long to run, and Every how long the time is between two rows. Calm is the mean time between two
	// disturbances.
	For, Every, Calm time.Duration
	Seed             uint64
	Strict           bool
	// Out is the folder for the table and the picture.
	Out string
}

func (o *options) flags() *flag.FlagSet {
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.IntVar(&o.Objects, "objects", 100_000, "`number` of objects")
	flags.IntVar(&o.Rate, "rate", 2000, "writes a second by others")
	flags.DurationVar(&o.For, "for", 30*time.Minute, "how long to run")
	flags.DurationVar(&o.Every, "every", time.Minute, "time between two rows of the table")
	flags.DurationVar(&o.Calm, "calm", 10*time.Second, "mean time between two cuts of connections or restarts of the server")
	flags.Uint64Var(&o.Seed, "seed", uint64(time.Now().UnixNano()), "seed of what is random; the order of concurrent steps is not")
	flags.BoolVar(&o.Strict, "strict", false, "fail if less than half of -rate was reached")
	flags.StringVar(&o.Out, "out", "build/soak", "`folder` for the table and the picture")
	return flags
}

func main() {
	var o options
	if err := o.flags().Parse(os.Args[1:]); errors.Is(err, flag.ErrHelp) {
		return
	} else if err != nil {
		os.Exit(2)
	}
	if os.Getenv(isServer) != "" {
		exit(serve(o, os.Stdin, os.Stdout))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	exit(run(ctx, o, os.Stdout))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
	os.Exit(0)
}
