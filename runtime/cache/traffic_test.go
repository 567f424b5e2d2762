package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/internal/human"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// trafficOf returns the lists, the relists and the failed requests of an informer in one line.
func trafficOf(s status.Stats) string {
	parts := []string{human.Plural(int(s.Lists), "list")}
	for _, cause := range slices.Sorted(maps.Keys(s.Relists)) {
		parts = append(parts, fmt.Sprintf("relist %s %d", cause, s.Relists[cause]))
	}
	for _, f := range s.Failures {
		parts = append(parts, fmt.Sprintf("%s %s %d", f.Verb, f.Reason, f.Count))
	}
	if s.DecodeFailures > 0 {
		parts = append(parts, fmt.Sprintf("undecodable %d", s.DecodeFailures))
	}
	return strings.Join(parts, ", ")
}

// failInTurn fails requests of a verb with these errors, one after the other. nil is no failure.
func failInTurn(verb string, errs ...error) func(cachetest.Request) error {
	return func(r cachetest.Request) error {
		if r.Verb != verb || len(errs) == 0 {
			return nil
		}
		err := errs[0]
		errs = errs[1:]
		return err
	}
}

// TestWaysIntoAList takes each way from an informer that watches to a list, and some that do not
// end there.
func TestWaysIntoAList(t *testing.T) {
	end := func(err error) func(*cachetest.Source) { return func(src *cachetest.Source) { src.EndWatches(err) } }
	undecodable := &wire.DecodeError{Name: "w", Err: errors.New("a bad state")}
	for name, test := range map[string]struct {
		streams bool
		// before is called before the first list, and after it do.
		before, do func(*cachetest.Source)
		want       string
	}{
		"the version has expired":            {do: end(cachetest.ErrGone), want: "2 lists, relist Expired 1, watch Expired 1"},
		"the resource is gone":               {do: end(cachetest.ErrNotFound), want: "2 lists, relist NotFound 1, watch NotFound 1"},
		"the watch is refused":               {do: end(apierrors.NewBadRequest("no")), want: "2 lists, relist Refused 1, watch Refused 1"},
		"the version is of the future":       {do: end(cachetest.ErrTooLarge()), want: "2 lists, relist ServerError 1, watch ServerError 1"},
		"an event cannot be decoded":         {do: end(undecodable), want: "2 lists, relist Decode 1, watch Decode 1, undecodable 1"},
		"the watch fails":                    {do: end(cachetest.ErrInternal), want: "1 list, watch ServerError 1"},
		"the right to watch is taken":        {do: end(cachetest.ErrForbidden), want: "1 list, watch Forbidden 1"},
		"the connection is cut without news": {do: end(cachetest.ErrCut), want: "1 list, watch Unreachable 1"},
		"the connection is cut after an event": {do: func(src *cachetest.Source) {
			src.Set("a", "w", nil)
			synctest.Wait()
			src.EndWatches(cachetest.ErrCut)
		}, want: "1 list"},
		"the watch ends early": {do: end(io.EOF), want: "1 list, watch ClosedEarly 1"},
		"the watch ends in good order": {do: func(src *cachetest.Source) {
			time.Sleep(11 * time.Second)
			src.EndWatches(io.EOF)
		}, want: "1 list"},
		"it has expired when the watch is opened": {do: func(src *cachetest.Source) {
			src.Set("a", "w", nil)
			synctest.Wait()
			src.FailWith(failInTurn("watch", cachetest.ErrGone))
			src.EndWatches(io.EOF)
		}, want: "2 lists, relist Expired 1, watch Expired 1"},
		"the first list fails": {before: func(src *cachetest.Source) {
			src.FailWith(failInTurn("list", cachetest.ErrForbidden, cachetest.ErrInternal, cachetest.ErrInternal))
		}, want: "1 list, list Forbidden 1, list ServerError 2"},
		"the relist fails for other reasons": {do: func(src *cachetest.Source) {
			src.FailWith(failInTurn("list", cachetest.ErrForbidden, cachetest.ErrNotFound, cachetest.ErrSlowDown))
			src.EndWatches(cachetest.ErrGone)
		}, want: "2 lists, relist Expired 1, list Forbidden 1, list NotFound 1, list TooManyRequests 1, watch Expired 1"},
		"a token expires": {do: func(src *cachetest.Source) {
			src.FailWith(failInTurn("list", cachetest.ErrCut, nil, cachetest.ErrGone))
			src.EndWatches(cachetest.ErrNotFound)
		}, want: "2 lists, relist NotFound 1, list Expired 1, list Unreachable 1, watch NotFound 1"},
		"twice": {do: func(src *cachetest.Source) {
			src.EndWatches(cachetest.ErrGone)
			time.Sleep(time.Minute)
			src.EndWatches(cachetest.ErrNotFound)
			time.Sleep(time.Minute)
			src.EndWatches(cachetest.ErrGone)
		}, want: "4 lists, relist Expired 2, relist NotFound 1, watch Expired 2, watch NotFound 1"},
		"a stream expires": {streams: true, do: end(cachetest.ErrGone), want: "2 lists, relist Expired 1, watch Expired 1"},
		"streams are refused": {before: func(src *cachetest.Source) { src.Streams = false }, streams: true, do: end(cachetest.ErrGone),
			want: "2 lists, relist Expired 1, watch Expired 1"},
		"a stream is refused later": {streams: true, do: func(src *cachetest.Source) {
			src.FailWith(failInTurn("watch", apierrors.NewBadRequest("no streams")))
			src.EndWatches(cachetest.ErrGone)
		}, want: "2 lists, relist Expired 1, watch Expired 1"},
		"a stream has no end": {streams: true, do: func(src *cachetest.Source) {
			src.Mu.Lock()
			src.NoBookmark = true
			src.Mu.Unlock()
			src.EndWatches(cachetest.ErrGone)
		}, want: "2 lists, relist Expired 1, watch Expired 1, watch NoBookmark 1"},
		"a stream ends before its bookmark": {streams: true, do: func(src *cachetest.Source) {
			src.FailWith(failInTurn("watch", io.EOF, cachetest.ErrInternal))
			src.EndWatches(cachetest.ErrGone)
		}, want: "2 lists, relist Expired 1, watch Expired 1, watch ServerError 1, watch Unreachable 1"},
		"the first stream fails": {streams: true, before: func(src *cachetest.Source) {
			src.FailWith(failInTurn("watch", cachetest.ErrForbidden))
		}, want: "1 list, watch Forbidden 1"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := cachetest.NewSource()
				src.Streams = test.streams
				for n := range 600 {
					src.Set("a", fmt.Sprint("w", n), nil)
				}
				if test.before != nil {
					test.before(src)
				}
				s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet,
					Settings: Settings{StreamingList: test.streams}}))
				cachetest.Run(t, s.Run)
				if test.do != nil {
					synctest.Wait()
					test.do(src)
				}
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				if got := trafficOf(inside(s).monitor.Stats()); got != test.want || s.Status().Phase != status.Watching {
					t.Errorf("got  %s\nwant %s\nof %v", got, test.want, s.Status())
				}
			})
		})
	}
}

