package cache

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/initial"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/partition"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

// machine is an informer as its faces see it.
type machine interface {
	Syncer
	Run(ctx context.Context)
	Stop()
	Status() Status
	Statuses() iter.Seq[InformerStatus]
	LastSyncResourceVersion() string
	WaitFor(ctx context.Context, resourceVersion string) error
	Retry()
	Resource() schema.GroupVersionResource
	SetScopes(scopes ...Scope) error
	Scopes() []Scope
	RemoveEventHandler(registration ResourceEventHandlerRegistration) error
	SetWatchErrorHandler(handler WatchErrorHandler) error
	SetForm(object runtime.Object, unstructured bool) (applied <-chan struct{}, err error)

	addHandler(handler eventHandler, options []HandlerOption) (ResourceEventHandlerRegistration, error)
	addIndex(name string, function []indexer.Function) error
	setTransform(transform transformFunc) error
	itsFace() *face
	itsIndexer() *indexerFace
}

// informer is a SharedIndexInformer without its type parameter.
//
// A batch of deltas goes to the cache and to the queues of the handlers in one step. So
// a handler that is added at any time gets exactly what the cache holds.
type informer struct {
	face       face
	reader     indexerFace
	controller *controller // whose set has a mutex that is locked before mu
	indexer    *indexer.Indexer
	// own is nil until it is needed.
	own atomic.Pointer[ownWrites]
	// resyncPeriod is that of handlers without one.
	resyncPeriod time.Duration
	done         chan struct{} // closed when Run has returned
	stopping     atomic.Bool   // set by Stop

	mu        sync.Mutex         // held over each step; guards what follows
	cancel    context.CancelFunc // ends Run, and is nil before
	processor *processor.Processor
	// unlisted is the number of scopes whose first list is not in the cache yet. isChosen is set after
	// the first SetScopes.
	unlisted int32
	isChosen bool
	forms    []*formChange // that are not complete
	// owners knows which scope has each object. open are the Reflectors by their scope: those of the Controller, and those
	// from which others will take over. handovers are the ones that will.
	owners    *partition.Owners
	open      map[scopeID]*reflector
	handovers map[scopeID]*handover

	isMoving atomic.Bool // set while there are handovers
}

// newMachine is newInformer for the face.
func newMachine(config config) machine { return newInformer(config) }

func (s *informer) itsFace() *face           { return &s.face }
func (s *informer) itsIndexer() *indexerFace { return &s.reader }

func newInformer(config config) *informer {
	s := &informer{
		indexer:      newCache(&config),
		resyncPeriod: config.ResyncPeriod,
		processor:    processor.New(),
		done:         make(chan struct{}),
		owners:       partition.New(),
		open:         map[scopeID]*reflector{},
	}
	s.face, s.reader = face{s}, indexerFace{s.indexer}
	config.ResyncPeriod = 0 // each handler has its own
	s.controller = newController(config, s.process)
	c := s.controller
	c.objects, c.observe = s.indexer.Len, s.observe
	c.setProgress(s.afterBatch, s.reached)
	s.assignScopes(c.reflectors(), c.reflectors())
	if config.ReadYourWrites != nil {
		s.own.Store(newOwnWrites(s))
	}
	if config.scopeSource != nil {
		c.tasks = append(c.tasks, s.followSource)
	}
	c.outages.Informer = observedInformer{s}
	return s
}

// Run follows the server until ctx ends. When it returns, no goroutine of the informer
// is left, and no handler and no hook is running. It runs once: a second call returns at once.
func (s *informer) Run(ctx context.Context) {
	given := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock() // SetTransform and SetWatchErrorHandler come before or fail
	claimed := s.controller.claim()
	if claimed {
		s.cancel = cancel
	}
	s.mu.Unlock()
	if !s.controller.accepts(given, claimed) {
		return
	}
	finally(func() {
		s.mu.Lock()
		s.processor.Start()
		s.mu.Unlock()
		defer s.own.Load().observe(ctx)()
		s.controller.run(ctx, cancel)
	}, func() {
		defer close(s.done)
		s.mu.Lock()
		s.processor.Stop()
		s.own.Load().clear()
		s.mu.Unlock()
		s.processor.Wait()
		s.indexer.CheckAll()
		s.controller.hooks.Close()
	})
}

