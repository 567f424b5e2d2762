package cache

import (
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
)

// FuzzServerHistory plays a random history of the in-memory API server to an informer, which reads
// its bodies. This program and others create, change and delete objects, also with finalizers and
// owners. Requests fail, responses come late or never, watches lag, hang and are cut, versions expire,
// the server restarts, hours pass, handlers come and go. In the end the server lists what its
// responses have said, the cache and its indexes have the same, and each handler has a legal history
// of states that the server had.
//
// Two bytes make one step: what, and to which object or for how long. The bits of setup are in play.
func FuzzServerHistory(f *testing.F) {
	seedServed(f, 17, 60)
	f.Fuzz(func(t *testing.T, script []byte, setup uint16) {
		if len(script) > 600 {
			return
		}
		synctest.Test(t, func(t *testing.T) { playServerHistory(t, script, setup, false) })
	})
}

// FuzzRestoredServer is FuzzServerHistory with a server that is restored from backups: what was
// written after a backup is gone, and other writes get the same versions. Informers have some minutes
// to notice. No client can tell when a server that was restored has reached the version of its watch.
func FuzzRestoredServer(f *testing.F) {
	seedServed(f, 19, 30)
	f.Fuzz(func(t *testing.T, script []byte, setup uint16) {
		if len(script) > 600 {
			return
		}
		synctest.Test(t, func(t *testing.T) { playServerHistory(t, script, setup, true) })
	})
}

// seedServed adds n scripts. The server has bodies of its own, so TestOverBodies needs none of them.
func seedServed(f *testing.F, seed uint64, n int) {
	if os.Getenv(cachetest.OverBodies) != "" {
		f.Skip("this does not depend on the run")
	}
	for i, script := range scripts(seed, n, 300) {
		f.Add(script, uint16(i*37))
	}
}

// servedHistory is a history of a server, and the informer that it is played to.
type servedHistory struct {
	*cachetest.Cluster
	informer *SharedIndexInformer[object]
	handlers []*historian
	// tap reads the events that the informer reads. It does not run if the server may be restored.
	tap     *cachetest.Tap
	selects cachetest.Selector
	// namespaces are those of the informer; "" is for all others.
	namespaces []string
	// readsOwn is set if the informer reads the writes of its program.
	readsOwn bool
	// restores is set if the server may be restored to one of its backups, and wasRestored if it was.
	restores, wasRestored bool
	// wasLate is set if watches may have been later than the two minutes in which a version has to be confirmed.
	wasLate bool
	backups []string

	// mode tells who sends the next write, and how the response comes.
	mode byte
	late []cachetest.Delayed
	sent sync.WaitGroup
	// written counts the writes.
	written int
	// readFaults, writeFaults and lag are what goes wrong, or nil.
	readFaults, writeFaults, lag *apitest.Fault
}

func playServerHistory(t *testing.T, script []byte, setup uint16, restores bool) {
	var limits []apitest.Option
	if setup&0x100 != 0 {
		limits = append(limits, apitest.WithHistory(6))
	}
	s := &servedHistory{
		Cluster:    cachetest.NewCluster(t, limits...),
		selects:    cachetest.Selector{ByLabel: setup&2 != 0, ByField: setup&4 != 0},
		namespaces: [][]string{{""}, {"a"}, {"", "a", "b"}, {"a", "b"}}[setup>>3&3],
		readsOwn:   setup&0x20 != 0,
		restores:   restores,
	}
	options := append(selected(s.selects), WithResync(7*time.Minute), WithIndexers(Indexers[object]{"letters": cachetest.ByLetters}), WithWatchErrorHandler(quiet))
	if setup&1 != 0 {
		options = append(options, WithStreamingList())
	}
	if s.readsOwn {
		options = append(options, WithReadYourWrites(&s.Own))
	}
	if s.tap = (&cachetest.Tap{Cluster: s.Cluster, Selects: s.selects, Heard: map[uint64]bool{}}); !restores {
		cachetest.Run(t, s.tap.Follow)
	}
	form := []func(accept string) string{cachetest.InProtobuf, cachetest.InJSON, cachetest.WholeInJSON, cachetest.InProtobuf}[setup>>6&3]
	kind := Kind[object]{Resource: widgets, Namespaced: true, Server: testServer(s.Server.URL()), Open: func(namespace string) bodies.OpenFunc { return s.Open(namespace, form) }}
	if form("") != "" {
		kind.Kind = "Widget"
	}
	var err error
	if s.informer, err = kind.NewInformer(append(options, WithScopes(disjoint(s.namespaces)...))...); err != nil {
		t.Fatal(err)
	}
	cachetest.Run(t, s.informer.Run)
	s.join()
	for ; len(script) >= 2; script = script[2:] {
		s.step(script[0], script[1])
		if script[1]&0x20 != 0 {
			synctest.Wait() // otherwise steps meet the informer in the middle of things
		}
	}
	s.finish()
}

