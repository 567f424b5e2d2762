package cache

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/informer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/mutation"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// TestMutationDetector has a handler change an object. The error has no value of it.
func TestMutationDetector(t *testing.T) {
	needsGoValues(t)
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "w", map[string]string{"letters": "hunter1"})
		s := start(t, Config[object]{ListerWatcher: src, Settings: Settings{MutationDetector: true, HandlerPanicRecovery: true}})
		_, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(obj object, _ bool) { obj.Labels["letters"] = "hunter2" }}, WithHandlerName("vandal"))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		err = s.Status().Err
		if err == nil {
			t.Fatal("no check found the change")
		}
		for _, want := range []string{"handler vandal has changed widgets.test.example.com a/w", "DeepCopy", `changed: Labels["letters"]`} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("the error does not say %q: %v", want, err)
			}
		}
		for _, value := range []string{"hunter1", "hunter2"} {
			if strings.Contains(err.Error(), value) {
				t.Errorf("it has a value: %v", err)
			}
		}
		restore(s.GetStore(), map[string]string{"letters": "hunter1"})
	})
}

// TestMutationDetectorChecksEachChange has a reader change an object before its next event, and before its scope is closed. No
// handler checks it.
func TestMutationDetectorChecksEachChange(t *testing.T) {
	needsGoValues(t)
	newState := func(version string) deltafifo.Delta {
		obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "w", ResourceVersion: version}}
		return deltafifo.Delta{Type: deltafifo.Updated, Item: wire.Item{Object: obj}}
	}
	for name, change := range map[string]func(*informer.Informer){
		"event": func(core *informer.Informer) { core.Apply(newState("2")) },
		"scope": func(core *informer.Informer) {
			core.Forget(deltafifo.Part{Namespace: "a", Has: func(listed.Name) bool { return true }})
		},
	} {
		s := informerOf(via(Config[object]{ListerWatcher: cachetest.NewSource(), Resource: widgets, Settings: Settings{MutationDetector: true}}))
		core := inside(s).core
		core.Change(func(uint64) { core.Apply(newState("1")) })
		obj, _ := s.GetStore().Get(ObjectName{"a", "w"})
		obj.Labels = map[string]string{"letters": "x"}
		value := panicOf(func() { core.Change(func(uint64) { change(core) }) })
		if !strings.HasPrefix(value, "a reader of the cache has changed widgets.test.example.com a/w,") {
			t.Errorf("%s: the change is reported as %q", name, value)
		}
	}
}

// restore undoes the change of a/w, which the end of the informer would find again.
func restore(store Store[object], labels map[string]string) {
	obj, _ := store.Get(ObjectName{"a", "w"})
	obj.Labels = labels
}

// TestMutationDetectorDropsCopies updates, replaces and deletes objects 10,000 times.
func TestMutationDetectorDropsCopies(t *testing.T) {
	needsGoValues(t)
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "stays", nil)
		s := start(t, Config[object]{ListerWatcher: src, Settings: Settings{MutationDetector: true}})
		updates := 0
		if _, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{UpdateFunc: func(_, _ object) { updates++ }}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		stays, _ := s.GetStore().Get(ObjectName{"a", "stays"})
		const rounds = 1000
		for range rounds {
			for i := range 8 {
				src.Set("a", fmt.Sprint("w", i), nil)
			}
			src.Set("a", "short", nil)
			src.Remove("a", "short")
			synctest.Wait()
		}
		if want := 8 * (rounds - 1); updates != want {
			t.Fatalf("the handler got %d updates, want %d", updates, want)
		}
		// Memory of batches may point to some objects until it is used again.
		awaitCopies(t, inside(s).monitor.Detector(), 9+64)
		if inside(s).monitor.Detector().Copies() < 9 {
			t.Errorf("of 9 cached objects there are %d copies", inside(s).monitor.Detector().Copies())
		}
		stays.Labels = map[string]string{"letters": "x"}
		if value := panicOf(func() { inside(s).monitor.CheckAll() }); !strings.Contains(value, "a/stays") || !strings.HasSuffix(value, "changed: Labels") {
			t.Errorf("a change of the oldest object is reported as %q", value)
		}
		stays.Labels = nil
	})
}

// TestMutationDetectorDropsCopiesOfStoppedInformers has no cache anymore.
func TestMutationDetectorDropsCopiesOfStoppedInformers(t *testing.T) {
	needsGoValues(t)
	src := cachetest.NewSource()
	for i := range 1000 {
		src.Set("a", fmt.Sprint("w", i), nil)
	}
	s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets, Settings: Settings{MutationDetector: true}}))
	listen(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { s.Run(ctx); close(done) }()
	<-s.Synced()
	cancel()
	<-done
	detector := inside(s).monitor.Detector()
	s, src = nil, nil
	awaitCopies(t, detector, 0)
}

// awaitCopies collects garbage until the detector has at most that many copies.
func awaitCopies(t *testing.T, d *mutation.Detector, most int) {
	t.Helper()
	for range 1000 {
		if runtime.GC(); d.Copies() <= most {
			return
		}
		runtime.Gosched() // to the cleanups
	}
	t.Errorf("there are %d copies, want at most %d", d.Copies(), most)
}

func panicOf(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

// TestMutationDetectorChecksALateHandler changes an object that has left the cache while a
// handler has not got it yet.
func TestMutationDetectorChecksALateHandler(t *testing.T) {
	needsGoValues(t)
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "w", map[string]string{"letters": "x"})
		s := start(t, Config[object]{ListerWatcher: src, Settings: Settings{MutationDetector: true, HandlerPanicRecovery: true}})
		goOn := make(chan struct{})
		late := ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) { <-goOn }}
		if _, err := s.AddEventHandler(late, WithHandlerName("late")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		obj, _ := s.GetStore().Get(ObjectName{"a", "w"})
		src.Set("a", "w", map[string]string{"letters": "z"})
		src.Remove("a", "w")
		synctest.Wait()
		if s.GetStore().Len() != 0 {
			t.Fatal("the object is still cached")
		}
		obj.Labels["letters"] = "y"
		obj = nil
		for range 10 {
			runtime.GC()
			runtime.Gosched()
		}
		close(goOn)
		synctest.Wait()
		if err := s.Status().Err; err == nil || !strings.Contains(err.Error(), "has changed widgets.test.example.com a/w") {
			t.Errorf("the error is %v", err)
		}
	})
}
