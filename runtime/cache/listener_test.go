package cache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// TestSincePanic has a handler that panics a minute after the first list, and again later. The
// status is Degraded since the first panic, and not since the watch began.
func TestSincePanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		s := start(t, Config[object]{ListerWatcher: src, Settings: Settings{HandlerPanicRecovery: true}})
		if _, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) { panic("never") }}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		time.Sleep(time.Minute)
		first := time.Now()
		for _, name := range []string{"a", "b"} {
			src.Set("ns", name, nil)
			synctest.Wait()
			if now := s.Status(); now.Reason != status.HandlerPanic || !now.Since.Equal(first) {
				t.Errorf("after %s: %s since %s, want HandlerPanic since %s", name, now.Reason, now.Since, first)
			}
			time.Sleep(time.Minute)
		}
	})
}

func TestHandlerContinuesAfterPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		for _, name := range []string{"a", "b", "c"} {
			src.Set("ns", name, nil)
		}
		s := start(t, Config[object]{ListerWatcher: src, Settings: Settings{HandlerPanicRecovery: true}})
		heard := &cachetest.Recorder{}
		var calm []object
		reg, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{
			AddFunc: func(obj object, initial bool) {
				if obj.Name == "b" {
					panic("no b please")
				}
				heard.OnAdd(obj, initial)
			},
			UpdateFunc: func(_, obj object) { calm = append(calm, obj) },
		}, WithHandlerName("picky"))
		if err != nil {
			t.Fatal(err)
		}
		other, _ := listen(t, s)
		<-reg.Synced() // in spite of the panic
		synctest.Wait()
		if n := len(heard.Drain()); n != 2 || reg.Backlog() != 0 {
			t.Errorf("the handler got %d other events, its backlog is %d", n, reg.Backlog())
		}
		if n := len(other.Drain()); n != 3 {
			t.Errorf("another handler got %d events", n)
		}
		now := s.Status()
		var panicked *status.HandlerPanicError
		if now.Phase != status.Degraded || now.Reason != status.HandlerPanic || !errors.As(now.Err, &panicked) ||
			panicked.Error() != "handler picky panicked on ns/b: no b please" || !strings.Contains(string(panicked.Stack), "listener_test.go") {
			t.Errorf("status is %+v", now)
		}
		src.Set("ns", "b", nil)
		synctest.Wait()
		if len(calm) != 1 {
			t.Error("the handler did not go on")
		}
		if err := s.RemoveEventHandler(reg); err != nil {
			t.Fatal(err)
		}
		if now := s.Status(); now.Phase != status.Watching || now.Err != nil {
			t.Errorf("without the handler the status is %+v", now)
		}
	})
}

// TestHandlerThatPanicsEndsTheProgram runs itself as a program.
func TestHandlerThatPanicsEndsTheProgram(t *testing.T) {
	if os.Getenv("PANIC_IN_HANDLER") == "" {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		program := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestHandlerThatPanicsEndsTheProgram$")
		program.Env = append(os.Environ(), "PANIC_IN_HANDLER=yes")
		output, err := program.CombinedOutput()
		if ctx.Err() != nil || err == nil {
			t.Fatalf("the program ended with %v:\n%s", err, output)
		}
		for _, want := range []string{"handler picky panicked on a/w: no such field", "listener_test.go", `resource="widgets.test.example.com"`} {
			if !strings.Contains(string(output), want) {
				t.Errorf("the program does not say %q:\n%s", want, output)
			}
		}
		return
	}
	src := cachetest.NewSource()
	src.Set("a", "w", nil)
	s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets}))
	_, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) { panic("no such field") }}, WithHandlerName("picky"))
	if err != nil {
		t.Fatal(err)
	}
	s.Run(context.Background())
}

func TestBacklogLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		s := start(t, Config[object]{ListerWatcher: src, Indexers: Indexers[object]{"letters": cachetest.ByLetters}})
		h := &historian{t: t, known: map[ObjectName]object{}}
		release := make(chan struct{})
		calls := 0
		var err error
		h.registration, err = s.AddEventHandler(FilteringResourceEventHandler[object]{
			FilterFunc: func(object) bool { <-release; calls++; return true },
			Handler:    h,
		}, WithBacklogLimit(50))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for n := range 5000 {
			name := fmt.Sprint(n % 20)
			if _, exists := src.Objects[ObjectName{"a", name}]; exists && n%7 == 0 {
				src.Remove("a", name)
			} else {
				src.Set("a", name, nil)
			}
			synctest.Wait()
			if backlog := h.registration.Backlog(); backlog > 101 {
				t.Fatalf("%d events wait, with a limit of 50 and 20 objects", backlog)
			}
		}
		close(release)
		synctest.Wait()
		checkTruth(t, s, map[string]*cachetest.Source{"": src}, []*historian{h})
		if calls > 300 {
			t.Errorf("%d calls for 20 objects", calls)
		}
	})
}

