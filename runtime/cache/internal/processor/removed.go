package processor

import (
	"slices"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

// maxRemoved is the number of names of removed handlers whose calls are known by name.
const maxRemoved = 100

// Removed has the calls of all removed handlers of one name.
type Removed struct {
	// Name is empty for those without a name, and for those after maxRemoved names.
	Name string
	// Calls has neither Running nor Slowest.
	Calls Calls
}

// removed has the calls of the Listeners that were removed: a count that fell with each of them
// would be no counter.
type removed struct {
	// leaving are those that may be in a call.
	leaving []*Listener
	gone    []Removed
}

// retire moves l from the listeners to those that were removed.
func (p *Processor) retire(l *Listener) {
	p.removing.Lock()
	defer p.removing.Unlock()
	all := slices.DeleteFunc(slices.Clone(p.Listeners()), func(other *Listener) bool { return other == l })
	p.listeners.Store(&all)
	if p.removed == nil {
		p.removed = &removed{}
	}
	p.removed.leaving = append(p.removed.leaving, l)
	p.removed.fold()
}

// leave is called when l ends. If it was removed, only its sums are kept: a handler may hold much memory.
func (p *Processor) leave(l *Listener) {
	l.leave()
	p.removing.Lock()
	defer p.removing.Unlock()
	if p.removed != nil {
		p.removed.fold()
	}
}

// fold adds up the calls of the Listeners that are gone, and releases these.
func (r *removed) fold() {
	r.leaving = slices.DeleteFunc(r.leaving, func(l *Listener) bool {
		select {
		case <-l.gone:
			r.gone = add(r.gone, l)
			return true
		default:
			return false
		}
	})
	if len(r.leaving) == 0 {
		r.leaving = nil
	}
}

// Observe returns the listeners, and the calls of those that were removed, by name. Each Listener is
// in one of both. It may be called without the lock, and waits for no handler.
func (p *Processor) Observe() (listeners []*Listener, gone []Removed) {
	p.removing.Lock()
	defer p.removing.Unlock()
	listeners = p.Listeners()
	if r := p.removed; r != nil {
		gone = slices.Clone(r.gone)
		for _, l := range r.leaving {
			gone = add(gone, l)
		}
	}
	return listeners, gone
}

func add(to []Removed, l *Listener) []Removed {
	name := l.Name()
	if l.Unnamed() {
		name = ""
	}
	find := func(name string) int {
		return slices.IndexFunc(to, func(r Removed) bool { return r.Name == name })
	}
	i := find(name)
	if i < 0 && len(to) >= maxRemoved {
		name = ""
		i = find(name)
	}
	if i < 0 {
		i, to = len(to), append(to, Removed{Name: name})
	}
	calls, sum := l.Calls(clock.Now()), &to[i].Calls
	sum.Processed += calls.Processed
	sum.Merged += calls.Merged
	sum.Panics += calls.Panics
	for n, count := range calls.Latency {
		sum.Latency[n] += count
	}
	sum.LatencySum = stats.Sum(sum.LatencySum, calls.LatencySum)
	return to
}
