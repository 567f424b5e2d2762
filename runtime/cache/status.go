package cache

import (
	"fmt"
	"sync"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
)

// Phase is where an informer is.
type Phase string

const (
	// Pending: it has not been started.
	Pending Phase = "Pending"
	// Listing: it is reading the collection, or waiting for the answer to its first
	// watch.
	Listing Phase = "Listing"
	// Watching: the cache follows the server. A watch is open; when it ends in good
	// order or with its connection, the server has two seconds to answer the next one.
	Watching Phase = "Watching"
	// Degraded: the last request failed and will be made again. The cache
	// answers with what it had before.
	Degraded Phase = "Degraded"
	// Stopped: Run has ended.
	Stopped Phase = "Stopped"
)

// Backoff is how long an informer waits before it retries a failed list or watch:
// Initial after the first failure, twice as long after each further one, and at most
// Max. Up to a quarter of the wait is added at random, so that clients that failed
// together do not return together. If a Retry-After header asks for more, the informer
// waits as long, up to five minutes.
type Backoff struct {
	Initial, Max time.Duration
}

// waitsOf returns the waits that Settings.Backoffs set, with the defaults.
func waitsOf(set map[Reason]Backoff) protocol.Backoffs {
	waits := make(protocol.Backoffs, len(set))
	for reason, wait := range set {
		waits[string(reason)] = protocol.Backoff(wait)
	}
	return waits.WithDefaults()
}

// Reason is why an informer is degraded.
type Reason string

// reasonOf returns the reason of an error, by what can be done about it.
func reasonOf(err error) Reason { return Reason(protocol.ReasonOf(err)) }

const (
	// Forbidden: the right to list or watch is missing.
	Forbidden Reason = protocol.Forbidden
	// Unauthorized: the server does not accept the credentials.
	Unauthorized Reason = protocol.Unauthorized
	// NotFound: the server does not serve the resource; its CRD is not installed
	// yet, or was deleted.
	NotFound Reason = protocol.NotFound
	// Expired: the server has forgotten the resourceVersion (410 Gone).
	Expired Reason = protocol.Expired
	// TooManyRequests: the server asks to slow down (429).
	TooManyRequests Reason = protocol.TooManyRequests
	// ServerError: the server failed (5xx), or is not ready to answer.
	ServerError Reason = protocol.ServerError
	// Refused: the server does not take the request, for example because of its
	// selector.
	Refused Reason = protocol.Refused
	// Redirected: the server redirects to another host, which is not followed, because
	// that host would be sent the credentials; see package redirect.
	Redirected Reason = protocol.Redirected
	// Decode: an object or a whole answer could not be read or transformed.
	Decode Reason = protocol.Decode
	// ClosedEarly: watches end as soon as they are open. Through a typed client that is
	// in good order or cut off, as client-go does not tell the one from the other.
	ClosedEarly Reason = protocol.ClosedEarly
	// NoBookmark: a streaming list did not come to its end. The list is read in pages
	// then.
	NoBookmark Reason = protocol.NoBookmark
	// HandlerPanic: a handler has panicked, or called runtime.Goexit, and goes on; see
	// Settings.HandlerPanicRecovery.
	HandlerPanic Reason = "HandlerPanic"
	// Unreachable: no answer came, or it was cut off.
	Unreachable Reason = protocol.Unreachable
)

// Status says where an informer is, since when and why.
type Status struct {
	Phase Phase
	// Since is when Phase was entered.
	Since time.Time
	// ResourceVersion is the last one read from the server. The cache may be a
	// batch behind it.
	ResourceVersion string
	// Objects is how many objects the cache holds.
	Objects int
	// Err is the last error, nil once the informer makes headway again; Reason is
	// its kind.
	Err    error
	Reason Reason
	// NextAttempt is when the request that failed will be made again, at the latest;
	// zero while a request is under way.
	NextAttempt time.Time
	// Undecodable are the objects that the server has in a state that cannot be
	// decoded, by name; see DecodeOptions.SkipUndecodable. Of each the cache has the
	// last state that could be, or nothing. All are in it, but only 256 have a Path, Near
	// and reason: Err of the others says that it is not kept.
	Undecodable []*DecodeError
}

// String says it in one line, for logs and errors.
func (s Status) String() string {
	text := string(s.Phase)
	if s.Phase == Pending {
		text += " (not started)"
	}
	if s.Err != nil {
		text += fmt.Sprintf(" (%s: %v%s)", s.Reason, s.Err, advice[s.Reason])
		if !s.NextAttempt.IsZero() {
			text += "; next attempt at " + s.NextAttempt.UTC().Format(time.RFC3339)
		}
	}
	if n := len(s.Undecodable); n > 0 {
		text += fmt.Sprintf("; %d undecodable, the first: %v", n, s.Undecodable[0])
	}
	return text
}

// advice is what can be done about a reason.
var advice = map[Reason]string{
	Forbidden:    "; it needs the rights to list and to watch",
	Unauthorized: "; check the credentials",
	NotFound:     "; is its CRD installed?",
}

// statusTracker holds the status that a Reflector writes and everybody reads.
type statusTracker struct {
	mu     sync.Mutex // guards what follows
	status Status
	// entries counts calls of enter.
	entries int
	// undecodable is written by the Reflector alone, which may read it without mu.
	undecodable undecodable
}

func newStatusTracker() *statusTracker {
	return &statusTracker{status: Status{Phase: Pending, Since: time.Now()}}
}

func (t *statusTracker) get() Status {
	t.mu.Lock()
	defer t.mu.Unlock()
	status := t.status
	status.Undecodable = t.undecodable.sorted()
	return status
}

// replaceUndecodable is called with a new list.
func (t *statusTracker) replaceUndecodable(states undecodable) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.undecodable = states
}

// noteUndecodable is called with a change of one object.
func noteUndecodable[T Object](t *statusTracker, delta *Delta[T]) {
	if len(t.undecodable.states) == 0 && delta.Err == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	noteState(&t.undecodable, &delta.Item, delta.Type == Deleted)
}

// enter moves to a phase, with the error that led there if it was one. It returns
// what enterUnlessMoved takes.
func (t *statusTracker) enter(phase Phase, err error) (entry int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.enterLocked(phase, err)
	return t.entries
}

// entry returns what enterUnlessMoved takes.
func (t *statusTracker) entry() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.entries
}

// enterUnlessMoved enters a phase if nothing else was entered since entry.
func (t *statusTracker) enterUnlessMoved(entry int, phase Phase, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.entries == entry {
		t.enterLocked(phase, err)
	}
}

// awaitAttempt sets when the next request will be made; zero if it is being made.
func (t *statusTracker) awaitAttempt(at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.status.NextAttempt = at
}

func (t *statusTracker) enterLocked(phase Phase, err error) {
	t.entries++
	if t.status.Phase != phase {
		t.status.Phase, t.status.Since = phase, time.Now()
	}
	if err != nil {
		t.status.Err, t.status.Reason = err, reasonOf(err)
	} else if phase == Watching || phase == Listing {
		t.status.Err, t.status.Reason = nil, ""
	}
}

func (t *statusTracker) reach(resourceVersion string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.status.ResourceVersion = resourceVersion
}
