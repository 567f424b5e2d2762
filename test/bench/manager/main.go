// Command manager is a manager of controller-runtime, with its own cache or with this
// project's, that measures itself against a whole kube-apiserver:
//
//	manager --side=ours --kind=pods --objects=20000 --scenario=cache --url=https://… --token=…
//
// The scenarios are those of package report. cache.go, reads.go, controller.go and forms.go
// measure them. Except for the cache, both sides have the same program.
//
// What the rows mean:
//
//   - The objects are custom resources of 2.3 KB of JSON, of which 1 KB is managedFields as the
//     API server writes them when one client applies the spec and another updates the status, and
//     the pods of command kube. They are stored in the same way.
//   - Each manager is a process of its own with the defaults of controller-runtime, no limit of
//     rate and one line that differs. Server and manager share the processors of the machine. The
//     two sides take turns, and every second round is backwards.
//   - First sync begins before ctrl.NewManager. The manager has one index and one handler. "CPU
//     time", "allocated" and "peak RSS" are those until the handler has all objects. The floor of
//     its request is a client that sends the requests of our cache and throws the answers away. No
//     cache can be faster with this server. An API server has old versions of the objects for five
//     minutes. It answers pages after the first from memory only if an object of the kind was
//     written in that time, and otherwise from etcd, which takes several times as long. In most
//     rows it keeps all versions. No recent writes is a server that has none. Static server is the
//     same manager that reads from package podserver, which replays bytes. So these
//     rows show what the manager costs.
//   - Reads go through the client of the manager, with a new object or list for each, after the
//     first sync. They are the time of one read. Two goroutines do two reads at the same time, so
//     their time is half as long if nothing is shared. "By index" returns 100 objects, "of a
//     namespace" 1 % of all, and "by labels" a fifth of these. "Without deep copy" is
//     client.UnsafeDisableDeepCopy.
//   - Readers of several forms have a handler each for typed objects, PartialObjectMetadata, and
//     unstructured objects of the same kind.
//   - Until all objects are reconciled is from before ctrl.NewManager until a controller has
//     called its reconciler, which gets the object, for each of them. From write to reconciler: a
//     writer patches one label of 100 objects a second for 20 seconds. The time is from its
//     request until Get in the reconciler has returned the new version. Burst: 5,000 objects
//     change while the manager cannot reach the server. The time is from the end of this until the
//     reconciler has read the last of them, divided by their number.
//   - Both sides do the same work. A digest of what each read returns, in each form, must be equal
//     on both sides and equal to what the server lists. It has the name and version of all
//     objects, and all fields of 1,000 of them. A copy must have its kind, and changing it must
//     not change later reads. The reconciler must see each version that was written once.
//     Otherwise the benchmark fails.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/typedinformers/informer-gen/test/bench/link"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// measurement is what the command line asks for.
type measurement struct {
	url, token, ca string
	side, scenario string
	objects        int
	// kube is the file of command kube, which writes updates. out is the file for what it has
	// written.
	kube, out string
	kindName  string
	kind      *kind
	// seconds is how long updates are written at a steady rate, and readTime is how long each
	// read is repeated.
	seconds  int
	readTime time.Duration
	// about is what the names of all rows have after the kind.
	about string
	// static is set if the server replays bytes, and has nothing but the objects.
	static bool
	// busy is set if reads are measured by processor time.
	busy    bool
	profile string

	link   link.Link
	result report.Report
}

// scenarios are the methods that measure them.
var scenarios = map[string]func(*measurement, context.Context) error{
	report.Sync:         (*measurement).sync,
	report.Cache:        (*measurement).cache,
	report.Reconcile:    (*measurement).reconcile,
	report.WithMetadata: func(m *measurement, ctx context.Context) error { return m.forms(ctx, typed, metadata) },
	report.AllForms: func(m *measurement, ctx context.Context) error {
		return m.forms(ctx, typed, metadata, unstructuredForm)
	},
	report.Live: (*measurement).live,
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "manager:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	m := measurement{result: report.Report{Contents: map[string]string{}}}
	pflag.StringVar(&m.url, "url", "", "`URL` of the API server")
	pflag.StringVar(&m.token, "token", "", "bearer `TOKEN` of an administrator")
	pflag.StringVar(&m.ca, "ca", "", "`FILE` with the certificate of the API server; without it, any is accepted")
	pflag.StringVar(&m.side, "side", report.Ours, "ours or theirs")
	pflag.StringVar(&m.scenario, "scenario", report.Cache, fmt.Sprintf("one of %v", slices.Sorted(maps.Keys(scenarios))))
	pflag.StringVar(&m.kindName, "kind", report.Small, fmt.Sprintf("one of %q", slices.Sorted(maps.Keys(kinds))))
	pflag.IntVar(&m.objects, "objects", 100_000, "how many objects there are")
	pflag.StringVar(&m.kube, "kube", "", "reconcile: `FILE` of command kube")
	pflag.StringVar(&m.out, "out", "", "reconcile: `FILE` for what kube has written")
	pflag.IntVar(&m.seconds, "seconds", 20, "reconcile: how long updates are written at a steady rate")
	pflag.DurationVar(&m.readTime, "readtime", time.Second, "cache: how long each read is repeated")
	pflag.StringVar(&m.about, "about", "", "`TEXT` that the names of rows have after the kind")
	pflag.BoolVar(&m.static, "static", false, "sync: the server is that of command informers, which has nothing but the objects")
	pflag.BoolVar(&m.busy, "busy", false, "cache: measure reads by the processor time of the process, for a machine that does other work too")
	pflag.StringVar(&m.profile, "profile", "", "write a CPU profile of each phase, and a profile of the heap, to files that begin with `PREFIX`")
	timeout := pflag.Duration("timeout", 10*time.Minute, "when to give up")
	if err := pflag.CommandLine.Parse(args); err != nil {
		return err
	}
	measure, ok := scenarios[m.scenario]
	if !ok {
		return fmt.Errorf("there is no scenario %q", m.scenario)
	}
	if m.kind = kinds[m.kindName]; m.kind == nil {
		return fmt.Errorf("there is no kind %q", m.kindName)
	}
	ctrl.SetLogger(logr.Discard())
	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	if err := measure(&m, ctx); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(m.result)
}

// config returns a configuration without a limit of rate.
func (m *measurement) config() *rest.Config {
	return &rest.Config{Host: m.url, BearerToken: m.token, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAFile: m.ca, Insecure: m.ca == ""}}
}

// add keeps a figure. The benchmark adds what the row is about to its name.
func (m *measurement) add(row, unit string, value float64) {
	m.result.Figures = append(m.result.Figures, report.Figure{Row: m.kind.prefix + m.about + row, Unit: unit, Value: value})
}
