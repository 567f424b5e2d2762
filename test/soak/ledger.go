package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/progress"
)

// ledger is a handler that checks what it is told, like history.Recorder. It keeps numbers instead of objects, because it
// would otherwise hold more memory than the caches, and more with each event.
type ledger[T cache.Object] struct {
	*follower[T]
	label string
	// delay is how long a call takes while there are writes. If it is not 0, the queue is limited, so a delete may bring a
	// state that was not told.
	delay time.Duration

	mu     sync.Mutex // guards the fields below
	known  []state
	begun  bool // an event came that was not initial
	events int
	left   bool // RemoveEventHandler has returned
	late   int  // calls after that
	wrong  []string
}

func (l *ledger[T]) OnAdd(obj T, isInInitialList bool) {
	defer l.hear()()
	name, before, now := l.states(obj)
	switch {
	case isInInitialList && l.begun && !l.returns: // several scopes have an initial list each
		l.note("an initial add of %s comes after other events", name)
	case before.IsAlive:
		l.note("add of %s in %v, which is known in %v", name, now, before)
	// An object may leave the selection of an informer, or the informer its namespace, and come back as it was.
	case l.returns && before.UID == now.UID && before.Version <= now.Version:
	case before.UID == now.UID || before.Version >= now.Version:
		l.note("add of %s in %v, which is %v", name, now, before)
	}
	l.begun = l.begun || !isInInitialList
	l.set(name, now)
}

func (l *ledger[T]) OnUpdate(oldObj, newObj T) {
	defer l.hear()()
	name, before, now := l.states(newObj)
	if _, _, told := l.states(oldObj); told != before {
		l.note("update of %s from %v, which is known in %v", name, told, before)
	}
	if before.UID != now.UID || before.Version >= now.Version {
		l.note("update of %s to %v, which is known in %v", name, now, before)
	}
	l.begun = true
	l.set(name, now)
}

func (l *ledger[T]) OnDelete(obj T, finalStateUnknown bool) {
	defer l.hear()()
	name, before, now := l.states(obj)
	switch {
	case !before.IsAlive || before.UID != now.UID || before.Version > now.Version:
		l.note("delete of %s in %v, which is known in %v", name, now, before)
	case finalStateUnknown && before != now && l.delay == 0:
		l.note("delete of %s in an unknown state as %v, which is known in %v", name, now, before)
	}
	l.begun = true
	now.IsAlive = false
	l.set(name, now)
}

// hear begins a call, and returns what ends it.
func (l *ledger[T]) hear() (end func()) {
	if l.delay > 0 && !l.isQuiet.Load() {
		time.Sleep(l.delay)
	}
	progress.Step()
	l.mu.Lock()
	l.events++
	if l.left {
		l.late++
	}
	return l.mu.Unlock
}

// states returns the state before an event, and that of its object. Now and then it looks whether the cache is as far.
func (l *ledger[T]) states(obj T) (name cache.ObjectName, before, now state) {
	name = cache.MetaObjectToName(obj)
	now, err := stateOf(obj, l.content(obj))
	index, wrong := indexOf(name.Name)
	if err != nil || wrong != nil || index >= len(l.known) || now.Content < 0 {
		l.note("%s is not an object of this program: %v %v %v", name, now, err, wrong)
		return name, state{}, now
	}
	if l.events%64 == 0 {
		if cached, ok := l.get(name); ok && cached.UID == now.UID && cached.Version < now.Version {
			l.note("%s is told in %v, and the cache has %v", name, now, cached)
		}
	}
	return name, l.known[index], now
}

func (l *ledger[T]) set(name cache.ObjectName, now state) {
	if index, err := indexOf(name.Name); err == nil && index < len(l.known) {
		l.known[index] = now
	}
}

func (l *ledger[T]) note(format string, args ...any) {
	if len(l.wrong) < 10 {
		l.wrong = append(l.wrong, fmt.Sprintf("%s: handler %s, event %d: ", l.name(), l.label, l.events)+fmt.Sprintf(format, args...))
	}
}

// leave is called when RemoveEventHandler has returned. One call may then still run.
func (l *ledger[T]) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = true
}

// errors returns what was wrong.
func (l *ledger[T]) errors() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.late > 1 {
		return append(l.wrong, fmt.Sprintf("%s: handler %s was called %d times after it was removed", l.name(), l.label, l.late))
	}
	return l.wrong
}

// differ returns how much of what was told is not the truth, and the first difference.
func (l *ledger[T]) differ(truth []state) (count int, first string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for index, want := range truth {
		want.IsAlive = want.IsAlive && l.selects(index/spellings, want)
		if has := l.known[index]; has.IsAlive != want.IsAlive || want.IsAlive && has != want {
			if count++; count == 1 {
				first = fmt.Sprintf("%s: handler %s knows %s in %v, and it is %v", l.name(), l.label, nameOf(index/spellings, index%spellings), has, want)
			}
		}
	}
	return count, first
}
