package clientgo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// TestHandlerGetsEveryChange follows a source through a watch, a relist and a late handler.
func TestHandlerGetsEveryChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newSource(t, newObject("a/w", "red"), newObject("a/v", "red"))
		informer := SharedIndexInformer(newInformer(source))
		heard := &recorder{}
		handle, err := informer.AddEventHandler(heard)
		if err != nil {
			t.Fatal(err)
		}
		if handle.HasSynced() || isClosed(checker(handle).Done()) || informer.HasSynced() || isClosed(checker(informer).Done()) {
			t.Error("synced before the start")
		}
		if got := informer.LastSyncResourceVersion(); got != "" {
			t.Errorf("before the start, the version is %q", got)
		}
		run(t, informer.RunWithContext)
		synctest.Wait()
		wantSorted(t, heard.take(), "add a/v red initial=true", "add a/w red initial=true")
		if !handle.HasSynced() || !isClosed(checker(handle).Done()) || !informer.HasSynced() || !isClosed(checker(informer).Done()) {
			t.Error("not synced after the first list")
		}
		source.Add(newObject("a/u", "red"))
		source.Modify(newObject("a/u", "blue"))
		source.Delete(newObject("a/v", "green"))
		synctest.Wait()
		wantLines(t, heard.take(), "add a/u red initial=false", "update a/u red to a/u blue", "delete a/v green")
		if got := informer.LastSyncResourceVersion(); got != "5" {
			t.Errorf("the version is %q, want 5", got)
		}
		if got := versionOf(informer.GetStore()); got != "5" {
			t.Errorf("the version of the store is %q, want 5", got)
		}

		source.DeleteDropWatch(newObject("a/u", "yellow"))
		source.ResetWatch()
		time.Sleep(time.Minute)
		synctest.Wait()
		wantLines(t, heard.take(), "delete tombstone a/u of a/u blue")

		late := &recorder{}
		period := 10 * time.Minute
		if _, err := informer.AddEventHandlerWithOptions(late, toolscache.HandlerOptions{ResyncPeriod: &period}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		wantLines(t, late.take(), "add a/w red initial=true")
		time.Sleep(period)
		synctest.Wait()
		wantLines(t, late.take(), "update a/w red to a/w red")
		wantLines(t, heard.take())
	})
}

// TestNamesOfCheckers checks what WaitFor of client-go logs.
func TestNamesOfCheckers(t *testing.T) {
	informer := SharedIndexInformer(newInformer(newSource(t)))
	generic := NewSharedIndexInformer(newSource(t), newObject("w", ""), 0, nil)
	for _, test := range []struct {
		handler toolscache.ResourceEventHandler
		want    string
	}{
		{&recorder{}, "*clientgo.recorder"},
		{toolscache.ResourceEventHandlerFuncs{DeleteFunc: ignore}, "github.com/typedinformers/informer-gen/adapters/clientgo.ignore"},
		{&toolscache.ResourceEventHandlerFuncs{AddFunc: ignore}, "github.com/typedinformers/informer-gen/adapters/clientgo.ignore"},
		{&toolscache.ResourceEventHandlerDetailedFuncs{DeleteFunc: ignore}, "github.com/typedinformers/informer-gen/adapters/clientgo.ignore"},
		{toolscache.FilteringResourceEventHandler{Handler: &recorder{}}, "*clientgo.recorder"},
		{&toolscache.FilteringResourceEventHandler{Handler: toolscache.ResourceEventHandlerDetailedFuncs{}}, "cache.ResourceEventHandlerDetailedFuncs"},
	} {
		handle, err := informer.AddEventHandler(test.handler)
		if err != nil {
			t.Fatal(err)
		}
		const prefix = "SharedIndexInformer *v1.PartialObjectMetadata of widgets.test.example.com"
		if got := checker(informer).Name(); got != prefix {
			t.Errorf("the informer is %q", got)
		}
		if got, want := checker(handle).Name(), prefix+" + event handler "+test.want; got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	if got, want := checker(generic).Name(), "SharedIndexInformer *v1.PartialObjectMetadata of partialobjectmetadatas"; got != want {
		t.Errorf("the informer is %q, want %q", got, want)
	}
}

func ignore(any) {}

// TestRunOfAStartedInformer runs the adapter of an informer that its caller has started.
func TestRunOfAStartedInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core := newInformer(newSource(t))
		informer := SharedIndexInformer(core)
		stop := run(t, core.Run)
		synctest.Wait()
		informer.Run(nil) // it returns
		if !informer.HasSynced() || informer.IsStopped() {
			t.Error("it does not run")
		}
		stop()
		informer.Run(nil)
	})
}

