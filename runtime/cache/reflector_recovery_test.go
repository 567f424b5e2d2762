package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// endings are how a watch or a streaming list may end before it has brought anything.
var endings = map[string]error{
	"401": apierrors.NewUnauthorized("no watch"), "403": cachetest.ErrForbidden, "405": apierrors.NewMethodNotSupported(schema.GroupResource{Resource: "widgets"}, "watch"), "404": cachetest.ErrNotFound, "500": cachetest.ErrInternal,
	"HTML": &wire.SyntaxError{Near: "<html>"}, "cut": cachetest.ErrCut, "reset": syscall.ECONNRESET, "in good order": io.EOF, "400": apierrors.NewBadRequest("no watch"),
}

// withoutWatches is a source whose watches all end with err, and whose streaming lists do, before their first event.
type withoutWatches struct {
	*cachetest.Source
	err error
	// work is set when watches work again.
	work atomic.Bool
	// answers is set if the server answers a watch before it ends.
	answers bool
	// onlyStreams is set if other watches work.
	onlyStreams bool
}

func (w *withoutWatches) Watch(ctx context.Context, options metav1.ListOptions) (cachetest.EventStream[object], error) {
	if w.work.Load() || w.onlyStreams && options.SendInitialEvents == nil {
		return w.Source.Watch(ctx, options)
	}
	if err := w.Begin("watch", options); err != nil {
		return nil, err
	}
	if w.answers || w.err == io.EOF {
		return endedStream{w.err}, nil
	}
	return nil, w.err
}

type endedStream struct{ err error }

func (e endedStream) Next(context.Context, []cachetest.Event[object]) ([]cachetest.Event[object], error) {
	return nil, e.err
}

func (endedStream) Stop() {}

// TestListInsteadOfAStreamThatFails: whatever a streaming list ends with, what LIST can give is in the cache at once.
func TestListInsteadOfAStreamThatFails(t *testing.T) {
	for name, end := range endings {
		for _, answers := range []bool{false, true} {
			for _, onlyStreams := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, answers=%t, only streams=%t", name, answers, onlyStreams), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						src := &withoutWatches{Source: cachetest.NewSource(), err: end, answers: answers, onlyStreams: onlyStreams}
						src.Set("a", "one", nil)
						queue := &deltafifo.Queue{}
						r := reflectorOf(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet}, queue)
						cachetest.Run(t, r.Run)
						time.Sleep(10 * time.Millisecond)
						cachetest.WantLines(t, take(t, queue), "Replaced 1")
						time.Sleep(2 * time.Second)
						switch s := r.Status(); {
						case onlyStreams && (s.Phase != status.Watching || s.Err != nil):
							t.Errorf("the watch works, and the status is %v", s)
						case !onlyStreams && (s.Phase != status.Degraded || s.Verb != "watch" || s.Err == nil):
							t.Errorf("watches fail with %v, and the status is %v, of %s", end, s, s.Verb)
						}
						time.Sleep(5 * time.Minute)
						streams := 0
						for _, request := range src.Since(0) {
							if request.Options.SendInitialEvents != nil {
								streams++
							}
						}
						if streams > 2 {
							t.Errorf("%d streaming lists in five minutes, want at most two", streams)
						}
						if lists := src.Count("list"); onlyStreams && lists != 1 || lists > 70 {
							t.Errorf("%d lists in five minutes", lists)
						}
					})
				})
			}
		}
	}
}

// TestListsWhileWatchesFail: an informer whose watches fail follows the collection by lists, and says why.
func TestListsWhileWatchesFail(t *testing.T) {
	for name, end := range endings {
		if name == "404" || name == "405" || name == "400" || name == "HTML" {
			continue // after these a list follows in any case
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := &withoutWatches{Source: cachetest.NewSource(), err: end}
				s := informerOf(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet})
				cachetest.Run(t, s.Run)
				time.Sleep(10 * time.Minute)
				var lag time.Duration
				for n := range 20 {
					obj, began := src.Set("a", "one", nil), time.Now()
					for cachedVersion(s) != obj.ResourceVersion {
						time.Sleep(100 * time.Millisecond)
						if time.Since(began) > time.Minute {
							t.Fatalf("change %d is not in the cache after a minute: %v", n, s.Status())
						}
						if now := s.Status(); now.Phase != status.Degraded || now.Verb != "watch" {
							t.Fatalf("watches fail with %v, and the status is %v, of %s", end, now, now.Verb)
						}
					}
					lag = max(lag, time.Since(began))
				}
				if lag > 50*time.Second {
					t.Errorf("a change was in the cache after %v", lag)
				}
				began := time.Now()
				before := len(src.Since(0))
				time.Sleep(10 * time.Minute)
				if n := len(src.Since(before)); n > 160 {
					t.Errorf("%d requests in ten minutes", n)
				}
				src.work.Store(true)
				for s.Status().Phase != status.Watching {
					time.Sleep(100 * time.Millisecond)
				}
				if took := time.Since(began) - 10*time.Minute; took > 32*time.Second {
					t.Errorf("follows %v after watches work again", took)
				}
				lists := src.Count("list")
				time.Sleep(time.Hour)
				if n := src.Count("list") - lists; n != 0 {
					t.Errorf("%d lists while the watch works", n)
				}
			})
		})
	}
}

