// Package mutation finds code that changes shared objects. The next check of an object finds
// a change since the first one, and reports the fields that differ.
package mutation

import (
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"weak"

	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/difference"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Reader is the suspect if no handler was called since the last check.
const Reader = "a reader of the cache"

// maxName is how many bytes of a name are printed.
const maxName = 200

// Detector keeps a copy of each object and compares objects with their copies. This is
// slow, and for tests only. A nil Detector does nothing. It is safe for concurrent use.
//
// A Detector keeps no object alive. It drops the copy of an object that the garbage collector
// has freed. So it also compares an object that left the cache before a handler gets it.
type Detector struct {
	resource string

	mu     sync.Mutex // guards copies
	copies map[objectKey]wire.Object
}

// objectKey identifies an object without keeping it alive. A later object at the same
// address has another key. The type that the pointer is of does not matter.
type objectKey = weak.Pointer[byte]

// New returns a Detector of objects of a resource.
func New(resource string) *Detector {
	return &Detector{resource: resource, copies: map[objectKey]wire.Object{}}
}

// Check panics if one of objs has changed since its first check. The message names suspect
// as the code that changed it. Check ignores zero values in objs.
func (d *Detector) Check(suspect string, objs ...wire.Object) {
	if d == nil {
		return
	}
	for _, obj := range objs {
		if obj != nil {
			d.check(suspect, obj)
		}
	}
}

func (d *Detector) check(suspect string, obj wire.Object) {
	start := (*byte)(reflect.ValueOf(obj).UnsafePointer())
	key := weak.Make(start)
	d.mu.Lock()
	defer d.mu.Unlock()
	pristine, seen := d.copies[key]
	if !seen {
		d.copies[key] = obj.DeepCopyObject().(wire.Object)
		runtime.AddCleanup(start, d.drop, key)
		return
	}
	if !reflect.DeepEqual(pristine, obj) {
		name := pristine.GetName()
		if namespace := pristine.GetNamespace(); namespace != "" {
			name = namespace + "/" + name
		}
		panic(fmt.Sprintf("%s has changed %s %s, which is shared; it must change a DeepCopy instead; changed: %s",
			suspect, d.resource, printable.Text(printable.Cut(name, maxName)), difference.Describe(pristine, obj)))
	}
}

// drop is called when the memory of an object is free.
func (d *Detector) drop(key objectKey) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.copies, key)
}

// Copies returns the number of copies, one for each live object, for tests.
func (d *Detector) Copies() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.copies)
}