// TestExpiredInALoop has a server that has forgotten each version at once.
func TestExpiredInALoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.OpenErr = cachetest.ErrGone
		s := start(t, Config[object]{ListerWatcher: src})
		time.Sleep(time.Hour)
		synctest.Wait()
		got := inside(s).monitor.Stats()
		if got.Lists < 100 || got.Lists != uint64(src.Count("list")) || got.Relists[status.Expired] < got.Lists-1 || got.Relists[status.Expired] > got.Lists {
			t.Errorf("%s, of %d requests", trafficOf(got), src.Count("list"))
		}
		if want := (status.FailureCount{Verb: "watch", Reason: status.Expired, Count: uint64(src.Count("watch"))}); len(got.Failures) != 1 || got.Failures[0] != want {
			t.Errorf("failures are %v, want %v", got.Failures, want)
		}
	})
}

// TestEventsAreCountedByType counts those of a watch, but not the initial events of a streaming list.
func TestEventsAreCountedByType(t *testing.T) {
	for _, streams := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			src := cachetest.NewSource()
			src.Streams = streams
			for n := range 10 {
				src.Set("a", fmt.Sprint("w", n), nil)
			}
			s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet,
				Settings: Settings{StreamingList: streams}}))
			cachetest.Run(t, s.Run)
			synctest.Wait()
			expect := func(added, updated, deleted, bookmarks uint64) {
				t.Helper()
				synctest.Wait()
				got := inside(s).monitor.Stats()
				if got.Added != added || got.Updated != updated || got.Deleted != deleted || got.Bookmarks != bookmarks {
					t.Errorf("streams %v: %d added, %d updated, %d deleted, %d bookmarks, want %d, %d, %d, %d", streams,
						got.Added, got.Updated, got.Deleted, got.Bookmarks, added, updated, deleted, bookmarks)
				}
			}
			expect(0, 0, 0, 0)
			for n := range 7 {
				src.Set("a", fmt.Sprint("new", n), nil)
			}
			for n := range 5 {
				src.Set("a", fmt.Sprint("w", n), nil)
			}
			for n := range 3 {
				src.Remove("a", fmt.Sprint("w", n))
			}
			expect(7, 5, 3, 0)
			src.Bookmark()
			src.Repeat("a", "new0") // the same state, and an earlier version
			expect(7, 6, 3, 2)
			src.EndWatches(cachetest.ErrGone)
			time.Sleep(time.Minute)
			expect(7, 6, 3, 2)
			src.Remove("a", "new0")
			expect(7, 6, 4, 2)
		})
	}
}

