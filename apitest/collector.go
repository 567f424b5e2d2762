package apitest

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
)

// collector does what the garbage collector and the namespace controller of a cluster do: it deletes
// objects whose owners are gone, and the contents of namespaces. Server.mu guards it. It runs at the
// end of a request, in the order in which the work came, so that a test finds the same state each
// time.
type collector struct {
	// dependents are the objects with a reference to an owner, by the UID of the owner.
	dependents map[types.UID]map[history.Key]struct{}
	queue      []task
	queued     map[task]struct{}
}

// task is an object that the collector has to look at.
type task struct {
	do  action
	key history.Key
	uid types.UID
}

type action int

const (
	// deleteDangling deletes an object without owners, and goes on with one whose dependents are
	// deleted before it.
	deleteDangling action = iota
	// orphanDependents removes the references to an object.
	orphanDependents
	// emptyNamespace deletes the contents of a namespace.
	emptyNamespace
)

// controllerManager is the field manager of what the collector writes.
const controllerManager = "kube-controller-manager"

func newCollector() collector {
	return collector{dependents: map[types.UID]map[history.Key]struct{}{}, queued: map[task]struct{}{}}
}

func (c *collector) add(t task) {
	if _, waits := c.queued[t]; !waits {
		c.queued[t] = struct{}{}
		c.queue = append(c.queue, t)
	}
}

// forget drops all work, as after a restart.
func (c *collector) forget() {
	c.queue = nil
	clear(c.queued)
}

// reindex begins anew with the objects that there are. The caller holds mu.
func (s *Server) reindex() {
	s.collector = newCollector()
	if !s.collects {
		return
	}
	for _, resource := range s.history.Resources() {
		states, err := s.history.List(resource, "", 0)
		if err != nil {
			continue // the present never expires
		}
		for _, state := range states {
			s.observe(nil, state)
		}
	}
	s.collector.forget()
}

// dependentsOf returns the objects that refer to an owner, in the order of their keys.
func (c *collector) dependentsOf(owner types.UID) []history.Key {
	keys := make([]history.Key, 0, len(c.dependents[owner]))
	for key := range c.dependents[owner] {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b history.Key) int {
		if order := strings.Compare(a.GroupResource.String(), b.GroupResource.String()); order != 0 {
			return order
		}
		return strings.Compare(a.Path(), b.Path())
	})
	return keys
}

// ownersOf returns the references of an object, or nil. Most objects have none, and cost no decoding.
func ownersOf(state *history.State) []metav1.OwnerReference {
	if state == nil {
		return nil
	}
	metadata, _ := state.Object["metadata"].(map[string]any)
	if metadata["ownerReferences"] == nil {
		return nil
	}
	return (&unstructured.Unstructured{Object: state.Object}).GetOwnerReferences()
}

// observe keeps the collector informed of a write. before or after is nil for a create or a delete.
func (s *Server) observe(before, after *history.State) {
	s.observeNamespace(before, after)
	if !s.collects || ignored(before) || ignored(after) {
		return
	}
	if before != nil && after != nil && uidOf(before.Object) != uidOf(after.Object) {
		s.observe(before, nil)
		before = nil
	}
	was, is := ownersOf(before), ownersOf(after)
	if len(was) > 0 || len(is) > 0 {
		s.observeOwners(before, after, was, is)
	}
	switch {
	case after == nil:
		uid := types.UID(uidOf(before.Object))
		for _, key := range s.collector.dependentsOf(uid) {
			s.enqueue(deleteDangling, s.history.Get(key))
		}
	case startsWaiting(before, after, metav1.FinalizerOrphanDependents):
		s.enqueue(orphanDependents, after)
	case startsWaiting(before, after, metav1.FinalizerDeleteDependents):
		for _, key := range s.collector.dependentsOf(types.UID(uidOf(after.Object))) {
			s.enqueue(deleteDangling, s.history.Get(key))
		}
		s.enqueue(deleteDangling, after)
	}
}

// ignored reports whether the collector leaves objects of a resource alone.
func ignored(state *history.State) bool {
	return state != nil && state.Resource == "events" && (state.Group == "" || state.Group == "events.k8s.io")
}

// enqueue adds work. A state that is nil is ignored.
func (s *Server) enqueue(do action, state *history.State) {
	if state != nil {
		s.collector.add(task{do: do, key: state.Key, uid: types.UID(uidOf(state.Object))})
	}
}

