package cache

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
)

// TestTransformIsSetBeforeRun sets the transform of an informer of one namespace, and of two,
// over objects and over bodies.
func TestTransformIsSetBeforeRun(t *testing.T) {
	mark := func(obj object) (object, error) {
		obj.Annotations = map[string]string{"transformed": "yes"}
		return obj, nil
	}
	for name, namespaces := range map[string][]string{"all": {""}, "two": {"a", "b"}} {
		for _, hasBodies := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					src := cachetest.NewSource()
					src.Set("a", "w", nil)
					kind := Kind[object]{Resource: widgets, Namespaced: true}
					if hasBodies {
						kind.Open = func(namespace string) bodies.OpenFunc { return cachetest.OpenerOf(only(src, namespace)) }
					} else {
						kind.ListWatch = func(namespace string) ListerWatcher[object] { return listWatchOf[object](only(src, namespace)) }
					}
					refuse := func(object) (object, error) { return nil, errors.New("it was replaced") }
					s, err := kind.NewInformer(WithNamespaces(namespaces...), WithTransform(refuse))
					if err != nil {
						t.Fatal(err)
					}
					if err := s.SetTransform(mark); err != nil {
						t.Fatal(err)
					}
					cachetest.Run(t, s.Run)
					synctest.Wait()
					src.Set("a", "v", nil)
					synctest.Wait()
					if n := s.GetIndexer().Len(); n != 2 {
						t.Fatalf("%d objects are cached: %v", n, s.Status())
					}
					for _, obj := range s.GetIndexer().List() {
						if obj.Annotations["transformed"] != "yes" {
							t.Errorf("%s was not transformed", obj.Name)
						}
					}
					err = s.SetTransform(nil)
					want := "cannot set the transform of " + inside(s).name() + ": the informer has already started or stopped; set it before Run"
					if err == nil || err.Error() != want {
						t.Errorf("after the start: %v, want %s", err, want)
					}
				})
			})
		}
	}
}

// only limits a source to a namespace.
func only(src *cachetest.Source, namespace string) cachetest.Lister[object] {
	list := &cachetest.ListWatch[object]{WatchFunc: src.Watch}
	list.ListFunc = func(ctx context.Context, options metav1.ListOptions) (cachetest.Page[object], error) {
		page, err := src.List(ctx, options)
		page.Items = slices.DeleteFunc(page.Items, func(item cachetest.Item[object]) bool { return namespace != "" && item.Object.Namespace != namespace })
		return page, err
	}
	if namespace == "b" { // which never changes
		list.WatchFunc = func(_ context.Context, _ metav1.ListOptions) (cachetest.EventStream[object], error) {
			return silentStream{}, nil
		}
	}
	return list
}

// silentStream has no events.
type silentStream struct{}

func (silentStream) Next(ctx context.Context, _ []cachetest.Event[object]) ([]cachetest.Event[object], error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (silentStream) Stop() {}

func TestWatchErrorHandlerIsSetBeforeRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, first, second := cachetest.NewSource(), &hooked{}, &hooked{}
		src.FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		s := first.informer(src)
		if err := s.SetWatchErrorHandler(second.onError); err != nil {
			t.Fatal(err)
		}
		stop := cachetest.Run(t, s.Run)
		time.Sleep(time.Minute)
		stop()
		if first.errors > 0 || second.errors < 3 {
			t.Errorf("the first handler got %d errors, and the second one %d", first.errors, second.errors)
		}
		// The StatusHandler stays.
		if lines := first.take(); len(lines) < 2 || lines[0] != "Pending to Listing" || lines[1] != "Listing to DegradedForbidden" {
			t.Errorf("the StatusHandler got %q", lines)
		}
		if err := s.SetWatchErrorHandler(nil); err == nil || !strings.Contains(err.Error(), "cannot set the watch error handler of widgets.test.example.com") {
			t.Errorf("after the end: %v", err)
		}

		unstarted := first.informer(src)
		unstarted.Stop()
		if err := unstarted.SetTransform(nil); err == nil {
			t.Error("a stopped informer accepts a transform")
		}
	})
}

