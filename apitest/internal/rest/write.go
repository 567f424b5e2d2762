package rest

import (
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
)

// manage sets the managedFields of obj, which manager writes in place of old. old is nil if obj is
// new.
func (s *Store) manage(r *Request, old map[string]any, obj *unstructured.Unstructured, manager string) error {
	m, err := s.Kinds.Manager(r.Kind, r.Subresource)
	if err != nil {
		return err
	}
	if _, ok := obj.Object["metadata"].(map[string]any); !ok {
		obj.Object["metadata"] = map[string]any{}
	}
	if old == nil && r.Kind.Type != nil && !r.Kind.Custom() {
		old = r.Kind.Empty() // the fields that its Go type always has are written by no one
	}
	obj.Object, err = m.Update(old, obj.Object, manager, s.Now())
	return err
}

// put stores an object as it is, and answers with it. The caller does not use it again.
func (s *Store) put(key history.Key, obj *unstructured.Unstructured, code int) *Reply {
	before := s.History.Get(key)
	state := s.History.Put(key, obj.Object)
	s.observe(before, state)
	return &Reply{Code: code, State: state}
}

// erase deletes an object.
func (s *Store) erase(live *history.State) {
	s.History.Delete(live.Key)
	s.observe(live, nil)
}

// observe keeps the collector informed of a write. before or after is nil for a create or a delete.
func (s *Store) observe(before, after *history.State) {
	s.observeNamespace(before, after)
	if !s.Collects || ignored(before) || ignored(after) {
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
			s.enqueue(deleteDangling, s.History.Get(key))
		}
	case startsWaiting(before, after, metav1.FinalizerOrphanDependents):
		s.enqueue(orphanDependents, after)
	case startsWaiting(before, after, metav1.FinalizerDeleteDependents):
		for _, key := range s.collector.dependentsOf(types.UID(uidOf(after.Object))) {
			s.enqueue(deleteDangling, s.History.Get(key))
		}
		s.enqueue(deleteDangling, after)
	}
}

// ignored reports whether the collector leaves objects of a resource alone.
func ignored(state *history.State) bool {
	return state != nil && state.Resource == "events" && (state.Group == "" || state.Group == "events.k8s.io")
}

// enqueue adds work. A state that is nil is ignored.
func (s *Store) enqueue(do action, state *history.State) {
	if state != nil {
		s.collector.add(task{do: do, key: state.Key, uid: types.UID(uidOf(state.Object))})
	}
}

// observeOwners keeps the index of dependents, and looks at owners and dependents that a change of
// references concerns.
func (s *Store) observeOwners(before, after *history.State, was, is []metav1.OwnerReference) {
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
func (s *Store) owner(reference metav1.OwnerReference, namespace string) (*history.State, error) {
	kind := s.Kinds.Kind(schema.FromAPIVersionAndKind(reference.APIVersion, reference.Kind))
	switch {
	case kind == nil, kind.Namespaced && namespace == "":
		return nil, errUnresolved
	case !kind.Namespaced:
		namespace = ""
	}
	owner := s.History.Get(history.Key{GroupResource: kind.GroupResource(), Namespace: namespace, Name: reference.Name})
	if owner == nil || uidOf(owner.Object) != string(reference.UID) {
		return nil, nil
	}
	return owner, nil
}

// observeNamespace looks at a namespace that begins to terminate, and at one whose contents become
// fewer.
func (s *Store) observeNamespace(before, after *history.State) {
	switch {
	case after != nil && after.GroupResource == kinds.NamespaceResource:
		if isDeleting(after.Object) && (before == nil || !isDeleting(before.Object)) {
			s.enqueue(emptyNamespace, after)
		}
	case after == nil && before.Namespace != "":
		namespace := s.History.Get(history.Key{GroupResource: kinds.NamespaceResource, Name: before.Namespace})
		if namespace != nil && isDeleting(namespace.Object) {
			s.enqueue(emptyNamespace, namespace)
		}
	}
}

// reindex begins anew with the objects that there are. The caller holds the lock.
func (s *Store) reindex() {
	s.collector = newCollector()
	if !s.Collects {
		return
	}
	for _, resource := range s.History.Resources() {
		states, err := s.History.List(resource, "", 0)
		if err != nil {
			continue // the present never expires
		}
		for _, state := range states {
			s.observe(nil, state)
		}
	}
	s.collector.forget()
}
