package shard

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// TestHandlerGetsWhatIsOwned plays events of objects of two slots, which are taken, opened and lost.
func TestHandlerGetsWhatIsOwned(t *testing.T) {
	o := options("pod-a")
	o.Slots, o.Key = 2, sharding.Owner
	c, err := New(noClient{}, o)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	note := func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) }
	h := newOwnedHandler(c, cache.ResourceEventHandler[object](cache.ResourceEventHandlerFuncs[object]{
		AddFunc:    func(obj object, initial bool) { note("add %s%s %v", obj.Name, obj.ResourceVersion, initial) },
		UpdateFunc: func(from, to object) { note("update %s%s to %s", from.Name, from.ResourceVersion, to.ResourceVersion) },
		DeleteFunc: func(obj object, unknown bool) { note("delete %s%s %v", obj.Name, obj.ResourceVersion, unknown) },
	}))
	uids := map[int]types.UID{}
	for i := 0; len(uids) < 2; i++ {
		uid := types.UID(fmt.Sprintf("%d-a-uid", i*7919))
		uids[c.slots.of(&metav1.ObjectMeta{UID: uid})] = uid
	}
	in := func(slot int, name, version string) object {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, UID: uids[slot], ResourceVersion: version}}
	}
	want := func(what string, lines ...string) {
		t.Helper()
		if !slices.Equal(got, lines) {
			t.Errorf("%s: got %q, want %q", what, got, lines)
		}
		got = nil
	}

	h.OnAdd(in(0, "x", "1"), true)
	h.OnUpdate(in(0, "x", "1"), in(0, "x", "2"))
	h.OnDelete(in(0, "x", "2"), false)
	want("events of a foreign slot")

	c.holds[0].Store(7)
	h.OnAdd(in(0, "a", "1"), true)
	h.OnUpdate(in(0, "a", "1"), in(0, "a", "2"))
	h.OnAdd(in(0, "b", "1"), true)
	h.OnDelete(in(0, "b", "1"), true)
	h.OnAdd(in(1, "c", "1"), true)
	want("events of a slot whose objects are not all cached")
	h.openNow([]uint64{7, 0})
	want("the slot is opened", "add a2 true")
	h.openNow([]uint64{7, 0})
	want("the slot is opened again")
	h.OnUpdate(in(0, "a", "2"), in(0, "a", "3"))
	h.OnAdd(in(0, "d", "1"), false)
	h.OnDelete(in(0, "d", "1"), true)
	want("events of an open slot", "update a2 to 3", "add d1 false", "delete d1 true")

	// With the key Owner, an object moves when it gets a controller.
	h.OnUpdate(in(0, "a", "3"), in(1, "a", "4"))
	want("an object moves to a foreign slot", "delete a3 true")
	h.OnDelete(in(1, "a", "4"), true)
	want("the caches drop it")
	h.OnUpdate(in(1, "a", "4"), in(0, "a", "5"))
	want("it comes back", "add a5 false")

	c.holds[1].Store(8)
	h.OnUpdate(in(0, "a", "5"), in(1, "a", "6"))
	want("it moves to a slot that is not open")
	h.openNow([]uint64{7, 8})
	want("that slot is opened", "add a6 true")
	h.OnUpdate(in(1, "a", "6"), in(0, "a", "7"))
	want("it moves between open slots", "update a6 to 7")

	c.holds[0].Store(0)
	h.OnDelete(in(0, "a", "7"), false)
	want("the slot is lost, and the informer drops its objects")
	c.holds[0].Store(9)
	h.OnAdd(in(0, "a", "8"), true)
	want("the slot is taken back")
	c.holds[0].Store(0)
	h.openNow([]uint64{0, 8})
	want("and lost before it was opened")
	if len(h.waiting) > 0 {
		t.Errorf("the handler keeps %v", h.waiting)
	}
}

// TestHandlerThatHangs opens slots with a handler that never returns from OnAdd. The slots are opened for Begin and
// the other handlers, and the error of Run names the handler.
func TestHandlerThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t, 100)
		p := g.prepare(options("pod-a"))
		release := make(chan struct{})
		defer sync.OnceFunc(func() { close(release) })()
		var calls atomic.Int32
		hangs := cache.ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) { calls.Add(1); <-release }}
		own := g.collection.inform()
		if err := p.Follow(own); err != nil {
			t.Fatal(err)
		}
		if _, err := AddEventHandler[object](p.Coordinator, own, hangs); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(quiet(t.Context()))
		defer stop()
		go func() {
			defer close(p.done)
			p.err = p.Run(ctx)
		}()
		time.Sleep(30 * time.Second)
		g.settled("pod-a")
		if calls.Load() != 1 {
			t.Errorf("the handler was called %d times, want once", calls.Load())
		}
		g.start(options("pod-b"))
		time.Sleep(30 * time.Second)
		g.settled("pod-a", "pod-b")
		g.end("pod-b")
		time.Sleep(30 * time.Second)
		g.settled("pod-a") // further slots are opened
		stop()
		begin := time.Now()
		<-p.done
		if d := time.Since(begin); d < 30*time.Second || d > 40*time.Second {
			t.Errorf("Run returned after %v, want after DrainTimeout", d)
		}
		want := "the handler recorder of the informer of *v1.PartialObjectMetadata has not returned from OnAdd of default/object-"
		if p.err == nil || !strings.Contains(p.err.Error(), want) {
			t.Errorf("Run returned %v, want %q", p.err, want)
		}
	})
}

// TestPanicOfHandler lets a handler panic and exit in OnAdd. The informer gets that, and the next objects are told.
func TestPanicOfHandler(t *testing.T) {
	c, err := New(noClient{}, options("pod-a"))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var calls int
	h := newOwnedHandler(c, cache.ResourceEventHandler[object](cache.ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) {
		mu.Lock()
		calls++
		now := calls
		mu.Unlock()
		switch now {
		case 1:
			panic("broken")
		case 2:
			runtime.Goexit()
		}
	}}))
	told := &failures{synced: closed}
	var r cache.ResourceEventHandlerRegistration = told
	h.registered.Store(&r)
	holds := make([]uint64, len(c.holds))
	for i := range 4 {
		holds[i] = 1
		c.holds[i].Store(1)
		obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint(i)}}
		h.waiting[nameOf(obj)] = waitingObject[object]{obj, i, 1}
	}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { h.run(ctx, &running) })
	h.open(holds)
	for done := false; !done; runtime.Gosched() {
		mu.Lock()
		done = calls == 4
		mu.Unlock()
	}
	stop()
	running.Wait()
	if want := []any{"broken", nil}; !slices.Equal(told.values, want) {
		t.Errorf("the informer got %v, want %v", told.values, want)
	}
}

// failures is a registration that keeps what its handler panicked with.
type failures struct {
	cache.ResourceEventHandlerRegistration // nil
	synced                                 <-chan struct{}
	values                                 []any
}

func (f *failures) Synced() <-chan struct{}                   { return f.synced }
func (f *failures) Gone() <-chan struct{}                     { return nil }
func (f *failures) HandlerPanicked(_ cache.Object, value any) { f.values = append(f.values, value) }
