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
//	          ▲  └─ next page; the same page after a failure
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
	// noStream is set when the server refuses streaming lists or sends no bookmark, or
	// when the configuration says that there are none.
	noStream bool
	// skipStream is set while a list in pages makes up for a stream that stalled, and
	// stalled from then on: it may be a server without streaming lists.
	skipStream, stalled bool
	// wholeList is set when the server has forgotten a page token: the
	// collection is then read in one piece, which cannot expire.
	wholeList bool
	// failures counts requests that failed since the last progress, and pageFailures
	// requests for the page that is being read.
	failures, pageFailures int
	// idle counts answers in a row that were no error and brought nothing: such
	// pages, and watches that ended at once.
	idle int
	// backoffs are constant.
	backoffs backoffs
}

// input is how the last request ended.
type input struct {
	verb verb
	// err is nil for a page, io.EOF for a watch that ended in good order.
	err error
	// resourceVersion is that of the page, or the last one that the watch saw.
	resourceVersion string
	// token asked for this page, and continueToken asks for the next one; they are
	// empty for the first and on the last one. idle is set for a page that brings
	// nothing: it has no items, or those of an earlier page.
	token, continueToken string
	idle                 bool
	// listed is set for a stream whose initial events have all come, and overdue if
	// changes came before the bookmark.
	listed, overdue bool
	// useful is set for a watch that got to a later version, or lasted for
	// usefulWatch. A finished streaming list alone is not.
	useful bool
	// lasted is how long the watch was open; that of a stream begins with the bookmark.
	lasted time.Duration
}

// action is the next request, and what to do before it.
type action struct {
	verb    verb
	options metav1.ListOptions
	// wait comes first; the caller adds jitter.
	wait time.Duration
	// resumed marks a watch that takes the place of one that ended in good order.
	resumed bool
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
	// maxPageFailures is how often in a row a page may fail before the list starts
	// over: the pages before it are not read again for one refused request.
	maxPageFailures = 5
	// maxShortFailures bounds the count of failures, and so the wait, of watches that
	// bring something and fail soon: at most 5 a minute.
	maxShortFailures = 4
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
	reason, unanswered := reasonOf(in.err), errors.Is(in.err, errUnanswered)
	if reason != Refused && reason != NoBookmark && !unanswered {
		return s.relist(cleanEnd(in.err))
	}
	s.noStream = s.noStream || reason == Refused || in.overdue || s.stalled && !unanswered
	s.stalled = s.stalled || reason == NoBookmark
	s.skipStream = true
	next := s.startAction()
	next.restart = true
	if reason != Refused {
		next.failed = in.err // time was lost, which somebody may wonder about
	}
	return s, next
}

// wasCut reports whether a watch ended with its connection, in good order or not, as
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
	case in.err != nil && in.token != "" && s.pageFailures < maxPageFailures && !startsOver(in.err):
		next := listAction(in.token)
		next.failed = in.err
		next.wait = s.backoffs.after(in.err, s.pageFailures)
		s.pageFailures++
		return s, next
	case in.err != nil:
		s.wholeList = reasonOf(in.err) == Expired
		s.failures = max(s.failures, s.pageFailures) // the wait does not begin to grow again
		return s.relist(in.err)
	}
	s.pageFailures = 0
	if in.continueToken != "" {
		next := listAction(in.continueToken)
		next.wait = s.idleWait(in.idle)
		return s, next
	}
	s.wholeList, s.skipStream, s.idle = false, false, 0
	s.resourceVersion = in.resourceVersion
	next := s.watchAction()
	next.commit = true
	return s, next
}

// startsOver reports whether asking for a page again after err is in vain: the token
// has outlived the server's history (a second part of another version would not be
// consistent with the first) or is not accepted, the resource is gone, or the
// page, which never changes, has an object that cannot be taken.
func startsOver(err error) bool {
	switch reasonOf(err) {
	case Expired, Refused, NotFound:
		return true
	}
	return isCircle(err) || isAboutAnObject(err)
}

// idleWait counts an answer that brought nothing, and returns the wait after it; 0
// after one that did.
func (s *reflectorState) idleWait(idle bool) time.Duration {
	if !idle {
		s.idle = 0
		return 0
	}
	s.idle++
	return doubled(idleBackoff, s.idle-1)
}

func (s reflectorState) afterWatch(in input) (reflectorState, action) {
	if in.resourceVersion != "" {
		s.resourceVersion = in.resourceVersion
	}
	ended := in.err == io.EOF // and not an error that wraps it
	if in.useful && (ended || wasCut(in.err) || in.lasted >= usefulWatch) {
		s.failures = 0
	}
	switch reason := reasonOf(in.err); {
	case in.useful && (ended || wasCut(in.err)), ended && in.lasted >= shortWatch:
		next := s.watchAction()
		next.resumed = true
		next.wait = s.idleWait(in.lasted < shortWatch)
		return s, next
	case ended:
		return s.rewatch(errClosedEarly)
	case reason == Expired, reason == NotFound, reason == Decode, reason == Refused, isTooLargeVersion(in.err):
		// Watching on is impossible (410, a version that this server has not reached
		// or does not take) or would skip something: only a new list has the truth.
		return s.relist(in.err)
	case in.useful:
		s.failures = min(s.failures, maxShortFailures)
	}
	return s.rewatch(in.err)
}

// relist reads the collection anew, at the newest version: without a
// resourceVersion the server answers from a quorum, so time never runs back
// (https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list).
func (s reflectorState) relist(err error) (reflectorState, action) {
	next := s.startAction()
	next.restart = true
	next.failed = err
	next.wait = s.backoffs.after(err, s.failures)
	s.failures++
	s.pageFailures = 0
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
	next.wait = s.backoffs.after(err, s.failures)
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

// isTooLargeVersion recognizes a server that has not reached the version asked
// for yet, or was restored from a backup and never will.
func isTooLargeVersion(err error) bool {
	return apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge)
}