// TestRunOfAFactory runs the informers of a factory as an operator does that never starts it: each in a
// goroutine, by its adapter. The native informer and client-go's own do the same.
func TestRunOfAFactory(t *testing.T) {
	runners := map[string]func(*cache.SharedIndexInformer[object], chan struct{}) func(){
		"Run": func(i *cache.SharedIndexInformer[object], stop chan struct{}) func() {
			adapter := SharedIndexInformer(i)
			return func() { adapter.Run(stop) }
		},
		"RunWithContext": func(i *cache.SharedIndexInformer[object], stop chan struct{}) func() {
			adapter := SharedIndexInformer(i)
			return func() { adapter.RunWithContext(wait.ContextForChannel(stop)) }
		},
		"the native Run": func(i *cache.SharedIndexInformer[object], stop chan struct{}) func() {
			return func() { i.Run(wait.ContextForChannel(stop)) }
		},
	}
	for name, runner := range runners {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				source := newSource(t, newObject("a/w", "red"))
				kind := cache.Kind[object]{Resource: widgets, ListWatch: func(string) cache.ListerWatcher[object] { return ListerWatcher[object](source) }}
				factory := cache.NewSharedInformerFactory(0)
				mine := cache.InformerFor(factory, kind)
				kind.Resource.Resource = "gadgets"
				started := cache.InformerFor(factory, kind)
				stop := make(chan struct{})
				adapter := SharedIndexInformer(mine)
				var added atomic.Int32
				if _, err := adapter.AddEventHandler(toolscache.ResourceEventHandlerFuncs{AddFunc: func(any) { added.Add(1) }}); err != nil {
					t.Fatal(err)
				}
				returned := make(chan struct{})
				go func() {
					runner(mine, stop)()
					close(returned)
				}()
				if !toolscache.WaitForCacheSync(t.Context().Done(), adapter.HasSynced) || added.Load() != 1 || started.Status().Phase != status.Pending {
					t.Errorf("%d objects were added, and the other informer is %v", added.Load(), started.Status())
				}
				runner(mine, stop)() // it returns
				factory.Start(t.Context())
				factory.Start(t.Context())
				synctest.Wait()
				if mine.Status().Phase != status.Watching || started.Status().Phase != status.Watching {
					t.Errorf("after Start the informers are %v and %v", mine.Status(), started.Status())
				}
				close(stop)
				<-returned
				factory.Start(t.Context())
				synctest.Wait()
				if !adapter.IsStopped() || started.Status().Phase != status.Watching {
					t.Errorf("after the end of stopCh the informers are %v and %v", mine.Status(), started.Status())
				}
				factory.Shutdown()
				if started.Status().Phase != status.Stopped {
					t.Errorf("after Shutdown the other informer is %v", started.Status())
				}
			})
		})
	}
}

// TestRunOfAnInformerOfAFactory runs the adapter after its factory is started and after its Shutdown.
func TestRunOfAnInformerOfAFactory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newSource(t, newObject("a/w", "red"))
		kind := cache.Kind[object]{Resource: widgets, ListWatch: func(string) cache.ListerWatcher[object] { return ListerWatcher[object](source) }}
		factory := cache.NewSharedInformerFactory(0)
		informer := SharedIndexInformer(cache.InformerFor(factory, kind))
		controller := informer.GetController()
		factory.Start(t.Context())
		synctest.Wait()
		stop := make(chan struct{})
		informer.Run(stop) // it returns
		if _, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{AddFunc: func(any) {}}); err != nil {
			t.Fatal(err)
		}
		var observed []status.Informer
		for status := range informer.(status.Source).Statuses() {
			observed = append(observed, status)
		}
		if len(observed) != 1 || observed[0].Resource != widgets || observed[0].Status.Phase != status.Watching || observed[0].Status.Objects != 1 {
			t.Errorf("the statuses are %+v", observed)
		}
		// The name of a function is for people, and not for metrics.
		if h := observed[0].Stats.Handlers; len(h) != 1 || !h[0].Unnamed || !strings.Contains(h[0].Name, "TestRunOfAnInformerOfAFactory") {
			t.Errorf("the handlers are %+v", h)
		}
		close(stop)
		controller.RunWithContext(t.Context())
		controller.Run(nil)
		synctest.Wait()
		if !informer.HasSynced() || !controller.HasSynced() || informer.IsStopped() || controller.LastSyncResourceVersion() != "1" || checker(controller) != checker(informer) {
			t.Error("the informer does not follow the source")
		}
		factory.Shutdown()
		if !informer.IsStopped() {
			t.Error("the informer is not stopped")
		}
		informer.Run(nil)
	})
}

