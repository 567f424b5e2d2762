package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// relists records the calls of a RelistHandler.
type relists struct {
	mu  sync.Mutex
	all []Relist
	// during is called by each call.
	during func()
}

func (r *relists) handle(_ context.Context, relist Relist) {
	r.mu.Lock()
	r.all = append(r.all, relist)
	r.mu.Unlock()
	if r.during != nil {
		r.during()
	}
}

func (r *relists) take() []Relist {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.all
	r.all = nil
	return all
}

// inLine returns a relist in one line, with the time from each moment to the next one.
func inLine(r Relist) string {
	line := "first"
	if r.Cause != "" {
		line = string(r.Cause)
	}
	if r.Namespace != "" {
		line += " in " + r.Namespace
	}
	if r.Streamed {
		line += " streamed"
	}
	line += fmt.Sprintf(" pages %d objects %d", r.Pages, r.Objects)
	last := r.Began
	for _, at := range []time.Time{r.Answered, r.Decoded, r.Applied} {
		if at.IsZero() {
			line += " -"
			continue
		}
		line += " " + at.Sub(last).String()
		last = at
	}
	var handlers []string
	for _, h := range r.Handlers {
		done := "never"
		if !h.Done.IsZero() {
			done = h.Done.Sub(r.Applied).String()
		}
		handlers = append(handlers, fmt.Sprintf(" %s %d %s", h.Name, h.Events, done))
	}
	slices.Sort(handlers)
	line += strings.Join(handlers, "")
	if r.Dropped > 0 {
		line += fmt.Sprintf(" after %d", r.Dropped)
	}
	if r.Err != nil {
		line += " " + string(r.Reason)
	}
	if r.Ended.Before(last) {
		line += " ended before"
	}
	return line
}

func (r *relists) want(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, relist := range r.take() {
		got = append(got, inLine(relist))
	}
	slices.Sort(got) // a list without events is reported before one that handlers still have
	slices.Sort(want)
	wantLines(t, got, want...)
}

// pace is a handler that needs this long for each call.
func pace(each time.Duration) ResourceEventHandlerFuncs[object] {
	return ResourceEventHandlerFuncs[object]{
		AddFunc:    func(object, bool) { time.Sleep(each) },
		UpdateFunc: func(_, _ object) { time.Sleep(each) },
		DeleteFunc: func(object, bool) { time.Sleep(each) },
	}
}

// reported returns an informer of src whose lists are recorded, and whose requests take a
// second.
func reported(t *testing.T, src *source, streams bool) (*SharedIndexInformer[object], *relists) {
	t.Helper()
	heard := &relists{}
	src.streams = streams
	if src.fail == nil {
		src.failWith(func(request) error { time.Sleep(time.Second); return nil })
	}
	s := NewSharedIndexInformer(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet, RelistHandler: heard.handle,
		Settings: Settings{WithoutStreamingList: !streams, StreamingList: streams, HandlerPanicRecovery: true}}))
	return s, heard
}

func addHandler(t *testing.T, s *SharedIndexInformer[object], name string, handler ResourceEventHandler[object], options ...HandlerOption) ResourceEventHandlerRegistration {
	t.Helper()
	reg, err := s.AddEventHandler(handler, append(options, WithHandlerName(name))...)
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

func TestRelistsAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		for n := range 10 {
			src.set("a", fmt.Sprint("w", n), nil)
		}
		s, heard := reported(t, src, false)
		addHandler(t, s, "fast", pace(0))
		addHandler(t, s, "slow", pace(time.Second))
		run(t, s.Run)
		time.Sleep(10 * time.Second)
		heard.want(t) // the slow one is not done
		time.Sleep(time.Minute)
		all := heard.take()
		if len(all) != 1 || inLine(all[0]) != "first pages 1 objects 10 1s 0s 0s fast 10 0s slow 10 10s" || all[0].Resource != widgets || all[0].Name != "widgets.test.example.com" {
			t.Errorf("%+v", all)
		}
		src.endWatches(errGone) // nothing has changed
		time.Sleep(time.Minute)
		heard.want(t, "Expired pages 1 objects 10 1s 0s 0s")

		src.endWatches(errNotFound)
		synctest.Wait()
		src.set("a", "w1", nil)
		src.remove("a", "w2")
		time.Sleep(time.Minute)
		heard.want(t, "NotFound pages 1 objects 9 1s 0s 0s fast 2 0s slow 2 2s")
	})
}

func TestStreamsAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		for n := range 10 {
			src.set("a", fmt.Sprint("w", n), nil)
		}
		s, heard := reported(t, src, true)
		addHandler(t, s, "h", pace(time.Second))
		run(t, s.Run)
		time.Sleep(time.Minute)
		heard.want(t, "first streamed pages 0 objects 10 1s 0s 0s h 10 10s")
		src.mu.Lock()
		src.noBookmark = true
		src.mu.Unlock()
		src.endWatches(errGone)
		time.Sleep(time.Minute)
		heard.want(t, "Expired streamed pages 0 objects 0 1s - - NoBookmark", "Expired pages 1 objects 10 1s 0s 0s")
	})
}

// TestRefusedStreamsAreNotReported because each list would be two of them.
func TestRefusedStreamsAreNotReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		s, heard := reported(t, src, true)
		src.streams = false
		run(t, s.Run)
		time.Sleep(time.Minute)
		heard.want(t, "first pages 1 objects 0 1s 0s 0s")
	})
}

// TestPagesAreReportedAsOneList also after a page that failed, but not after one that expired.
func TestPagesAreReportedAsOneList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		for n := range 1100 {
			src.set("a", fmt.Sprint("w", n), nil)
		}
		fail := failInTurn("list", errCut, nil, errInternal, nil, nil)
		src.failWith(func(r request) error { time.Sleep(time.Second); return fail(r) })
		s, heard := reported(t, src, false)
		run(t, s.Run)
		time.Sleep(time.Minute)
		all := heard.take()
		if len(all) != 2 || inLine(all[0]) != "first pages 0 objects 0 - - - Unreachable" || all[1].Pages != 3 || all[1].Objects != 1100 || all[1].Err != nil {
			t.Errorf("%+v", all)
		}
		if last := all[len(all)-1]; last.Answered.Sub(last.Began) != time.Second || last.Decoded.Sub(last.Began) < 4*time.Second {
			t.Errorf("%v", inLine(last))
		}
		fail = failInTurn("list", errCut, nil, errGone)
		src.endWatches(errGone)
		time.Sleep(time.Minute)
		heard.want(t, "Expired pages 0 objects 0 - - - Unreachable", "Expired pages 1 objects 0 1s - - Expired", "Expired pages 1 objects 1100 1s 0s 0s")
	})
}

func TestFailedListsAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		src.failWith(failInTurn("list", errForbidden, errNotFound))
		s, heard := reported(t, src, false)
		run(t, s.Run)
		time.Sleep(time.Minute)
		heard.want(t, "first pages 0 objects 0 - - - Forbidden", "first pages 0 objects 0 - - - NotFound", "first pages 1 objects 0 0s 0s 0s")
		src.failWith(failInTurn("list", errForbidden))
		src.endWatches(errGone)
		time.Sleep(time.Minute)
		heard.want(t, "Expired pages 0 objects 0 - - - Forbidden", "Expired pages 1 objects 0 0s 0s 0s")
	})
}

func TestRelistsOfScopesAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sources := map[string]*source{"a": newSource(), "b": newSource()}
		for namespace, src := range sources {
			src.set(namespace, "w", nil)
		}
		heard := &relists{}
		kind := Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(namespace string) ListerWatcher[object] { return sources[namespace] }}
		s, err := kind.NewInformer(WithNamespaces("a", "b"), WithoutStreamingList(), WithWatchErrorHandler(quiet), WithRelistHandler(heard.handle))
		if err != nil {
			t.Fatal(err)
		}
		addHandler(t, s, "h", pace(0))
		sources["b"].failWith(failInTurn("list", errForbidden))
		run(t, s.Run)
		synctest.Wait()
		all := heard.take()
		slices.SortFunc(all, func(a, b Relist) int { return strings.Compare(a.Namespace, b.Namespace) })
		if len(all) != 2 || inLine(all[0]) != "first in a pages 1 objects 1 0s 0s 0s h 1 0s" || inLine(all[1]) != "first in b pages 0 objects 0 - - - Forbidden" ||
			all[0].Name != "widgets.test.example.com in namespace a" {
			t.Errorf("%+v", all)
		}
		time.Sleep(time.Minute)
		heard.want(t, "first in b pages 1 objects 1 0s 0s 0s h 1 0s")
		sources["a"].endWatches(errGone)
		time.Sleep(time.Minute)
		heard.want(t, "Expired in a pages 1 objects 1 0s 0s 0s")
	})
}

