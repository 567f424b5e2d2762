// Command informers is the processes that the benchmark starts to measure informers: a
// client is an informer of this runtime or of client-go, serve is the server that both
// read from, and memory is one side without a network.
//
//	informers serve --objects=100000
//	informers client --server=http://127.0.0.1:… --side=ours --mode=streaming --scenario=sync --fields=all
//	informers memory --side=ours --objects=100000
//
// rows.go names the figures of a client, and package memory the others.
package main

import (
	"context"
	"encoding/json"
	"fmt"
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
	c, m := client{}, memory.Options{}
	pflag.IntVar(&c.objects, "objects", 100_000, "how many objects there are")
	pflag.StringVar(&c.Side, "side", report.Ours, "ours or theirs")
	pflag.StringVar(&c.profile, "profile", "", "write a CPU profile of each row or phase to files that begin with `PREFIX`")
	timeout := pflag.Duration("timeout", 10*time.Minute, "when to give up")
	pflag.StringVar(&c.server, "server", "", "client: `URL` of the server")
	pflag.StringVar(&c.Kind, "kind", report.Pods, `serve, client: "pods", or custom resources of "2 KB" or "20 KB"`)
	pflag.StringVar(&c.certificate, "certificate", "", "`FILE` to which serve writes the certificate of TLS, and from which client reads it")
	pflag.BoolVar(&c.Gzip, "gzip", false, "serve, client: lists are compressed")
	pflag.BoolVar(&c.JSON, "json", false, "client: ask for JSON, and not for the default of the kind")
	pflag.BoolVar(&c.Brief, "brief", false, "client: only the rows that depend most on how it connects")
	pflag.StringVar(&c.Prefix, "prefix", "", "client: what the names of rows begin with")
	pflag.StringVar(&c.Mode, "mode", report.Streaming, "client: streaming or LIST")
	pflag.StringVar(&c.Scenario, "scenario", report.Sync, "client: sync, changes, slow or idle")
	pflag.StringVar(&c.Fields, "fields", report.AllFields, "client: all, unmanaged or view, the fields that it keeps of each object")
	pflag.IntVar(&c.updates, "updates", 100_000, "client: how many updates are sent")
	pflag.IntVar(&m.Rounds, "rounds", 3, "memory: how often rows are measured that take long")
	pflag.IntVar(&m.Events, "events", 200_000, "memory: how many events are sent to one handler in a round")
	pflag.DurationVar(&m.BenchTime, "benchtime", time.Second, "memory: how long each query is repeated")
	if err := pflag.CommandLine.Parse(args); err != nil {
		return err
	}
	m.Side, m.Objects, m.Profile = c.Side, c.objects, c.profile
	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	streaming, measure := false, c.run
	if _, ok := podserver.Kinds[c.Kind]; !ok {
		return fmt.Errorf("there is no kind %q", c.Kind)
	}
	switch command := pflag.Arg(0); command {
	case "serve":
		return serve(podserver.Options{Kind: podserver.Kinds[c.Kind], Objects: c.objects, Gzip: c.Gzip}, c.certificate)
	case "client":
		streaming = c.Mode == report.Streaming
	case "memory": // what client-go watches there has no initial events
		measure = func(ctx context.Context) (*report.Report, error) { return memory.Run(ctx, m) }
	default:
		return fmt.Errorf("the command is %q, and not serve, client or memory", command)
	}
	// client-go reads the variable when the first informer is made.
	if err := os.Setenv("KUBE_FEATURE_WatchListClient", strconv.FormatBool(streaming)); err != nil {
		return err
	}
	result, err := measure(ctx)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}
