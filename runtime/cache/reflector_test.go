package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/reflector"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// follow runs a Reflector over src in a bubble, and returns what it pushes.
func follow(t *testing.T, config Config[object]) (*storeReflector, *deltafifo.Queue) {
	t.Helper()
	config.Resource = widgets
	config.StreamingList = canStream(config)
	if config.WatchErrorHandler == nil {
		config.WatchErrorHandler = quiet
	}
	queue := &deltafifo.Queue{}
	r := reflectorOf(via(config), queue)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-done })
	return r, queue
}

// canStream reports whether a Reflector requests a streaming list from the source of config.
func canStream(config Config[object]) bool {
	src, ok := config.ListerWatcher.(*cachetest.Source)
	return ok && src.Streams
}

// take returns what is in the queue once everything has come to rest.
func take(t *testing.T, queue *deltafifo.Queue) []string {
	t.Helper()
	synctest.Wait()
	if queue.Len() == 0 {
		return nil
	}
	var batch deltafifo.Batch
	if err := queue.Pop(t.Context(), &batch); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, d := range batch.Deltas {
		if d.Type == deltafifo.Replaced {
			lines = append(lines, fmt.Sprintf("Replaced %d", len(d.Collection.Items)))
			continue
		}
		lines = append(lines, fmt.Sprintf("%s %s@%s", d.Type, MetaObjectToName(d.Object), d.Object.GetResourceVersion()))
	}
	return lines
}

// refuseWhole fails lists in one piece.
func refuseWhole(err error) func(cachetest.Request) error {
	return func(r cachetest.Request) error {
		if r.Verb == "list" && r.Options.Limit == 0 && r.Options.Continue == "" {
			return err
		}
		return nil
	}
}

// TestReflectorListsInOnePiece also lists after failures that no size explains.
func TestReflectorListsInOnePiece(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		for n := range 1234 {
			src.Set("a", fmt.Sprintf("w%04d", n), nil)
		}
		src.FailWith(refuseWhole(cachetest.ErrForbidden))
		_, queue := follow(t, Config[object]{ListerWatcher: src})
		synctest.Wait()
		src.FailWith(nil)
		time.Sleep(time.Minute)
		cachetest.WantLines(t, take(t, queue), "Replaced 1234")
		if got := src.Count("list"); got != 2 {
			t.Errorf("%d list requests, want one that is forbidden and one for all objects", got)
		}
		if options := src.Last("list"); options.Limit != 0 || options.ResourceVersion != "" {
			t.Errorf("the list is asked for with %+v, want the newest version in one piece", options)
		}
	})
}

// TestReflectorStaysWithPages relists a collection that the server cannot send in one piece.
func TestReflectorStaysWithPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		for n := range 600 {
			src.Set("a", fmt.Sprintf("w%04d", n), nil)
		}
		src.FailWith(refuseWhole(cachetest.ErrCut))
		_, queue := follow(t, Config[object]{ListerWatcher: src})
		lists := 0
		for i, want := range []int{3, 3, 2, 2} {
			time.Sleep(time.Minute)
			cachetest.WantLines(t, take(t, queue), "Replaced 600")
			if got := src.Count("list") - lists; got != want {
				t.Errorf("list %d takes %d requests, want %d", i, got, want)
			}
			lists = src.Count("list")
			src.EndWatches(cachetest.ErrGone)
		}
	})
}

func TestReflectorListsInPagesAndWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		for n := range 1234 {
			src.Set("a", fmt.Sprintf("w%04d", n), nil)
		}
		src.FailWith(refuseWhole(cachetest.ErrInternal))
		r, queue := follow(t, Config[object]{ListerWatcher: src})
		time.Sleep(5 * time.Second)
		cachetest.WantLines(t, take(t, queue), "Replaced 1234")
		if got := src.Count("list"); got != 1+3 {
			t.Errorf("%d list requests for 1234 objects in pages of 500, want 3 after the one that failed", got)
		}
		if got := src.Last("watch").ResourceVersion; got != "1334" {
			t.Errorf("the watch starts at %s, want the version of the list, 1334", got)
		}
		if seconds := src.Last("watch").TimeoutSeconds; seconds == nil || *seconds < 300 || *seconds > 600 {
			t.Errorf("the watch asks for %v seconds, want 5 to 10 minutes", seconds)
		}
		if version := r.Status().ResourceVersion; version != "1334" {
			t.Errorf("the status is at version %s after the list", version)
		}
		src.Set("a", "w0001", nil)
		src.Set("b", "new", nil)
		src.Remove("a", "w0002")
		cachetest.WantLines(t, take(t, queue), "Updated a/w0001@1335", "Added b/new@1336", "Deleted a/w0002@1337")
		if s := r.Status(); s.Phase != status.Watching || s.ResourceVersion != "1337" || s.Err != nil {
			t.Errorf("status is %+v", s)
		}
	})
}

