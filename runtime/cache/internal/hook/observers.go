package hook

import (
	"sync"
	"sync/atomic"
)

// Observers are functions that are called at each change of something, without a lock. The zero value is
// ready for use.
type Observers struct {
	mu  sync.Mutex // guards all
	all map[*func()]func()
	any atomic.Bool
}

// Add adds a function that does not block, until remove is called.
func (o *Observers) Add(note func()) (remove func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all == nil {
		o.all = map[*func()]func(){}
	}
	key := &note
	o.all[key] = note
	o.any.Store(true)
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.all, key)
		o.any.Store(len(o.all) > 0)
	}
}

// Changed calls the functions. o may be nil.
func (o *Observers) Changed() {
	if o == nil || !o.any.Load() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, note := range o.all {
		note()
	}
}
