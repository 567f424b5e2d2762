package cache

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/internal/packing/packingtest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// FuzzHistory plays a random history of a collection to an informer: objects are
// created, updated, deleted and born again, the server forgets, cuts, refuses, is
// silent, repeats itself and answers with other content at the same version, handlers
// come and go, and so do scopes of the informer, which overlap. In the end the cache is the
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
	f.Add([]byte("\x00\x21\x00\x23\x0f\x26\x02\x23\x0f\x24\x00\x03\x0f\x20\x00\x21\x0f\x23"), true)
	for n, script := range scripts(5, 40, 200) {
		f.Add(script, n%2 == 0)
	}
	f.Fuzz(func(t *testing.T, script []byte, streams bool) {
		if len(script) > 400 {
			return // a longer history finds no more, and takes long
		}
		synctest.Test(t, func(t *testing.T) { playHistory(t, script, streams, noOwnWrites, "a") })
	})
}

// scripts ranges over n random scripts of this length, always the same for a seed.
func scripts(seed uint64, n, length int) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		random := rand.New(rand.NewPCG(seed, seed+1))
		for i := range n {
			script := make([]byte, length)
			for at := range script {
				script[at] = byte(random.Uint32())
			}
			if !yield(i, script) {
				return
			}
		}
	}
}

// FuzzOwnWrites plays a random history in which this program writes some of the objects. The
// responses come at once, late, at the same time as the events, or never.
func FuzzOwnWrites(f *testing.F) {
	for n, script := range scripts(11, 60, 300) {
		f.Add(script, n%2 == 0, n%3 == 0)
	}
	f.Fuzz(func(t *testing.T, script []byte, streams, several bool) {
		if len(script) > 600 {
			return
		}
		namespaces := []string{"a"}
		if several {
			namespaces = []string{"", "a", "b"}
		}
		synctest.Test(t, func(t *testing.T) { playHistory(t, script, streams, ownWritesToAll, namespaces...) })
	})
}

// FuzzSelectedOwnWrites is FuzzOwnWrites with a label selector: objects leave the scope and return.
func FuzzSelectedOwnWrites(f *testing.F) {
	for n, script := range scripts(13, 60, 300) {
		f.Add(script, n%2 == 0)
	}
	f.Fuzz(func(t *testing.T, script []byte, streams bool) {
		if len(script) > 600 {
			return
		}
		synctest.Test(t, func(t *testing.T) { playHistory(t, script, streams, ownWritesToSome, "a") })
	})
}

// FuzzNamespaces plays a random history of three namespaces, each with a server of its own
// that fails on its own, to one informer.
func FuzzNamespaces(f *testing.F) {
	f.Add([]byte("\x00\x01\x00\x0a\x00\x12\x07\x08\x05\x08\x02\x09\x09\x03\x00\x04"), true)
	for n, script := range scripts(7, 40, 300) {
		f.Add(script, n%2 == 0)
	}
	f.Fuzz(func(t *testing.T, script []byte, streams bool) {
		if len(script) > 600 {
			return
		}
		synctest.Test(t, func(t *testing.T) { playHistory(t, script, streams, noOwnWrites, "a", "b", "c") })
	})
}

// FuzzScopes plays a random history of two namespaces, and of all others. The server of the
// others also has objects in the two, which the informer has to ignore.
func FuzzScopes(f *testing.F) {
	for n, script := range scripts(9, 40, 300) {
		f.Add(script, n%2 == 0)
	}
	f.Fuzz(func(t *testing.T, script []byte, streams bool) {
		if len(script) > 600 {
			return
		}
		synctest.Test(t, func(t *testing.T) { playHistory(t, script, streams, noOwnWrites, "", "a", "b") })
	})
}