// TestRelistsByFormAreReported once for each list that was not interrupted.
func TestRelistsByFormAreReported(t *testing.T) {
	if servesProtobuf() {
		t.Skip("unstructured objects are JSON")
	}
	synctest.Test(t, func(t *testing.T) {
		src, heard := newSource(), &relists{}
		src.set("a", "one", nil)
		s := followForm(t, &gadget{}, map[string]*source{"": src}, WithRelistHandler(heard.handle))
		synctest.Wait()
		first := heard.take()
		if len(first) != 1 || first[0].Bytes != s.stats().BytesRead || first[0].Bytes == 0 {
			t.Errorf("%+v, after %d bytes", first, s.stats().BytesRead)
		}
		src.failWith(func(r request) error {
			if r.verb == "list" {
				time.Sleep(time.Second)
			}
			return nil
		})
		for _, unstructured := range []bool{true, false} {
			if _, err := s.SetForm(&gadget{}, unstructured); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second / 2)
		}
		time.Sleep(time.Minute)
		heard.want(t, "FormChanged pages 1 objects 1 1s 0s 0s")
	})
}

// TestHungHandlersDelayTheReport until they are removed or the informer stops.
func TestHungHandlersDelayTheReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, hang := newSource(), make(chan struct{})
		src.set("a", "w", nil)
		src.set("a", "v", nil)
		s, heard := reported(t, src, false)
		stuck := ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) { <-hang }}
		first, _ := addHandler(t, s, "first", stuck), addHandler(t, s, "second", stuck)
		addHandler(t, s, "third", pace(0))
		stop := run(t, s.Run)
		time.Sleep(time.Hour)
		heard.want(t)
		if err := s.RemoveEventHandler(first); err != nil {
			t.Error(err)
		}
		heard.want(t)
		time.AfterFunc(time.Minute, func() { close(hang) })
		stop()
		heard.want(t, "first pages 1 objects 2 1s 0s 0s first 2 never second 2 never third 2 0s")
	})
}

// TestStoppedListsAreNotReported has an informer that stops while it lists.
func TestStoppedListsAreNotReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, heard := reported(t, newSource(), false)
		stop := run(t, s.Run)
		time.Sleep(time.Second / 2)
		stop()
		heard.want(t)
	})
}

// TestReportHasTheEventsOfTheList and not those of the same batch.
func TestReportHasTheEventsOfTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		src.set("a", "w", nil)
		s, heard := reported(t, src, false)
		h := &recorder{}
		addHandler(t, s, "h", h)
		run(t, s.Run)
		time.Sleep(time.Minute)
		heard.want(t, "first pages 1 objects 1 1s 0s 0s h 1 0s")
		h.drain()
		r := s.controller.reflectors()[0]
		list := func(objs ...object) Delta[object] {
			report := r.newReport(Expired)
			report.Request(false)
			report.Decoded(len(objs))
			return Delta[object]{Type: Replaced, Collection: &Collection[object]{Items: itemsOf(objs...), report: report}}
		}
		state := func(name string, n int) object {
			obj := version(name, fmt.Sprint(n), "u", "")
			obj.Namespace = "a"
			return obj
		}
		change := func(kind DeltaType, obj object) Delta[object] { return Delta[object]{Type: kind, Item: itemOf(obj)} }
		r.queue.Push([]Delta[object]{
			change(Added, state("x", 500)), change(Added, state("y", 501)),
			list(state("x", 502), state("y", 503)),
			list(state("x", 502), state("y", 503)),
			change(Updated, state("x", 504)),
			list(state("x", 504)),
			change(Deleted, state("x", 505)),
		})
		heard.want(t, "Expired pages 0 objects 2 - 0s 0s h 3 0s", "Expired pages 0 objects 2 - 0s 0s", "Expired pages 0 objects 1 - 0s 0s h 1 0s")
		lines := h.drain()
		slices.Sort(lines[2:5])
		wantLines(t, lines, "add a/x@500 initial=false", "add a/y@501 initial=false",
			"delete a/w@101 unknown=true", "update a/x@500->502", "update a/y@501->503",
			"update a/x@502->504", "delete a/y@503 unknown=true", "delete a/x@505 unknown=false")
	})
}

