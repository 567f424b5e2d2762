package cache

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// DecodeError names an object that cannot be decoded, the path in it, and the reason.
type DecodeError = wire.DecodeError

// nameOf returns the name of the object that an item is about.
func nameOf[T Object](item *Item[T]) ObjectName {
	if item.Err != nil {
		return nameOfState(item.Err)
	}
	return MetaObjectToName(item.Object)
}

func nameOfState(state *DecodeError) ObjectName {
	return ObjectName{Namespace: state.Namespace, Name: state.Name}
}

// identityOf returns the UID and the version of the state that an item is about.
func identityOf[T Object](item *Item[T]) (uid types.UID, resourceVersion string) {
	if item.Err != nil {
		return types.UID(item.Err.UID), item.Err.ResourceVersion
	}
	return item.Object.GetUID(), item.Object.GetResourceVersion()
}

// undecodable is the set of the objects whose last state cannot be decoded. It keeps the
// reasons of maxExplained of them only, as there may be thousands. The goroutine of a
// Reflector changes it. Any goroutine may call sorted. The zero value is empty.
type undecodable struct {
	mu     sync.Mutex // guards changes, and reads of other goroutines
	states map[ObjectName]*DecodeError
	// explained is the number of states with their reason.
	explained int
}

// maxExplained is the number of states that keep their text. They hold at most 2 MB.
const maxExplained = 256

// errNotExplained is the reason of the other states.
var errNotExplained = fmt.Errorf("the reason is not kept: only the first %d undecodable objects have one", maxExplained)

// note records whether the last state of an object can be decoded. An object that is gone
// has no state.
func note[T Object](u *undecodable, item *Item[T], gone bool) {
	if item.Err == nil && len(u.states) == 0 {
		return // nearly always; it takes no lock
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.forget(nameOf(item))
	if item.Err != nil && !gone {
		u.add(item.Err)
	}
}

// add adds an object that is not in the set.
func (u *undecodable) add(state *DecodeError) {
	if u.states == nil {
		u.states = map[ObjectName]*DecodeError{}
	}
	if u.explained < maxExplained {
		u.explained++
	} else {
		state = &DecodeError{
			Namespace: state.Namespace, Name: state.Name, UID: state.UID, ResourceVersion: state.ResourceVersion,
			Err: errNotExplained,
		}
	}
	u.states[nameOfState(state)] = state
}

// forget removes an object.
func (u *undecodable) forget(name ObjectName) {
	if known := u.states[name]; known != nil && known.Err != errNotExplained {
		u.explained--
	}
	delete(u.states, name)
}

// replace makes the set that of a new list, which gives it up.
func (u *undecodable) replace(listed *undecodable) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.states, u.explained = listed.states, listed.explained
}

// isKnown reports whether that is the recorded state of the object.
func (u *undecodable) isKnown(state *DecodeError) bool {
	known := u.states[nameOfState(state)]
	return known != nil && known.ResourceVersion == state.ResourceVersion && known.UID == state.UID
}

// sorted returns the states, sorted by the names of their objects.
func (u *undecodable) sorted() []*DecodeError {
	u.mu.Lock()
	defer u.mu.Unlock()
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

const (
	// maxSkipLines is the number of skipped states that one informer logs in one skipPeriod.
	maxSkipLines = 10
	skipPeriod   = time.Minute
)

// skipLog logs states that cannot be decoded. It limits their number: a user who may
// create an object can change it again and again. Only the goroutine of Run uses it.
type skipLog struct {
	// began is the start of the period, and lines is the number of states in it.
	began time.Time
	lines int
	// more is the number of states that were not logged since.
	more int
}

// log logs a state, or counts it.
func (l *skipLog) log(logger klog.Logger, state *DecodeError) {
	if now := time.Now(); now.Sub(l.began) >= skipPeriod {
		l.flush(logger)
		l.began, l.lines = now, 0
	}
	switch l.lines++; {
	case l.lines <= maxSkipLines:
		logger.Error(state, "Skipped an object that cannot be decoded")
		return
	case l.lines == maxSkipLines+1:
		logger.Info("Skipped more objects that cannot be decoded; Status().Undecodable lists all of them; logging resumes in a minute")
	}
	l.more++
}

// flush logs the number of states that were not logged.
func (l *skipLog) flush(logger klog.Logger) {
	if l.more > 0 {
		logger.Info("Skipped more objects that cannot be decoded", "states", l.more)
	}
	l.more = 0
}
