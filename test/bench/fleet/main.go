// Command fleet is a manager of controller-runtime that measures itself. The command bench starts it, against package podserver. It
// does what an open-source monitor of nodes and pods publishes figures of (https://github.com/NVIDIA/NVSentinel/issues/1512): it
// caches all Nodes and Pods as unstructured objects, and 100 workers for each kind read the condition Ready of a node, or the phase
// of a pod:
//
//	fleet --side=crcache --cache=fields --nodes=100000 --pods=100000 --minutes=60 --url=http://…
//
// The caches are whole, as both sides have them by default, and for crcache also fields, which has those that the controllers
// read, and packed.
//
//   - FirstSync is the time from the start of the manager until each object was reconciled, and the CPU time and the peak RSS of
//     the process in it. heap-B/op is the live heap after it.
//   - AfterUpdates has the live heap, the peak RSS and the number of goroutines after so many minutes, in each second of which
//     one of 1,000 nodes and one of 1,000 pods change, and the CPU time of an update. The last change was reconciled, and the cache
//     has as many objects as the server.
package main

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	ctrlclient "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"
	"github.com/typedinformers/informer-gen/runtime/packed"
	"github.com/typedinformers/informer-gen/test/bench/link"
	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

func main() {
	var access link.Access
	access.Flags()
	side := pflag.String("side", "crcache", "crcache or controller-runtime")
	kept := pflag.String("cache", "whole", "whole, fields or packed")
	minutes := pflag.Float64("minutes", 60, "how long objects change")
	name := pflag.String("name", "Fleet", "what the names of the results begin with")
	nodes := &monitored{Kind: podserver.Kinds[podserver.Nodes], field: "status.conditions", read: isReported}
	pods := &monitored{Kind: podserver.Kinds[podserver.LargePods], field: "status.phase", read: hasPhase}
	pflag.IntVar(&nodes.objects, "nodes", 100_000, "how many nodes there are")
	pflag.IntVar(&pods.objects, "pods", 100_000, "how many pods there are")
	pflag.Parse()
	ctrl.SetLogger(logr.Discard())
	kinds := []*monitored{nodes, pods}
	objects := nodes.objects + pods.objects
	result := func(phase string, figures ...meter.Figure) {
		project := *side
		if project == "crcache" {
			project = "informer-gen"
		}
		meter.Print(fmt.Sprintf("%s/%s/objects=%d/side=%s", *name, phase, objects, project), figures...)
	}

	manager := newManager(&access, newCache(*side, *kept, kinds), kinds)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	began := time.Now()
	running.Go(func() { meter.Check(manager.Start(ctx)) })
	for _, k := range kinds {
		await(&k.reconciled, int64(k.objects))
	}
	result("FirstSync", meter.Time(time.Since(began)), meter.CPU(meter.CPUTime()),
		meter.Figure{Value: float64(meter.PeakRSS()), Unit: "RSS-B/op"}, meter.Figure{Value: float64(meter.LiveHeap()), Unit: "heap-B/op"})

	updates, used := 0, meter.CPUTime()
	for end := time.Now().Add(time.Duration(*minutes * float64(time.Minute))); time.Now().Before(end); {
		second := time.After(time.Second)
		for _, k := range kinds {
			updates += k.change(access.URL)
		}
		<-second
	}
	used = meter.CPUTime() - used
	if updates > 0 {
		result("AfterUpdates", meter.Figure{Value: float64(meter.LiveHeap()), Unit: "heap-B/op"}, meter.Figure{Value: float64(meter.PeakRSS()), Unit: "RSS-B/op"},
			meter.Figure{Value: float64(runtime.NumGoroutine()), Unit: "goroutines/op"}, meter.Figure{Value: float64(used) / float64(updates), Unit: "cpu-ns/event"})
	}
	for _, k := range kinds {
		k.check(ctx, manager.GetCache())
	}
	cancel()
	running.Wait()
}

// newCache returns how a cache is made, or nil for that of controller-runtime.
func newCache(side, kept string, kinds []*monitored) ctrlcache.NewCacheFunc {
	switch side + "/" + kept {
	case "controller-runtime/whole":
		return nil
	case "crcache/whole":
		return crcache.New
	case "crcache/fields":
		var options []crcache.Option
		for _, k := range kinds {
			options = append(options, crcache.WithFields(k.empty(), k.field))
		}
		return crcache.NewFunc(options...)
	case "crcache/packed":
		return crcache.NewFunc(crcache.WithPackedObjects(packed.Compression{}))
	}
	meter.Check(fmt.Errorf("%s has no cache %q", side, kept))
	return nil
}

// newManager makes a manager with a controller for each kind.
func newManager(access *link.Access, newCache ctrlcache.NewCacheFunc, kinds []*monitored) ctrl.Manager {
	mapper := meta.NewDefaultRESTMapper(nil) // podserver has no discovery
	mapper.Add(podserver.Kinds[podserver.Nodes].GroupVersionKind, meta.RESTScopeRoot)
	mapper.Add(podserver.Kinds[podserver.LargePods].GroupVersionKind, meta.RESTScopeNamespace)
	manager := meter.Must(ctrl.NewManager(access.Config(), ctrl.Options{
		Metrics: metricsserver.Options{BindAddress: "0"}, NewCache: newCache,
		Client:         ctrlclient.Options{Cache: &ctrlclient.CacheOptions{Unstructured: true}},
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return mapper, nil },
	}))
	for _, k := range kinds {
		meter.Check(ctrl.NewControllerManagedBy(manager).Named(k.Resource).For(k.empty()).
			WithOptions(controller.Options{MaxConcurrentReconciles: 100}).
			Complete(reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
				return reconcile.Result{}, k.reconcile(ctx, manager.GetClient(), request)
			})))
	}
	return manager
}