// playHistory plays to an informer of these namespaces. If there are several, "" is for all that
// are not named.
func playHistory(t *testing.T, script []byte, streams bool, own ownMode, namespaces ...string) {
	sources := map[string]*cachetest.Source{}
	for _, namespace := range namespaces {
		sources[namespace] = cachetest.NewSource()
		sources[namespace].Streams, sources[namespace].SelectsByLabels = streams, true
	}
	options := []SharedInformerOption{WithResync(7 * time.Minute), WithIndexers(Indexers[object]{"letters": cachetest.ByLetters})}
	if streams {
		options = append(options, WithStreamingList())
	}
	var s *SharedIndexInformer[object]
	writer := &ownWriter{t: t}
	switch own {
	case noOwnWrites:
		s = followAll(t, sources, options...)
	case ownWritesToSome:
		for _, src := range sources {
			src.Selects = cachetest.InSelection
		}
		options = append(options, WithLabelSelector(cachetest.LettersSelector))
		fallthrough
	case ownWritesToAll:
		s = followOwn(t, sources, options...)
		writer.informer, writer.selects = s, own == ownWritesToSome
	}
	var handlers []*historian
	isRescoped, hasLied := false, false
	join := func() {
		h := &historian{t: t, known: map[ObjectName]object{}, severalLists: len(namespaces) > 1 || isRescoped, scoped: own == ownWritesToSome || isRescoped, rescoped: isRescoped}
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
		what, arg := script[0]%16, script[1]
		name := strconv.Itoa(int(arg % 8))
		namespace := namespaces[int(arg>>3)%len(namespaces)]
		src := sources[namespace]
		if namespace == "" && len(namespaces) > 1 {
			namespace = []string{"rest", "others", "a"}[int(arg)%3] // the informer gets those of a from another source
		}
		last, exists := src.Objects[ObjectName{namespace, name}]
		writer.mode = script[0] / 16 % 4
		if sources[namespace] != nil && sources[namespace] != src {
			writer.mode = fromOthers // it is another server, which answers for an object of this name
		}
		switch what {
		case 0:
			writer.wrote(src.Set(namespace, name, map[string]string{"letters": "xyz"[:arg>>6]}))
		case 1, 2:
			if exists {
				src.Remove(namespace, name)
				writer.removed(last)
			}
			if what == 2 {
				writer.wrote(src.Set(namespace, name, nil))
			}
		case 3:
			src.Bookmark()
			writer.flush()
		case 4:
			src.EndWatches(io.EOF)
		case 5:
			src.EndWatches(io.ErrUnexpectedEOF)
		case 6:
			src.EndWatches(cachetest.ErrGone)
		case 7:
			src.Forget()
		case 8:
			src.FailWith(failures(arg))
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
			src.Repeat(namespace, name)
			hasLied = true
		case 13:
			src.SetSilent(arg&1 == 0)
		case 14:
			src.AnswerWith(namespace, name, map[string]string{"letters": "xyz"[:arg>>6], "default": fmt.Sprint(arg >> 3 & 1)})
		case 15:
			isRescoped = true
			for _, h := range handlers {
				h.rescope()
			}
			setScopes(t, s, scopesOfHistory(namespaces, own, int(arg))...)
		}
		if arg&0x20 != 0 {
			synctest.Wait() // otherwise steps meet the informer in the middle of things
		}
	}
	for _, src := range sources {
		src.FailWith(nil)
		src.SetSilent(false)
		src.EndWatches(io.EOF) // a silent watch would end too late
	}
	writer.flush()
	time.Sleep(15 * time.Minute)
	for range 5 { // a server sends one each minute
		for _, src := range sources {
			src.Bookmark()
		}
		time.Sleep(time.Minute)
	}
	inResync := func(h *historian) bool { return h.slow && h.registration.Backlog() > 0 }
	for synctest.Wait(); slices.ContainsFunc(handlers, inResync); synctest.Wait() {
		time.Sleep(time.Second)
	}
	checkTruth(t, s, sources, handlers)
	checkCauses(t, s, hasLied)
}

// scopesOfHistory returns some scopes of namespaces, which depend on arg. The source of "" is another server than those of
// the namespaces, so these are no scopes, or all of them are next to it.
func scopesOfHistory(namespaces []string, own ownMode, arg int) (scopes []Scope) {
	hasOthers := slices.Contains(namespaces, "") && arg%3 > 0
	for i, namespace := range namespaces {
		if namespace == "" {
			if hasOthers {
				scopes = append(scopes, disjoint(namespaces)[i])
			}
			continue
		}
		choices := [][]Scope{in(namespace), {{Namespace: namespace, FieldSelector: "metadata.name=3"}, {Namespace: namespace, FieldSelector: "metadata.name=4"}},
			{{Namespace: namespace, FieldSelector: "metadata.name=3"}}}
		if own == noOwnWrites {
			for _, byLabels := range []string{"letters in (x,xy)", "letters notin (x)"} {
				choices = append(choices, []Scope{{Namespace: namespace, LabelSelector: byLabels}})
			}
		}
		if !hasOthers {
			choices = append(choices, nil)
		}
		scopes = append(scopes, choices[arg*(i+1)/3%len(choices)]...)
	}
	return scopes
}

// ownMode is which writes of a history are those of this program.
type ownMode byte

const (
	noOwnWrites ownMode = iota
	// ownWritesToAll: some are, and the informer has all objects.
	ownWritesToAll
	// ownWritesToSome: some are, and the informer has the objects that lettersSelector selects.
	ownWritesToSome
)

// failures makes some of the requests that follow fail.
func failures(arg byte) func(cachetest.Request) error {
	errs := []error{cachetest.ErrInternal, cachetest.ErrForbidden, cachetest.ErrNotFound, cachetest.ErrSlowDown, cachetest.ErrGone, io.ErrUnexpectedEOF, cachetest.ErrTooLarge(), errors.New("dial: refused")}
	var left atomic.Int32 // several scopes may have one server
	left.Store(int32(arg>>3) % 6)
	return func(cachetest.Request) error {
		if left.Add(-1) < 0 {
			return nil
		}
		return errs[arg%8]
	}
}