// TestSettersRaceWithRun is for the race detector.
func TestSettersRaceWithRun(t *testing.T) {
	src := cachetest.NewSource()
	src.Set("a", "w", nil)
	for range 50 {
		s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets}))
		var transformed atomic.Int32
		set := make(chan struct{})
		go func() {
			defer close(set)
			for s.SetTransform(func(obj object) (object, error) { transformed.Add(1); return obj, nil }) == nil {
				_ = s.SetWatchErrorHandler(quiet)
			}
		}()
		stop := cachetest.Run(t, s.Run)
		<-s.Synced()
		<-set
		stop()
	}
}

func TestIndexersReturnsACopy(t *testing.T) {
	x := NewIndexer(Indexers[object]{"letters": cachetest.ByLetters})
	x.Add(cachetest.Many(1, 1, "x"))
	indexers := x.Indexers()
	if names := slices.Sorted(maps.Keys(indexers)); !slices.Equal(names, []string{"letters", NamespaceIndex}) {
		t.Fatalf("the indexes are %q", names)
	}
	obj := x.List()[0]
	if got := indexers[NamespaceIndex](obj); !slices.Equal(got, []string{obj.Namespace}) {
		t.Errorf("the namespace index has %q", got)
	}
	if got := indexers["letters"](obj); !slices.Equal(got, []string{"x"}) {
		t.Errorf("the other index has %q", got)
	}
	delete(indexers, "letters")
	if len(x.Indexers()) != 2 {
		t.Error("the map is not a copy")
	}
}

// TestAppliedVersionOfASyncedInformer asks for it at the earliest time: when the first list is in the cache, and the queue
// still counts it.
func TestAppliedVersionOfASyncedInformer(t *testing.T) {
	s := informerOf(Config[object]{ListerWatcher: &cachetest.Source{}, Resource: widgets})
	inside(s).core.Queue.Push([]deltafifo.Delta{{Type: deltafifo.Replaced}}, deltafifo.Reached{})
	if got := s.LastSyncResourceVersion(); got != "" {
		t.Fatalf("the applied version is %q", got)
	}
	inside(s).core.Process(firstList(s, "10"))
	if got := s.LastSyncResourceVersion(); got != "10" {
		t.Errorf("the applied version is %q, want that of the list", got)
	}
}

// TestAppliedVersionIsNotAheadOfTheCache has an index function that blocks, so that a change is
// read, but not stored.
func TestAppliedVersionIsNotAheadOfTheCache(t *testing.T) {
	needsSlowWriter(t)
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "w", nil)
		blocked := make(chan struct{})
		blocks := atomic.Bool{}
		s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets, Indexers: Indexers[object]{"blocking": func(object) []string {
			if blocks.Load() {
				<-blocked
			}
			return nil
		}}}))
		if got := s.LastSyncResourceVersion(); got != "" {
			t.Errorf("before the start it is %q", got)
		}
		cachetest.Run(t, s.Run)
		synctest.Wait()
		if got := s.LastSyncResourceVersion(); got != "101" {
			t.Errorf("after the first list it is %q", got)
		}
		blocks.Store(true)
		src.Set("a", "w", nil)
		synctest.Wait()
		if got, read := s.LastSyncResourceVersion(), s.Status().ResourceVersion; got != "101" || read != "102" {
			t.Errorf("while a change is being stored it is %q, and the last one that was read is %q", got, read)
		}
		close(blocked)
		synctest.Wait()
		if got := s.LastSyncResourceVersion(); got != "102" {
			t.Errorf("after the change it is %q", got)
		}
		src.Bookmark()
		synctest.Wait()
		if got, read := s.LastSyncResourceVersion(), s.Status().ResourceVersion; got != read || got == "102" {
			t.Errorf("after a bookmark it is %q, want %q", got, read)
		}
	})
}
