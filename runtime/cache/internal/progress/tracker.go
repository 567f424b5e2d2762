// Package progress knows how far a Reflector is: its phase, since when and why.
package progress

import (
	"sync"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/outage"
)

// The phases. The Phase constants of package cache document them.
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
}

// Tracker holds the State, which one goroutine writes and any goroutine reads.
type Tracker struct {
	mu    sync.Mutex // guards what follows
	state State
	// entries counts calls of Enter.
	entries int
	// trying is set while a watch that was reopened after a failure has not lasted yet.
	trying bool
}

// Begin enters Pending. It is called once, before all other methods.
func (t *Tracker) Begin() { t.state.Phase, t.state.Since = Pending, time.Now() }

// State returns the present state.
func (t *Tracker) State() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state
}

// OutageState returns what the log of outages needs to know of the phase.
func (t *Tracker) OutageState() outage.State {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.state.Phase == Watching:
		return outage.Following
	case t.trying:
		return outage.Trying
	case t.state.Phase == Listing || t.state.Phase == Degraded:
		return outage.NotFollowing
	}
	return outage.Idle
}

// Enter enters a phase, with the failure that is the cause. Listing and Watching end the last failure.
func (t *Tracker) Enter(phase string, cause Failure) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.enterLocked(phase, cause)
}

// EnterAfter enters a phase after a wait, if no other one is entered meanwhile, and then calls entered.
func (t *Tracker) EnterAfter(wait time.Duration, phase string, cause Failure, entered func()) *time.Timer {
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
			entered()
		}
	})
}

func (t *Tracker) enterLocked(phase string, cause Failure) {
	t.entries++
	t.trying = phase == Degraded && cause.Err == nil
	if t.state.Phase != phase {
		t.state.Phase, t.state.Since = phase, time.Now()
	}
	if cause.Err != nil {
		t.state.Failure = cause
	} else if phase == Watching || phase == Listing {
		t.state.Failure = Failure{}
	}
}

// AwaitAttempt sets the time of the next request; zero while a request is under way.
func (t *Tracker) AwaitAttempt(at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state.NextAttempt = at
}