// TestEventsOfOtherScopes are not counted by a scope that leaves them out.
func TestEventsOfOtherScopes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, a := cachetest.NewSource(), cachetest.NewSource()
		kind := Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(namespace string) ListerWatcher[object] {
			return listWatchOf[object](map[string]*cachetest.Source{"": all, "a": a}[namespace])
		}}
		s, err := kind.NewInformer(WithScopes(disjoint([]string{"", "a"})...), WithWatchErrorHandler(quiet))
		if err != nil {
			t.Fatal(err)
		}
		cachetest.Run(t, s.Run)
		synctest.Wait()
		a.Set("a", "w", nil)
		all.Set("a", "w", nil) // of a server that ignores field selectors
		all.Set("b", "w", nil)
		synctest.Wait()
		if got := inside(s).monitor.Stats(); got.Added != 2 || got.Lists != 2 || len(got.Relists) > 0 {
			t.Errorf("%d added, %s", got.Added, trafficOf(got))
		}
		all.EndWatches(cachetest.ErrGone)
		a.FailWith(failInTurn("list", cachetest.ErrForbidden))
		a.EndWatches(cachetest.ErrNotFound)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got, want := trafficOf(inside(s).monitor.Stats()), "4 lists, relist Expired 1, relist NotFound 1, list Forbidden 1, watch Expired 1, watch NotFound 1"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// TestStalenessOfAWatch follows a watch that speaks, is silent, fails and is replaced.
func TestStalenessOfAWatch(t *testing.T) {
	for _, streams := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			src := cachetest.NewSource()
			src.Streams = streams
			src.Set("a", "w", nil)
			src.FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
			s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet,
				Settings: Settings{StreamingList: streams, Backoffs: map[Reason]Backoff{"": {Max: time.Second}, status.Forbidden: {Max: time.Second}}}}))
			expect := func(when string, want time.Duration) {
				t.Helper()
				synctest.Wait()
				if got := inside(s).monitor.Stats().Staleness; got < want-min(want, 2*time.Second) || got > want+2*time.Second {
					t.Errorf("streams %v, %s: stale for %v, want %v", streams, when, got, want)
				}
			}
			expect("before Run", 0)
			cachetest.Run(t, s.Run)
			time.Sleep(time.Minute)
			expect("before the first list", 0)
			src.FailWith(nil)
			time.Sleep(2 * time.Second)
			expect("after the list", 0)
			time.Sleep(time.Minute)
			expect("of a silent watch", time.Minute)
			src.Set("a", "w", nil)
			expect("after an event", 0)
			time.Sleep(time.Minute)
			src.Bookmark()
			expect("after a bookmark", 0)
			time.Sleep(time.Minute)
			src.Repeat("b", "")
			expect("after an earlier bookmark", 0)
			time.Sleep(time.Second)
			src.FailWith(func(cachetest.Request) error { return cachetest.ErrInternal })
			src.EndWatches(cachetest.ErrInternal)
			time.Sleep(time.Hour)
			expect("while Degraded", time.Hour)
			src.FailWith(func(r cachetest.Request) error {
				if r.Verb == "list" || r.Options.SendInitialEvents != nil {
					return cachetest.ErrInternal
				}
				return cachetest.ErrGone
			})
			time.Sleep(time.Hour)
			expect("while the relist fails", 2*time.Hour)
			src.FailWith(nil)
			time.Sleep(2 * time.Second)
			expect("after the relist", 0)
		})
	}
}

// TestStalenessOfScopes is that of the worst.
func TestStalenessOfScopes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sources := map[string]*cachetest.Source{"a": cachetest.NewSource(), "b": cachetest.NewSource(), "c": cachetest.NewSource()}
		kind := Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(namespace string) ListerWatcher[object] { return listWatchOf[object](sources[namespace]) }}
		s, err := kind.NewInformer(WithNamespaces("a", "b", "c"), WithWatchErrorHandler(quiet))
		if err != nil {
			t.Fatal(err)
		}
		sources["c"].FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		cachetest.Run(t, s.Run)
		synctest.Wait()
		time.Sleep(time.Minute)
		sources["a"].Bookmark()
		synctest.Wait()
		time.Sleep(time.Second)
		if got := inside(s).monitor.Stats().Staleness; got != time.Minute+time.Second {
			t.Errorf("stale for %v", got)
		}
		if now := s.Status(); now.Verb != "list" || now.Reason != status.Forbidden {
			t.Errorf("the verb is %q, in %v", now.Verb, now)
		}
		sources["b"].Bookmark()
		synctest.Wait()
		if got := inside(s).monitor.Stats().Staleness; got != time.Second {
			t.Errorf("stale for %v", got)
		}
	})
}