// observeOwners keeps the index of dependents, and looks at owners and dependents that a change of
// references concerns.
func (s *Server) observeOwners(before, after *history.State, was, is []metav1.OwnerReference) {
	find := func(references []metav1.OwnerReference, uid types.UID) *metav1.OwnerReference {
		i := slices.IndexFunc(references, func(r metav1.OwnerReference) bool { return r.UID == uid })
		if i < 0 {
			return nil
		}
		return &references[i]
	}
	for _, old := range was {
		now := find(is, old.UID)
		if now == nil {
			delete(s.collector.dependents[old.UID], before.Key)
			if len(s.collector.dependents[old.UID]) == 0 {
				delete(s.collector.dependents, old.UID)
			}
		}
		if blocks(old) && (now == nil || !blocks(*now)) || after == nil {
			if owner, err := s.owner(old, before.Namespace); err == nil && waitsForDependents(owner) {
				s.enqueue(deleteDangling, owner)
			}
		}
	}
	for _, now := range is {
		if find(was, now.UID) != nil {
			continue
		}
		if s.collector.dependents[now.UID] == nil {
			s.collector.dependents[now.UID] = map[history.Key]struct{}{}
		}
		s.collector.dependents[now.UID][after.Key] = struct{}{}
		if owner, err := s.owner(now, after.Namespace); err == nil && owner == nil {
			s.enqueue(deleteDangling, after)
		}
	}
}

func blocks(reference metav1.OwnerReference) bool {
	return reference.BlockOwnerDeletion != nil && *reference.BlockOwnerDeletion
}

// hasFinalizer reports whether an object that exists has a finalizer.
func hasFinalizer(state *history.State, name string) bool {
	if state == nil {
		return false
	}
	return slices.Contains((&unstructured.Unstructured{Object: state.Object}).GetFinalizers(), name)
}

// startsWaiting reports whether a write made an object wait for the collector, with a finalizer.
func startsWaiting(before, after *history.State, finalizer string) bool {
	waits := func(state *history.State) bool {
		return state != nil && isDeleting(state.Object) && hasFinalizer(state, finalizer)
	}
	return waits(after) && !waits(before)
}

// waitsForDependents reports whether an object is deleted in the foreground.
func waitsForDependents(state *history.State) bool {
	return state != nil && isDeleting(state.Object) && hasFinalizer(state, metav1.FinalizerDeleteDependents)
}

// errUnresolved is the error for a reference that cannot name an object. The collector leaves its
// object alone.
var errUnresolved = errors.New("the reference names a kind that the server does not have, or an owner in a namespace for an object that is in none")

// owner returns the object that a reference of an object in a namespace names, or nil if it does not
// exist. An object with the same name and another UID is not the owner.
func (s *Server) owner(reference metav1.OwnerReference, namespace string) (*history.State, error) {
	kind := s.kinds.kind(schema.FromAPIVersionAndKind(reference.APIVersion, reference.Kind))
	switch {
	case kind == nil, kind.Namespaced && namespace == "":
		return nil, errUnresolved
	case !kind.Namespaced:
		namespace = ""
	}
	owner := s.history.Get(history.Key{GroupResource: kind.groupResource(), Namespace: namespace, Name: reference.Name})
	if owner == nil || uidOf(owner.Object) != string(reference.UID) {
		return nil, nil
	}
	return owner, nil
}

// collect does the work that waits, and the work that follows from it.
func (s *Server) collect() {
	for len(s.collector.queue) > 0 {
		next := s.collector.queue[0]
		s.collector.queue = s.collector.queue[1:]
		delete(s.collector.queued, next)
		live := s.history.Get(next.key)
		if live == nil || uidOf(live.Object) != string(next.uid) {
			continue
		}
		switch next.do {
		case deleteDangling:
			s.deleteDangling(live, next.uid)
		case orphanDependents:
			for _, key := range s.collector.dependentsOf(next.uid) {
				if dependent := s.history.Get(key); dependent != nil {
					s.dropOwners(dependent, func(r metav1.OwnerReference) bool { return r.UID == next.uid })
				}
			}
			s.dropFinalizer(live, metav1.FinalizerOrphanDependents)
		case emptyNamespace:
			s.emptyNamespace(live)
		}
	}
}

