package cache

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/runtime/internal/safemeta"
	"github.com/typedinformers/informer-gen/runtime/redirect"
	"github.com/typedinformers/informer-gen/runtime/wire"
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

// Reason is why an informer is degraded.
type Reason string

const (
	// Forbidden: the right to list or watch is missing.
	Forbidden Reason = "Forbidden"
	// Unauthorized: the server does not accept the credentials.
	Unauthorized Reason = "Unauthorized"
	// NotFound: the server does not serve the resource; its CRD is not installed
	// yet, or was deleted.
	NotFound Reason = "NotFound"
	// Expired: the server has forgotten the resourceVersion (410 Gone).
	Expired Reason = "Expired"
	// TooManyRequests: the server asks to slow down (429).
	TooManyRequests Reason = "TooManyRequests"
	// ServerError: the server failed (5xx), or is not ready to answer.
	ServerError Reason = "ServerError"
	// Refused: the server does not take the request, for example because of its
	// selector.
	Refused Reason = "Refused"
	// Redirected: the server redirects to another host, which is not followed, because
	// that host would be sent the credentials; see package redirect.
	Redirected Reason = "Redirected"
	// Decode: an object or a whole answer could not be read or transformed.
	Decode Reason = "Decode"
	// ClosedEarly: watches end as soon as they are open. Through a typed client that is
	// in good order or cut off, as client-go does not tell the one from the other.
	ClosedEarly Reason = "ClosedEarly"
	// NoBookmark: a streaming list did not come to its end. The list is read in pages
	// then.
	NoBookmark Reason = "NoBookmark"
	// HandlerPanic: a handler has panicked, or called runtime.Goexit, and goes on; see
	// Config.RecoverHandlerPanics.
	HandlerPanic Reason = "HandlerPanic"
	// Unreachable: no answer came, or it was cut off.
	Unreachable Reason = "Unreachable"
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

	undecodable undecodable // which has its own lock
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

// errClosedEarly is what becomes of a watch that ends in good order before it
// has been of any use.
var errClosedEarly = errors.New("the watch ended as soon as it was open")

// errNoBookmark is what becomes of a streaming list that stalls before its end, as
// with a server that does not know of streaming lists and sends no bookmark.
var errNoBookmark = errors.New("the server sent no bookmark to end the initial events of a streaming list")

// errSilent is what becomes of a watch that the server does not end in time, and
// whose connection is therefore taken for broken.
var errSilent = errors.New("the server did not end the watch when its time was over; the connection must have broken without a word")

// errUnanswered ends a watch that the server does not answer.
var errUnanswered = errors.New("the server has not answered the watch in time")

// errTokenRepeated ends a list in pages whose continue token the server has sent before.
var errTokenRepeated = errors.New("the server sent a continue token for the second time; the list would never end")

// errPagesRepeated ends a list in pages whose tokens are new and whose pages are not.
var errPagesRepeated = errors.New("the server sends the same pages again and again; the list would never end")

// errNoListVersion ends a streaming list whose bookmark has no version.
var errNoListVersion = errors.New("the bookmark that ends the initial events has no resourceVersion, from which the watch would go on")

// errListStalled is what becomes of a list that takes longer than any should.
var errListStalled = errors.New("the server did not answer a list in time")

// isDecodeStatus recognises the Status that client-go makes of a watch event that
// it cannot decode. It claims to be a server error.
func isDecodeStatus(err error) bool {
	return apierrors.HasStatusCause(err, "ClientWatchDecoding")
}

// isCircle reports whether err is about a list in pages that never ends.
func isCircle(err error) bool {
	return errors.Is(err, errTokenRepeated) || errors.Is(err, errPagesRepeated)
}

// isAboutAnObject reports whether err is about one object, rather than about the
// answer that it came in.
func isAboutAnObject(err error) bool {
	var object *ObjectError
	var decode *DecodeError
	var size *wire.TooLargeError
	return errors.As(err, &object) || errors.As(err, &decode) || errors.As(err, &size)
}

// reasonOf sorts errors by what can be done about them.
func reasonOf(err error) Reason {
	switch {
	case err == nil:
		return ""
	case redirect.Is(err):
		return Redirected
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err):
		return Expired
	case apierrors.IsForbidden(err):
		return Forbidden
	case apierrors.IsUnauthorized(err):
		return Unauthorized
	case apierrors.IsNotFound(err), apierrors.IsMethodNotSupported(err):
		return NotFound
	case apierrors.IsTooManyRequests(err):
		return TooManyRequests
	case isAboutAnObject(err), wire.IsDecodeError(err), errors.Is(err, errUnexpectedType), errors.Is(err, safemeta.ErrNone), isDecodeStatus(err), runtime.IsNotRegisteredError(err):
		return Decode
	case apierrors.IsBadRequest(err), apierrors.IsInvalid(err), apierrors.IsNotAcceptable(err):
		return Refused
	case errors.Is(err, errClosedEarly):
		return ClosedEarly
	case errors.Is(err, errNoBookmark):
		return NoBookmark
	case isCircle(err), errors.Is(err, errNoListVersion):
		return ServerError
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return Unreachable
	}
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		return ServerError
	}
	return Unreachable
}
