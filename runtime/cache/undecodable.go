package cache

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// DecodeError is an object that cannot be decoded: which one, where in it, and why.
type DecodeError = wire.DecodeError

func nameOf(e *DecodeError) ObjectName { return ObjectName{Namespace: e.Namespace, Name: e.Name} }

// mayBe says whether a state may be one of the object with that UID; without a UID it
// may.
func mayBe(state *DecodeError, uid types.UID) bool {
	return state.UID == "" || uid == "" || state.UID == string(uid)
}

// name is that of the object that an Added, Updated or Deleted is about.
func (d *Delta[T]) name() ObjectName {
	if d.Undecodable != nil {
		return nameOf(d.Undecodable)
	}
	return MetaObjectToName(d.Object)
}

// identity is the UID and the version of the state that a Deleted carries.
func (d *Delta[T]) identity() (uid types.UID, resourceVersion string) {
	if d.Undecodable != nil {
		return types.UID(d.Undecodable.UID), d.Undecodable.ResourceVersion
	}
	return d.Object.GetUID(), d.Object.GetResourceVersion()
}

// undecodable are objects that the server has in a state that cannot be decoded.
type undecodable map[ObjectName]*DecodeError

// add remembers a state.
func (u *undecodable) add(state *DecodeError) {
	if *u == nil {
		*u = undecodable{}
	}
	(*u)[nameOf(state)] = state
}

// forgetUndecodable drops what a delta is about: a later state of it can be decoded, or it
// is gone.
func forgetUndecodable[T Object](u undecodable, delta *Delta[T]) {
	if len(u) > 0 {
		delete(u, delta.name())
	}
}

// sorted returns the states by the names of their objects.
func (u undecodable) sorted() []*DecodeError {
	if len(u) == 0 {
		return nil
	}
	return slices.SortedFunc(maps.Values(u), func(a, b *DecodeError) int {
		if order := strings.Compare(a.Namespace, b.Namespace); order != 0 {
			return order
		}
		return strings.Compare(a.Name, b.Name)
	})
}