// TestMergedEventsEndTheReport has a handler whose events of two lists are merged.
func TestMergedEventsEndTheReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		for n := range 20 {
			src.set("a", fmt.Sprint("w", n), nil)
		}
		s, heard := reported(t, src, false)
		addHandler(t, s, "h", pace(time.Minute), WithBacklogLimit(1))
		run(t, s.Run)
		time.Sleep(10 * time.Second)
		for range 5 {
			src.failWith(failInTurn("watch", errGone))
			src.endWatches(errGone)
			for n := range 20 {
				src.set("a", fmt.Sprint("w", n), nil)
			}
			time.Sleep(2 * time.Minute)
		}
		time.Sleep(24 * time.Hour)
		all := heard.take()
		if len(all) < 6 {
			t.Fatalf("%d relists", len(all))
		}
		for i, r := range all {
			if r.Err != nil || len(r.Handlers) > 1 {
				t.Errorf("%d: %s", i, inLine(r))
			}
			for _, h := range r.Handlers {
				if h.Done.Before(r.Applied) || h.Events == 0 {
					t.Errorf("%d: %s", i, inLine(r))
				}
			}
		}
	})
}

// TestBlockedRelistHandler blocks for an hour, while the server has forgotten each version.
func TestBlockedRelistHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		src.openErr = errGone
		s, heard := reported(t, src, false)
		var once sync.Once
		heard.during = func() { once.Do(func() { time.Sleep(time.Hour) }) }
		stop := run(t, s.Run)
		time.Sleep(time.Hour - time.Second)
		if lists := s.stats().Lists; lists < 90 {
			t.Errorf("the informer waits: %d lists", lists)
		}
		time.Sleep(time.Second)
		stop()
		all, dropped := heard.take(), 0
		for _, r := range all {
			dropped += r.Dropped
		}
		lists := int(s.stats().Lists)
		if n := len(all); n+dropped > lists || n+dropped < lists-1 || n < 40 || n > 60 || all[0].Dropped != 0 { // errors take the rest of the queue
			t.Errorf("%d of %d relists are reported, %d were dropped", n, lists, dropped)
		}
	})
}

// TestRelistHandlerThatPanics is reported as a hook.
func TestRelistHandlerThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, log := newSource(), &lineLog{}
		s, heard := reported(t, src, false)
		heard.during = func() { panic("no") }
		run(t, func(ctx context.Context) { s.Run(logTo(ctx, log)) })
		time.Sleep(time.Minute)
		src.endWatches(errGone)
		time.Sleep(time.Minute)
		heard.want(t, "first pages 1 objects 0 1s 0s 0s", "Expired pages 1 objects 0 1s 0s 0s")
		if text := fmt.Sprint(log.lines); strings.Count(text, "RelistHandler") < 2 || !strings.Contains(text, "A hook panicked") {
			t.Errorf("the log has %s", text)
		}
		if status := s.Status(); status.Phase != Watching {
			t.Errorf("%v", status)
		}
	})
}

