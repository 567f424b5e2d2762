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
// last notification, or was removed or stopped. ended must not block: the caller of Distribute,
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
}

// returned is called when the handler has returned from the batch of d. The batches before it,
// which may have been merged into it, have ended too.
func (l *Listener[T]) returned(d *Delivery) {
	now := time.Now()
	l.mu.Lock()
	n := 0
	for n < len(l.awaited) && (n == 0 || l.awaited[n-1].Delivery != d) {
		n++
	}
	ended := l.awaited[:n:n]
	if l.awaited = l.awaited[n:]; len(l.awaited) == 0 {
		l.awaited = nil
	}
	l.mu.Unlock()
	l.leaveAll(ended, now)
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
