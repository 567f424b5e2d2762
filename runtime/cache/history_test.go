package cache

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
)

// FuzzHistory plays a random history of a collection to an informer: objects are
// created, updated, deleted and born again, the server forgets, cuts, refuses, is
// silent, repeats itself and answers with other content at the same version, handlers
// come and go. In the end the cache is the
// truth, its indexes are what a naive computation finds, and each handler has
// got a legal history that ends in the truth.
//
// Two bytes make one step: what, and to which object or for how long.
func FuzzHistory(f *testing.F) {
	f.Add([]byte("\x00\x01\x00\x02\x01\x01\x09\x01"), true)
	f.Add([]byte("\x00\x01\x07\x00\x05\x00\x02\x01\x09\x03\x00\x04"), false)
	f.Add([]byte("\x0a\x00\x00\x01\x0a\x00\x08\x02\x04\x00\x0b\x00\x09\x09"), true)
	f.Add([]byte("\x00\x03\x0c\x03\x05\x00\x0c\x03\x06\x00\x03\x00"), true)
	f.Add([]byte("\x00\x01\x00\x62\x0e\x61\x04\x00\x0e\x2a\x00\x02\x0e\x82"), true)
	f.Add([]byte("\x00\x01\x00\x62\x0e\x61\x04\x00\x0e\x2a\x00\x02\x0e\x82"), false)
	random := rand.New(rand.NewPCG(5, 6))
	for n := range 40 {
		script := make([]byte, 200)
		for i := range script {
			script[i] = byte(random.Uint32())
		}
		f.Add(script, n%2 == 0)
	}
	f.Fuzz(func(t *testing.T, script []byte, streams bool) {
		if len(script) > 400 {
			return // a longer history finds no more, and takes long
		}
		synctest.Test(t, func(t *testing.T) { playHistory(t, script, streams, "a") })
	})
}

// FuzzNamespaces plays a random history of three namespaces, each with a server of its own
// that fails on its own, to one informer.
func FuzzNamespaces(f *testing.F) {
	f.Add([]byte("\x00\x01\x00\x0a\x00\x12\x07\x08\x05\x08\x02\x09\x09\x03\x00\x04"), true)
	random := rand.New(rand.NewPCG(7, 8))
	for n := range 40 {
		script := make([]byte, 300)
		for i := range script {
			script[i] = byte(random.Uint32())
		}
		f.Add(script, n%2 == 0)
	}
	f.Fuzz(func(t *testing.T, script []byte, streams bool) {
		if len(script) > 600 {
			return
		}
		synctest.Test(t, func(t *testing.T) { playHistory(t, script, streams, "a", "b", "c") })
	})
}

func playHistory(t *testing.T, script []byte, streams bool, namespaces ...string) {
	sources := map[string]*source{}
	for _, namespace := range namespaces {
		sources[namespace] = newSource()
		sources[namespace].streams = streams
	}
	options := []SharedInformerOption{WithResync(7 * time.Minute), WithIndexers(Indexers[object]{"letters": byLetters})}
	if !streams {
		options = append(options, WithoutStreamingList())
	}
	s := followAll(t, sources, options...)
	var handlers []*historian
	join := func() {
		h := &historian{t: t, known: map[ObjectName]object{}, severalLists: len(namespaces) > 1}
		var options []HandlerOption
		if h.severalLists && len(handlers)%2 == 1 { // merged events may be initial later
			h.slow, options = true, append(options, WithBacklogLimit(len(handlers)))
		}
		reg, err := s.AddEventHandler(h, options...)
		if err != nil {
			t.Error(err)
		}
		h.mu.Lock()
		h.registration = reg
		h.mu.Unlock()
		handlers = append(handlers, h)
	}
	join()
	for ; len(script) >= 2; script = script[2:] {
		what, arg := script[0]%15, script[1]
		name := strconv.Itoa(int(arg % 8))
		namespace := namespaces[int(arg>>3)%len(namespaces)]
		src := sources[namespace]
		_, exists := src.objects[ObjectName{namespace, name}]
		switch what {
		case 0:
			src.set(namespace, name, map[string]string{"letters": "xyz"[:arg>>6]})
		case 1, 2:
			if exists {
				src.remove(namespace, name)
			}
			if what == 2 {
				src.set(namespace, name, nil)
			}
		case 3:
			src.bookmark()
		case 4:
			src.endWatches(io.EOF)
		case 5:
			src.endWatches(io.ErrUnexpectedEOF)
		case 6:
			src.endWatches(errGone)
		case 7:
			src.forget()
		case 8:
			src.failWith(failures(arg))
		case 9:
			time.Sleep(time.Duration(arg) * 4 * time.Second) // up to 17 minutes: watches time out
		case 10:
			join()
		case 11:
			if n := len(handlers); n > 1 {
				if err := s.RemoveEventHandler(handlers[n-1].registration); err != nil {
					t.Error(err)
				}
				handlers = handlers[:n-1]
			}
		case 12:
			src.repeat(namespace, name)
		case 13:
			src.setSilent(arg&1 == 0)
		case 14:
			src.answerWith(namespace, name, map[string]string{"letters": "xyz"[:arg>>6], "default": fmt.Sprint(arg >> 3 & 1)})
		}
		if arg&0x20 != 0 {
			synctest.Wait() // otherwise steps meet the informer in the middle of things
		}
	}
	for _, src := range sources {
		src.failWith(nil)
		src.setSilent(false)
		src.endWatches(io.EOF) // a silent watch would end too late
	}
	time.Sleep(15 * time.Minute)
	inResync := func(h *historian) bool { return h.slow && h.registration.Backlog() > 0 }
	for synctest.Wait(); slices.ContainsFunc(handlers, inResync); synctest.Wait() {
		time.Sleep(time.Second)
	}
	checkTruth(t, s, sources, handlers)
}

