package crcache

import (
	"errors"
	"maps"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/internal/synced"
)

// follow lets an informer of metadata read an entry of typed objects until one of them does not fit the Go type. Then it
// replaces the informer by one with an entry of its own. It returns when the handlers have ended.
func (c *Cache) follow(i *informer) {
	defer i.awaitFollowers()
	select {
	case <-i.removed:
		return
	case <-i.entry.informer.Ended():
		return
	case <-i.entry.undecodable:
	}
	next, err := c.newSuccessor(i)
	if err != nil {
		c.log.Error(err, "Metadata cannot be listed without the typed objects, one of which cannot be decoded", "kind", i.entry.gvk.Kind)
	}
	if next == nil {
		return
	}
	isSynced := false
	select {
	case <-next.ready:
		isSynced = true
	case <-i.removed:
	case <-next.entry.informer.Ended():
	}
	from := i
	if isSynced && c.replace(i, next) {
		i.move()
	} else {
		from = next
		next.remove()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.release(from)
}

// newSuccessor makes the successor of an informer, with its indexes. It returns nil if the informer was removed. Index
// functions may read the cache, so no lock is held.
func (c *Cache) newSuccessor(i *informer) (*informer, error) {
	c.mu.Lock()
	if c.stopped || (*c.informers.Load())[i.key()] != i {
		c.mu.Unlock()
		return nil, nil
	}
	own := *i.entry.resolved
	own.form, own.object = metadata, &metav1.PartialObjectMetadata{}
	e, err := c.entryOf(&own)
	if err != nil {
		c.mu.Unlock()
		return nil, err
	}
	next := e.add(metadata)
	c.mu.Unlock()

	i.mu.Lock()
	indexers, fields := maps.Clone(i.indexers), *i.fields.Load()
	i.successor.Store(next)
	i.mu.Unlock()
	err = next.AddIndexers(indexers)
	for field, extract := range fields {
		err = errors.Join(err, next.indexField(field, extract))
	}
	return next, err
}

// replace makes readers find another informer, unless the informer was removed.
func (c *Cache) replace(i, next *informer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if (*c.informers.Load())[i.key()] != i {
		return false
	}
	c.list(next)
	return true
}

// move lets the successor replace the informer for its users.
func (i *informer) move() {
	i.mu.Lock()
	defer i.mu.Unlock()
	close(i.moved)
	close(i.removed)
}

// awaitFollowers waits until the handlers have ended. No other is added then.
func (i *informer) awaitFollowers() {
	i.mu.Lock()
	i.isFollowed = false
	i.mu.Unlock()
	i.followers.Wait()
}

// follower is a handler of an informer of metadata that gets the events of the successor after those of the informer. No
// event is repeated or lost between them.
type follower struct {
	laterRegistration
	informer *informer
	handler  toolscache.ResourceEventHandler
	options  toolscache.HandlerOptions
	synced   chan struct{}
	gone     chan struct{}

	// at is the informer of the registration. The mutex of informer guards it.
	at           *informer
	registration toolscache.ResourceEventHandlerRegistration
	isRemoved    bool

	mu sync.Mutex // held while the handler is called; guards the fields below
	// known has the last object that the handler has got, by its key.
	known map[string]metav1.Object
	// left has those of known that the first list of the successor has not told yet.
	left map[string]metav1.Object
}

// addFollower adds a handler. The mutex is held.
func (i *informer) addFollower(handler toolscache.ResourceEventHandler, options toolscache.HandlerOptions) (toolscache.ResourceEventHandlerRegistration, error) {
	f := &follower{
		informer: i, handler: handler, options: options, at: i, known: map[string]metav1.Object{},
		synced: make(chan struct{}), gone: make(chan struct{}),
	}
	var err error
	if f.registration, err = i.addLocked(followed{f}, options); err != nil {
		return nil, err
	}
	i.followers.Go(f.await)
	return registrationOf(f), nil
}

// removeFollower removes a handler. It ignores one of another informer.
func (i *informer) removeFollower(f *follower) error {
	of := f.informer
	if of != i && of.latest() != i {
		return nil
	}
	of.mu.Lock()
	f.isRemoved = true
	at, registration := f.at, f.registration
	of.mu.Unlock()
	return at.removeHandler(registration)
}

// await returns when the handler was removed, or the informer that it follows has ended.
func (f *follower) await() {
	defer close(f.gone)
	synced, gone := channelsOf(f.registration)
	for {
		select {
		case <-synced:
			close(f.synced)
			synced = nil
		case <-gone:
			if !isClosed(f.informer.moved) {
				return
			}
			f.proceed(gone)
			return
		case <-f.informer.moved:
			f.proceed(gone)
			return
		}
	}
}

// proceed follows the successor, after the last call of the handler for the informer.
func (f *follower) proceed(gone <-chan struct{}) {
	_ = f.at.removeHandler(f.registration) // it is one of its own
	<-gone
	f.left = maps.Clone(f.known)
	if !f.register(f.informer.successor.Load()) {
		return
	}
	synced, gone := channelsOf(f.registration)
	select {
	case <-synced:
		f.deleteLeft()
		if !isClosed(f.synced) {
			close(f.synced)
		}
		<-gone
	case <-gone:
	}
}

// register adds the handler to the successor, and reports whether that could be done.
func (f *follower) register(next *informer) bool {
	f.informer.mu.Lock()
	defer f.informer.mu.Unlock()
	if f.isRemoved {
		return false
	}
	registration, err := next.AddEventHandlerWithOptions(followed{f}, f.options)
	if err == nil {
		f.at, f.registration = next, registration
	}
	return err == nil
}

// deleteLeft calls the handler for the objects that the successor does not have.
func (f *follower) deleteLeft() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for key, obj := range f.left {
		delete(f.known, key)
		f.handler.OnDelete(toolscache.DeletedFinalStateUnknown{Key: key, Obj: obj})
	}
	f.left = nil
}