// Stop ends Run, and waits until it has returned: no handler is running then. It empties the
// cache. Listers that are kept return errors that wrap ErrStopped then. An informer that was not
// started can no longer be. The factory creates another one at the next call for the kind. A
// handler or a hook must not call Stop, which would wait for it.
func (s *informer) Stop() {
	s.stopping.Store(true)
	s.halt()
	s.await()
	s.indexer.Empty(fmt.Errorf("%s: %w", s.name(), ErrStopped))
}

// halt ends Run, for which it does not wait. An informer that was not run can no longer be.
func (s *informer) halt() {
	s.retire(nil)
	s.mu.Lock()
	cancel := s.cancel
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// await waits until an informer that halt has ended has no goroutine left.
func (s *informer) await() {
	<-s.done
	s.controller.hooks.Close()
}

// wasStopped reports whether Stop was called.
func (s *informer) wasStopped() bool { return s.stopping.Load() }

// retire stops an informer that was not started, with the reason or nil. It does nothing to
// another one.
func (s *informer) retire(err error) {
	s.controller.set.mu.Lock()
	defer s.controller.set.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.controller.retire(err) {
		s.processor.Stop()
		close(s.done)
	}
}

// process applies a batch of the Controller.
func (s *informer) process(_ context.Context, deltas []deltafifo.Delta) (listed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	received := len(deltas)
	s.applyDeltas(s.owned(deltas), s.controller.queue.Oldest)
	s.controller.isCached(s.controller.queue.Oldest, received)
	return false // processFirst marks the lists
}

// applyDeltas applies deltas of Reflectors that own their objects. The mutex is held.
func (s *informer) applyDeltas(deltas []deltafifo.Delta, received stats.Stamp) {
	if len(deltas) == 0 {
		return
	}
	own := s.own.Load()
	deltas = own.admit(deltas)
	all := deltas
	for s.unlisted > 0 && len(deltas) > 0 {
		deltas = s.processFirst(deltas, received)
	}
	if len(deltas) > 0 {
		s.distribute(deltas, received)
	}
	for i := range all {
		if collection := all[i].Collection; collection != nil {
			for _, applied := range collection.Applied {
				applied()
			}
		}
	}
	own.restoreUnconfirmed()
}

// reached is called when a watch has reached a version. For entries, admit has that of a delta. A
// WaitFor may come after the batch of the delta, and before its version is known.
func (s *informer) reached(isDelta bool) {
	if !isDelta && s.isMoving.Load() {
		s.reachScopes()
	}
	if own := s.own.Load(); own != nil && (own.waiting.Load() != 0 || !isDelta && own.entries.Load() != 0) {
		s.advance(own)
	}
}

// afterBatch is called when a batch was processed.
func (s *informer) afterBatch() {
	if s.isMoving.Load() {
		s.reachScopes()
	}
	if own := s.own.Load(); own != nil && (own.behind.Load() || own.waiting.Load() != 0) {
		s.advance(own)
	}
}

// advance ends the entries and the waits for versions that the cache has reached.
func (s *informer) advance(own *ownWrites) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own.catchUp()
	own.count()
	reached := own.reached()
	for w := range own.waiters {
		if w.version <= reached {
			close(w.done)
			delete(own.waiters, w)
		}
	}
}

// distribute applies deltas and passes the changes to the handlers.
func (s *informer) distribute(deltas []deltafifo.Delta, received stats.Stamp) {
	distinct := len(deltas) == 1 && deltas[0].Type == deltafifo.Replaced
	notes := s.indexer.Apply(deltas)
	s.processor.Distribute(processor.Batch{Notes: notes, Received: received, Distinct: distinct})
}

