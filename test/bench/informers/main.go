// Command informers is the processes that the benchmark starts to measure informers: a
// client is an informer of this runtime or of client-go, serve is the server that both
// read from, and memory is one side without a network.
//
//	informers serve --objects=100000
//	informers client --server=http://127.0.0.1:… --side=ours --mode=streaming --scenario=sync --fields=all
//	informers memory --side=ours --objects=100000
//
// rows.go names the figures of a client, and package memory the others.
//
// What the rows mean:
//
//   - The objects are pods of 1.9 KB of JSON or 1.1 KB of protobuf each, in 100 namespaces. Their
//     names, UIDs, addresses, times and digests differ. 0.4 KB of each are managedFields. Both
//     sides keep the objects in a cache with an index by namespace, and have one handler that
//     counts events.
//   - The server is a separate process. The serializers of apimachinery render the objects once,
//     and a test compares whole bodies with those of the API server, byte for byte. The server
//     sends them over loopback, in pieces of 64 KB to both sides. It answers with the encoding
//     that the Accept header asks for. It does little work, so that the benchmark measures the
//     client. Client-go requests LIST at version 0, and the server returns all objects in one
//     response, as the API server does. Our informer requests LIST at the newest version.
//   - Each client is a separate process. Both sides have to get the same events, and to end with
//     the same objects in the same versions, and with the same JSON in a sample of 1,000.
//     Otherwise the benchmark fails. It also fails if a streaming client falls back to LIST, or if
//     client-go gets another encoding or another HTTP version than the row has.
//   - First sync is the time from the start of the informer until the handler has received the
//     last object. CPU time is that of the whole client process in this time. Peak RSS is the peak
//     that the operating system reports after the end of the process. It includes the check of the
//     cache, and 27 MB that the program of either side takes without an informer.
//   - Live heap is the size of the heap per object. It is measured after garbage collections, with
//     the cache in memory, and without what the heap had before. In the rows "against a
//     transform", client-go decodes the same fields and then drops them in a TransformFunc. The
//     view has metadata without managedFields and annotations, spec.nodeName, status.phase and
//     status.podIP. The other rows compare it with whole objects, because client-go has no views.
//   - Relist: the server ends the watch with an ERROR event, 410 Expired. The time begins when the
//     server gets the request for the list, so it does not include the wait before a relist, which
//     is at least 0.8 s on both sides. It ends when the handler receives an event that the server
//     sends directly after the list. Client-go calls the handler for every object of a relist. Our
//     informer calls it only for changed objects. The rows "against a first sync" compare our
//     relist with the first sync of client-go.
//   - Watch of updates: one watch gets one update of each object, as fast as the client reads. The
//     time is from the moment when the server writes the first update until the handler has
//     received the last one.
//   - TLS and HTTP/2 have a certificate that the client checks, and the server's limits are those
//     of the API server.
//   - gzip has TLS and HTTP/2 as well. The server compresses like an API server of v1.37: lists of
//     more than 128 KB and streaming lists, at level 4, if the client accepts that. Both sides do
//     by default. The server compresses each body once, in a round whose figures do not count.
//   - GOMAXPROCS is that of the client. Our decoder uses all processors, and client-go's decoder
//     uses one.
//   - A slow handler does not return from its first update, until each object was updated five
//     times and another handler has received all events. Heap per event is the growth of the live
//     heap divided by the number of events. It includes the old states of objects. By default both
//     sides keep every event. "With a limit" is our WithBacklogLimit(1000), compared with client-
//     go's handler, which has no limit.
//   - Goroutines and heap and stacks are those of the whole process after a garbage collection,
//     without those that it had before, divided by 1,000. They include the HTTP client's part,
//     which is the same on both sides.
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
	pflag.BoolVar(&c.Packed, "packed", false, "client: keep packed objects")
	pflag.BoolVar(&c.Names, "names", false, "client: the handler needs only names")
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
