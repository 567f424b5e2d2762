package cache

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/klog/v2"
)

// Lease is a use of an informer of a factory that ends with Release, for a part of a program
// that comes and goes. The informer exists as long as it has leases. So does its cache: after
// the last Release, its listers return errors that wrap ErrStopped. All methods may be called
// from any goroutine.
type Lease[T Object] struct{ machine leaseMachine }

// leaseMachine is a lease as its faces see it.
type leaseMachine interface {
	machineOf() machine
	addHandler(handler eventHandler, options []HandlerOption) (ResourceEventHandlerRegistration, error)
	WaitForCacheSync(ctx context.Context) error
	Release()
}

// lease is a Lease without its type parameter.
type lease struct {
	informer *sharedInformer
	endUse   func()          // of the informer, by its factory
	alive    context.Context // ends with Release; its cause is the error of the methods then
	end      context.CancelCauseFunc
	released chan struct{} // closed at the end of the first Release

	mu       sync.Mutex // guards handlers, and alive against AddEventHandler
	handlers []*registration
}

// Acquire returns a lease of the factory's informer of a kind. If the factory has no such informer, or
// if the last lease of that informer is being released, Acquire creates a new one. It starts the
// informer with the context of the last Start of the factory. Before the first Start, the informer
// waits for it.
//
// Acquire takes the same options as InformerFor. The error is an *OptionError if an option has a
// mistake, or if the informer exists and has other options. It wraps ErrStopped after Shutdown, or if the
// context of Start has ended.
//
//	lease, err := cache.Acquire(factory.Inner(), examplev1.FooKind(client))
//	…
//	defer lease.Release()
func Acquire[T Object](f *SharedInformerFactory, kind Kind[T], set ...SharedInformerOption) (*Lease[T], error) {
	l, err := acquire(f, erasedKind(&kind), set)
	if err != nil {
		return nil, err
	}
	return &Lease[T]{l}, nil
}

func acquire(f *SharedInformerFactory, kind *kind, set []SharedInformerOption) (leaseMachine, error) {
	made, endUse, err := factoryOf(f).use(kind, set)
	if err != nil {
		return nil, err
	}
	l := &lease{informer: made.(*sharedInformer), endUse: endUse, released: make(chan struct{})}
	l.alive, l.end = context.WithCancelCause(context.Background())
	return l, nil
}

// Informer returns the informer. A handler that is added to it rather than to the lease stays
// until the informer stops.
func (l *Lease[T]) Informer() *SharedIndexInformer[T] { return faceOf[T](l.machine.machineOf()) }

// AddEventHandler adds a handler to the informer, as its method AddEventHandler does. Release
// removes the handler. The error wraps ErrStopped after Release.
func (l *Lease[T]) AddEventHandler(handler ResourceEventHandler[T], options ...HandlerOption) (ResourceEventHandlerRegistration, error) {
	return l.machine.addHandler(erasedHandler(handler), options)
}

func (l *lease) machineOf() machine { return l.informer }

func (l *lease) addHandler(handler eventHandler, options []HandlerOption) (ResourceEventHandlerRegistration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.alive.Err() != nil {
		return nil, context.Cause(l.alive)
	}
	added, err := l.informer.addEventHandler(handler, options)
	if err != nil {
		return nil, err
	}
	l.handlers = slices.DeleteFunc(l.handlers, func(r *registration) bool { return r.Removed() })
	l.handlers = append(l.handlers, added)
	return added, nil
}

// WaitForCacheSync blocks until the cache holds the first list, and each handler that was added
// to the lease has returned from the last event of that list. If ctx ends first, or the lease
// is released, or the informer stops, it returns an error, which wraps ErrStopped in the last two
// cases.
func (l *Lease[T]) WaitForCacheSync(ctx context.Context) error {
	return l.machine.WaitForCacheSync(ctx)
}

// WaitForCacheSync implements Lease.
func (l *lease) WaitForCacheSync(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.alive, cancel)()
	syncers := []Syncer{l.informer}
	l.mu.Lock()
	for _, r := range l.handlers {
		syncers = append(syncers, r)
	}
	l.mu.Unlock()
	err := WaitForCacheSync(ctx, syncers...)
	if l.alive.Err() != nil { // the handlers may have been removed meanwhile
		return context.Cause(l.alive)
	}
	return err
}

// Release removes the handlers of the lease, and waits until they have returned. The handlers of
// others continue. If it is the last lease, and InformerFor was never called for the informer,
// Release then removes the informer from the factory, stops it as Stop does, and frees the memory
// of its cache. A second call waits for the first one, and does nothing.
//
// A handler or a hook of the informer must not call Release, which may wait for it: call it in
// another goroutine. Release logs the name of a handler that it waits for longer than 10 seconds.
func (l *Lease[T]) Release() { l.machine.Release() }

// Release implements Lease.
func (l *lease) Release() {
	l.mu.Lock()
	again := l.alive.Err() != nil
	l.end(fmt.Errorf("the lease of %s was released: %w", l.informer.name(), ErrStopped))
	handlers := l.handlers
	l.handlers = nil
	l.mu.Unlock()
	if again {
		<-l.released
		return
	}
	defer close(l.released)
	for _, r := range handlers {
		_ = l.informer.RemoveEventHandler(r) // it is of this informer
	}
	for _, r := range handlers {
		l.await(r)
	}
	l.endUse()
}

// releaseWarning is how long Release waits for a handler before it logs its name.
const releaseWarning = 10 * time.Second

// await waits until a handler that was removed has returned.
func (l *lease) await(r *registration) {
	late := time.AfterFunc(releaseWarning, func() {
		klog.Background().Info("Release waits for a handler that does not return; a handler must not call Release of its lease", "resource", l.informer.name(), "handler", r.Name())
	})
	defer late.Stop()
	<-r.Gone()
}
