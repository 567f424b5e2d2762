// Package watch has the bodies of watches, and the faults of watches that run.
package watch

import (
	"slices"
	"time"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
	"github.com/typedinformers/informer-gen/apitest/internal/rest"
)

// Watches are the watches of a server. The lock of the Store guards it.
type Watches struct {
	store *rest.Store
	// cuts select the watches that were cut, in the order of the calls.
	cuts []func(*kinds.Kind) bool
	// holdups keep events from watches.
	holdups []*Holdup
	// oldest is the oldest version that a watch can begin at since a restart.
	oldest uint64
}

// Holdup keeps the events of some kinds from their watches for a time, or until it is removed if Lag is zero.
type Holdup struct {
	Kinds func(*kinds.Kind) bool
	Lag   time.Duration
	// Held is called with the lock, each time when a watch looks for events and does not see one.
	Held func()
	// since is the version at the beginning.
	since uint64
}

// Of returns the watches of a Store.
func Of(store *rest.Store) *Watches { return &Watches{store: store} }

// Cut breaks the connections of the watches of some kinds that run now.
func (ws *Watches) Cut(of func(*kinds.Kind) bool) {
	ws.store.Lock()
	defer ws.store.Unlock()
	ws.cut(of)
}

func (ws *Watches) cut(of func(*kinds.Kind) bool) {
	ws.cuts = append(ws.cuts, of)
	ws.store.History.Wake()
}

// cutSince reports whether a watch of a kind was cut after a number of cuts, and sets that to their present number.
func (ws *Watches) cutSince(seen *int, kind *kinds.Kind) bool {
	last := ws.cuts[*seen:]
	*seen = len(ws.cuts)
	return slices.ContainsFunc(last, func(of func(*kinds.Kind) bool) bool { return of(kind) })
}

// Restart breaks the connections of all watches. One that begins at an older version gets 410.
func (ws *Watches) Restart() {
	ws.store.Lock()
	defer ws.store.Unlock()
	ws.restart()
}

func (ws *Watches) restart() {
	ws.oldest = ws.store.History.Version()
	ws.cut(func(*kinds.Kind) bool { return true })
}

// Restore restores the Store, as [rest.Store.Restore] does, and restarts the watches.
func (ws *Watches) Restore(version uint64, bump bool) error {
	ws.store.Lock()
	defer ws.store.Unlock()
	if err := ws.store.Restore(version, bump); err != nil {
		return err
	}
	for _, h := range ws.holdups {
		h.since = min(h.since, version)
	}
	ws.restart()
	return nil
}

// Hold begins a Holdup.
func (ws *Watches) Hold(h *Holdup) {
	ws.store.Lock()
	defer ws.store.Unlock()
	h.since = ws.store.History.Version()
	ws.holdups = append(ws.holdups, h)
}

// Release ends a Holdup.
func (ws *Watches) Release(h *Holdup) {
	ws.store.Lock()
	defer ws.store.Unlock()
	ws.holdups = slices.DeleteFunc(ws.holdups, func(other *Holdup) bool { return other == h })
	ws.store.History.Wake()
}

// holds reports whether an event is kept from the watches of a kind, and until when; the zero time is until Release.
func (ws *Watches) holds(event history.Event, kind *kinds.Kind, now time.Time) (held bool, until time.Time) {
	for _, h := range ws.holdups {
		due := event.Time.Add(h.Lag)
		if event.State.Version <= h.since || h.Lag > 0 && !now.Before(due) || !h.Kinds(kind) {
			continue
		}
		h.Held()
		if h.Lag == 0 {
			return true, time.Time{}
		}
		held = true
		if due.After(until) {
			until = due
		}
	}
	return held, until
}