// FuzzCoalesce plays a legal history, coalesced at random steps, to a handler and
// to one behind a filter: both end up with the truth.
func FuzzCoalesce(f *testing.F) {
	f.Add([]byte{1, 2, 3, 0x81, 1, 0x41, 0x81, 1, 0x41, 0x42, 0xff})
	f.Add([]byte{1, 0x81, 1, 0x81, 1, 1, 1, 0x81, 0x40, 1})
	f.Add([]byte{0x31, 1, 0x81, 0x22, 0x32, 0x12, 2, 0xa2})
	f.Fuzz(func(t *testing.T, script []byte) {
		truth, heard, shown := map[ObjectName]object{}, map[ObjectName]object{}, map[ObjectName]object{}
		accepts := func(obj object) bool { return obj.Labels != nil }
		filter := FilteringResourceEventHandler[object]{FilterFunc: accepts, Handler: ResourceEventHandlerFuncs[object]{
			AddFunc: func(obj object, _ bool) {
				cachetest.Hear(t, shown, processor.Notification{Kind: processor.Add, Obj: obj})
			},
			UpdateFunc: func(old, obj object) {
				cachetest.Hear(t, shown, processor.Notification{Kind: processor.Update, Old: old, Obj: obj})
			},
			DeleteFunc: func(obj object, _ bool) {
				cachetest.Hear(t, shown, processor.Notification{Kind: processor.Delete, Obj: obj})
			},
		}}
		deliver := erasedHandler[object](filter).deliver
		tell := func(notes []processor.Notification) {
			for i := range notes {
				cachetest.Hear(t, heard, notes[i])
				deliver(&notes[i])
			}
		}
		var pending []processor.Batch
		for i, step := range script {
			name := fmt.Sprint(step & 7)
			old := truth[ObjectName{Name: name}]
			now := cachetest.Versioned(name, fmt.Sprint(i), "", "")
			if now.Labels = nil; step&0x10 != 0 {
				now.Labels = map[string]string{"accepted": "yes"}
			}
			switch {
			case old == nil:
				now.UID = types.UID(fmt.Sprint(i))
				pending = append(pending, processor.Batch{Notes: []processor.Notification{{Kind: processor.Add, Obj: now}}})
				truth[ObjectName{Name: name}] = now
			case step&0x80 != 0:
				pending = append(pending, processor.Batch{Notes: []processor.Notification{{Kind: processor.Delete, Old: old, Obj: now}}})
				delete(truth, ObjectName{Name: name})
			default:
				now.UID = old.UID
				pending = append(pending, processor.Batch{Notes: []processor.Notification{{Kind: processor.Update, Old: old, Obj: now}}})
				truth[ObjectName{Name: name}] = now
			}
			if step&0x40 != 0 {
				pending = []processor.Batch{{Notes: processor.Coalesce(pending)}}
			}
			if step&0x20 != 0 { // the handler catches up
				tell(processor.Coalesce(pending))
				pending = nil
			}
		}
		notes := processor.Coalesce(pending)
		if len(notes) > 16 {
			t.Errorf("%d notifications are left for 8 objects", len(notes))
		}
		tell(notes)
		if fmt.Sprint(heard) != fmt.Sprint(truth) {
			t.Errorf("the handler got %v, the truth is %v", heard, truth)
		}
		maps.DeleteFunc(truth, func(_ ObjectName, obj object) bool { return !accepts(obj) })
		if fmt.Sprint(shown) != fmt.Sprint(truth) {
			t.Errorf("the filter has shown %v, the truth is %v", shown, truth)
		}
	})
}

func TestStopEndsOneInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, asked := cachetest.NewSource(), []string{}
		src.Set("a", "w", nil)
		f := NewSharedInformerFactory(0)
		defer f.Shutdown()
		first := InformerFor(f, kindOf(src, &asked))
		other := kindOf(src, &asked)
		other.Resource.Resource = "others"
		stays := InformerFor(f, other)
		f.Start(t.Context())
		if err := f.WaitForCacheSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		first.Stop()
		first.Stop()
		synctest.Wait()
		if first.Status().Phase != status.Stopped || stays.Status().Phase != status.Watching || src.Open != 1 {
			t.Errorf("the informers are %v and %v, %d watches are open", first.Status(), stays.Status(), src.Open)
		}
		second := InformerFor(f, kindOf(src, &asked))
		if second == first {
			t.Fatal("the factory hands out an informer that was stopped")
		}
		heard, _ := listen(t, second)
		f.Start(t.Context())
		if err := f.WaitForCacheSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		cachetest.WantLines(t, heard.Drain(), "add a/w@101 initial=true")
		never := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets}))
		never.Stop()
		never.Run(t.Context())
		if never.Status().Phase != status.Stopped {
			t.Errorf("an informer that was stopped before it ran is %v", never.Status())
		}
	})
}

// TestFirstListsAreLimited starts a hundred informers of a server that takes a
// second for a list, and whose streaming lists may fail.
func TestFirstListsAreLimited(t *testing.T) {
	for name, options := range map[string][]SharedInformerOption{"lists": nil, "streams that fail": {WithStreamingList(), WithWatchErrorHandler(quiet)}} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { firstListsAreLimited(t, options) }) })
	}
}

func firstListsAreLimited(t *testing.T, options []SharedInformerOption) {
	f := NewSharedInformerFactory(0, options...)
	defer f.Shutdown()
	var asked []string
	var mu sync.Mutex
	busy, most := 0, 0
	count := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		busy += n
		most = max(most, busy)
	}
	src := cachetest.NewSource()
	src.FailWith(func(r cachetest.Request) error {
		if r.Options.SendInitialEvents != nil {
			return cachetest.ErrInternal
		}
		if r.Verb == "list" {
			count(1)
			time.Sleep(time.Second)
			count(-1)
		}
		return nil
	})
	for n := range 100 {
		kind := kindOf(src, &asked)
		kind.Resource.Resource = fmt.Sprint("kind", n)
		InformerFor(f, kind)
	}
	began := time.Now()
	f.Start(t.Context())
	if err := f.WaitForCacheSync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if most > maxFirstLists || time.Since(began) != 10*time.Second {
		t.Errorf("%d first lists at one time, all done after %v", most, time.Since(began))
	}
}
