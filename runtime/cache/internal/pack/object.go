package pack

import (
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
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
	values *indexer.Values
}

type identity struct {
	namespace, name, resourceVersion string
	uid                              types.UID
}

// Of returns an Object of a Text.
func Of(t *Text) *Object { return &Object{text: t} }

// Text returns what Of gets.
func (p *Object) Text() *Text { return p.text }

// Open returns the object. It belongs to the caller, unless it has just arrived.
func (p *Object) Open() wire.Object {
	if p.decoded != nil {
		return p.decoded
	}
	return p.text.Decode()
}

// Values returns the values of the index functions that were called when the object arrived, or nil.
func (p *Object) Values() *indexer.Values { return p.values }

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

// decodeNamed returns a new object, if it has that name.
func (t *Text) decodeNamed(namespace, name string) (wire.Object, bool) {
	f := t.format
	if f.object != nil {
		if f.object.GetName() != name || f.object.GetNamespace() != namespace {
			return nil, false
		}
		return t.Decode(), true
	}
	buffer := f.line.packing.buffer()
	defer f.line.packing.release(buffer)
	text := t.text(buffer)
	if h := f.line.reader.ReadIdentity(f.line.form, text); string(h.Name) != name || string(h.Namespace) != namespace {
		return nil, false
	}
	return f.line.read(text), true
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