// liar is a source whose watches send the same events again and again.
type liar struct {
	*cachetest.Source
	events []cachetest.Event[object]
}

func (l *liar) Watch(context.Context, metav1.ListOptions) (cachetest.EventStream[object], error) {
	return l, nil
}

func (l *liar) Next(ctx context.Context, reuse []cachetest.Event[object]) ([]cachetest.Event[object], error) {
	select {
	case <-ctx.Done():
		return reuse[:0], ctx.Err()
	case <-time.After(time.Second):
		return append(reuse[:0], l.events...), nil
	}
}

func (l *liar) Stop() {}

// TestCountsOfLyingServers has servers that repeat a bookmark, or that send events without a version.
func TestCountsOfLyingServers(t *testing.T) {
	for name, event := range map[string]cachetest.Event[object]{
		"the same bookmark":         {Type: watch.Bookmark, ResourceVersion: "101"},
		"a bookmark without one":    {Type: watch.Bookmark},
		"events without a version":  {Type: watch.Modified, Item: cachetest.ItemOf(cachetest.Versioned("w", "", "", "x"))},
		"the end of initial events": {Type: watch.Bookmark, ResourceVersion: "101", InitialEventsEnd: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := &liar{cachetest.NewSource(), []cachetest.Event[object]{event, event}}
				s := informerOf(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet})
				cachetest.Run(t, s.Run)
				time.Sleep(100*time.Second + time.Second/2)
				got := inside(s).monitor.Stats()
				if got.Updated+got.Bookmarks != 200 || (got.Updated > 0) != (event.Type == watch.Modified) || got.Staleness != time.Second/2 || got.Lists != 1 {
					t.Errorf("%d updates and %d bookmarks, stale for %v, %s", got.Updated, got.Bookmarks, got.Staleness, trafficOf(got))
				}
			})
		})
	}
}

// TestDecodeFailuresAreCountedOnce skips states, or fails.
func TestDecodeFailuresAreCountedOnce(t *testing.T) {
	for _, skip := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var reported atomic.Int64
			server := &script{t: t, list: listOf(9, state("good", 1, `{}`), state("bad", 2, `{"x":1}`))}
			s := informerOf(Config[object]{
				Open: server.open, Resource: widgets, Settings: Settings{Decode: wire.Options{SkipUndecodable: skip}},
				WatchErrorHandler: func(_ context.Context, _ gvr, err error) {
					if reasonOf(err) == status.Decode {
						reported.Add(1)
					}
				},
			})
			cachetest.Run(t, s.Run)
			time.Sleep(4 * time.Minute)
			synctest.Wait()
			if skip {
				for range 3 { // the same state, and another one
					server.send("MODIFIED", state("bad", 10, `{"x":1}`))
				}
				server.send("ERROR", `{"kind":"Status","status":"Failure","code":410,"reason":"Expired"}`)
				time.Sleep(time.Minute)
			}
			got, want := inside(s).monitor.Stats(), uint64(reported.Load())
			if got.DecodeFailures != want || want < 3 || skip && want != 3 {
				t.Errorf("skip %v: %d failures to decode, %d were reported", skip, got.DecodeFailures, want)
			}
			if n := len(got.Failures); skip && (n != 1 || got.Updated != 3) || !skip && (n != 1 || got.Failures[0] != (status.FailureCount{Verb: "list", Reason: status.Decode, Count: want})) {
				t.Errorf("skip %v: %d updates, %s", skip, got.Updated, trafficOf(got))
			}
		})
	}
}