// join adds a handler.
func (s *servedHistory) join() {
	h := &historian{t: s.T, known: map[ObjectName]object{}, severalLists: len(s.namespaces) > 1, scoped: s.selects.Any(), restored: s.restores}
	var options []HandlerOption
	if h.severalLists && len(s.handlers)%2 == 1 { // merged events may be initial later
		h.slow, options = true, append(options, WithBacklogLimit(len(s.handlers)))
	}
	reg, err := s.informer.AddEventHandler(h, options...)
	if err != nil {
		s.Error(err)
	}
	h.mu.Lock()
	h.registration = reg
	h.mu.Unlock()
	s.handlers = append(s.handlers, h)
}

// leave removes the last handler, if there are several.
func (s *servedHistory) leave() {
	n := len(s.handlers)
	if n == 1 {
		return
	}
	if err := s.informer.RemoveEventHandler(s.handlers[n-1].registration); err != nil {
		s.Error(err)
	}
	s.checkHeard(s.handlers[n-1])
	s.handlers = s.handlers[:n-1]
}

// recover ends all that goes wrong.
func (s *servedHistory) recover() {
	s.tap.SetLimit(false)
	for _, fault := range []**apitest.Fault{&s.readFaults, &s.writeFaults, &s.lag} {
		s.replace(fault, nil)
	}
	s.Reads.SetDead(false)
	s.flush()
	s.sent.Wait()
}

// replace ends a fault, and sets another one or nil.
func (s *servedHistory) replace(fault **apitest.Fault, by *apitest.Fault) {
	if *fault != nil {
		(*fault).Remove()
	}
	*fault = by
}

// finish checks what the server and the informer have when nothing more happens.
func (s *servedHistory) finish() {
	s.recover()
	s.Server.CutWatches("*") // one whose connection was dead would end too late
	time.Sleep(20 * time.Minute)
	for range 5 {
		s.advance()
		time.Sleep(time.Minute)
	}
	inResync := func(h *historian) bool { return h.slow && h.registration.Backlog() > 0 }
	for synctest.Wait(); slices.ContainsFunc(s.handlers, inResync); synctest.Wait() {
		time.Sleep(time.Second)
	}
	s.CheckLists(s.selects)
	if !s.restores {
		s.tap.Check()
	}
	want := map[ObjectName]object{}
	for name, obj := range s.Objects {
		if s.selects.Has(obj) && (slices.Contains(s.namespaces, "") || slices.Contains(s.namespaces, name.Namespace)) {
			want[name] = cachetest.MetadataOf(obj)
		}
	}
	if n := s.Reads.Open(); n != len(s.namespaces) {
		s.Errorf("%d watches are open, for the namespaces %q", n, s.namespaces)
	}
	checkEnd(s.T, s.informer, want, s.handlers)
	checkCauses(s.T, s.informer, s.restores || s.wasLate)
	for _, h := range s.handlers {
		s.checkHeard(h)
	}
}

// checkHeard checks that the server had the states that a handler has heard of.
func (s *servedHistory) checkHeard(h *historian) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, obj := range h.heard {
		if !s.Unseen[obj.UID] && !slices.ContainsFunc(s.States[obj.UID], func(state object) bool { return cachetest.IsStateOf(obj, state) }) {
			s.Errorf("a handler has heard of\n%v, the server had\n%v", obj, s.States[obj.UID])
		}
	}
}

// checkRead checks that the cache shows a write as the response does, unless the server has changed
// or deleted the object since then. response is nil if it says that the object is gone.
func (s *servedHistory) checkRead(name ObjectName, before, response *unstructured.Unstructured) {
	now := s.Objects[name]
	if response != nil && cachetest.IsGone(response) {
		before, response = response, nil
	}
	if before == nil || (now == nil) != (response == nil) || now != nil && now.GetResourceVersion() != response.GetResourceVersion() {
		return
	}
	inside(s.informer).core.Change(func(uint64) {
		if isListed(s.informer, name) {
			s.checkCached(name, before, now)
		}
	})
}

func (s *servedHistory) checkCached(name ObjectName, before, now *unstructured.Unstructured) {
	cached, found := s.informer.GetStore().Get(name)
	switch {
	case now == nil:
		if found && cached.UID == before.GetUID() { // it may be an earlier one
			s.Errorf("%v is still there after it was deleted: %v", name, cached)
		}
	case s.selects.ByField: // only deletes are shown
	case s.wasRestored: // responses of later versions than it had are left to the watch
	case !s.selects.Has(now):
		if found && cached.UID == now.GetUID() {
			s.Errorf("%v@%s is outside of the scope, cached is %v", name, now.GetResourceVersion(), cached)
		}
	case !found || cached.ResourceVersion != now.GetResourceVersion() || cached.UID != now.GetUID():
		s.Errorf("%v of %v@%s was written, cached is %v", name, now.GetUID(), now.GetResourceVersion(), cached)
	}
}
