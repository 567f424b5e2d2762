package cache

import (
	"fmt"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/util/json"
)

// mutationDetector finds handlers, and readers, that change objects of the cache.
// It keeps a copy of each object and compares, which is slow: it is for tests. A
// nil detector does nothing.
type mutationDetector[T Object] struct {
	resource string

	mu     sync.Mutex // guards copies
	copies map[T]T
}

func newMutationDetector[T Object](resource string) *mutationDetector[T] {
	return &mutationDetector[T]{resource: resource, copies: map[T]T{}}
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
	d.mu.Lock()
	defer d.mu.Unlock()
	pristine, seen := d.copies[obj]
	if !seen {
		d.copies[obj] = obj.DeepCopyObject().(T)
		return
	}
	if !reflect.DeepEqual(pristine, obj) {
		panic(fmt.Sprintf("%s has changed %s %s, which is shared; it has to change a DeepCopy of it\nwas: %s\nis:  %s",
			culprit, d.resource, MetaObjectToName(pristine), asJSON(pristine), asJSON(obj)))
	}
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

func asJSON(obj any) string {
	text, err := json.Marshal(obj)
	if err != nil {
		return fmt.Sprintf("%+v", obj)
	}
	return string(text)
}