// processFirst applies the first list of a scope, or the deltas before the next one, and
// returns the rest. Only the adds of such a list are initial. After the last one, handlers are
// synced.
func (s *informer) processFirst(deltas []deltafifo.Delta, received stats.Stamp) (rest []deltafifo.Delta) {
	isFirst := func(d deltafifo.Delta) bool { return d.Type == deltafifo.Replaced && d.Collection.IsFirst }
	if n := slices.IndexFunc(deltas, isFirst); n != 0 {
		if n < 0 {
			n = len(deltas)
		}
		s.distribute(deltas[:n], received)
		return deltas[n:]
	}
	notes := s.indexer.Apply(deltas[:1])
	markInitial(notes)
	if r := s.open[deltas[0].Scope]; r != nil && !r.listed { // otherwise it was closed
		r.listed, r.listedVersion = true, deltas[0].Collection.Version
		if r.isWanted {
			s.unlisted--
		}
	}
	s.controller.noteListed() // who waits for the sync may ask for the version
	s.processor.Distribute(processor.Batch{Notes: notes, Received: received, Distinct: true, Lists: s.listed()})
	return deltas[1:]
}

// listed records which initial lists are in the cache. It returns the mark if it is news, and 0
// otherwise.
func (s *informer) listed() initial.Mark {
	c := s.controller
	mark := c.mark()
	for _, r := range c.reflectors() {
		if !r.listed {
			mark = min(mark, initial.Mark(r.id))
		}
	}
	if c.config.scopeSource != nil && c.lists.Reached() == 0 && (!s.isChosen || mark < c.mark()) {
		return 0 // who waits for the first scopes waits for all of them
	}
	if !c.lists.Reach(mark) {
		return 0
	}
	if c.HasSynced() && len(s.processor.Listeners()) > 0 {
		c.outages.NoteHandler()
	}
	return mark
}

func markInitial(notes []processor.Notification) {
	for i := range notes {
		notes[i].Initial = notes[i].Kind == processor.Add
	}
}

// resync enqueues every cached object for l, unless l has a backlog.
func (s *informer) resync(l *processor.Listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.indexer.Len() > 0 && l.Backlog() == 0 {
		l.Enqueue(processor.Batch{Received: stats.Now(), Distinct: true, Notes: s.cached(func(obj Object) processor.Notification {
			return processor.Notification{Kind: processor.Update, Old: obj, Obj: obj}
		})})
	}
}

// cached returns a notification for each cached object.
func (s *informer) cached(note func(Object) processor.Notification) []processor.Notification {
	notes := make([]processor.Notification, 0, s.indexer.Len())
	for obj := range s.indexer.All().Each() {
		notes = append(notes, note(obj))
	}
	return notes
}

func (s *informer) setTransform(transform transformFunc) error {
	return s.beforeRun("the transform", func() { s.controller.setTransform(transform) })
}

// SetWatchErrorHandler replaces Config.WatchErrorHandler; nil for the default, which logs. It
// fails if the informer was started or stopped.
func (s *informer) SetWatchErrorHandler(handler WatchErrorHandler) error {
	return s.beforeRun("the watch error handler", func() { s.controller.setWatchErrorHandler(handler) })
}

// beforeRun calls set, unless the informer was started or stopped.
func (s *informer) beforeRun(what string, set func()) error {
	s.controller.set.mu.Lock() // SetScopes copies the Config
	defer s.controller.set.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.controller.started.Load() != neverRun {
		return fmt.Errorf("cannot set %s of %s: the informer has already started or stopped; set it before Run", what, s.name())
	}
	set()
	return nil
}