func TestReflectorResumesWithoutAList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "w", nil)
		_, queue := follow(t, Config[object]{ListerWatcher: src})
		cachetest.WantLines(t, take(t, queue), "Replaced 1")
		src.Bookmark()
		time.Sleep(protocol.ShortWatch)
		src.EndWatches(io.EOF)
		synctest.Wait()
		if got := src.Last("watch").ResourceVersion; got != "102" {
			t.Errorf("the second watch starts at %s, want the bookmark, 102", got)
		}
		src.EndWatches(io.ErrUnexpectedEOF)
		src.Set("a", "w", nil) // while no watch is open
		time.Sleep(10 * time.Second)
		cachetest.WantLines(t, take(t, queue), "Updated a/w@103")
		if lists := src.Count("list"); lists != 1 {
			t.Errorf("%d lists, want only the first one", lists)
		}
	})
}

func TestReflectorListsAgainAfterGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "w", nil)
		_, queue := follow(t, Config[object]{ListerWatcher: src})
		cachetest.WantLines(t, take(t, queue), "Replaced 1")
		src.FailWith(func(r cachetest.Request) error {
			if r.Verb == "watch" {
				return io.ErrUnexpectedEOF
			}
			return nil
		})
		src.EndWatches(io.EOF)
		synctest.Wait()
		src.Set("a", "second", nil)
		src.Forget()
		src.FailWith(nil)
		time.Sleep(time.Minute)
		cachetest.WantLines(t, take(t, queue), "Replaced 2")
		src.Set("a", "third", nil)
		cachetest.WantLines(t, take(t, queue), "Added a/third@103")
	})
}

func TestReflectorRestartsAListWhoseTokenExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		for n := range 600 {
			src.Set("a", fmt.Sprintf("w%04d", n), nil)
		}
		src.FailWith(func(r cachetest.Request) error {
			if r.Options.Continue != "" {
				src.Set("b", "new", nil)
				src.Forget()
			} else if src.Count("list") == 1 {
				return cachetest.ErrInternal // so that it is read in pages
			}
			return nil
		})
		_, queue := follow(t, Config[object]{ListerWatcher: src})
		time.Sleep(10 * time.Second)
		cachetest.WantLines(t, take(t, queue), "Replaced 601")
		if limit := src.Last("list").Limit; limit != 0 {
			t.Errorf("the last attempt asks for pages of %d, want the collection in one piece", limit)
		}
		if lists := src.Count("list"); lists != 4 {
			t.Errorf("%d lists, want one piece, two pages, and one piece", lists)
		}
	})
}

func TestReflectorReportsErrorsAndRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		var heard []error
		r, queue := follow(t, Config[object]{ListerWatcher: src, WatchErrorHandler: func(_ context.Context, resource gvr, err error) {
			if resource != widgets {
				t.Errorf("the error handler gets %v", resource)
			}
			heard = append(heard, err)
		}})
		started := time.Now()
		synctest.Wait()
		s := r.Status()
		if s.Phase != status.Degraded || s.Reason != status.Forbidden || !errors.Is(s.Err, cachetest.ErrForbidden) || !s.Since.Equal(started) {
			t.Errorf("status is %+v, want degraded since the start because it is forbidden", s)
		}
		time.Sleep(20 * time.Minute)
		synctest.Wait()
		if n := src.Count("list"); n > 80 { // the waits are random, 22.5 s on average
			t.Errorf("%d lists in 20 minutes without the right to list: that is a siege", n)
		}
		if len(heard) != src.Count("list") {
			t.Errorf("the error handler heard of %d of %d failures", len(heard), src.Count("list"))
		}
		src.FailWith(nil)
		time.Sleep(2 * time.Minute)
		cachetest.WantLines(t, take(t, queue), "Replaced 0")
		if s := r.Status(); s.Phase != status.Watching || s.Err != nil || s.Reason != "" {
			t.Errorf("status after recovery is %+v", s)
		}
	})
}

func TestReflectorGivesUpASilentWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Silent = true
		r, queue := follow(t, Config[object]{ListerWatcher: src})
		cachetest.WantLines(t, take(t, queue), "Replaced 0")
		time.Sleep(time.Hour)
		if s := r.Status(); s.Err == nil && s.Phase != status.Watching || s.Err != nil && !errors.Is(s.Err, protocol.ErrSilent) {
			t.Errorf("status is %+v", s)
		}
		if n := src.Count("watch"); n < 5 || n > 13 {
			t.Errorf("%d watches in an hour of silence, want one every 5 to 10 minutes", n)
		}
		if src.Count("list") != 1 {
			t.Error("a silent watch led to a list")
		}
	})
}

func TestReflectorNamesTheObjectThatDoesNotTransform(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "good", nil)
		var broken atomic.Bool
		broken.Store(true)
		transform := func(obj object) (object, error) {
			if obj.Name == "bad" && broken.Load() {
				return nil, errors.New("no annotation")
			}
			obj.ManagedFields = nil
			return obj, nil
		}
		r, queue := follow(t, Config[object]{ListerWatcher: src, Transform: transform})
		cachetest.WantLines(t, take(t, queue), "Replaced 1")
		src.Set("a", "before", nil)
		src.Set("a", "bad", nil)
		src.Set("a", "after", nil)
		cachetest.WantLines(t, take(t, queue), "Added a/before@102")
		s := r.Status()
		want := "watch: widgets.test.example.com a/bad: transform: no annotation"
		if s.Phase != status.Degraded || s.Reason != status.Decode || s.Err.Error() != want {
			t.Errorf("status is %+v\nwant the error %q", s, want)
		}
		broken.Store(false)
		time.Sleep(time.Minute)
		cachetest.WantLines(t, take(t, queue), "Replaced 4")
	})
}

func TestReflectorStopsWhileItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.FailWith(func(cachetest.Request) error { return cachetest.ErrInternal })
		r := reflectorOf(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet}), &deltafifo.Queue{})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); r.Run(ctx) }()
		time.Sleep(5 * time.Minute)
		started := time.Now()
		cancel()
		<-done
		if waited := time.Since(started); waited > 0 {
			t.Errorf("Run returned %v after its context ended", waited)
		}
		if s := r.Status(); s.Phase != status.Stopped {
			t.Errorf("status is %+v", s)
		}
	})
}

func TestReflectorAppliesTheTransformToEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "w", nil)
		_, queue := follow(t, Config[object]{ListerWatcher: src, Transform: func(obj object) (object, error) {
			changed := obj.DeepCopy()
			changed.GenerateName = "seen"
			return changed, nil
		}})
		synctest.Wait()
		var batch deltafifo.Batch
		if err := queue.Pop(t.Context(), &batch); err != nil {
			t.Fatal(err)
		}
		if batch.Deltas[0].Collection.Items[0].Object.(object).GenerateName != "seen" {
			t.Errorf("listed is %v", batch.Deltas[0].Collection.Items[0].Object)
		}
		src.Set("a", "w", nil)
		src.Remove("a", "w")
		synctest.Wait()
		if err := queue.Pop(t.Context(), &batch); err != nil || len(batch.Deltas) != 2 {
			t.Fatal(batch, err)
		}
		for _, d := range batch.Deltas {
			if d.Object.(object).GenerateName != "seen" {
				t.Errorf("%v is of %v", d.Type, d.Object)
			}
		}
	})
}