// channelsOf returns when a handler has returned from its last initial event, and when from its last call.
func channelsOf(of toolscache.ResourceEventHandlerRegistration) (synced, gone <-chan struct{}) {
	return of.(interface{ Synced() <-chan struct{} }).Synced(), of.(interface{ ShutdownChan() <-chan struct{} }).ShutdownChan()
}

// HasSynced reports whether the handler has returned from its last initial event.
func (f *follower) HasSynced() bool { return isClosed(f.synced) }

// checker returns a DoneChecker that is done when HasSynced is true.
func (f *follower) checker() synced.Checker {
	return synced.New(f.informer.name()+" + event handler", f.synced)
}

// own returns the follower of a versionedRegistration.
func (f *follower) own() *follower { return f }

// ShutdownChan is closed when the handler was removed and has returned from its last call.
// client-go's ShutDownEventHandler waits for it.
func (f *follower) ShutdownChan() <-chan struct{} { return f.gone }

// followed calls the handler of a follower.
type followed struct{ *follower }

// OnAdd calls the handler if it does not know the object in this state.
func (f followed) OnAdd(obj any, isInInitialList bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := obj.(metav1.Object)
	key := keyOf(obj)
	old, isKnown := f.known[key]
	f.known[key] = o
	delete(f.left, key)
	switch {
	case !isKnown:
		f.handler.OnAdd(obj, isInInitialList && !isClosed(f.synced)) // its list is not the first one for the handler
	case old.GetUID() != o.GetUID():
		f.handler.OnDelete(toolscache.DeletedFinalStateUnknown{Key: key, Obj: old})
		f.handler.OnAdd(obj, false)
	case old.GetResourceVersion() != o.GetResourceVersion():
		f.handler.OnUpdate(old, obj)
	}
}

// OnUpdate calls the handler.
func (f followed) OnUpdate(oldObj, newObj any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known[keyOf(newObj)] = newObj.(metav1.Object)
	f.handler.OnUpdate(oldObj, newObj)
}

// OnDelete calls the handler.
func (f followed) OnDelete(obj any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := keyOf(obj)
	delete(f.known, key)
	delete(f.left, key)
	f.handler.OnDelete(obj)
}

// keyOf returns the key of an object of an event.
func keyOf(obj any) string {
	key, _ := toolscache.DeletionHandlingMetaNamespaceKeyFunc(obj) // it has metadata
	return key
}