// TestBytesAreCountedAsRead compares the count with what the server has sent, over a list, a
// watch and a relist.
func TestBytesAreCountedAsRead(t *testing.T) {
	if cachetest.ServesProtobuf() {
		t.Skip("unstructured objects are JSON")
	}
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		for n := range 1000 {
			src.Set("a", fmt.Sprint("w", n), nil)
		}
		var sent atomic.Int64
		open := func(ctx context.Context, options metav1.ListOptions, _ string) (io.ReadCloser, error) {
			body, err := cachetest.OpenerOf(src)(ctx, options, "application/vnd.kubernetes.protobuf;any,application/json")
			if err != nil {
				return nil, err
			}
			return &stats.Body{ReadCloser: body, Bytes: &sent}, nil
		}
		s, err := Kind[Object]{Resource: widgets, Namespaced: true, Object: &metav1.PartialObjectMetadata{}, Open: func(string) bodies.OpenFunc { return open }}.NewInformer()
		if err != nil {
			t.Fatal(err)
		}
		cachetest.Run(t, s.Run)
		last := int64(0)
		for i, change := range []func(){
			func() {},
			func() { src.Set("a", "w1", nil) },
			src.Bookmark,
			func() { src.Set("a", "w1", nil) },
			func() { src.EndWatches(cachetest.ErrGone) },
		} {
			change()
			time.Sleep(time.Minute)
			synctest.Wait()
			got, want := inside(s).monitor.Stats().BytesRead, sent.Load()
			if got != want || got <= last {
				t.Errorf("step %d: %d bytes, after %d; want %d", i, got, last, want)
			}
			last = got
		}
		if inside(s).monitor.Stats().Lists != 2 || last < 2*1000*50 {
			t.Errorf("%d bytes in %s", last, trafficOf(inside(s).monitor.Stats()))
		}
	})
}

// TestVerbOfTheFailedRequest is set and cleared with the error.
func TestVerbOfTheFailedRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		s := start(t, Config[object]{ListerWatcher: src})
		expect := func(want string) {
			t.Helper()
			time.Sleep(time.Minute)
			synctest.Wait()
			if status := s.Status(); status.Verb != want || (status.Err != nil) != (want != "") {
				t.Errorf("the verb is %q, want %q; %v", status.Verb, want, status)
			}
		}
		expect("list")
		src.FailWith(func(r cachetest.Request) error {
			if r.Verb == "watch" {
				return cachetest.ErrForbidden
			}
			return nil
		})
		expect("watch")
		src.FailWith(nil)
		expect("")
		src.FailWith(func(cachetest.Request) error { return cachetest.ErrInternal })
		src.EndWatches(cachetest.ErrGone)
		expect("list")
		s.Stop()
		expect("list") // the last error stays
	})
}

// TestTransformFailuresHaveAVerb although no request has failed.
func TestTransformFailuresHaveAVerb(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "w", nil)
		var fails atomic.Bool
		s := start(t, Config[object]{ListerWatcher: src, Transform: func(obj object) (object, error) {
			if fails.Load() {
				return nil, errors.New("no")
			}
			return obj, nil
		}})
		synctest.Wait()
		fails.Store(true)
		src.Set("a", "w", nil)
		synctest.Wait()
		if now := s.Status(); now.Verb != "watch" || now.Reason != status.Decode {
			t.Errorf("the verb is %q, in %v", now.Verb, now)
		}
		time.Sleep(time.Minute)
		if now := s.Status(); now.Verb != "list" || now.Reason != status.Decode {
			t.Errorf("the verb is %q, in %v", now.Verb, now)
		}
		if got := inside(s).monitor.Stats(); got.DecodeFailures != 0 || got.Relists[status.Decode] != 1 || got.Updated != 0 {
			t.Errorf("%d updates, %s", got.Updated, trafficOf(got))
		}
	})
}

// TestStalenessDuringAStreamingList does not count initial events: the cache does not show them yet.
func TestStalenessDuringAStreamingList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Streams = true
		for n := range 10 {
			src.Set("a", fmt.Sprint("w", n), nil)
		}
		setBookmark := func(sent bool) {
			src.Mu.Lock()
			defer src.Mu.Unlock()
			src.NoBookmark = !sent
		}
		setBookmark(false)
		s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet, Settings: Settings{StreamingList: true}}))
		cachetest.Run(t, s.Run)
		time.Sleep(5 * time.Second)
		if got := inside(s).monitor.Stats(); got.Staleness != 0 || got.Lists != 0 || got.Added != 0 {
			t.Errorf("stale for %v before the first list, %d added", got.Staleness, got.Added)
		}
		setBookmark(true)
		src.EndWatches(cachetest.ErrInternal)
		time.Sleep(time.Minute)
		src.Bookmark()
		synctest.Wait()
		setBookmark(false)
		src.EndWatches(cachetest.ErrGone)
		time.Sleep(5 * time.Second)
		if got := inside(s).monitor.Stats(); got.Staleness != 5*time.Second || got.Lists != 1 {
			t.Errorf("stale for %v, %s", got.Staleness, trafficOf(got))
		}
	})
}
