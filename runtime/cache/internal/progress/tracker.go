// Package progress knows how far a Reflector is: its phase, since when and why.
package progress

import (
	"context"
	"sync"
	"time"
)

// The phases. The Phase constants of package status document them.
const (
	Pending  = "Pending"
	Listing  = "Listing"
	Watching = "Watching"
	Degraded = "Degraded"
	Stopped  = "Stopped"
)

// Failure is the cause of a phase. The zero value is none. Verb is "list" or "watch", or empty if no
// request has failed.
type Failure struct {
	Verb, Reason string
	Err          error
}

// State is the progress at one moment.
type State struct {
	Phase string
	// Since is when Phase was entered.
	Since time.Time
	// Failure is the last one, until there is progress.
	Failure
	// NextAttempt is when the next request is sent; zero while a request is under way.
	NextAttempt time.Time
	// Trying is set while a watch that was reopened after a failure has not lasted yet. Phase is Degraded then.
	Trying bool
}

// Tracker holds the State, which one goroutine writes and any goroutine reads.
type Tracker struct {
	changed func()
	mu      sync.Mutex // guards the fields below
	state   State
	// entries counts calls of Enter.
	entries int
}

// New returns a Tracker that is Pending. It calls changed after each change of the phase, or of its cause, without a lock.
func New(changed func()) *Tracker {
	return &Tracker{changed: changed, state: State{Phase: Pending, Since: time.Now()}}
}

// State returns the present state.
func (t *Tracker) State() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state
}

// Enter enters a phase, with the failure that is the cause. Listing and Watching end the last failure.
func (t *Tracker) Enter(phase string, cause Failure) {
	t.mu.Lock()
	t.enterLocked(phase, cause)
	t.mu.Unlock()
	t.changed()
}

// EnterAfter enters a phase after a wait, if no other one is entered meanwhile.
func (t *Tracker) EnterAfter(wait time.Duration, phase string, cause Failure) *time.Timer {
	t.mu.Lock()
	defer t.mu.Unlock()
	entry := t.entries
	return time.AfterFunc(wait, func() {
		t.mu.Lock()
		current := t.entries == entry
		if current {
			t.enterLocked(phase, cause)
		}
		t.mu.Unlock()
		if current {
			t.changed()
		}
	})
}

func (t *Tracker) enterLocked(phase string, cause Failure) {
	t.entries++
	t.state.Trying = phase == Degraded && cause.Err == nil
	if t.state.Phase != phase {
		t.state.Phase, t.state.Since = phase, time.Now()
	}
	if cause.Err != nil {
		t.state.Failure = cause
	} else if phase == Watching || phase == Listing {
		t.state.Failure = Failure{}
	}
}

// Await waits before the next attempt, or until retry has a token. It reports whether ctx is still alive.
func (t *Tracker) Await(ctx context.Context, wait time.Duration, retry <-chan struct{}) bool {
	t.setNextAttempt(time.Now().Add(wait))
	defer t.setNextAttempt(time.Time{})
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-retry:
	case <-timer.C:
	}
	return ctx.Err() == nil
}

func (t *Tracker) setNextAttempt(at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state.NextAttempt = at
}
