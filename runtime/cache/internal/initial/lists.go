// Package initial limits how many first lists are read at one time, and knows which of an informer whose
// scopes change are complete. Scopes have ids in the
// order in which they were opened. So "all scopes that were there at a moment" are those with an id
// below a mark, and one number tells which marks are reached.
package initial

import (
	"sync"
	"sync/atomic"
)

// Mark is an id that no scope had at some moment: all scopes of that moment have lower ones.
type Mark uint32

// Lists knows which lists are complete, for a cache or for one handler. The zero value has none. Any
// goroutine may call its methods.
type Lists struct {
	reached atomic.Uint32
	mu      sync.Mutex // guards waits
	waits   []wait
}

type wait struct {
	mark Mark
	done chan struct{}
}

// Reach records that the lists of all scopes below mark are complete. It has no effect if those of
// more scopes are. It reports whether this was news.
func (l *Lists) Reach(mark Mark) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if mark <= Mark(l.reached.Load()) {
		return false
	}
	l.reached.Store(uint32(mark))
	left := l.waits[:0]
	for _, w := range l.waits {
		if w.mark <= mark {
			close(w.done)
		} else {
			left = append(left, w)
		}
	}
	clear(l.waits[len(left):])
	if l.waits = left; len(left) == 0 {
		l.waits = nil
	}
	return true
}

// Reached returns the largest mark of Reach.
func (l *Lists) Reached() Mark { return Mark(l.reached.Load()) }

// Has reports whether the lists of all scopes below mark are complete.
func (l *Lists) Has(mark Mark) bool { return mark <= l.Reached() }

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Wait returns a channel that is closed when Has(mark) becomes true.
func (l *Lists) Wait(mark Mark) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Has(mark) {
		return closed
	}
	for _, w := range l.waits {
		if w.mark == mark {
			return w.done
		}
	}
	w := wait{mark, make(chan struct{})}
	l.waits = append(l.waits, w)
	return w.done
}
