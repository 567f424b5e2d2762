// Command bench measures informers and controllers that are processes of their own, and prints the results in the format of Go
// benchmarks, for benchstat and the command floors:
//
//	http     informers of package podserver, a server that replays bytes (http.go)
//	kube     informers of a whole kube-apiserver (kube.go)
//	shards   informers of a shard of a kube-apiserver that knows shards or not (kube.go)
//	manager  managers of controller-runtime with its cache and with ours (kube.go)
//	writes   controllers that read what they have written (writes.go)
//	fleet    managers of a large cluster's Nodes and Pods (fleet.go)
//	update   writes to a kube-apiserver; the processes start it
//
// The commands client, writes and fleet describe what they measure. The packages memory, attacks, generator and packing have the
// benchmarks that need no processes.
//
// The sections kube and writes also have programs that are built with a later client-go (next.go).
//
// Each client is a separate process, and so is a kube-apiserver. They share the processors of the machine. Both sides take turns,
// and every second round is backwards, because a later process may find warmer caches.
package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/typedinformers/informer-gen/test/bench/link"
	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
	"github.com/typedinformers/informer-gen/test/bench/updates"
)

// options are those of the command line.
type options struct {
	repo          string
	rows          string
	rounds        int
	rate, seconds int
	// minutes is how long the objects of a fleet change.
	minutes float64
	// server is the file of a kube-apiserver that is built already; empty to build it.
	server string
}

func main() {
	o := options{}
	var access link.Access
	var update updates.Update
	pflag.StringVar(&o.repo, "repo", "..", "root `FOLDER` of the repository")
	pflag.StringVar(&o.rows, "rows", "", "measure only what has a name that begins with `PREFIX`, such as PodsJSON/")
	pflag.IntVar(&o.rounds, "rounds", 1, "how often each process is measured")
	sizes := pflag.IntSlice("objects", []int{10_000}, "how many objects there are")
	pflag.IntVar(&o.seconds, "seconds", 5, "how long a kube-apiserver gets updates")
	pflag.Float64Var(&o.minutes, "minutes", 60, "how long the objects of a fleet change")
	pflag.StringVar(&o.server, "server", "", "`FILE` of the command server of test/kube, if it is built already")
	kind := pflag.String("kind", podserver.Pods, `update: "pods" or "2 KB"`)
	access.Flags()
	update.Flags()
	pflag.Parse()
	o.rate = update.Rate
	ctx := context.Background()
	measure, ok := map[string]func(context.Context, int){"http": o.http, "kube": o.kube, "shards": o.shards, "manager": o.managers, "writes": o.writes, "fleet": o.fleet}[pflag.Arg(0)]
	if pflag.Arg(0) == "update" {
		update.Run(ctx, access, podserver.Kinds[*kind], (*sizes)[0])
		return
	}
	if !ok || o.rounds < 1 || o.seconds < 1 {
		meter.Check(fmt.Errorf("there is no command %q, or less than one round or second; see --help", pflag.Arg(0)))
	}
	o.repo = meter.Must(filepath.Abs(o.repo)) // commands run in other folders
	for _, objects := range *sizes {
		if objects < 200 {
			meter.Check(fmt.Errorf("%d objects are too few", objects))
		}
		measure(ctx, objects)
	}
}
