package cache

import (
	"errors"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What a Reflector does next depends only on its state and on how the last
// request ended, so it is a pure function, step, and a table tests it. The I/O
// is in reflector.go.
//
//	start ─▶ stream ── initial events, bookmark ─▶ watch ◀─┐ clean end, cut,
//	           │  ▲                               ▲  │  └────┘ 5xx, 429: resume
//	   refused,│  └── 410, 404, 400, undecodable ─┼──┤
//	no bookmark│                                  │  │
//	           ▼                                  │  │
//	          list ─────────── last page ─────────┘  │
//	          ▲  └─ next page                        │
//	          └── the same, where streams are refused ┘

type verb uint8

const (
	listPage verb = iota
	openWatch
	// openStream is a streaming list, which goes on as a watch.
	openStream
)

// reflectorState is what a Reflector knows between two requests.
type reflectorState struct {
	// resourceVersion is where the next watch starts. Empty before the first
	// list has ended.
	resourceVersion string
	// noStream is set when the server refuses streaming lists, or when the
	// configuration says that there are none.
	noStream bool
	// skipStream is set while a list in pages makes up for a stream that stalled.
	skipStream bool
	// wholeList is set when the server has forgotten a page token: the
	// collection is then read in one piece, which cannot expire.
	wholeList bool
	// failures counts requests that failed since one was of use.
	failures int
}

// input is how the last request ended.
type input struct {
	verb verb
	// err is nil for a page, io.EOF for a watch that ended in good order.
	err error
	// resourceVersion is that of the page, or the last one that the watch saw.
	resourceVersion string
	// continueToken asks for the next page; empty on the last one.
	continueToken string
	// listed is set for a stream whose initial events have all come.
	listed bool
	// useful is set for a watch that got to a later version, or lasted a while.
	useful bool
}

// action is the next request, and what to do before it.
type action struct {
	verb    verb
	options metav1.ListOptions
	// wait comes first; the caller adds jitter.
	wait time.Duration
	// restart drops the pages read so far: the next request is for the first.
	restart bool
	// commit hands the pages read so far over as the collection.
	commit bool
	// failed is the error to report, nil if all is well.
	failed error
	// onProbation marks a watch that is opened again after it failed: that it can be
	// opened proves nothing yet.
	onProbation bool
}

const (
	// pageSize is how many objects a LIST asks for at a time, as kubectl does.
	pageSize = 500

	minBackoff = 800 * time.Millisecond
	maxBackoff = 30 * time.Second
	// A missing right or a missing CRD is mended by people or by an installer:
	// asking often would not help, and might do harm.
	minSlowBackoff = 2 * time.Second
	maxSlowBackoff = time.Minute
)

func (s reflectorState) startAction() action {
	if s.noStream || s.skipStream {
		return listAction("")
	}
	// Without a resourceVersion the server sends what a quorum has, as for a list
	// (KEP-3157).
	sendInitialEvents := true
	return action{verb: openStream, options: metav1.ListOptions{
		SendInitialEvents:    &sendInitialEvents,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		AllowWatchBookmarks:  true,
	}}
}

// step decides what follows. It does not look at the clock, and it does not
// know T.
func step(s reflectorState, in input) (reflectorState, action) {
	switch {
	case in.verb == listPage:
		return s.afterPage(in)
	case in.verb == openStream && !in.listed:
		return s.afterUnfinishedStream(in)
	}
	return s.afterWatch(in)
}

// afterUnfinishedStream goes over to lists in pages where streams do not work, and
// otherwise tries again.
func (s reflectorState) afterUnfinishedStream(in input) (reflectorState, action) {
	reason := reasonOf(in.err)
	if reason != Refused && reason != NoBookmark {
		return s.relist(cleanEnd(in.err))
	}
	s.noStream = s.noStream || reason == Refused
	s.skipStream = true
	next := s.startAction()
	next.restart = true
	if reason == NoBookmark {
		next.failed = in.err // time was lost, which somebody may wonder about
	}
	return s, next
}

// wasCut says whether a watch ended with its connection, in good order or not, as
// each does sooner or later: with its server, its load balancer or its network.
func wasCut(err error) bool {
	return reasonOf(err) == Unreachable && !errors.Is(err, errSilent)
}

// cleanEnd is the error of a stream that ends in good order before it is of use.
func cleanEnd(err error) error {
	if err == io.EOF {
		return errClosedEarly
	}
	return err
}

func (s reflectorState) afterPage(in input) (reflectorState, action) {
	switch {
	case in.err != nil:
		// A token that outlived the server's history: start again at the newest
		// version, because a second part of another version would not be consistent.
		s.wholeList = reasonOf(in.err) == Expired
		return s.relist(in.err)
	case in.continueToken != "":
		return s, listAction(in.continueToken)
	}
	s.wholeList, s.skipStream = false, false
	s.resourceVersion = in.resourceVersion
	next := s.watchAction()
	next.commit = true
	return s, next
}

func (s reflectorState) afterWatch(in input) (reflectorState, action) {
	if in.resourceVersion != "" {
		s.resourceVersion = in.resourceVersion
	}
	if in.useful {
		s.failures = 0
	}
	switch reason := reasonOf(in.err); {
	case in.useful && wasCut(in.err):
		return s, s.watchAction()
	case in.err == io.EOF: // and not an error that wraps it
		return s.rewatch(cleanEnd(in.err))
	case reason == Expired, reason == NotFound, reason == Decode, reason == Refused, isTooLargeVersion(in.err):
		// Watching on is impossible (410, a version that this server has not reached
		// or does not take) or would skip something: only a new list has the truth.
		return s.relist(in.err)
	default:
		return s.rewatch(in.err)
	}
}

// relist reads the collection anew, at the newest version: without a
// resourceVersion the server answers from a quorum, so time never runs back
// (https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list).
func (s reflectorState) relist(err error) (reflectorState, action) {
	next := s.startAction()
	next.restart = true
	next.failed = err
	next.wait = s.backoff(err)
	s.failures++
	if s.wholeList && next.verb == listPage {
		next.options.Limit = 0
	}
	return s, next
}

// rewatch opens the watch again where it ended.
func (s reflectorState) rewatch(err error) (reflectorState, action) {
	next := s.watchAction()
	next.failed = err
	next.onProbation = true
	next.wait = s.backoff(err)
	s.failures++
	return s, next
}

func (s reflectorState) watchAction() action {
	return action{verb: openWatch, options: metav1.ListOptions{
		ResourceVersion:     s.resourceVersion,
		AllowWatchBookmarks: true,
	}}
}

func listAction(continueToken string) action {
	return action{verb: listPage, options: metav1.ListOptions{Limit: pageSize, Continue: continueToken}}
}

// backoff is how long to wait after err: exponential, slower where asking again
// will hardly help, and never less than what the server asked for.
func (s reflectorState) backoff(err error) time.Duration {
	shortest, longest := minBackoff, maxBackoff
	switch reasonOf(err) {
	case Forbidden, Unauthorized, NotFound, Decode, Refused:
		shortest, longest = minSlowBackoff, maxSlowBackoff
	}
	wait := longest
	if s.failures < 10 { // a shift that cannot overflow
		wait = min(shortest<<s.failures, longest)
	}
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		wait = max(wait, time.Duration(seconds)*time.Second)
	}
	return wait
}

// isTooLargeVersion recognises a server that has not reached the version asked
// for yet, or was restored from a backup and never will.
func isTooLargeVersion(err error) bool {
	return apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge)
}