// SetForm changes the form of the objects, before or after the informer is started, if T is an
// interface type: it sets DecodeOptions.Object and Unstructured. An informer that runs lists
// again, and replaces its objects without a call of a handler for those that did not change.
// Meanwhile it serves what it has. A handler may get an update from one form to the other.
//
// applied is closed when the cache holds the objects of that list. It is never closed if the
// informer ends before; see Ended. SetForm fails if a ListerWatcher returns the objects.
func (s *informer) SetForm(object runtime.Object, unstructured bool) (applied <-chan struct{}, err error) {
	c := s.controller
	if !s.controller.config.isInterface() || object == nil {
		return nil, fmt.Errorf("cannot change the form of %s to %T: the objects are %v", s.name(), object, s.controller.config.form.Type())
	}
	c.set.mu.Lock() // so that scopes that are added later have the form too
	defer c.set.mu.Unlock()
	if !c.decodes() {
		return nil, fmt.Errorf("cannot change the form of %s: they come from a ListerWatcher, which decodes them", s.name())
	}
	c.set.object, c.set.unstructured = object, unstructured
	s.mu.Lock() // so that all Reflectors get two changes in the same order
	defer s.mu.Unlock()
	change := &formChange{left: map[*reflector]struct{}{}, applied: make(chan struct{})}
	for _, r := range s.open {
		change.left[r] = struct{}{}
		r.setForm(object, unstructured, func() { change.done(r) })
	}
	if len(s.open) == 0 {
		close(change.applied)
	}
	s.forms = append(slices.DeleteFunc(s.forms, (*formChange).isDone), change)
	return change.applied, nil
}

// HasSynced reports whether the cache holds the first list of each present scope. Handlers may still
// be handling it: their registrations report that. It becomes false when SetScopes adds a scope.
func (s *informer) HasSynced() bool { return s.controller.HasSynced() }

// Synced is closed when the cache holds the first list of each scope that is there at the call, and
// was not removed meanwhile.
func (s *informer) Synced() <-chan struct{} { return s.controller.Synced() }

// Ended is closed when the informer no longer follows the server.
func (s *informer) Ended() <-chan struct{} { return s.controller.Ended() }

// NotSyncedReason returns why the informer is not synced; it is empty once it is.
func (s *informer) NotSyncedReason() string { return s.controller.NotSyncedReason() }

func (s *informer) waitsFor() (subject, NotSynced) {
	return s.controller.waitsFor()
}

// Status returns the state of the informer, since when, and why.
func (s *informer) Status() Status {
	status := s.controller.Status()
	s.own.Load().addTo(&status)
	return status
}

// LastSyncResourceVersion returns a resourceVersion of which the cache has every change: the last one
// that the server sent, or, while changes wait to be stored, an earlier one. It is empty before
// the first list is stored. Status().ResourceVersion may be ahead of the cache.
func (s *informer) LastSyncResourceVersion() string { return s.controller.appliedVersion() }

// Retry retries a failed list or watch at once, instead of after its wait; see
// Reflector.Retry.
func (s *informer) Retry() { s.controller.Retry() }

// Resource returns the resource that the informer follows.
func (s *informer) Resource() schema.GroupVersionResource {
	return s.controller.config.Resource
}

// name names the collection in errors and logs.
func (s *informer) name() string { return s.controller.name() }

// registrations returns the registered handlers.
func (s *informer) registrations() []Syncer {
	var all []Syncer
	for _, l := range s.processor.Listeners() {
		all = append(all, &registration{s, l})
	}
	return all
}

// formChange is a call of SetForm. The mutex of the informer guards it.
type formChange struct {
	left    map[*reflector]struct{} // those whose list of that form is not in the cache
	applied chan struct{}
}

func (f *formChange) isDone() bool { return len(f.left) == 0 }

func (f *formChange) done(r *reflector) {
	if _, waits := f.left[r]; waits {
		if delete(f.left, r); len(f.left) == 0 {
			close(f.applied)
		}
	}
}
