package pack

import (
	"reflect"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Object is a packed object, as the cache passes it on. Its methods may be called from any goroutine. Those that set something
// panic.
type Object struct {
	text *Text
	// decoded is the object, and not nil for one that has just arrived. All handlers get it.
	decoded wire.Object
	names   atomic.Pointer[identity]
	// values are those of the index functions; nil if they were not called.
	values *Values
	// buffer is what IsNamed has read the text into. It is nil after Open.
	buffer *[]byte
}

// Values are the values of index functions for an object, in the order of the functions. Of tells which functions they are.
type Values struct {
	Of    uint64
	Lists [][]string
}

// ValuesOf returns the values of the index functions that were called when an object arrived, or nil.
func ValuesOf(obj wire.Object) *Values {
	if packed, is := obj.(*Object); is {
		return packed.values
	}
	return nil
}

type identity struct {
	namespace, name, resourceVersion string
	uid                              types.UID
}

// Of returns an Object of a Text.
func Of(t *Text) *Object { return &Object{text: t} }

// Text returns what Of gets.
func (p *Object) Text() *Text { return p.text }

// Open returns the object that obj is in the cache for: itself, unless it is an Object. A decoded one belongs to the caller,
// unless it has just arrived. It is not inlined: packages that use a cache would compile the type of Object again.
//
//go:noinline
func Open(obj wire.Object) wire.Object {
	if packed, is := obj.(*Object); is {
		return packed.Open()
	}
	return obj
}

// Open returns the object. It belongs to the caller, unless it has just arrived.
func (p *Object) Open() wire.Object {
	switch {
	case p.decoded != nil:
		return p.decoded
	case p.buffer != nil:
		defer p.release()
		return p.text.format.line.read(*p.buffer)
	}
	return p.text.Decode()
}

// IsNamed reports whether obj has that name. If it has, Open does not read the text again. obj belongs to the caller, who calls
// Open at once.
func IsNamed(obj wire.Object, namespace, name string) bool {
	packed, is := obj.(*Object)
	if !is || packed.text.format.object != nil {
		return obj.GetName() == name && obj.GetNamespace() == namespace
	}
	l := packed.text.format.line
	packed.buffer = l.packing.buffer()
	text := packed.text.text(packed.buffer)
	*packed.buffer = append((*packed.buffer)[:0], text...) // mostly onto itself
	h := l.reader.ReadIdentity(l.form, *packed.buffer)
	if string(h.Name) == name && string(h.Namespace) == namespace {
		return true
	}
	packed.release()
	return false
}

func (p *Object) release() {
	p.text.format.line.packing.release(p.buffer)
	p.buffer = nil
}

// TypeOf returns the Go type of the object that obj is in the cache for.
func TypeOf(obj wire.Object) reflect.Type {
	packed, is := obj.(*Object)
	switch {
	case !is:
		return reflect.TypeOf(obj)
	case packed.text.format.object != nil:
		return reflect.TypeOf(packed.text.format.object)
	}
	return packed.text.format.line.reader.Delivers()
}

// Decode returns a new object, which belongs to the caller.
func (t *Text) Decode() wire.Object {
	f := t.format
	if f.object != nil {
		return f.object.DeepCopyObject().(wire.Object)
	}
	buffer := f.line.packing.buffer()
	defer f.line.packing.release(buffer)
	return f.line.read(t.text(buffer))
}

// identity returns the names of the object.
func (p *Object) identity() *identity {
	if known := p.names.Load(); known != nil {
		return known
	}
	var of *identity
	if obj := p.decoded; obj != nil {
		of = identityOf(obj)
	} else {
		of = p.text.identity()
	}
	p.names.Store(of)
	return of
}

func (t *Text) identity() *identity {
	f := t.format
	if f.object != nil {
		return identityOf(f.object)
	}
	buffer := f.line.packing.buffer()
	defer f.line.packing.release(buffer)
	h := f.line.reader.ReadIdentity(f.line.form, t.text(buffer))
	// One allocation for all names.
	n, m, v := len(h.Namespace), len(h.Name), len(h.ResourceVersion)
	all := make([]byte, 0, n+m+v+len(h.UID))
	all = append(append(append(append(all, h.Namespace...), h.Name...), h.ResourceVersion...), h.UID...)
	text := string(all)
	return &identity{text[:n], text[n : n+m], text[n+m : n+m+v], types.UID(text[n+m+v:])}
}

func identityOf(obj wire.Object) *identity {
	return &identity{obj.GetNamespace(), obj.GetName(), obj.GetResourceVersion(), obj.GetUID()}
}

// GetNamespace is that of metav1.Object.
func (p *Object) GetNamespace() string { return p.identity().namespace }

// GetName is that of metav1.Object.
func (p *Object) GetName() string { return p.identity().name }

// GetUID is that of metav1.Object.
func (p *Object) GetUID() types.UID { return p.identity().uid }

// GetResourceVersion is that of metav1.Object.
func (p *Object) GetResourceVersion() string { return p.identity().resourceVersion }