// cachedVersion returns the version of the object a/one in the cache, or "".
func cachedVersion(s *SharedIndexInformer[object]) string {
	if obj, found := s.GetIndexer().Get(ObjectName{"a", "one"}); found {
		return obj.ResourceVersion
	}
	return ""
}

// TestOutageEndsWithoutAList: a server that is away, fails as a whole or asks to slow down gets no list when it is back.
func TestOutageEndsWithoutAList(t *testing.T) {
	for name, fail := range map[string]error{"refused": syscall.ECONNREFUSED, "500": cachetest.ErrInternal, "429": cachetest.ErrSlowDown, "cut": cachetest.ErrCut} {
		for _, lasts := range []time.Duration{2 * time.Second, 14 * time.Second, time.Minute, 10 * time.Minute} {
			t.Run(fmt.Sprintf("%s for %v", name, lasts), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					src := cachetest.NewSource()
					r, queue := follow(t, Config[object]{ListerWatcher: src})
					time.Sleep(time.Minute)
					cachetest.WantLines(t, take(t, queue), "Replaced 0")
					src.FailWith(func(cachetest.Request) error { return fail })
					src.EndWatches(cachetest.ErrCut)
					time.Sleep(lasts)
					src.FailWith(nil)
					src.Set("a", "one", nil)
					began := time.Now()
					limit := 8 * time.Second
					if name == "429" {
						limit = 17*time.Second + 17*time.Second/4
					}
					for queue.Len() == 0 && time.Since(began) <= limit {
						time.Sleep(50 * time.Millisecond)
					}
					cachetest.WantLines(t, take(t, queue), "Added a/one@101")
					time.Sleep(time.Minute)
					if s := r.Status(); s.Phase != status.Watching || s.Err != nil {
						t.Errorf("status is %v", s)
					}
				})
			})
		}
	}
}

// TestAnswerEndsTheBackoff: after a long outage, a 410 is an answer, and the list follows at once.
func TestAnswerEndsTheBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		r, queue := follow(t, Config[object]{ListerWatcher: src})
		time.Sleep(time.Minute)
		cachetest.WantLines(t, take(t, queue), "Replaced 0")
		src.FailWith(func(cachetest.Request) error { return cachetest.ErrInternal })
		src.EndWatches(cachetest.ErrCut)
		time.Sleep(10 * time.Minute)
		src.Set("a", "one", nil)
		src.Forget()
		src.FailWith(nil)
		time.Sleep(time.Until(r.Status().NextAttempt))
		cachetest.WantLines(t, take(t, queue), "Replaced 1") // in the moment of the next attempt
		if s := r.Status(); s.Phase != status.Watching {
			t.Errorf("status is %v", s)
		}
	})
}

// TestListsAfterFailingWatchesAreApart: a server that lists and then has forgotten the version is not listed in
// a frenzy, but never waits longer than the longest backoff for its next list.
func TestListsAfterFailingWatchesAreApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.OpenErr = cachetest.ErrGone
		follow(t, Config[object]{ListerWatcher: src})
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := src.Count("list"); n < 450 || n > 900 {
			t.Errorf("%d lists in an hour, want one in four to eight seconds", n)
		}
	})
}