func checkTruth(t *testing.T, s *SharedIndexInformer[object], sources map[string]*cachetest.Source, handlers []*historian) {
	t.Helper()
	objects, open := map[ObjectName]object{}, map[*cachetest.Source]int{}
	for _, r := range inside(s).set.reflectors() {
		src := sources[r.config.Namespace]
		open[src]++
		for name, obj := range src.Objects {
			selects := src.Selection(metav1.ListOptions{LabelSelector: r.config.scope.LabelSelector})
			if !r.config.rule.Excludes(name.Namespace, name.Name) && (selects == nil || selects(obj)) {
				objects[name] = obj
			}
		}
	}
	for namespace, src := range sources {
		if src.Open != open[src] {
			t.Errorf("%d watches are open in namespace %s, want %d", src.Open, namespace, open[src])
		}
	}
	checkEnd(t, s, objects, handlers)
}

// checkCauses checks that each list has had a cause. Only a server that is restored from a backup, or has sent bookmarks of
// earlier versions, leaves a version unconfirmed.
func checkCauses(t *testing.T, s *SharedIndexInformer[object], hasLied bool) {
	t.Helper()
	lists := inside(s).monitor.Stats().Relists
	if lists[""] > 0 || lists[status.Unconfirmed] > 0 && !hasLied {
		t.Errorf("lists without a cause: %v", lists)
	}
}

// checkEnd checks that the cache has these objects, that its indexes have them too, and that each
// handler has heard of them.
func checkEnd(t *testing.T, s *SharedIndexInformer[object], objects map[ObjectName]object, handlers []*historian) {
	t.Helper()
	if now := s.Status(); now.Phase != status.Watching || now.Err != nil || now.Objects != len(objects) || now.PendingWrites != 0 {
		t.Errorf("in the end the status is %+v, there are %d objects", now, len(objects))
	}
	cached := cachetest.Model{}
	for _, obj := range s.GetStore().List() {
		name := MetaObjectToName(obj)
		cached[name] = obj
		if truth := objects[name]; truth == nil || truth.ResourceVersion != obj.ResourceVersion || truth.UID != obj.UID || !maps.Equal(truth.Labels, obj.Labels) {
			t.Errorf("cached is %v of %v@%s, %v, the truth is %v", name, obj.UID, obj.ResourceVersion, obj.Labels, truth)
		}
	}
	cachetest.Compare(t, cacheReads{s.GetIndexer()}, cached)
	for i, h := range handlers {
		h.mu.Lock()
		if !h.registration.HasSynced() || h.registration.Backlog() != 0 {
			t.Errorf("handler %d has not caught up: %s", i, h.registration.NotSyncedReason())
		}
		for name, obj := range h.known {
			if !packingtest.IsState(cached[name], obj) {
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
	// scoped is set if an object may leave the scope and return.
	scoped bool
	// rescoped is set if SetScopes may make the informer one that is not synced.
	rescoped bool
	// slow is set if a call takes a second.
	slow bool
	// dead are the objects that were deleted.
	dead map[life]bool
	// restored is set if the server may be restored to an older state.
	restored bool
	// heard are the objects of all calls that are not deletes.
	heard []object
}

// life is one of an object with a name. Each namespace has a server, with UIDs of its own.
type life struct {
	ObjectName
	types.UID
}

func (h *historian) lock() {
	if h.slow {
		time.Sleep(time.Second)
	}
	h.mu.Lock()
	if h.registration != nil && !h.rescoped && h.registration.HasSynced() && !h.registration.(*registration).informer.HasSynced() {
		h.t.Error("a handler is synced before its informer")
	}
}

// rescope is called before the scopes change.
func (h *historian) rescope() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.severalLists, h.scoped, h.rescoped = true, true, true
}

func (h *historian) OnAdd(obj object, initial bool) {
	h.lock()
	defer h.mu.Unlock()
	if initial && h.started && !h.severalLists {
		h.t.Errorf("initial add of %s after other events", obj.Name)
	}
	h.started = !initial
	if h.dead[life{MetaObjectToName(obj), obj.UID}] && !h.scoped && !h.restored {
		h.t.Errorf("%s is added after it was deleted", obj.UID)
	}
	h.heard = append(h.heard, obj)
	cachetest.Hear(h.t, h.known, processor.Notification{Kind: processor.Add, Obj: obj})
}

func (h *historian) OnUpdate(oldObj, newObj object) {
	h.lock()
	defer h.mu.Unlock()
	h.started = true
	if cachetest.VersionOf(oldObj) > cachetest.VersionOf(newObj) && !h.restored {
		h.t.Errorf("%s goes back from %s to %s", newObj.Name, oldObj.ResourceVersion, newObj.ResourceVersion)
	}
	h.heard = append(h.heard, newObj)
	cachetest.Hear(h.t, h.known, processor.Notification{Kind: processor.Update, Old: oldObj, Obj: newObj})
}

func (h *historian) OnDelete(obj object, _ bool) {
	h.lock()
	defer h.mu.Unlock()
	h.started = true
	if h.dead == nil {
		h.dead = map[life]bool{}
	}
	h.dead[life{MetaObjectToName(obj), obj.UID}] = true
	cachetest.Hear(h.t, h.known, processor.Notification{Kind: processor.Delete, Obj: obj})
}
