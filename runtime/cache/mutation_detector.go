package cache

import (
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"weak"
)

// mutationDetector finds handlers, and readers, that change objects of the cache.
// It keeps a copy of each object and compares, which is slow: it is for tests. A
// nil detector does nothing.
//
// A copy is dropped with the memory of its object: an object that left the cache is
// still compared when a handler is told of it late, and no one can change one that
// nothing points to.
type mutationDetector[T Object] struct {
	resource string
	// withValues is Settings.MutationValues.
	withValues bool

	mu     sync.Mutex // guards copies
	copies map[objectKey]T
}

// objectKey identifies an object without keeping it alive. It is never that of a later
// object at the same address. The type of what it points to does not matter.
type objectKey = weak.Pointer[byte]

func newMutationDetector[T Object](config *Config[T]) *mutationDetector[T] {
	return &mutationDetector[T]{resource: config.name(), withValues: config.MutationValues, copies: map[objectKey]T{}}
}

// before is called before a handler is told n.
func (d *mutationDetector[T]) before(n *notification[T]) {
	if d != nil {
		d.check(n, "somebody who reads the cache, or another handler,")
	}
}

// after is called when the handler has returned.
func (d *mutationDetector[T]) after(n *notification[T], handler string) {
	if d != nil {
		d.check(n, "handler "+handler)
	}
}

// check panics if an object is not what it was when it was first seen.
func (d *mutationDetector[T]) check(n *notification[T], culprit string) {
	var none T
	for _, obj := range []T{n.old, n.obj} {
		if obj != none {
			d.checkObject(obj, culprit)
		}
	}
}

func (d *mutationDetector[T]) checkObject(obj T, culprit string) {
	start := (*byte)(reflect.ValueOf(obj).UnsafePointer())
	key := weak.Make(start)
	d.mu.Lock()
	defer d.mu.Unlock()
	pristine, seen := d.copies[key]
	if !seen {
		d.copies[key] = obj.DeepCopyObject().(T)
		runtime.AddCleanup(start, d.drop, key)
		return
	}
	if !reflect.DeepEqual(pristine, obj) {
		panic(fmt.Sprintf("%s has changed %s %s, which is shared; it has to change a DeepCopy of it; changed: %s",
			culprit, d.resource, excerpt(MetaObjectToName(pristine).String()), describeDifference(pristine, obj, d.withValues)))
	}
}

// drop is called when the memory of an object is free.
func (d *mutationDetector[T]) drop(key objectKey) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.copies, key)
}

// see is called when objects come into the cache.
func (d *mutationDetector[T]) see(notes []notification[T]) {
	if d == nil {
		return
	}
	for i := range notes {
		d.check(&notes[i], "somebody who reads the cache")
	}
}

// checkAll is called when the informer ends.
func (d *mutationDetector[T]) checkAll(objs []T) {
	if d == nil {
		return
	}
	for _, obj := range objs {
		d.checkObject(obj, "somebody who reads the cache")
	}
}
