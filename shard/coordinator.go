package shard

import (
	"context"
	"errors"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// Informer is what a Coordinator needs of an informer. A *cache.SharedIndexInformer is one.
type Informer interface {
	cache.Syncer
	SetScopes(scopes ...cache.Scope) error
}

// Coordinator is a member of a group of processes that divide the objects of collections among them.
type Coordinator struct{}

// New returns a Coordinator, which does nothing until Run. Its requests should not wait behind those
// of workers: give it a client of its own, without Transport of the Coordinator.
func New(leases coordinationv1client.LeasesGetter, options Options) (*Coordinator, error) {
	return nil, errors.ErrUnsupported // TODO(i23): D
}

// Follow limits an informer to the objects that this member owns: from now on, the Coordinator calls
// SetScopes of it, with scopes of the given ones. Without any, they are all namespaces. Call it before
// Run, and before the informer runs.
func (c *Coordinator) Follow(informer Informer, scopes ...cache.Scope) error {
	return errors.ErrUnsupported // TODO(i23): D
}

// AddEventHandler adds a handler to an informer. The handler gets the events of the objects that
// this member owns. It gets OnAdd for each cached object of a slot, with isInInitialList set, when
// Begin starts to accept the slot. It gets no event when a slot goes to another member.
func AddEventHandler[T cache.Object](c *Coordinator, informer cache.SharedInformer[T], handler cache.ResourceEventHandler[T], options ...cache.HandlerOption) (cache.ResourceEventHandlerRegistration, error) {
	return nil, errors.ErrUnsupported // TODO(i23): D
}

// Run is a member of the group until ctx ends. Then it waits for the work in progress, gives the
// slots to the others, and returns nil. The error says why it could not be, or could not leave.
func (c *Coordinator) Run(ctx context.Context) error {
	return errors.ErrUnsupported // TODO(i23): D
}

// Begin reports whether this member may work on an object. If so, the caller works with the context
// that it returns, passes it to its writes, and calls done when the work has ended. The context is
// canceled when the member has lost the object.
func (c *Coordinator) Begin(ctx context.Context, obj metav1.Object) (work context.Context, done func(), ok bool) {
	return ctx, func() {}, false // TODO(i23): D
}

// Owns reports whether Begin would accept an object.
func (c *Coordinator) Owns(obj metav1.Object) bool { return false } // TODO(i23): D

// Transport wraps a RoundTripper. It refuses the writes of work that is no longer valid, with a
// *LostError. Requests whose context is not that of Begin pass.
func (c *Coordinator) Transport(next http.RoundTripper) http.RoundTripper { return next } // TODO(i23): D

// Status returns the state of the member.
func (c *Coordinator) Status() Status { return Status{} } // TODO(i23): D

// Status is the state of a member, as it knows it.
type Status struct {
	// Identity is that of Options.
	Identity string
	// Slots is the number of all slots.
	Slots int
	// Owned is the number of slots that Begin accepts.
	Owned int
	// Syncing is the number of slots that this member has taken, but whose objects are not cached yet.
	Syncing int
	// Draining is the number of slots that go to another member when the work in progress has ended.
	Draining int
	// Working is the number of pieces of work in progress.
	Working int
	// Members are the members, by identity, with their slots.
	Members map[string]int
	// Err is why the member cannot renew its Lease, or fill its caches; nil if it can.
	Err error
}

// LostError is returned for a write of work on an object that this member no longer owns.
type LostError struct {
	// Identity is that of the member.
	Identity string
}

// Error says that the write was not sent.
func (e *LostError) Error() string {
	return "shard: " + e.Identity + " no longer owns the object, so the write was not sent; end the work"
}