// TestReflectorLimitsItsRequests meets servers whose watches end at once, some with
// an event that leads nowhere.
func TestReflectorLimitsItsRequests(t *testing.T) {
	for name, end := range map[string]error{"in good order": io.EOF, "cut": io.ErrUnexpectedEOF, "gone": cachetest.ErrGone} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := cachetest.NewSource()
				src.OpenWith = []cachetest.Event[object]{{Type: watch.Bookmark, ResourceVersion: "100"}}
				src.OpenErr = end
				r, _ := follow(t, Config[object]{ListerWatcher: src})
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				if watches, lists := src.Count("watch"), src.Count("list"); watches > 120 || lists > 120 {
					t.Errorf("%d watches and %d lists in 10 minutes", watches, lists)
				}
				if end != cachetest.ErrGone { // which lists in between
					if s := r.Status(); s.Phase != status.Degraded || time.Since(s.Since) < 9*time.Minute {
						t.Errorf("status is %v since %v, want degraded for 10 minutes", s, time.Since(s.Since))
					}
				}
			})
		})
	}
}

func TestReflectorEndsTheWatchFailureGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		r, _ := follow(t, Config[object]{ListerWatcher: src})
		synctest.Wait()
		src.EndWatches(cachetest.ErrInternal)
		time.Sleep(600 * time.Millisecond)
		synctest.Wait()
		if s := r.Status(); s.Phase != status.Degraded || src.Count("watch") != 2 {
			t.Errorf("after %d watches the status is %v, want degraded until the second has lasted", src.Count("watch"), s)
		}
		time.Sleep(protocol.ShortWatch)
		synctest.Wait()
		if s := r.Status(); s.Phase != status.Watching || s.Err != nil {
			t.Errorf("status is %v after a watch has lasted", s)
		}
		src.EndWatches(cachetest.ErrInternal)
		time.Sleep(600 * time.Millisecond)
		src.Set("a", "w", nil)
		synctest.Wait()
		if s := r.Status(); s.Phase != status.Watching {
			t.Errorf("status is %v after an event", s)
		}
	})
}

func TestReflectorCountsALongWatchAsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		failures := 0
		_, _ = follow(t, Config[object]{ListerWatcher: src, WatchErrorHandler: func(context.Context, gvr, error) { failures++ }})
		time.Sleep(protocol.LongWatch + time.Second)
		src.EndWatches(io.EOF)
		synctest.Wait()
		if failures != 0 || src.Count("watch") != 2 {
			t.Errorf("%d failures and %d watches after a quiet watch has ended", failures, src.Count("watch"))
		}
	})
}

func TestReflectorStreamsTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Streams = true
		for n := range 10 {
			src.Set("a", fmt.Sprint(n), nil)
		}
		r, queue := follow(t, Config[object]{ListerWatcher: src})
		cachetest.WantLines(t, take(t, queue), "Replaced 10")
		if s := r.Status(); s.Phase != status.Watching || s.ResourceVersion != "110" {
			t.Errorf("status is %+v", s)
		}
		src.Set("a", "new", nil)
		cachetest.WantLines(t, take(t, queue), "Added a/new@111")
		time.Sleep(protocol.ShortWatch)
		src.EndWatches(io.EOF)
		src.Remove("a", "new")
		cachetest.WantLines(t, take(t, queue), "Deleted a/new@112")
		if src.Count("list") != 0 || src.Count("watch") != 2 {
			t.Errorf("%d lists and %d watches, want a stream and the watch after it", src.Count("list"), src.Count("watch"))
		}
	})
}

func TestReflectorListsIfStreamsAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "w", nil)
		queue := &deltafifo.Queue{}
		r := reflectorOf(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: func(_ context.Context, _ gvr, err error) {
			t.Errorf("an error is reported: %v", err)
		}}, queue)
		cachetest.Run(t, r.Run)
		cachetest.WantLines(t, take(t, queue), "Replaced 1")
		if s := r.Status(); s.Phase != status.Watching || s.Err != nil {
			t.Errorf("status is %+v", s)
		}
	})
}

func TestReflectorListsWithoutABookmark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Streams, src.NoBookmark = true, true
		src.Set("a", "w", nil)
		r, queue := follow(t, Config[object]{ListerWatcher: src})
		time.Sleep(reflector.StallTimeout / 2)
		cachetest.WantLines(t, take(t, queue))
		if s := r.Status(); s.Phase != status.Listing {
			t.Errorf("status is %+v", s)
		}
		time.Sleep(reflector.StallTimeout)
		cachetest.WantLines(t, take(t, queue), "Replaced 1")
		if s := r.Status(); s.Phase != status.Watching || src.Count("watch") != 2 || src.Count("list") != 1 {
			t.Errorf("status is %+v after %d watches and %d lists", s, src.Count("watch"), src.Count("list"))
		}
		if src.Open != 1 {
			t.Errorf("%d watches are open", src.Open)
		}
		src.EndWatches(cachetest.ErrGone)
		time.Sleep(time.Minute)
		if src.Count("list") != 2 || src.Count("watch") != 4 {
			t.Errorf("%d watches and %d lists, want the next list to be tried as a stream again", src.Count("watch"), src.Count("list"))
		}
	})
}

func TestReflectorGivesUpAListThatStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &stubborn{}
		var heard error
		began := time.Now()
		var after time.Duration
		r := reflectorOf(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: func(_ context.Context, _ gvr, err error) {
			heard, after = err, time.Since(began)
		}}, &deltafifo.Queue{})
		cachetest.Run(t, r.Run)
		time.Sleep(reflector.ListTimeout + 2*time.Second)
		synctest.Wait()
		if !errors.Is(heard, protocol.ErrListStalled) || after > reflector.ListTimeout+time.Second {
			t.Errorf("after %v: %v", after, heard)
		}
	})
}

// TestReflectorWaitsWhileAStreamIsOpened has a server that makes a client wait
// before it opens the stream, as client-go does on a 429.
func TestReflectorWaitsWhileAStreamIsOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Streams = true
		src.FailWith(func(cachetest.Request) error { time.Sleep(2 * reflector.StallTimeout); return nil })
		_, queue := follow(t, Config[object]{ListerWatcher: src})
		time.Sleep(3 * reflector.StallTimeout)
		cachetest.WantLines(t, take(t, queue), "Replaced 0")
		if src.Count("list") != 0 {
			t.Error("it did not wait for the stream")
		}
	})
}

// versionedStore records the version that its Reflector has during each call.
type versionedStore struct {
	of    *Reflector[object]
	lines []string
}

func (s *versionedStore) note(what string) {
	s.lines = append(s.lines, fmt.Sprintf("%s at %q", what, s.of.LastSyncResourceVersion()))
}

func (s *versionedStore) Replace([]object) { s.note("replace") }
func (s *versionedStore) Add(object)       { s.note("add") }
func (s *versionedStore) Update(object)    { s.note("update") }
func (s *versionedStore) Delete(object)    { s.note("delete") }

// TestReflectorReachesAVersionAfterItsStore: a caller that reads the version finds all changes up to it in the store.
func TestReflectorReachesAVersionAfterItsStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, to := cachetest.NewSource(), &versionedStore{}
		src.Set("a", "one", nil)
		kind := Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(string) ListerWatcher[object] { return listWatchOf[object](src) }}
		r, err := NewReflector(kind, to, WithWatchErrorHandler(quiet))
		if err != nil {
			t.Fatal(err)
		}
		to.of = r
		stop := cachetest.Run(t, r.Run)
		synctest.Wait()
		src.Set("a", "two", nil)
		synctest.Wait()
		src.Set("a", "one", nil)
		synctest.Wait()
		src.Remove("a", "two")
		synctest.Wait()
		stop()
		cachetest.WantLines(t, to.lines, `replace at ""`, `add at "101"`, `update at "102"`, `delete at "103"`)
		if got := r.LastSyncResourceVersion(); got != "104" {
			t.Errorf("in the end the store has version %s", got)
		}
	})
}

// TestVersionIsThereBeforeTheList reads the version of a scope as soon as its list can be applied.
func TestVersionIsThereBeforeTheList(t *testing.T) {
	s := informerOf(via(Config[object]{ListerWatcher: cachetest.NewSource(), Resource: widgets}))
	defer s.Stop()
	c := inside(s)
	r := c.set.reflectors()[0]
	for n := 1; n <= 20_000 && !t.Failed(); n++ {
		version := fmt.Sprint(n)
		var popping sync.WaitGroup
		popping.Go(func() {
			var batch deltafifo.Batch
			if err := c.core.Queue.Pop(t.Context(), &batch); err != nil {
				t.Error(err)
			}
			if got := r.Status().ResourceVersion; got != version {
				t.Errorf("the list of version %s can be applied, the version is %q", version, got)
			}
		})
		r.wanted.Listed(&deltafifo.Collection{IsFirst: n == 1, Version: version}, frontier.Position{Version: version})
		popping.Wait()
	}
}
