package testserver

import (
	"reflect"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/informers/admissionregistration"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/tools/cache"
)

// revisions are the resource versions up to which the plugins know the webhook configurations, by the Go types of
// these. A write waits for its own, so that a webhook is called as soon as its configuration is created. In a
// cluster this takes some time.
type revisions struct {
	synced []cache.DoneChecker // of the handlers of the plugins, which are added before the informers run

	mu      sync.Mutex // guards the fields below
	known   map[reflect.Type]uint64
	grown   chan struct{} // closed when known changes, and replaced
	stopped bool
}

// revisionTimeout bounds the time in which a write of a webhook configuration waits for the plugins. They get its
// event after a millisecond, unless their watch has just ended.
const revisionTimeout = 5 * time.Second

func newRevisions() *revisions {
	return &revisions{known: map[reflect.Type]uint64{}, grown: make(chan struct{})}
}

// note says that the plugins know an object, or that it is deleted.
func (r *revisions) note(object any) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = tombstone.Obj
	}
	revision := revisionOf(object)
	r.mu.Lock()
	defer r.mu.Unlock()
	if kind := reflect.TypeOf(object); revision > r.known[kind] {
		r.known[kind] = revision
		r.wake()
	}
}

// wake ends all waits, which look again. mu is held.
func (r *revisions) wake() {
	close(r.grown)
	r.grown = make(chan struct{})
}

// stop ends all waits for good.
func (r *revisions) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	r.wake()
}

// await returns when the plugins know an object as it was written, or when they will not.
func (r *revisions) await(object runtime.Object) {
	timer := time.NewTimer(revisionTimeout)
	defer timer.Stop()
	for kind, revision := reflect.TypeOf(object), revisionOf(object); ; {
		r.mu.Lock()
		done, grown := r.stopped || r.known[kind] >= revision, r.grown
		r.mu.Unlock()
		if done {
			return
		}
		select {
		case <-grown:
		case <-timer.C:
			return
		}
	}
}

// revisionOf returns 0 for the object of a dry run, which has no resource version.
func revisionOf(object any) uint64 {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return 0
	}
	revision, err := strconv.ParseUint(accessor.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return revision
}

// observedFactory has the informers of another factory. After a handler has got an object, revisions are told.
type observedFactory struct {
	informers.SharedInformerFactory
	revisions *revisions
}

// Admissionregistration is for the plugins, whose configurations have this group.
func (f observedFactory) Admissionregistration() admissionregistration.Interface {
	return admissionregistration.New(f, metav1.NamespaceAll, nil)
}

// InformerFor is called by the informers of the group.
func (f observedFactory) InformerFor(object runtime.Object, build internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	return observedInformer{f.SharedInformerFactory.InformerFor(object, build), f.revisions}
}

type observedInformer struct {
	cache.SharedIndexInformer
	revisions *revisions
}

// AddEventHandler adds a handler that tells revisions.
func (i observedInformer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	registration, err := i.SharedIndexInformer.AddEventHandler(observedHandler{handler, i.revisions})
	if err == nil {
		i.revisions.synced = append(i.revisions.synced, registration.HasSyncedChecker())
	}
	return registration, err
}

type observedHandler struct {
	next      cache.ResourceEventHandler
	revisions *revisions
}

func (h observedHandler) OnAdd(object any, isInInitialList bool) {
	h.next.OnAdd(object, isInInitialList)
	h.revisions.note(object)
}

func (h observedHandler) OnUpdate(old, object any) {
	h.next.OnUpdate(old, object)
	h.revisions.note(object)
}

func (h observedHandler) OnDelete(object any) {
	h.next.OnDelete(object)
	h.revisions.note(object)
}