// failures makes some of the requests that follow fail.
func failures(arg byte) func(request) error {
	errs := []error{errInternal, errForbidden, errNotFound, errSlowDown, errGone, io.ErrUnexpectedEOF, errTooLarge(), errors.New("dial: refused")}
	left := int(arg>>3) % 6
	return func(request) error {
		if left == 0 {
			return nil
		}
		left--
		return errs[arg%8]
	}
}

func checkTruth(t *testing.T, s *SharedIndexInformer[object], sources map[string]*source, handlers []*historian) {
	t.Helper()
	objects := map[ObjectName]object{}
	for namespace, src := range sources {
		maps.Copy(objects, src.objects)
		if src.open != 1 {
			t.Errorf("%d watches are open in namespace %s", src.open, namespace)
		}
	}
	if status := s.Status(); status.Phase != Watching || status.Err != nil || status.Objects != len(objects) {
		t.Errorf("in the end the status is %+v, there are %d objects", status, len(objects))
	}
	cached := model{}
	for _, obj := range s.GetStore().List() {
		name := MetaObjectToName(obj)
		cached[name] = obj
		if truth := objects[name]; truth == nil || truth.ResourceVersion != obj.ResourceVersion || truth.UID != obj.UID || !maps.Equal(truth.Labels, obj.Labels) {
			t.Errorf("cached is %v of %v@%s, %v, the truth is %v", name, obj.UID, obj.ResourceVersion, obj.Labels, truth)
		}
	}
	compare(t, s.GetIndexer(), cached)
	for i, h := range handlers {
		h.mu.Lock()
		if !h.registration.HasSynced() || h.registration.Backlog() != 0 {
			t.Errorf("handler %d has not caught up: %s", i, h.registration.NotSyncedReason())
		}
		for name, obj := range h.known {
			if cached[name] != obj {
				t.Errorf("handler %d believes in %v@%s, cached is %v", i, name, obj.ResourceVersion, cached[name])
			}
		}
		if len(h.known) != len(cached) {
			t.Errorf("handler %d knows %d objects, cached are %d", i, len(h.known), len(cached))
		}
		h.mu.Unlock()
	}
}

// historian is a handler that checks that its calls are legal.
type historian struct {
	t            *testing.T
	registration ResourceEventHandlerRegistration

	mu      sync.Mutex
	known   map[ObjectName]object
	started bool // a call was not initial
	// severalLists is set if initial adds may come after other events.
	severalLists bool
	// slow is set if a call takes a second.
	slow bool
}

func (h *historian) lock() {
	if h.slow {
		time.Sleep(time.Second)
	}
	h.mu.Lock()
	if h.registration != nil && h.registration.HasSynced() && !h.registration.(*registration[object]).informer.HasSynced() {
		h.t.Error("a handler is synced before its informer")
	}
}

func (h *historian) OnAdd(obj object, initial bool) {
	h.lock()
	defer h.mu.Unlock()
	if initial && h.started && !h.severalLists {
		h.t.Errorf("initial add of %s after other events", obj.Name)
	}
	h.started = !initial
	hear(h.t, h.known, processor.Notification[object]{Kind: processor.Add, Obj: obj})
}

func (h *historian) OnUpdate(oldObj, newObj object) {
	h.lock()
	defer h.mu.Unlock()
	h.started = true
	if number(oldObj) > number(newObj) {
		h.t.Errorf("%s goes back from %s to %s", newObj.Name, oldObj.ResourceVersion, newObj.ResourceVersion)
	}
	hear(h.t, h.known, processor.Notification[object]{Kind: processor.Update, Old: oldObj, Obj: newObj})
}

func (h *historian) OnDelete(obj object, _ bool) {
	h.lock()
	defer h.mu.Unlock()
	h.started = true
	hear(h.t, h.known, processor.Notification[object]{Kind: processor.Delete, Obj: obj})
}

// number is the version of obj as one that can be compared.
func number(obj object) (n int) {
	if _, err := fmt.Sscan(obj.ResourceVersion, &n); err != nil {
		panic(err)
	}
	return n
}
