package builtin

import (
	"maps"
	"slices"
	"sync"
)

// Presence is which namespaces exist, and which of them are being deleted. It follows the writes of its own
// process, so it is current without asking etcd. Its methods may be called concurrently.
type Presence struct {
	mu          sync.Mutex
	complete    bool // all namespaces of the store are in terminating
	terminating map[string]bool
	changed     chan struct{} // has an element when a namespace began to terminate; holds one
}

// NewPresence knows of no namespace. Observe adds those that are in the store already.
func NewPresence() *Presence {
	return &Presence{terminating: map[string]bool{}, changed: make(chan struct{}, 1)}
}

// set notes a namespace as it was written.
func (p *Presence) set(name string, terminating bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// A write and a list that read its result come in any order, and no namespace comes back from termination.
	p.terminating[name] = p.terminating[name] || terminating
	if terminating {
		select {
		case p.changed <- struct{}{}:
		default: // a change is signaled already
		}
	}
}

func (p *Presence) remove(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.terminating, name)
}

// Complete says that all namespaces of the store are known. Missing is false before.
func (p *Presence) Complete() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.complete = true
}

// Missing reports whether no namespace has this name.
func (p *Presence) Missing(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, exists := p.terminating[name]
	return p.complete && !exists
}

// Terminating reports whether a namespace is being deleted.
func (p *Presence) Terminating(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.terminating[name]
}

// AllTerminating returns the names of all namespaces that are being deleted.
func (p *Presence) AllTerminating() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(p.terminating)), func(name string) bool { return !p.terminating[name] })
}

// Changed has an element when a namespace began to terminate since the last receive.
func (p *Presence) Changed() <-chan struct{} { return p.changed }
