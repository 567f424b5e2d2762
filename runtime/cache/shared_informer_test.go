package cache

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/internal/packing/packingtest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// start runs an informer over src in a bubble until the test ends.
func start(t *testing.T, config Config[object]) *SharedIndexInformer[object] {
	t.Helper()
	config.Resource, config.WatchErrorHandler = widgets, quiet
	config.StreamingList = canStream(config)
	s := informerOf(via(config))
	cachetest.Run(t, s.Run)
	return s
}

func listen(t *testing.T, s *SharedIndexInformer[object], options ...HandlerOption) (*cachetest.Recorder, ResourceEventHandlerRegistration) {
	t.Helper()
	r := &cachetest.Recorder{}
	reg, err := s.AddEventHandler(r, options...)
	if err != nil {
		t.Fatal(err)
	}
	return r, reg
}

func TestHandlerGetsEveryChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "first", nil)
		s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet}))
		early, _ := listen(t, s)
		cachetest.Run(t, s.Run)
		synctest.Wait()
		cachetest.WantLines(t, early.Drain(), "add a/first@101 initial=true")

		src.Set("a", "second", nil)
		src.Set("a", "second", nil)
		src.Remove("a", "first")
		synctest.Wait()
		cachetest.WantLines(t, early.Drain(), "add a/second@102 initial=false", "update a/second@102->103", "delete a/first@104 unknown=false")

		late, _ := listen(t, s)
		synctest.Wait()
		cachetest.WantLines(t, late.Drain(), "add a/second@103 initial=true")
		cachetest.WantLines(t, early.Drain())
	})
}

// relist makes the informer of src list again, after change.
func relist(t *testing.T, src *cachetest.Source, change func()) {
	t.Helper()
	src.FailWith(func(r cachetest.Request) error {
		if r.Verb == "watch" {
			return io.ErrUnexpectedEOF
		}
		return nil
	})
	src.EndWatches(io.EOF)
	synctest.Wait()
	change()
	src.Bookmark()
	src.Forget()
	src.FailWith(nil)
	time.Sleep(time.Minute)
	synctest.Wait()
}

func TestRelistNotifiesExactlyTheDifference(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		for _, name := range []string{"same", "changed", "gone", "reborn"} {
			src.Set("a", name, nil)
		}
		s := start(t, Config[object]{ListerWatcher: src})
		heard, _ := listen(t, s)
		all, _ := listen(t, s, WithRelistUpdates())
		synctest.Wait()
		heard.Drain()
		all.Drain()
		same, _ := s.GetStore().Get(ObjectName{"a", "same"})

		relist(t, src, func() {
			src.Set("a", "changed", nil)
			src.Remove("a", "gone")
			src.Remove("a", "reborn")
			src.Set("a", "reborn", nil)
			src.Set("a", "new", nil)
		})
		cachetest.WantLines(t, heard.Drain(),
			"delete a/gone@103 unknown=true",
			"update a/changed@102->105",
			"add a/new@109 initial=false",
			"delete a/reborn@104 unknown=true", "add a/reborn@108 initial=false")
		cachetest.WantLines(t, all.Drain(),
			"delete a/gone@103 unknown=true",
			"update a/changed@102->105",
			"add a/new@109 initial=false",
			"delete a/reborn@104 unknown=true", "add a/reborn@108 initial=false",
			"update a/same@101->101")
		if again, _ := s.GetStore().Get(ObjectName{"a", "same"}); !packingtest.IsState(again, same) {
			t.Error("an object that did not change was replaced in the cache")
		}
		if n := src.Count("list"); n != 2 {
			t.Errorf("%d lists, want 2", n)
		}
	})
}

func TestCacheChangesBeforeHandlersAreCalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "w", nil)
		s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets}))
		check := func(obj object) {
			cached, ok := s.GetStore().Get(MetaObjectToName(obj))
			if !ok || cached.ResourceVersion < obj.ResourceVersion {
				t.Errorf("the handler gets %s@%s, the cache has %v", obj.Name, obj.ResourceVersion, cached)
			}
		}
		_, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{
			AddFunc:    func(obj object, _ bool) { check(obj) },
			UpdateFunc: func(_, obj object) { check(obj) },
			DeleteFunc: func(obj object, _ bool) {
				if _, ok := s.GetStore().Get(MetaObjectToName(obj)); ok {
					t.Errorf("the handler gets a delete of %s, which is still cached", obj.Name)
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		cachetest.Run(t, s.Run)
		for range 50 {
			src.Set("a", "w", nil)
		}
		synctest.Wait()
		src.Remove("a", "w")
		synctest.Wait()
	})
}

func TestHasSyncedMeansTheHandlerHasReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "one", nil)
		src.Set("a", "two", nil)
		s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets}))
		release := make(chan struct{})
		reg, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) { <-release }})
		if err != nil {
			t.Fatal(err)
		}
		if reg.HasSynced() {
			t.Error("synced before it was started")
		}
		cachetest.Run(t, s.Run)
		synctest.Wait()
		if !s.HasSynced() || reg.HasSynced() {
			t.Errorf("with the handler in its first call the cache is synced: %v, the handler: %v", s.HasSynced(), reg.HasSynced())
		}
		if want := "a handler of widgets.test.example.com has not returned from its initial list: 2 events to go"; reg.NotSyncedReason() != want {
			t.Errorf("reason is %q, want %q", reg.NotSyncedReason(), want)
		}
		release <- struct{}{}
		synctest.Wait()
		if reg.HasSynced() || reg.Backlog() != 1 {
			t.Errorf("in its last call the handler is synced: %v, with a backlog of %d", reg.HasSynced(), reg.Backlog())
		}
		release <- struct{}{}
		<-reg.Synced()
		if reg.Backlog() != 0 || reg.NotSyncedReason() != "" {
			t.Errorf("a backlog of %d is left, reason %q", reg.Backlog(), reg.NotSyncedReason())
		}
		empty, _ := listen(t, s)
		_ = empty
	})
}

func TestHandlerOfAnEmptyCollectionSyncs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, Config[object]{ListerWatcher: cachetest.NewSource()})
		_, early := listen(t, s)
		<-early.Synced()
		_, late := listen(t, s)
		<-late.Synced()
	})
}

func TestSlowHandlerDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		s := start(t, Config[object]{ListerWatcher: src})
		release := make(chan struct{})
		slow, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) { <-release }})
		if err != nil {
			t.Fatal(err)
		}
		quick, _ := listen(t, s)
		synctest.Wait()
		for n := range 1000 {
			src.Set("a", fmt.Sprint(n), nil)
		}
		synctest.Wait()
		if s.GetStore().Len() != 1000 || len(quick.Drain()) != 1000 {
			t.Error("a handler that blocks held up the cache or another handler")
		}
		if slow.Backlog() != 1000 {
			t.Errorf("the backlog of the handler that blocks is %d, want 1000", slow.Backlog())
		}
		close(release)
		synctest.Wait()
		if slow.Backlog() != 0 {
			t.Errorf("the backlog is %d after it has caught up", slow.Backlog())
		}
	})
}

func TestHandlerIsRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "one", nil)
		src.Set("a", "two", nil)
		s := start(t, Config[object]{ListerWatcher: src})
		synctest.Wait()
		var reg ResourceEventHandlerRegistration
		added, calls := make(chan struct{}), 0
		reg, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) {
			<-added
			calls++
			if err := s.RemoveEventHandler(reg); err != nil { // from inside
				t.Error(err)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		close(added)
		synctest.Wait()
		src.Set("a", "three", nil)
		synctest.Wait()
		if calls != 1 {
			t.Errorf("a handler that removes itself in its first call is called %d times", calls)
		}
		if err := s.RemoveEventHandler(reg); err != nil {
			t.Errorf("removing again: %v", err)
		}
		other := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets}))
		if err := other.RemoveEventHandler(reg); err == nil {
			t.Error("an informer removed the handler of another one")
		}
	})
}

func TestHandlerAddsAHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "one", nil)
		s := start(t, Config[object]{ListerWatcher: src})
		inner := &cachetest.Recorder{}
		_, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(obj object, _ bool) {
			if obj.Name == "one" {
				if _, err := s.AddEventHandler(inner); err != nil {
					t.Error(err)
				}
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		src.Set("a", "two", nil)
		synctest.Wait()
		cachetest.WantLines(t, inner.Drain(), "add a/one@101 initial=true", "add a/two@102 initial=false")
	})
}

func TestResyncIsPerHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "w", nil)
		s := start(t, Config[object]{ListerWatcher: src, ResyncPeriod: time.Hour})
		hourly, _ := listen(t, s)
		often, _ := listen(t, s, WithHandlerResync(10*time.Minute))
		never, _ := listen(t, s, WithHandlerResync(0))
		synctest.Wait()
		for _, r := range []*cachetest.Recorder{hourly, often, never} {
			r.Drain()
		}
		time.Sleep(65 * time.Minute)
		synctest.Wait()
		cachetest.WantLines(t, hourly.Drain(), "update a/w@101->101")
		if n := len(often.Drain()); n != 6 {
			t.Errorf("%d resyncs in 65 minutes, one every 10", n)
		}
		cachetest.WantLines(t, never.Drain())
		if src.Count("list") != 1 {
			t.Error("a resync listed again")
		}
	})
}

func TestRunEndsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		for n := range 100 {
			src.Set("a", fmt.Sprint(n), nil)
		}
		s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets}))
		running := false
		reg, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) {
			running = true
			time.Sleep(time.Second)
			running = false
		}})
		if err != nil {
			t.Fatal(err)
		}
		stop := cachetest.Run(t, s.Run)
		time.Sleep(10*time.Second + time.Second/2)
		if reg.Backlog() == 0 {
			t.Error("the test proves nothing: the handler is done")
		}
		stop()
		if running {
			t.Error("Run has returned and the handler is running")
		}
		if src.Open != 0 {
			t.Errorf("%d watches were not stopped", src.Open)
		}
		if reg.Backlog() != 0 || !isClosed(reg.Ended()) || !isClosed(s.Ended()) {
			t.Error("a handler or the informer has not ended, or keeps what is pending")
		}
		if got := s.Status().Phase; got != status.Stopped {
			t.Errorf("phase is %s", got)
		}
		if _, err := s.AddEventHandler(&cachetest.Recorder{}); !errors.Is(err, ErrStopped) || !strings.Contains(err.Error(), "widgets.test.example.com") {
			t.Errorf("adding a handler to a stopped informer: %v", err)
		}
		s.Run(t.Context()) // returns at once, and says so in the log
	})
}

func TestResyncDoesNotAddToABacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "w", nil)
		s := start(t, Config[object]{ListerWatcher: src})
		release := make(chan struct{})
		reg, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{UpdateFunc: func(object, object) { <-release }}, WithHandlerResync(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		src.Set("a", "w", nil)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if reg.Backlog() != 1 {
			t.Errorf("the backlog is %d, want the one event that the handler is in", reg.Backlog())
		}
		inside(s).core.Resync(reg.(*registration).Listener) // an event may come just before the timer fires
		if reg.Backlog() != 1 {
			t.Errorf("a resync has made the backlog %d", reg.Backlog())
		}
		close(release)
	})
}

// TestOnlyTheFirstListIsInitial has an event behind the list in one batch.
func TestOnlyTheFirstListIsInitial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := informerOf(via(Config[object]{ListerWatcher: cachetest.NewSource(), Resource: widgets}))
		heard, _ := listen(t, s)
		inside(s).core.Processor.Start()
		inside(s).core.Process(&deltafifo.Batch{Deltas: []deltafifo.Delta{{Type: deltafifo.Replaced, Collection: &deltafifo.Collection{Items: cachetest.WireItems(cachetest.Numbered(1)), IsFirst: true}}, {Type: deltafifo.Added, Item: cachetest.WireItem(cachetest.Numbered(2))}}, Reached: reachedAt(s, "2", 0)})
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "add 1@ initial=true", "add 2@ initial=false")
		inside(s).core.Processor.Stop()
		inside(s).core.Processor.Wait()
	})
}

type widgetSummary struct{ metav1.PartialObjectMetadata }

func TestViewsAreNamedByTheirType(t *testing.T) {
	for want, got := range map[string]string{
		"": seenAs(reflect.TypeFor[object](), "widgets"), " as cache.widgetSummary": seenAs(reflect.TypeFor[*widgetSummary](), "widgets"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := seenAs(reflect.TypeFor[*widgetSummary](), "widgetsummaries"); got != "" {
		t.Errorf("the resource of the same name gets %q", got)
	}
}
