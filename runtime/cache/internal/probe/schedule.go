// Package probe is the schedule by which scopes are asked for objects that have left another scope. The
// cache keeps such an object until it is known whether it has moved, and a quiet scope would show that only
// with its next bookmark. The package has no I/O: its caller sends the requests.
package probe

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/ledger"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
)

const (
	// After is how long an object waits for a scope before the scope is asked for it.
	After = 250 * time.Millisecond
	// Timeout is that of a request for one object.
	Timeout = 10 * time.Second
	// MaxObjects is the largest number of objects that a scope is asked for one by one. For more, the
	// whole scope is listed.
	MaxObjects = 100
	// MaxScopes is the number of scopes that are asked at one time.
	MaxScopes = 4

	// awaitList is the time after which a scope that was not listed yet is looked at again.
	awaitList = time.Second
	// idle is the longest time between two looks at the scopes.
	idle = protocol.MaxRetryAfter
)

// Waiting is a scope, and what waits for it.
type Waiting struct {
	Scope ledger.ID
	// IsForbidden is set if the server refuses to list the scope.
	IsForbidden bool
	Objects     []ledger.Awaited
}

// Action is what to do about a scope.
type Action uint8

const (
	// Nothing: no object has waited for long, or the scope has failed and its wait is not over.
	Nothing Action = iota
	// Ask: ask for each of the objects, and call Failed or Answered.
	Ask
	// List: list the scope again as a whole, and call Listed when the list is in the cache.
	List
	// Release: end the wait of the objects. It would last until someone grants the rights, and objects that
	// were deleted would stay. The list of the scope adds what it has then.
	Release
)

// Step is what to do about one scope.
type Step struct {
	Action  Action
	Objects []ledger.Awaited
}

// Schedule knows which scopes have failed, and which are being listed. It is safe for concurrent use.
type Schedule struct {
	wake  chan struct{} // has a token after objects have begun to wait, or the last one has stopped
	retry chan struct{} // holds a token after Retry

	mu     sync.Mutex // guards what follows
	scopes map[ledger.ID]*scope
	// next is when to call Plan again, apart from the scopes that have failed.
	next time.Time
}

// New returns a Schedule.
func New() *Schedule {
	return &Schedule{wake: make(chan struct{}, 1), retry: make(chan struct{}, 1)}
}

// Wake is called when objects begin to wait, and when no object waits any more. It never blocks.
func (s *Schedule) Wake() { token(s.wake) }

// Retry ends the waits after failures. Further ones get no shorter by that. It never blocks.
func (s *Schedule) Retry() { token(s.retry) }

// token puts a token into a channel that has room for one, unless it holds one.
func token(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// Run calls ask when it is time to, while objects wait, until ctx ends. ask calls Plan, and waits for the
// requests. When no object waits any more, Run calls rest.
func (s *Schedule) Run(ctx context.Context, isAwaiting func() bool, ask func(context.Context), rest func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
		next := time.Now().Add(After)
		for isAwaiting() {
			timer := time.NewTimer(time.Until(next))
			select {
			case <-ctx.Done():
				timer.Stop()
				return
			case <-s.wake:
				if soon := time.Now().Add(After); next.After(soon) {
					next = soon
				}
			case <-s.retry:
				s.forgetWaits()
				ask(ctx)
				next = s.Next(time.Now())
			case <-timer.C:
				ask(ctx)
				next = s.Next(time.Now())
			}
			timer.Stop()
		}
		rest()
	}
}

func (s *Schedule) forgetWaits() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, state := range s.scopes {
		state.next = time.Time{}
	}
}

// scope is a scope that could not answer at once.
type scope struct {
	failures  int
	next      time.Time // no request before; zero if the last one did not fail
	isListing bool
}

// Plan returns a Step for each scope. It forgets scopes that are not among them.
func (s *Schedule) Plan(now time.Time, all []Waiting) []Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := make(map[ledger.ID]*scope, len(all))
	steps := make([]Step, len(all))
	s.next = now.Add(idle)
	for i := range all {
		w := &all[i]
		state := s.scopes[w.Scope]
		if state == nil {
			state = &scope{}
		}
		known[w.Scope] = state
		steps[i] = s.step(now, state, w)
	}
	s.scopes = known
	return steps
}

func (s *Schedule) step(now time.Time, state *scope, w *Waiting) Step {
	var due []ledger.Awaited
	for _, object := range w.Objects {
		if at := object.Since.Add(After); at.After(now) {
			s.wakeAt(at)
		} else {
			due = append(due, object)
		}
	}
	if w.IsForbidden && len(due) > 0 {
		return Step{Release, due}
	}
	if state.isListing || state.next.After(now) {
		return Step{}
	}
	unlisted := func(object ledger.Awaited) bool { return object.Version == 0 }
	if slices.ContainsFunc(due, unlisted) { // the list is to come, or may be refused
		s.wakeAt(now.Add(awaitList))
		due = slices.DeleteFunc(due, unlisted)
	}
	switch {
	case len(due) == 0:
		return Step{}
	case len(due) > MaxObjects:
		state.isListing = true
		return Step{List, due}
	}
	return Step{Ask, due}
}

func (s *Schedule) wakeAt(at time.Time) {
	if at.Before(s.next) {
		s.next = at
	}
}

// Failed records that a request to a scope has failed with err. It returns when the scope may be asked again.
// random is that of protocol.Pause.
func (s *Schedule) Failed(id ledger.ID, now time.Time, err error, waits protocol.Backoffs, random func(time.Duration) time.Duration) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.scopes[id]
	if state == nil {
		return now
	}
	wait := waits.After(err, state.failures, 0)
	state.failures++
	state.next = now.Add(wait.Pick(random))
	return state.next
}

// Answered records that a scope has answered all requests.
func (s *Schedule) Answered(id ledger.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state := s.scopes[id]; state != nil {
		state.failures, state.next = 0, time.Time{}
	}
}

// Listed records that the list of a scope is in the cache.
func (s *Schedule) Listed(id ledger.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state := s.scopes[id]; state != nil {
		state.isListing = false
	}
}

// Next returns when to call Plan again.
func (s *Schedule) Next(now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.next
	for _, state := range s.scopes {
		if !state.next.IsZero() && state.next.Before(next) {
			next = state.next
		}
	}
	if soon := now.Add(After); next.Before(soon) {
		return soon
	}
	return next
}
