package cache

import (
	"context"
	"errors"
	"io"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/reflector"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

func TestWatchTimeoutsAreSpread(t *testing.T) {
	for share, want := range map[float64]int64{0: 300, 0.5: 450, 0.999: 599} {
		synctest.Test(t, func(t *testing.T) {
			src := cachetest.NewSource()
			r := reflectorOf(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet,
				Random: func(d time.Duration) time.Duration { return time.Duration(share * float64(d)) }}, &deltafifo.Queue{})
			cachetest.Run(t, r.Run)
			synctest.Wait()
			if seconds := src.Last("watch").TimeoutSeconds; seconds == nil || *seconds != want {
				t.Errorf("the watch asks for %v seconds, want %d", seconds, want)
			}
		})
	}
}

// mute is a server that does not answer watches.
type mute struct {
	*cachetest.Source
	muted atomic.Bool
}

func newMute(muted bool) *mute {
	m := &mute{Source: cachetest.NewSource()}
	m.muted.Store(muted)
	return m
}

func (m *mute) Watch(ctx context.Context, options metav1.ListOptions) (cachetest.EventStream[object], error) {
	if m.muted.Load() {
		_ = m.Begin("watch", options)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return m.Source.Watch(ctx, options)
}

func TestStatusIsNotWatchingBeforeAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newMute(true)
		r, queue := follow(t, Config[object]{ListerWatcher: src})
		cachetest.WantLines(t, take(t, queue), "Replaced 0")
		for range 10 * 60 {
			time.Sleep(time.Second)
			if s := r.Status(); s.Phase == status.Watching {
				t.Fatalf("status is %+v while no watch is open", s)
			}
		}
		synctest.Wait()
		if s := r.Status(); s.Phase != status.Degraded || !errors.Is(s.Err, protocol.ErrUnanswered) {
			t.Errorf("status is %+v", s)
		}
		if watches := src.Count("watch"); watches < 5 || watches > 20 {
			t.Errorf("%d watches in 10 minutes, want one a minute", watches)
		}
		src.muted.Store(false)
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if s := r.Status(); s.Phase != status.Watching || s.Err != nil {
			t.Errorf("status is %+v", s)
		}
	})
}

func TestStatusWhileAWatchIsResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newMute(false)
		r, _ := follow(t, Config[object]{ListerWatcher: src})
		time.Sleep(time.Minute)
		src.muted.Store(true)
		src.EndWatches(io.EOF)
		time.Sleep(reflector.ResumeGrace / 2)
		synctest.Wait()
		if s := r.Status(); s.Phase != status.Watching {
			t.Errorf("status is %+v a moment after a watch has ended in good order", s)
		}
		time.Sleep(reflector.ResumeGrace)
		synctest.Wait()
		if s := r.Status(); s.Phase != status.Degraded || !errors.Is(s.Err, protocol.ErrUnanswered) {
			t.Errorf("status is %+v while the server does not answer", s)
		}
	})
}

// TestUnansweredStreamBecomesAList has a server that hangs for streaming lists only.
func TestUnansweredStreamBecomesAList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newMute(true)
		r := reflectorOf(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet}), &deltafifo.Queue{})
		cachetest.Run(t, r.Run)
		time.Sleep(reflector.AnswerTimeout + time.Second)
		synctest.Wait()
		if src.Count("list") != 1 || r.Status().Phase == status.Watching {
			t.Errorf("%d lists, status %v", src.Count("list"), r.Status())
		}
	})
}

// busy is a server that does not know streaming lists: it takes one for a watch, and
// its collection changes all the time.
type busy struct {
	*cachetest.Source
	change watch.EventType
	every  time.Duration
	// bookmark is sent after so many changes; 0 for never.
	bookmark int
}

func (b *busy) Watch(ctx context.Context, options metav1.ListOptions) (cachetest.EventStream[object], error) {
	if options.SendInitialEvents == nil {
		return b.Source.Watch(ctx, options)
	}
	_ = b.Begin("watch", options)
	return &busyStream{busy: b}, nil
}

type busyStream struct {
	*busy
	sent int
}

func (s *busyStream) Next(ctx context.Context, reuse []cachetest.Event[object]) ([]cachetest.Event[object], error) {
	batch := reuse[:0]
	if s.sent > 0 {
		select {
		case <-ctx.Done():
			return batch, ctx.Err()
		case <-time.After(s.every):
		}
	}
	s.sent++
	if s.sent == s.busy.bookmark {
		return append(batch, cachetest.Event[object]{Type: watch.Bookmark, InitialEventsEnd: true, ResourceVersion: strconv.Itoa(s.Source.Version)}), nil
	}
	name := "w"
	if s.change == watch.Added {
		name = strconv.Itoa(s.sent)
	}
	obj := s.Set("a", name, nil)
	return append(batch, cachetest.Event[object]{Type: s.change, Item: cachetest.ItemOf(obj.DeepCopy()), ResourceVersion: obj.ResourceVersion}), nil
}

func (s *busyStream) Stop() {}

func TestBusyStreamWithoutABookmark(t *testing.T) {
	for change, limit := range map[watch.EventType]time.Duration{
		watch.Modified: reflector.BookmarkTimeout + time.Second,
		watch.Deleted:  reflector.BookmarkTimeout + time.Second,
		watch.Added:    reflector.StallTimeout + reflector.BookmarkTimeout + 2*time.Second, // only a list can distinguish these from initial ones
	} {
		t.Run(string(change), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := &busy{Source: cachetest.NewSource(), change: change, every: 20 * time.Millisecond}
				r := reflectorOf(Config[object]{ListerWatcher: src, Resource: widgets, Settings: Settings{StreamingList: true}, WatchErrorHandler: quiet}, &deltafifo.Queue{})
				cachetest.Run(t, r.Run)
				time.Sleep(limit)
				synctest.Wait()
				if s := r.Status(); s.Phase != status.Watching {
					t.Errorf("status is %+v after %v", s, limit)
				}
				streams := src.Count("watch")
				src.EndWatches(cachetest.ErrGone)
				time.Sleep(time.Minute)
				synctest.Wait()
				if src.Last("watch").SendInitialEvents != nil || src.Count("watch") > streams+1 || r.Status().Phase != status.Watching {
					t.Errorf("%d watches after %d, the last with %+v: that the server has no streaming lists was not remembered", src.Count("watch"), streams, src.Last("watch"))
				}
			})
		})
	}
}

// TestLongStreamWithItsBookmark has changes among its initial events, as an API server
// sends them whose cache was behind when the stream began, and takes a minute.
func TestLongStreamWithItsBookmark(t *testing.T) {
	for _, every := range []time.Duration{5 * time.Millisecond, 5 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			src := &busy{Source: cachetest.NewSource(), change: watch.Modified, every: every, bookmark: int(reflector.BookmarkTimeout/every) - 1}
			queue := &deltafifo.Queue{}
			r := reflectorOf(Config[object]{ListerWatcher: src, Resource: widgets, Settings: Settings{StreamingList: true}, WatchErrorHandler: quiet}, queue)
			cachetest.Run(t, r.Run)
			time.Sleep(reflector.BookmarkTimeout)
			synctest.Wait()
			if s := r.Status(); s.Phase != status.Watching || src.Count("list") != 0 {
				t.Errorf("status is %+v after %d lists", s, src.Count("list"))
			}
		})
	}
}
