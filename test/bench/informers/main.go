// Command informers is what the benchmark measures: as a client, an informer of
// this runtime or of client-go; as a server, the one that both read from. The
// benchmark starts it.
//
//	informers serve --objects=100000
//	informers client --server=http://127.0.0.1:… --side=ours --mode=streaming --scenario=sync --fields=all
//	informers memory --side=ours --objects=100000
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/typedinformers/informer-gen/test/bench/memory"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "informers:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("what to be is missing: serve, client or memory")
	}
	flags := pflag.NewFlagSet(args[0], pflag.ContinueOnError)
	objects := flags.Int("objects", 100_000, "how many objects there are")
	switch args[0] {
	case "serve":
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return serve(*objects)
	case "memory":
		o := memory.Options{}
		flags.StringVar(&o.Side, "side", report.Ours, "ours or theirs")
		flags.IntVar(&o.Rounds, "rounds", 3, "how often rows are measured that take long")
		flags.IntVar(&o.Events, "events", 200_000, "how many events are sent to one handler in a round")
		flags.DurationVar(&o.BenchTime, "benchtime", time.Second, "how long each query is repeated")
		flags.StringVar(&o.Profile, "profile", "", "write a CPU profile of each row to files that begin with `PREFIX`")
		timeout := flags.Duration("timeout", 10*time.Minute, "when to give up")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		o.Objects = *objects
		return runMemory(o, *timeout)
	case "client":
		c := client{objects: *objects}
		flags.StringVar(&c.server, "server", "", "`URL` of the server")
		flags.StringVar(&c.side, "side", report.Ours, "ours or theirs")
		flags.StringVar(&c.mode, "mode", report.Streaming, "streaming or list")
		flags.StringVar(&c.scenario, "scenario", report.Sync, "sync or changes")
		flags.StringVar(&c.fields, "fields", report.AllFields, "all, unmanaged or view: what is kept of each object")
		flags.IntVar(&c.updates, "updates", 100_000, "how many updates are sent")
		flags.StringVar(&c.profile, "profile", "", "write a CPU profile of each phase to files that begin with `PREFIX`")
		timeout := flags.Duration("timeout", 5*time.Minute, "when to give up")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		c.objects = *objects
		// client-go looks it up when the first informer is made.
		if err := os.Setenv("KUBE_FEATURE_WatchListClient", strconv.FormatBool(c.mode == report.Streaming)); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), *timeout)
		defer cancel()
		result, err := c.run(ctx)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(result)
	}
	return fmt.Errorf("%s is neither serve nor client nor memory", args[0])
}

// runMemory lets client-go list: what it watches here has no initial events.
func runMemory(o memory.Options, timeout time.Duration) error {
	if err := os.Setenv("KUBE_FEATURE_WatchListClient", "false"); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	result, err := memory.Run(ctx, o)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

// serve prints its address, and ends when its standard input does: with whoever
// started it.
func serve(objects int) error {
	server, err := podserver.New(objects)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	web := &http.Server{Handler: server}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = web.Close()
	}()
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
