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

func stateName(e *DecodeError) ObjectName { return ObjectName{Namespace: e.Namespace, Name: e.Name} }

// nameOf returns the name of the object that an item is about.
func nameOf[T Object](item *Item[T]) ObjectName {
	if item.Err != nil {
		return stateName(item.Err)
	}
	return MetaObjectToName(item.Object)
}

// identityOf returns the UID and the version of the state that an item is about.
func identityOf[T Object](item *Item[T]) (uid types.UID, resourceVersion string) {
	if item.Err != nil {
		return types.UID(item.Err.UID), item.Err.ResourceVersion
	}
	return item.Object.GetUID(), item.Object.GetResourceVersion()
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
	name := stateName(state)
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

// noteState records whether the last state of an object can be decoded. An object that
// is gone has no state.
func noteState[T Object](u *undecodable, item *Item[T], gone bool) {
	switch {
	case item.Err != nil && !gone:
		u.add(item.Err)
	case len(u.states) > 0:
		u.forget(nameOf(item))
	}
}

// isKnown reports whether that is the state of the object that was added last.
func (u *undecodable) isKnown(state *DecodeError) bool {
	known := u.states[stateName(state)]
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