// TestRelistsWithoutASharedInformer are those of an informer with one handler, of a Controller, and of a
// Reflector alone.
func TestRelistsWithoutASharedInformer(t *testing.T) {
	for name, test := range map[string]struct {
		run  func(Config[object]) func(context.Context)
		want []string
	}{
		"NewInformer": {func(config Config[object]) func(context.Context) {
			_, c := NewInformer(config, pace(time.Second))
			return c.Run
		}, []string{"first pages 1 objects 2 0s 0s 0s cache.ResourceEventHandlerFuncs[*k8s.io/apimachinery/pkg/apis/meta/v1.PartialObjectMetadata] 2 2s", "Expired pages 1 objects 2 0s 0s 0s"}},
		"NewController": {func(config Config[object]) func(context.Context) {
			return NewController(config, func(context.Context, Deltas[object]) { time.Sleep(time.Second) }).Run
		}, []string{"first pages 1 objects 2 0s 0s 1s", "Expired pages 1 objects 2 0s 0s 1s"}},
		"NewReflector": {func(config Config[object]) func(context.Context) {
			return NewReflector(config, &DeltaFIFO[object]{}).Run
		}, []string{"first pages 1 objects 2 0s 0s -", "Expired pages 1 objects 2 0s 0s -"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src, heard := newSource(), &relists{}
				src.set("a", "v", nil)
				src.set("a", "w", nil)
				run(t, test.run(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet, RelistHandler: heard.handle, Settings: Settings{WithoutStreamingList: true}})))
				time.Sleep(time.Minute)
				src.endWatches(errGone)
				time.Sleep(time.Minute)
				heard.want(t, test.want...)
			})
		})
	}
}

// TestStoppedHandlerOfAController ends while its handler has events to go.
func TestStoppedHandlerOfAController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, heard := newSource(), &relists{}
		src.set("a", "v", nil)
		src.set("a", "w", nil)
		handler := struct {
			ResourceEventHandlerFuncs[object]
		}{pace(time.Minute)}
		_, c := NewInformer(via(Config[object]{ListerWatcher: src, Resource: widgets, RelistHandler: heard.handle, Settings: Settings{WithoutStreamingList: true}}), &handler)
		stop := run(t, c.Run)
		time.Sleep(time.Second)
		stop()
		if all := heard.take(); len(all) != 1 || len(all[0].Handlers) != 1 || !all[0].Handlers[0].Done.IsZero() {
			t.Errorf("%+v", all)
		}
	})
}

// TestNothingIsKeptWithoutARelistHandler looks at what a list leaves behind.
func TestNothingIsKeptWithoutARelistHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		src.set("a", "w", nil)
		s := start(t, Config[object]{ListerWatcher: src})
		synctest.Wait()
		r := s.controller.reflectors()[0]
		if r.partial != nil || r.newReport("") != nil {
			t.Error("there is a report")
		}
		if n := testing.AllocsPerRun(100, func() {
			r.report().Request(false)
			r.report().ReadPage()
			r.report().Fail(errGone)
			r.report().Decoded(1)
			if r.report().Applied(1) != nil {
				t.Error("there is a delivery")
			}
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// TestRelistsWhileHandlersComeAndGo looks for races.
func TestRelistsWhileHandlersComeAndGo(t *testing.T) {
	src, heard := newSource(), &relists{}
	for n := range 50 {
		src.set("a", fmt.Sprint("w", n), nil)
	}
	config := via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet, RelistHandler: heard.handle,
		Settings: Settings{WithoutStreamingList: true, Backoffs: map[Reason]Backoff{"": {Initial: time.Microsecond, Max: time.Microsecond}}}})
	s := NewSharedIndexInformer(config)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { s.Run(ctx) })
	var changes sync.WaitGroup
	for i := range 4 {
		changes.Go(func() {
			for n := range 20 {
				reg, err := s.AddEventHandler(pace(time.Duration(n)*time.Microsecond), WithBacklogLimit(i*10))
				if err != nil && !errors.Is(err, ErrStopped) {
					t.Error(err)
					return
				}
				src.set("a", fmt.Sprint("w", n), nil)
				src.endWatches(errGone)
				_ = s.stats()
				if n%2 == 0 {
					_ = s.RemoveEventHandler(reg)
				}
			}
		})
	}
	changes.Wait()
	cancel()
	all.Wait()
	heard.mu.Lock()
	defer heard.mu.Unlock()
	reported := uint64(0)
	for _, r := range heard.all {
		if r.Err == nil {
			reported += 1 + uint64(r.Dropped)
		}
	}
	if lists := s.stats().Lists; reported > lists || lists-reported > 1 { // the last one may not be applied
		t.Errorf("%d of %d lists are reported", reported, lists)
	}
}