// TestSettersFailAfterTheStart sets the transform and the handler before and after the start.
func TestSettersFailAfterTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &failing{ListerWatcher: newSource(t, newObject("a/w", "red"))}
		source.fails.Store(true)
		informer := SharedIndexInformer(newInformer(source))
		paint := func(obj any) (any, error) {
			obj.(object).Labels["color"] = "painted"
			return obj, nil
		}
		var failures atomic.Int32
		handle := func(r *toolscache.Reflector, err error) {
			if !strings.Contains(err.Error(), "no disk") {
				t.Errorf("the error is %v", err)
			}
			if r.Name() == "" || r.TypeDescription() == "" {
				t.Error("the reflector has no name")
			}
			failures.Add(1)
		}
		if err := errors.Join(informer.SetTransform(paint), informer.SetWatchErrorHandler(handle)); err != nil {
			t.Fatal(err)
		}
		run(t, informer.RunWithContext)
		synctest.Wait()
		if failures.Load() != 1 {
			t.Errorf("the handler got %d errors", failures.Load())
		}
		source.fails.Store(false)
		time.Sleep(time.Minute)
		synctest.Wait()
		wantLines(t, describeAll(informer.GetStore().List()), "a/w painted")
		for _, err := range []error{
			informer.SetTransform(paint), informer.SetTransform(nil), informer.SetWatchErrorHandler(handle),
			informer.SetWatchErrorHandler(nil), informer.SetWatchErrorHandlerWithContext(toolscache.DefaultWatchErrorHandler),
		} {
			if err == nil || !strings.Contains(err.Error(), "already started") {
				t.Errorf("after the start: %v", err)
			}
		}
	})
}

// TestDefaultWatchErrorHandler calls the handler of client-go, which reads private fields of the
// Reflector.
func TestDefaultWatchErrorHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &failing{ListerWatcher: newSource(t)}
		source.fails.Store(true)
		informer := SharedIndexInformer(newInformer(source))
		if err := informer.SetWatchErrorHandlerWithContext(toolscache.DefaultWatchErrorHandler); err != nil {
			t.Fatal(err)
		}
		log := &strings.Builder{}
		logger := funcr.New(func(prefix, args string) { fmt.Fprintln(log, prefix, args) }, funcr.Options{})
		stop := run(t, func(ctx context.Context) { informer.RunWithContext(klog.NewContext(ctx, logger)) })
		synctest.Wait()
		stop()
		if !strings.Contains(log.String(), "Failed to watch") || !strings.Contains(log.String(), "no disk") {
			t.Errorf("the log is %s", log)
		}
	})
}

// TestTransformOfAnotherType fails the list.
func TestTransformOfAnotherType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core := newInformer(newSource(t, newObject("a/w", "red")))
		informer := SharedIndexInformer(core)
		if err := informer.SetTransform(func(any) (any, error) { return "a string", nil }); err != nil {
			t.Fatal(err)
		}
		run(t, informer.RunWithContext)
		synctest.Wait()
		now := informer.(interface{ Status() cache.Status }).Status()
		const want = "widgets.test.example.com a/w: transform: the function returned a string instead of a *v1.PartialObjectMetadata"
		if now.Err == nil || !strings.HasSuffix(now.Err.Error(), want) || now.Reason != status.Decode {
			t.Errorf("the status is %v", now)
		}
	})
}

