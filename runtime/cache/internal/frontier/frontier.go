// Package frontier knows how far the history of a collection is known in one scope. Two positions say that: up to which
// one its Reflector has read, and up to which one the cache has it.
//
//	server ─▶ Reflector: Receive ─▶ queue, with the deltas ─▶ informer: Apply
package frontier

import (
	"strconv"
	"sync"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
)

// ID identifies a scope of an informer, in the order in which they were opened. IDs are not used again.
type ID uint32

// Position is a point in the history of a collection, as one Reflector reads it.
type Position struct {
	// Version is the version of the last list, or the highest that a watch has reported since. It is empty before the first list.
	Version string
	// Bookmarks is the number of bookmarks of watches that were read up to here.
	Bookmarks int
}

// Number returns the version as a number, 0 if it cannot be compared.
func (p Position) Number() uint64 {
	number, _ := Parse(p.Version)
	return number
}

// Parse returns a version as a number. It returns 0 and false for the versions of servers other than
// Kubernetes.
func Parse(resourceVersion string) (uint64, bool) {
	version, err := strconv.ParseUint(resourceVersion, 10, 64)
	if err != nil || version == 0 {
		return 0, false
	}
	return version, true
}

// Frontier belongs to one scope. The zero value is before the first list. Any goroutine may call its methods.
type Frontier struct {
	mu                sync.Mutex // guards the fields below
	received, applied Position
	isListed          bool // set by the first Apply
	isEnded           bool
	heard             clock.Stamp
	settled           chan struct{} // nil until Settled is called
}

// Receive records the position that the Reflector has read. heard is when the server sent it, or somewhat earlier.
func (f *Frontier) Receive(to Position, heard clock.Stamp) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.received = to
	if f.heard == 0 || heard > f.heard {
		f.heard = heard
	}
}

// Received returns up to where the Reflector has read.
func (f *Frontier) Received() Position {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.received
}

// Heard returns when the server last sent a list, an event or a bookmark; 0 before the first list.
func (f *Frontier) Heard() clock.Stamp {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.heard
}

// Apply records that the cache has all changes up to a position.
func (f *Frontier) Apply(to Position) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.applied, f.isListed = to, true
	f.settle()
}

// End records that the Reflector reads no more.
func (f *Frontier) End() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.isEnded = true
	f.settle()
}

// settle closes the channel of Settled. The mutex is held.
func (f *Frontier) settle() {
	if f.settled != nil {
		close(f.settled)
		f.settled = nil
	}
}

// Settled returns a channel that is closed when the cache has the first list, or will never have it. It is nil if that is so now.
func (f *Frontier) Settled() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.isListed || f.isEnded {
		return nil
	}
	if f.settled == nil {
		f.settled = make(chan struct{})
	}
	return f.settled
}

// Applied returns up to where the cache has all changes.
func (f *Frontier) Applied() Position {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.applied
}

// IsListed reports whether the cache has the first list.
func (f *Frontier) IsListed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.isListed
}
