// Command client is an informer that measures itself. The command bench starts it, against
// package podserver or a whole kube-apiserver. It prints its results in the format of Go benchmarks:
//
//	client --side=client-go --mode=streaming --kind=pods --objects=10000 --name=Pods/streaming --url=http://…
//
// The sides are informers of this runtime (informer-gen) and of client-go, and managers of controller-runtime with our cache
// (crcache) and with its own (controller-runtime). Informers have an index by namespace, and a handler that counts events. Managers
// have a controller, whose reconciler gets the object. For them "the handler has received" is when the reconciler has read it.
//
//   - FirstSync is the time from the start of the informer until the handler has received the
//     last object. cpu-sec/op is the processor time of the whole process in this time. RSS-B/op is its peak
//     up to this moment, which includes 30 MB that the program of any side takes without an informer.
//     B/object is the growth of the live heap, after garbage collections.
//   - Relist: the watch ends, objects change while the client cannot reach the server, and the
//     server answers the next watch with 410. One object has changed, and for Relist1Percent one of 100. The time begins with the
//     request for the list, so it does not include the wait before a relist, which is at least 0.8 s on both sides. It ends
//     when the handler has received the last event. client-go calls the handler for each object, and our informer for those
//     that have changed.
//   - Events, of podserver: one watch gets one update of each object, as fast as the client reads. The
//     time is from the moment when the server writes the first update until the handler has
//     received the last one.
//   - Updates, of a kube-apiserver: 16 writers patch one label of an object each, at a rate. With --scenario=together the process
//     has the informers of two sides, and --peer connects second. The percentiles are of the time from the request for a write
//     until the handler of a side has received the update.
//   - Backlog: a slow handler does not return from its first update, until each object was updated five
//     times and another handler has received all events. B/event is the growth of the live
//     heap divided by the number of events. It includes the old states of objects. By default both
//     sides keep every event. With --scenario=limited ours has WithBacklogLimit(1000).
//   - Request, of side none, is a client that throws the objects away: no informer can be faster.
//
// A view has metadata without managedFields and annotations, spec.nodeName, status.phase and status.podIP. client-go has no views:
// with --fields=view or unmanaged it decodes the same fields and then drops them in a TransformFunc. With --fields=metadata both
// sides request PartialObjectMetadata. Managers take --fields=unmanaged as what a user would set who has read the documentation:
// for the kind, that transform and UnsafeDisableDeepCopy.
//
// With --next=VERSION the results have side=client-go@next, and the client fails if its program has another client-go.
//
// All sides have to get the expected events, and to have at the end what the server lists: the names and versions of all objects, and
// the same JSON in a sample of 1,000. Otherwise the client fails. It also fails if its informer sends other requests than it is
// asked for: a LIST instead of a streaming list, another number of lists, or another encoding.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/typedinformers/informer-gen/test/bench/link"
	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
	"github.com/typedinformers/informer-gen/test/bench/updates"
)

// client measures one informer, as the command line asks for it.
type client struct {
	access link.Access
	link   *link.Link
	// name is what the names of the results begin with.
	name, side, mode, scenario, fields, peer string
	kindName                                 string
	kind                                     podserver.Kind
	objects                                  int
	json                                     bool
	// shard is one of shards, from 0 on.
	shard, shards int
	// writer writes updates to a kube-apiserver. It has no program if the server is podserver. rate is how many there are in
	// a second, for so many seconds.
	writer        updates.Writer
	rate, seconds int
	// next is the version of client-go if it is not that of go.mod, or empty.
	next string
	// profile is the prefix of CPU profiles; none are written if it is empty.
	profile string
}

func main() {
	c := &client{link: new(link.Link)}
	c.access.Flags()
	pflag.StringVar(&c.name, "name", "Informer", "what the names of the results begin with")
	pflag.StringVar(&c.side, "side", "informer-gen", "informer-gen, client-go, crcache, controller-runtime or none")
	pflag.StringVar(&c.mode, "mode", "default", "default, streaming or LIST")
	pflag.StringVar(&c.scenario, "scenario", "changes", "sync, relists, changes (relists and updates), together, slow or limited")
	pflag.StringVar(&c.peer, "peer", "", "together: the other side")
	pflag.StringVar(&c.fields, "fields", "all", "all, unmanaged, view or metadata: the fields that it keeps of each object")
	pflag.StringVar(&c.kindName, "kind", podserver.Pods, `"pods", or custom resources of "2 KB" or "20 KB"`)
	pflag.IntVar(&c.objects, "objects", 10_000, "how many objects there are")
	pflag.BoolVar(&c.json, "json", false, "ask for JSON, and not for the default of the kind")
	pflag.IntVar(&c.shard, "shard", 0, "the number of the shard, from 0 on")
	pflag.IntVar(&c.shards, "shards", 1, "how many shards there are")
	pflag.StringVar(&c.writer.Program, "writer", "", "`FILE` of the command bench, if the server is a kube-apiserver")
	pflag.IntVar(&c.rate, "rate", 1000, "how many updates a kube-apiserver gets in a second")
	pflag.IntVar(&c.seconds, "seconds", 5, "how long it gets them")
	pflag.StringVar(&c.next, "next", "", "the `VERSION` of client-go of this program if it is not that of go.mod")
	processors := pflag.Int("processors", 0, "GOMAXPROCS of this process, if it is not 0")
	pflag.StringVar(&c.profile, "profile", "", "write a CPU profile of each phase to files that begin with `PREFIX`")
	timeout := pflag.Duration("timeout", 30*time.Minute, "when to give up")
	pflag.Parse()
	runtime.GOMAXPROCS(*processors)
	var ok bool
	if c.kind, ok = podserver.Kinds[c.kindName]; !ok {
		meter.Check(fmt.Errorf("there is no kind %q", c.kindName))
	}
	if c.next != "" && c.next != linkedClientGo() {
		meter.Check(fmt.Errorf("the program has client-go %s, not %s", linkedClientGo(), c.next))
	}
	c.writer.Access, c.writer.Kind, c.writer.Objects = c.access, c.kindName, c.objects
	// client-go reads the variable when the first informer is made.
	meter.Check(os.Setenv("KUBE_FEATURE_WatchListClient", strconv.FormatBool(c.mode != "LIST")))
	ctrl.SetLogger(logr.Discard())
	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	switch c.scenario {
	case "sync", "relists", "changes":
		c.follow(ctx)
	case "together":
		c.together(ctx)
	case "slow", "limited":
		c.slow(ctx)
	default:
		meter.Check(fmt.Errorf("there is no scenario %q", c.scenario))
	}
}

// linkedClientGo returns the version of client-go that the program was built with.
func linkedClientGo() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "k8s.io/client-go" {
				return module.Version
			}
		}
	}
	return "of an unknown version"
}

// print prints a result.
func (c *client) print(name string, figures ...meter.Figure) {
	side := c.side
	if side == "crcache" {
		side = "informer-gen" // ours, next to controller-runtime
	}
	if c.next != "" {
		side += "@next"
	}
	meter.Print(fmt.Sprintf("%s/%s/objects=%d/side=%s", c.name, name, c.objects, side), figures...)
}
