package listed

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Undecodable is the set of the objects whose last state cannot be decoded. It keeps the
// reasons of MaxExplained of them only, as there may be thousands. The goroutine of a
// Reflector changes it. Any goroutine may call Sorted. The zero value is empty.
type Undecodable struct {
	mu     sync.Mutex // guards changes, and reads of other goroutines
	states map[Name]*wire.DecodeError
	// explained is the number of states with their reason.
	explained int
}

// MaxExplained is the number of states that keep their text. They hold at most 2 MB.
const MaxExplained = 256

// ErrNotExplained is the reason of the other states.
var ErrNotExplained = fmt.Errorf("the reason is not kept: only the first %d undecodable objects have one", MaxExplained)

// Note records whether the last state of an object can be decoded. An object that is gone
// has no state.
func Note(u *Undecodable, item *wire.Item, gone bool) {
	if item.Err == nil && len(u.states) == 0 {
		return // nearly always; it takes no lock
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.forget(NameOf(item))
	if item.Err != nil && !gone {
		u.add(item.Err)
	}
}

// add adds an object that is not in the set.
func (u *Undecodable) add(state *wire.DecodeError) {
	if u.states == nil {
		u.states = map[Name]*wire.DecodeError{}
	}
	if u.explained < MaxExplained {
		u.explained++
	} else {
		state = &wire.DecodeError{
			Namespace: state.Namespace, Name: state.Name, UID: state.UID, ResourceVersion: state.ResourceVersion,
			Err: ErrNotExplained,
		}
	}
	u.states[nameOfState(state)] = state
}

// forget removes an object.
func (u *Undecodable) forget(name Name) {
	if known := u.states[name]; known != nil && known.Err != ErrNotExplained {
		u.explained--
	}
	delete(u.states, name)
}

// Replace makes the set that of a new list, which gives it up.
func (u *Undecodable) Replace(listed *Undecodable) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.states, u.explained = listed.states, listed.explained
}

// IsKnown reports whether that is the recorded state of the object.
func (u *Undecodable) IsKnown(state *wire.DecodeError) bool {
	known := u.states[nameOfState(state)]
	return known != nil && known.ResourceVersion == state.ResourceVersion && known.UID == state.UID
}

// Sorted returns the states, sorted by the names of their objects.
func (u *Undecodable) Sorted() []*wire.DecodeError {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.states) == 0 {
		return nil
	}
	return slices.SortedFunc(maps.Values(u.states), func(a, b *wire.DecodeError) int {
		if order := strings.Compare(a.Namespace, b.Namespace); order != 0 {
			return order
		}
		return strings.Compare(a.Name, b.Name)
	})
}
