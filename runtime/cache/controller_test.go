package cache

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
)

func TestInformerWithOneHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "w", map[string]string{"letters": "x"})
		heard := &cachetest.Recorder{}
		kind := Kind[object]{Resource: widgets, Indexers: Indexers[object]{"letters": cachetest.ByLetters}, ListWatch: func(string) ListerWatcher[object] { return listWatchOf[object](src) }}
		indexer, controller, err := NewIndexerInformer(kind, heard, WithWatchErrorHandler(quiet), WithResync(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		if controller.HasSynced() || controller.NotSyncedReason() != "widgets.test.example.com: Pending for 0s (not started)" {
			t.Errorf("before it is run: %q", controller.NotSyncedReason())
		}
		stop := cachetest.Run(t, controller.Run)
		if err := WaitForCacheSync(t.Context(), controller); err != nil {
			t.Fatal(err)
		}
		if objs, err := indexer.ByIndex("letters", "x"); err != nil || len(objs) != 1 {
			t.Errorf("ByIndex = %v, %v", objs, err)
		}
		src.Set("a", "w", nil)
		synctest.Wait()
		time.Sleep(time.Hour)
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "add a/w@101 initial=true", "update a/w@101->102", "update a/w@102->102")
		stop()
		if !isClosed(controller.Ended()) {
			t.Error("the controller has not ended")
		}
		requests := len(src.Requests)
		controller.Run(t.Context()) // again
		if len(src.Requests) != requests {
			t.Error("a controller ran twice")
		}
	})
}

// stubborn is a source that takes its time to notice that its context has ended.
type stubborn struct{ returned bool }

func (s *stubborn) List(ctx context.Context, _ metav1.ListOptions) (cachetest.Page[object], error) {
	<-ctx.Done()
	time.Sleep(time.Second)
	s.returned = true
	return cachetest.Page[object]{}, errors.New("late")
}

func (s *stubborn) Watch(context.Context, metav1.ListOptions) (cachetest.EventStream[object], error) {
	return nil, errors.New("not reached")
}

func TestRunWaitsForItsSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &stubborn{}
		s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet}))
		stop := cachetest.Run(t, s.Run)
		synctest.Wait()
		stop()
		if !src.returned {
			t.Error("Run has returned, and its source is still being asked")
		}
	})
}
