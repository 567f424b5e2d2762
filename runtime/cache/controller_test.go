package cache

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestUnsharedInformers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		src.set("a", "w", map[string]string{"letters": "x"})
		heard := &recorder{}
		config := Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet,
			Indexers: Indexers[object]{"letters": byLetters}, ResyncPeriod: time.Hour}
		indexer, controller := NewIndexerInformer(via(config), heard)
		if controller.HasSynced() || controller.NotSyncedReason() != "widgets.test.example.com: Pending for 0s (not started)" {
			t.Errorf("before it is run: %q", controller.NotSyncedReason())
		}
		stop := run(t, controller.Run)
		if err := WaitForCacheSync(t.Context(), controller); err != nil {
			t.Fatal(err)
		}
		if objs, err := indexer.ByIndex("letters", "x"); err != nil || len(objs) != 1 {
			t.Errorf("ByIndex = %v, %v", objs, err)
		}
		src.set("a", "w", nil)
		synctest.Wait()
		time.Sleep(time.Hour)
		synctest.Wait()
		wantLines(t, heard.drain(), "add a/w@101 initial=true", "update a/w@101->102", "update a/w@102->102")
		stop()
		if !isClosed(controller.Ended()) {
			t.Error("the controller has not ended")
		}
		requests := len(src.requests)
		controller.Run(t.Context()) // again
		if len(src.requests) != requests {
			t.Error("a controller ran twice")
		}
	})
}

func TestUnsharedHandlerSeesWhatIsCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		src.set("a", "w", nil)
		release := make(chan struct{})
		var indexer *Indexer[object]
		var controller *Controller[object]
		check := func(obj object) {
			<-release
			if cached, _ := indexer.Get(ObjectName{"a", "w"}); cached != obj {
				t.Errorf("the handler gets version %s, cached is %s", obj.ResourceVersion, cached.ResourceVersion)
			}
		}
		indexer, controller = NewIndexerInformer(via(Config[object]{ListerWatcher: src, Resource: widgets}), ResourceEventHandlerFuncs[object]{
			AddFunc: func(obj object, _ bool) {
				check(obj)
				if controller.HasSynced() {
					t.Error("synced while the handler is in its first list")
				}
			},
			UpdateFunc: func(_, obj object) { check(obj) },
		})
		run(t, controller.Run)
		synctest.Wait()
		src.set("a", "w", nil) // these two come in one batch
		src.set("a", "w", nil)
		synctest.Wait()
		close(release)
		synctest.Wait()
	})
}

func TestUnsharedHandlerIsNotCalledAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		for n := range 1000 {
			src.set("a", fmt.Sprint(n), nil)
		}
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		_, controller := NewInformer(via(Config[object]{ListerWatcher: src, Resource: widgets}), ResourceEventHandlerFuncs[object]{
			AddFunc: func(object, bool) { calls++; cancel() },
		})
		controller.Run(ctx)
		if calls != 1 {
			t.Errorf("%d calls, all but one after the end", calls)
		}
	})
}

func TestUnsharedResyncsDoNotAccumulate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		src.set("a", "w", nil)
		_, controller := NewInformer(via(Config[object]{ListerWatcher: src, Resource: widgets, ResyncPeriod: time.Second}),
			ResourceEventHandlerFuncs[object]{UpdateFunc: func(object, object) { time.Sleep(10 * time.Second) }})
		run(t, controller.Run)
		time.Sleep(10 * time.Minute)
		if n := controller.queue.Len(); n > 1 {
			t.Errorf("%d resyncs wait", n)
		}
	})
}

// stubborn is a source that takes its time to notice that its context has ended.
type stubborn struct{ returned bool }

func (s *stubborn) List(ctx context.Context, _ metav1.ListOptions) (Page[object], error) {
	<-ctx.Done()
	time.Sleep(time.Second)
	s.returned = true
	return Page[object]{}, errors.New("late")
}

func (s *stubborn) Watch(context.Context, metav1.ListOptions) (EventStream[object], error) {
	return nil, errors.New("not reached")
}

func TestRunWaitsForItsSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &stubborn{}
		s := NewSharedIndexInformer(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet, Settings: Settings{WithoutStreamingList: true}}))
		stop := run(t, s.Run)
		synctest.Wait()
		stop()
		if !src.returned {
			t.Error("Run has returned, and its source is still being asked")
		}
	})
}
