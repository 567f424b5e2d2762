package reflector

import (
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Transform changes an object before it goes to the Sink. Package cache documents it as TransformFunc.
type Transform = func(wire.Object) (wire.Object, error)

// Settings are what a Reflector needs to know.
type Settings struct {
	// Resource is that of the objects, in errors.
	Resource *schema.GroupVersionResource
	// Title names the scope in errors. It is empty if there is no other.
	Title string
	// Form is that of the Go type of the objects.
	Form store.Form
	// Open returns bodies. Source is used if it is nil, and Fake tells whether its client is a fake of client-go.
	Open   source.Open
	Source source.Source
	Fake   bool
	Decode *wire.Options // which do not change
	// Held, if it is not nil, has objects that need not be decoded again.
	Held      source.Held
	Transform Transform
	// Namespace, if it is not empty, is that of all objects: another one is an error.
	Namespace string
	// Rule tells which objects the scope does not have.
	Rule *scoping.Rule
	// ObjectError returns the error about an object that cannot be stored.
	ObjectError func(name listed.Name, err error) error
	Backoffs    protocol.Backoffs
	Pace        *protocol.Pace // of all Reflectors of an informer
	// FirstLists limit how many first lists are read at one time, if they are not nil. The Reflector joins them in their order.
	FirstLists [2]chan struct{}
	Traffic    *stats.Traffic
	// Random returns a duration below its argument, which is positive.
	Random func(time.Duration) time.Duration
	// Changes counts what the cache gets from elsewhere. Its number before the request becomes Began of a list.
	Changes *atomic.Uint64
	// Scope is that of the deltas.
	Scope frontier.ID
	// Shared is set if the objects may be shared with others: no one writes to them.
	Shared bool
	// KeepsUndecodable is set if the Sink gets events about objects that cannot be decoded.
	KeepsUndecodable bool
	StreamingList    bool
}