// deleteDangling deletes an object if none of its owners exists. It follows attemptToDeleteItem of
// the garbage collector of Kubernetes.
func (s *Server) deleteDangling(live *history.State, uid types.UID) {
	switch {
	case waitsForDependents(live):
		s.finishForeground(live, uid)
		return
	case isDeleting(live.Object):
		return
	}
	references := ownersOf(live)
	if len(references) == 0 {
		return
	}
	var solid, waiting int
	gone := map[types.UID]bool{} // the owners that are gone or wait for this object
	for _, reference := range references {
		owner, err := s.owner(reference, live.Namespace)
		switch {
		case err != nil:
			return
		case owner == nil:
			gone[reference.UID] = true
		case waitsForDependents(owner):
			gone[reference.UID] = true
			waiting++
		default:
			solid++
		}
	}
	policy := metav1.DeletePropagationBackground
	switch dependents := s.collector.dependentsOf(uid); {
	case solid > 0:
		if len(gone) > 0 {
			s.dropOwners(live, func(r metav1.OwnerReference) bool { return gone[r.UID] })
		}
		return
	case waiting > 0 && len(dependents) > 0:
		if slices.ContainsFunc(dependents, func(key history.Key) bool { return waitsForDependents(s.history.Get(key)) }) {
			// An owner and a dependent wait for their dependents, perhaps in a circle.
			if live = s.unblockOwners(live); live == nil {
				return
			}
		}
		policy = metav1.DeletePropagationForeground
	case hasFinalizer(live, metav1.FinalizerOrphanDependents):
		policy = metav1.DeletePropagationOrphan
	case hasFinalizer(live, metav1.FinalizerDeleteDependents):
		policy = metav1.DeletePropagationForeground
	}
	s.deleteByController(live, policy)
}

// finishForeground lets an object go whose dependents are gone, as far as they block it.
func (s *Server) finishForeground(live *history.State, uid types.UID) {
	blocked := false
	for _, key := range s.collector.dependentsOf(uid) {
		dependent := s.history.Get(key)
		if slices.ContainsFunc(ownersOf(dependent), func(r metav1.OwnerReference) bool { return r.UID == uid && blocks(r) }) {
			blocked = true
			if !waitsForDependents(dependent) {
				s.enqueue(deleteDangling, dependent)
			}
		}
	}
	if !blocked {
		s.dropFinalizer(live, metav1.FinalizerDeleteDependents)
	}
}

// byController returns a request of the collector for an object. No reactor and no fault sees it.
func (s *Server) byController(live *history.State, verb string) *request {
	object := &unstructured.Unstructured{Object: live.Object}
	kind := s.kinds.kind(object.GroupVersionKind())
	if kind == nil {
		kind = s.kinds.of(live.GroupResource)
	}
	return &request{http: &http.Request{Header: http.Header{}}, verb: verb, kind: kind, namespace: live.Namespace, name: live.Name}
}

func (s *Server) deleteByController(live *history.State, policy metav1.DeletionPropagation) {
	uid := types.UID(uidOf(live.Object))
	options := &metav1.DeleteOptions{PropagationPolicy: &policy, Preconditions: &metav1.Preconditions{UID: &uid}}
	// A deletion without a precondition that could fail has no error.
	_, _ = s.remove(s.byController(live, "delete"), live, options)
}

// updateByController changes an object, and returns its new state, or nil if it is gone. If the
// object has become invalid, it stays as it is, as it does in a cluster.
func (s *Server) updateByController(live *history.State, change func(*unstructured.Unstructured)) *history.State {
	r := s.byController(live, "patch")
	object := (&unstructured.Unstructured{Object: r.kind.present(live)}).DeepCopy()
	change(object)
	if _, err := s.replace(r, live, object, write{manager: controllerManager}); err != nil {
		return nil
	}
	return s.history.Get(live.Key)
}

// dropOwners removes the references that match.
func (s *Server) dropOwners(live *history.State, match func(metav1.OwnerReference) bool) {
	s.updateByController(live, func(object *unstructured.Unstructured) {
		object.SetOwnerReferences(slices.DeleteFunc(object.GetOwnerReferences(), match))
	})
}

// unblockOwners lets the owners of an object go before it.
func (s *Server) unblockOwners(live *history.State) *history.State {
	return s.updateByController(live, func(object *unstructured.Unstructured) {
		references := object.GetOwnerReferences()
		no := false
		for i := range references {
			references[i].BlockOwnerDeletion = &no
		}
		object.SetOwnerReferences(references)
	})
}

func (s *Server) dropFinalizer(live *history.State, name string) {
	s.updateByController(live, func(object *unstructured.Unstructured) {
		object.SetFinalizers(slices.DeleteFunc(object.GetFinalizers(), func(f string) bool { return f == name }))
	})
}