// TestStreamWithPlainBookmarks has streaming lists whose bookmarks do not say that the initial events have ended, or
// whose proxy has dropped that. Now and then the version of the collection cannot be had.
func TestStreamWithPlainBookmarks(t *testing.T) {
	for name, version := range map[string]func(*cachetest.Source) string{
		"of the collection": func(s *cachetest.Source) string { return "" },
		"none":              func(*cachetest.Source) string { return "none" },
		"always the first":  func(*cachetest.Source) string { return "100" },
		"growing":           func(s *cachetest.Source) string { s.Bookmark(); return "" },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := &plainBookmarks{Source: cachetest.NewSource(), version: version}
				src.Streams, src.NoBookmark = true, true
				src.Set("a", "one", nil)
				src.Set("a", "two", nil)
				failed := false
				src.FailWith(func(r cachetest.Request) error {
					if r.Options.Limit == 1 && !failed {
						failed = true
						return cachetest.ErrSlowDown
					}
					return nil
				})
				queue := &deltafifo.Queue{}
				var heard []error
				r := reflectorOf(Config[object]{ListerWatcher: src, Resource: widgets, Settings: Settings{StreamingList: true}, WatchErrorHandler: func(_ context.Context, _ gvr, err error) { heard = append(heard, err) }}, queue)
				cachetest.Run(t, r.Run)
				time.Sleep(30 * time.Second)
				cachetest.WantLines(t, take(t, queue), "Replaced 2")
				synctest.Wait()
				if len(heard) != 1 || !errors.Is(heard[0], protocol.ErrNoBookmark) {
					t.Errorf("the errors are %v", heard)
				}
			})
		})
	}
}

// plainBookmarks sends a bookmark each three seconds.
type plainBookmarks struct {
	*cachetest.Source
	version func(*cachetest.Source) string
}

func (p *plainBookmarks) Watch(ctx context.Context, options metav1.ListOptions) (cachetest.EventStream[object], error) {
	stream, err := p.Source.Watch(ctx, options)
	if err != nil || options.SendInitialEvents == nil {
		return stream, err
	}
	return &plainBookmarkStream{stream, p}, nil
}

type plainBookmarkStream struct {
	cachetest.EventStream[object]
	source *plainBookmarks
}

func (p *plainBookmarkStream) Next(ctx context.Context, reuse []cachetest.Event[object]) ([]cachetest.Event[object], error) {
	waiting, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	batch, err := p.EventStream.Next(waiting, reuse)
	if waiting.Err() == nil || ctx.Err() != nil {
		return batch, err
	}
	version := p.source.version(p.source.Source)
	switch version {
	case "":
		p.source.Mu.Lock()
		defer p.source.Mu.Unlock()
		version = strconv.Itoa(p.source.Source.Version)
	case "none":
		version = ""
	}
	return append(batch, cachetest.Event[object]{Type: watch.Bookmark, ResourceVersion: version}), nil
}

// TestStreamThatEndsBeforeItsBookmark: the error does not say that the watch ended as soon as it was open.
func TestStreamThatEndsBeforeItsBookmark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Streams, src.NoBookmark = true, true
		src.Set("a", "one", nil)
		var heard error
		_, queue := follow(t, Config[object]{ListerWatcher: src, WatchErrorHandler: func(_ context.Context, _ gvr, err error) { heard = err }})
		time.Sleep(5 * time.Second)
		src.EndWatches(io.EOF)
		cachetest.WantLines(t, take(t, queue), "Replaced 1")
		if !errors.Is(heard, protocol.ErrStreamEnded) || reasonOf(heard) != status.NoBookmark || strings.Contains(heard.Error(), "as soon as") {
			t.Errorf("the error is %v", heard)
		}
	})
}

// TestServerThatKeepsFailing gets about ten requests a minute, however it fails.
func TestServerThatKeepsFailing(t *testing.T) {
	for name, fail := range map[string]error{
		"refused": syscall.ECONNREFUSED, "500": cachetest.ErrInternal, "429": apierrors.NewTooManyRequests("slow down", 0), "cut": cachetest.ErrCut,
		"HTML": &wire.SyntaxError{Near: "<html>"}, "400": apierrors.NewBadRequest("no"), "410": cachetest.ErrGone, "405": apierrors.NewMethodNotSupported(schema.GroupResource{}, "list"),
	} {
		for _, streams := range []bool{false, true} {
			for _, listed := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, streams=%t, listed=%t", name, streams, listed), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						src := cachetest.NewSource()
						src.Streams = streams
						if !listed {
							src.FailWith(func(cachetest.Request) error { return fail })
						}
						follow(t, Config[object]{ListerWatcher: src})
						time.Sleep(time.Minute)
						src.FailWith(func(cachetest.Request) error { return fail })
						src.EndWatches(cachetest.ErrCut)
						before := len(src.Since(0))
						time.Sleep(30 * time.Minute)
						n := len(src.Since(before)) / 30
						if n > 13 || n < 7 {
							t.Errorf("%d requests a minute, want about ten", n)
						}
					})
				})
			}
		}
	}
}