// TestRemoveHandlers removes handlers through other adapters, twice, and of other informers.
func TestRemoveHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newSource(t, newObject("a/w", "red"))
		core := newInformer(source)
		first, second := SharedIndexInformer(core), SharedIndexInformer(core)
		other := SharedIndexInformer(newInformer(source))
		heard := &recorder{}
		handle, err := first.AddEventHandler(heard)
		if err != nil {
			t.Fatal(err)
		}
		run(t, first.RunWithContext)
		synctest.Wait()
		heard.take()
		if err := other.RemoveEventHandler(handle); err != nil {
			t.Errorf("removed from another informer: %v", err)
		}
		source.Add(newObject("a/v", "red"))
		synctest.Wait()
		wantLines(t, heard.take(), "add a/v red initial=false")
		for range 2 {
			if err := second.RemoveEventHandler(handle); err != nil {
				t.Error(err)
			}
		}
		source.Add(newObject("a/u", "red"))
		synctest.Wait()
		wantLines(t, heard.take())
		for _, foreign := range []toolscache.ResourceEventHandlerRegistration{nil, foreignRegistration{}} {
			if err := first.RemoveEventHandler(foreign); err == nil {
				t.Errorf("removed %T", foreign)
			}
		}
	})
}

type foreignRegistration struct {
	toolscache.ResourceEventHandlerRegistration
}

// TestShutDownEventHandler waits for a call of a handler that is removed.
func TestShutDownEventHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		informer := SharedIndexInformer(newInformer(newSource(t, newObject("a/w", "red"))))
		var ended atomic.Bool
		handle, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{AddFunc: func(any) {
			time.Sleep(time.Hour)
			ended.Store(true)
		}})
		if err != nil {
			t.Fatal(err)
		}
		run(t, informer.RunWithContext)
		synctest.Wait()
		if err := shutDownEventHandler(informer, handle); err != nil || !ended.Load() {
			t.Errorf("it returned %v, and the call had ended: %v", err, ended.Load())
		}
	})
}

// TestStoppedInformer adds handlers and indexes after the end.
func TestStoppedInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		informer := SharedIndexInformer(newInformer(newSource(t, newObject("a/w", "red"))))
		stop := run(t, informer.RunWithContext)
		synctest.Wait()
		stop()
		if !informer.IsStopped() {
			t.Error("it is not stopped")
		}
		_, err := informer.AddEventHandler(&recorder{})
		const want = "informer has stopped: handler *clientgo.recorder was not added to shared informer because it has stopped already"
		if !errors.Is(err, cache.ErrStopped) || err.Error() != want {
			t.Errorf("a handler: %v", err)
		}
		if err := informer.AddIndexers(toolscache.Indexers{"color": byColor}); !errors.Is(err, cache.ErrStopped) {
			t.Errorf("an index: %v", err)
		}
		wantLines(t, describeAll(informer.GetStore().List()), "a/w red") // as in client-go
	})
}

func TestNilHandler(t *testing.T) {
	informer := SharedIndexInformer(newInformer(newSource(t)))
	if _, err := informer.AddEventHandler(nil); err == nil {
		t.Error("it was added")
	}
}

// TestPanicOfAHandler lets handlers continue, as client-go does if ReallyCrash is not set.
func TestPanicOfAHandler(t *testing.T) {
	utilruntime.ReallyCrash = false
	defer func() { utilruntime.ReallyCrash = true }()
	synctest.Test(t, func(t *testing.T) {
		source := newSource(t, newObject("a/w", "red"), newObject("a/v", "red"))
		informer := SharedIndexInformer(newInformer(source))
		log := &strings.Builder{}
		logger := funcr.New(func(prefix, args string) { fmt.Fprintln(log, prefix, args) }, funcr.Options{}).WithName("mine")
		var calls []time.Duration
		began := time.Now()
		handler := toolscache.ResourceEventHandlerFuncs{AddFunc: func(any) {
			calls = append(calls, time.Since(began))
			panic("a mistake")
		}}
		if _, err := informer.AddEventHandlerWithOptions(handler, toolscache.HandlerOptions{Logger: &logger}); err != nil {
			t.Fatal(err)
		}
		stop := run(t, informer.RunWithContext)
		time.Sleep(time.Minute)
		source.Add(newObject("a/u", "red"))
		source.Add(newObject("a/t", "red"))
		synctest.Wait()
		stopped := time.Now()
		stop()
		if wait := time.Since(stopped); wait != 0 {
			t.Errorf("Run waits for the pause, for %v", wait)
		}
		if len(calls) < 3 || calls[1]-calls[0] != time.Second {
			t.Errorf("the calls were at %v", calls)
		}
		if n := strings.Count(log.String(), `mine "level"=0 "msg"="Observed a panic"`) + strings.Count(log.String(), "mine \"msg\"=\"Observed a panic\""); n != len(calls) {
			t.Errorf("the log is %s", log)
		}
	})
}
