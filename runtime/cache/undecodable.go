package cache

import (
	"fmt"
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

// undecodable are objects that the server has in a state that cannot be decoded. All of
// them are kept by name, for the cache and for Status, but not all of what was said of
// them: thousands of objects may be wrong at one time.
type undecodable struct {
	states map[ObjectName]*DecodeError
	// explained is how many of the states have all of their text.
	explained int
}

// maxExplained is how many states keep their text. They hold at most 2 MB.
const maxExplained = 256

// errNotExplained is the reason of the states beyond them.
var errNotExplained = fmt.Errorf("the reason is not kept, as it is for %d other objects", maxExplained)

// add remembers a state.
func (u *undecodable) add(state *DecodeError) {
	if u.states == nil {
		u.states = map[ObjectName]*DecodeError{}
	}
	name := nameOf(state)
	u.forget(name)
	if u.explained >= maxExplained {
		state = withoutReason(state)
	}
	if state.Err != errNotExplained {
		u.explained++
	}
	u.states[name] = state
}

// forget drops an object.
func (u *undecodable) forget(name ObjectName) {
	if known := u.states[name]; known != nil && known.Err != errNotExplained {
		u.explained--
	}
	delete(u.states, name)
}

// withoutReason returns which state it is and no more.
func withoutReason(state *DecodeError) *DecodeError {
	return &DecodeError{
		Namespace: state.Namespace, Name: state.Name, UID: state.UID, ResourceVersion: state.ResourceVersion,
		Err: errNotExplained,
	}
}

// forgetUndecodable drops what a delta is about: a later state of it can be decoded, or it
// is gone.
func forgetUndecodable[T Object](u *undecodable, delta *Delta[T]) {
	if len(u.states) > 0 {
		u.forget(delta.name())
	}
}

// isKnown reports whether that is the state of the object that was added last.
func (u *undecodable) isKnown(state *DecodeError) bool {
	known := u.states[nameOf(state)]
	return known != nil && known.ResourceVersion == state.ResourceVersion && known.UID == state.UID
}

// sorted returns the states by the names of their objects.
func (u *undecodable) sorted() []*DecodeError {
	if len(u.states) == 0 {
		return nil
	}
	return slices.SortedFunc(maps.Values(u.states), func(a, b *DecodeError) int {
		if order := strings.Compare(a.Namespace, b.Namespace); order != 0 {
			return order
		}
		return strings.Compare(a.Name, b.Name)
	})
}
