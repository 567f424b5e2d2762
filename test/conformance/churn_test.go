package conformance

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/internal/packing/packingtest"
)

// TestChurn lets handlers come and go while objects change, watches end and
// versions expire. No lines are expected: each handler's history has to be legal,
// and that of who stays has to end in the truth.
func TestChurn(t *testing.T) {
	for _, by := range []implementation{ours, overBodies, clientgo} {
		for _, on := range []platform{onFake, onAPIServer} {
			t.Run(by.name+on.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { churn(t, by, on) })
			})
		}
	}
}

func churn(t *testing.T, by implementation, on platform) {
	s := newStage(t, config{indexers: byColor}, by, on)
	defer s.stop()
	putMany(s.server, 5)
	witness := join(s)
	s.start()

	var busy sync.WaitGroup
	busy.Go(func() { changeObjects(s.server) })
	var mu sync.Mutex // guards stayed
	stayed := []*historian{witness}
	for range 8 {
		busy.Go(func() {
			for range 20 {
				h := join(s)
				time.Sleep(rand.N(20 * time.Millisecond))
				if rand.N(4) == 0 {
					mu.Lock()
					stayed = append(stayed, h)
					mu.Unlock()
				} else if err := s.informer.RemoveHandler(h.registration); err != nil {
					t.Error(err)
				}
			}
		})
	}
	busy.Wait()
	s.pass(minute) // whoever backs off comes back
	truth := s.server.truth()
	if cached := describe(s.informer.List()); !slices.Equal(cached, truth) {
		t.Errorf("cached %v, want %v", cached, truth)
	}
	for _, h := range stayed {
		if heard := h.ending(); !slices.Equal(heard, truth) {
			t.Errorf("a handler's history ends in %v, want %v", heard, truth)
		}
		if !h.registration.HasSynced() {
			t.Error("a handler that heard all is not synced")
		}
	}
}

// changeObjects goes on for half a second, with a failure now and then.
func changeObjects(s server) {
	for i := range 500 {
		key := "a/w" + strconv.Itoa(rand.N(12))
		if s.has(key) && rand.N(3) == 0 {
			s.remove(key)
		} else {
			s.put(key, "color=red")
		}
		switch {
		case i%150 == 149:
			expire(s, func() {})
		case i%40 == 39:
			s.endWatches(nil)
		}
		time.Sleep(time.Millisecond)
	}
}

// historian is a handler that checks what it hears against what it heard before.
type historian struct {
	t            *testing.T
	registration registration

	mu    sync.Mutex // guards known
	known map[string]object
}

func join(s *stage) *historian {
	h := &historian{t: s.T, known: map[string]object{}}
	r, err := s.informer.AddHandler(h, handlerOptions{})
	if err != nil {
		s.Error(err)
	}
	h.registration = r
	return h
}

func (h *historian) OnAdd(obj object, _ bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known[keyOf(obj)] != nil {
		h.t.Errorf("%s is added twice", keyOf(obj))
	}
	h.known[keyOf(obj)] = obj
}

func (h *historian) OnUpdate(oldObj, newObj object) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch known := h.known[keyOf(newObj)]; {
	case known == nil:
		h.t.Errorf("%s is updated before it is added", keyOf(newObj))
	case !packingtest.IsState(known, oldObj):
		h.t.Errorf("%s is updated from a state that was not told", keyOf(newObj))
	case versionOf(newObj) < versionOf(oldObj):
		h.t.Errorf("%s goes back from %s to %s", keyOf(newObj), oldObj.ResourceVersion, newObj.ResourceVersion)
	}
	h.known[keyOf(newObj)] = newObj
}

func (h *historian) OnDelete(obj object, _ bool, _ any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch known := h.known[keyOf(obj)]; {
	case known == nil:
		h.t.Errorf("%s is deleted before it is added", keyOf(obj))
	case versionOf(obj) < versionOf(known):
		h.t.Errorf("%s ends before %s, in %s", keyOf(obj), known.ResourceVersion, obj.ResourceVersion)
	}
	delete(h.known, keyOf(obj))
}

// ending is what there is, according to what was told.
func (h *historian) ending() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return describe(slices.Collect(maps.Values(h.known)))
}

func versionOf(obj object) int {
	version, err := strconv.Atoi(obj.ResourceVersion)
	if err != nil {
		panic(fmt.Sprintf("the server never sends the version %q", obj.ResourceVersion))
	}
	return version
}
