package processor

import (
	"sync"
	"time"
)

// Delivery reports when the Listeners that get a batch have returned from it. A nil Delivery
// reports nothing. Its methods are safe for concurrent use.
type Delivery struct {
	mu      sync.Mutex // guards what follows
	left    int
	handled []Handled
	ended   func([]Handled)
}

// Handled is the part of a Listener in a Delivery.
type Handled struct {
	// Name is that of the handler. Events is the number of notifications that it was passed: a
	// backlog limit may have merged them since.
	Name   string
	Events int
	// At is when it had returned from the last one. It is zero if it was removed or stopped
	// before.
	At time.Time
}

// NewDelivery returns a Delivery. It calls ended once, when each Listener has returned from the
// last notification, or was removed or stopped. ended must not block: the caller of Deliver,
// Remove or Stop may call it, with a lock held.
func NewDelivery(ended func([]Handled)) *Delivery { return &Delivery{ended: ended} }

// Begin sets the number of Listeners, before any of them gets the batch.
func (d *Delivery) Begin(listeners int) {
	if d == nil {
		return
	}
	d.mu.Lock()
	d.left = listeners
	d.mu.Unlock()
	if listeners == 0 {
		d.ended(nil)
	}
}

// Leave is called once for each Listener.
func (d *Delivery) Leave(h Handled) {
	if d == nil {
		return
	}
	d.mu.Lock()
	d.handled = append(d.handled, h)
	d.left--
	last := d.left == 0
	d.mu.Unlock()
	if last {
		d.ended(d.handled)
	}
}

// awaited is a Delivery that waits for a Listener.
type awaited struct {
	*Delivery
	events int
	// joined is set if it ends with the Delivery before it: their batches were merged.
	joined bool
}

// returned is called when the handler has returned from the oldest batch that is awaited.
func (l *Listener[T]) returned() {
	now := time.Now()
	l.mu.Lock()
	n := min(1, len(l.awaited)) // there is none if it was removed meanwhile
	for n > 0 && n < len(l.awaited) && l.awaited[n].joined {
		n++
	}
	ended := l.awaited[:n:n]
	if l.awaited = l.awaited[n:]; len(l.awaited) == 0 {
		l.awaited = nil
	}
	l.mu.Unlock()
	l.leaveAll(ended, now)
}

// joinLocked is called when all pending batches are merged into one.
func (l *Listener[T]) joinLocked() {
	pending := 0
	for i := range l.pending {
		if l.pending[i].awaited {
			pending++
		}
	}
	for i := len(l.awaited) - 1; pending > 1 && i >= 0; i-- {
		if !l.awaited[i].joined {
			l.awaited[i].joined = true
			pending--
		}
	}
}

// abandon makes no Delivery wait for l any more.
func (l *Listener[T]) abandon() {
	l.mu.Lock()
	ended := l.awaited
	l.awaited = nil
	l.mu.Unlock()
	l.leaveAll(ended, time.Time{})
}

func (l *Listener[T]) leaveAll(ended []awaited, at time.Time) {
	for _, d := range ended {
		d.Leave(Handled{Name: l.Name(), Events: d.events, At: at})
	}
}
