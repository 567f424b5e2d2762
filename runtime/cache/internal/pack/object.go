package pack

import (
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

var _ indexer.Kept = (*Object)(nil)

// Object is a packed object, as the cache passes it on. Its methods may be called from any goroutine. Those that set something
// panic.
type Object struct {
	text *Text
	// decoded is the object, and not nil for one that has just arrived. All handlers get it.
	decoded wire.Object
	names   atomic.Pointer[identity]
	// values has the results of the index functions; nil if they were not called.
	values *indexer.Values
}

// Of returns an Object of a Text.
func Of(t *Text) *Object { return &Object{text: t} }

// Text returns the argument of Of.
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

// GetNamespace implements metav1.Object.
func (p *Object) GetNamespace() string { return p.identity().namespace }

// GetName implements metav1.Object.
func (p *Object) GetName() string { return p.identity().name }

// GetUID implements metav1.Object.
func (p *Object) GetUID() types.UID { return p.identity().uid }

// GetResourceVersion implements metav1.Object.
func (p *Object) GetResourceVersion() string { return p.identity().resourceVersion }
