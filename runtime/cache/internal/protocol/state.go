// Package protocol decides what a Reflector requests next, and when. It has no I/O and
// no goroutines, does not know the type of the objects, and reads the clock only to
// count failures.
//
// It promises that a watch resumes where the last one ended, and that a list always
// asks for the newest version. It retries an error after a wait that grows up to a
// limit, and reports it with a reason.
//
//	start ─▶ stream ── initial events, bookmark ─▶ watch ◀─┐ clean end, cut,
//	           │  ▲                               ▲  │  └────┘ 5xx, 429: resume
//	   refused,│  └── 410, 404, 400, undecodable ─┼──┤
//	no bookmark│                                  │  │
//	           ▼                                  │  │
//	          list ─────────── last page ─────────┘  │
//	          ▲  └─ next page; the same page after a failure
//	          └── the same, where streams are refused ┘
//
// A list is one request for the whole collection. An API server answers it from its watch
// cache (https://kep.k8s.io/2340). Pages after the first come from there only while the cache
// has a snapshot of their version, which it drops if the collection does not change for some
// minutes. Then the server reads and decodes each page from etcd, which takes it several
// times the CPU time. So pages are for a collection whose list failed in one piece.
package protocol

import (
	"errors"
	"io"
	"net"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Verb is a kind of request.
type Verb uint8

// The kinds of requests.
const (
	ListPage Verb = iota
	OpenWatch
	// OpenStream is a streaming list, which continues as a watch.
	OpenStream
)

// State is the state of a Reflector between two requests.
type State struct {
	// ResourceVersion is the start of the next watch, empty before the end of the first list.
	ResourceVersion string
	// noStream is set when the server refuses streaming lists or sends no bookmark, or
	// when the configuration excludes them.
	noStream bool
	// skipStream is set while a list replaces a stream that stalled, and
	// stalled from then on: the server may not support streaming lists.
	skipStream, stalled bool
	// inPages is set when a list in one piece has failed, and its size may be the reason. The
	// collection is then read in pages. It is cleared after that list, or if pages do not work.
	// tooHeavy counts these failures: from the second one on, later lists are in pages too.
	inPages  bool
	tooHeavy int
	// failures counts requests that failed since the last progress, and pageFailures
	// requests for the page that is being read.
	failures, pageFailures int
	// idle counts consecutive responses without an error or a result: such pages, and
	// watches that ended at once.
	idle int
	// backoffs are constant.
	backoffs Backoffs
}

// Input is the result of a request.
type Input struct {
	Verb Verb
	// Err is nil for a page, and io.EOF for a watch that ended normally.
	Err error
	// ResourceVersion is that of the page, or the last one that the watch saw.
	ResourceVersion string
	// Token asked for this page, and ContinueToken asks for the next one. They are
	// empty for the first and the last page. Idle is set for a page without items, or with
	// those of an earlier page.
	Token, ContinueToken string
	Idle                 bool
	// Listed is set for a stream after the last of its initial events, and Overdue if
	// changes came before the bookmark.
	Listed, Overdue bool
	// MadeProgress is set for a watch that reached a later version, or lasted for
	// LongWatch. A finished streaming list alone is no progress.
	MadeProgress bool
	// Lasted is how long the watch was open, for a stream from the bookmark on.
	Lasted time.Duration
}

// Action is the next request, and what to do before it.
type Action struct {
	Verb    Verb
	Options metav1.ListOptions
	// Wait comes before the request. The caller adds jitter.
	Wait time.Duration
	// Resumed marks a watch that replaces one that ended normally.
	Resumed bool
	// Patient is set for a list in one piece after pages that expired: it may take longer,
	// because pages are no better.
	Patient bool
	// Restart drops the pages read so far: the next request is for the first page.
	Restart bool
	// Commit makes the pages read so far the collection.
	Commit bool
	// Failed is the error to report, or nil.
	Failed error
	// Reopened marks a watch that is opened again after it failed. It may fail again after
	// the server has answered.
	Reopened bool
}

const (
	// pageSize is the number of objects in a page, the same as in kubectl.
	pageSize = 500
	// maxTooHeavy is the number of lists in one piece that may fail because of their size
	// before all lists are in pages.
	maxTooHeavy = 2
	// maxPageFailures is the number of consecutive failures of a page before the list
	// restarts: one failed request does not make it read the earlier pages again.
	maxPageFailures = 5
	// maxShortFailures bounds the count of failures, and so the wait, of watches that
	// make progress and fail soon: at most 5 a minute.
	maxShortFailures = 4
	// LongWatch is how long a watch without events has to last to be progress.
	LongWatch = 10 * time.Second
	// ShortWatch is how long a watch has to last to be resumed at once.
	ShortWatch = time.Second
)

// Start returns the first state and the first request. If noStream is set, it never
// requests a streaming list.
func Start(noStream bool, backoffs Backoffs) (State, Action) {
	s := State{noStream: noStream, backoffs: backoffs}
	return s, s.startAction()
}

// Step returns what follows a request that ended.
func Step(s State, in Input) (State, Action) {
	switch {
	case in.Verb == ListPage:
		return s.afterPage(in)
	case in.Verb == OpenStream && !in.Listed:
		return s.afterUnfinishedStream(in)
	}
	return s.afterWatch(in)
}

func (s State) startAction() Action {
	if s.noStream || s.skipStream {
		if s.inPages {
			return pageAction("")
		}
		return Action{Verb: ListPage}
	}
	// Without a resourceVersion the server sends what a quorum has, as for a list
	// (KEP-3157).
	sendInitialEvents := true
	return Action{Verb: OpenStream, Options: metav1.ListOptions{
		SendInitialEvents:    &sendInitialEvents,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		AllowWatchBookmarks:  true,
	}}
}

// afterUnfinishedStream lists where streams do not work, and otherwise retries.
func (s State) afterUnfinishedStream(in Input) (State, Action) {
	reason, unanswered := ReasonOf(in.Err), errors.Is(in.Err, ErrUnanswered)
	if reason != Refused && reason != NoBookmark && !unanswered {
		if in.Err == io.EOF { // it ended normally before its bookmark
			in.Err = ErrClosedEarly
		}
		return s.relist(in.Err)
	}
	s.noStream = s.noStream || reason == Refused || in.Overdue || s.stalled && !unanswered
	s.stalled = s.stalled || reason == NoBookmark
	s.skipStream = true
	next := s.startAction()
	next.Restart = true
	if reason != Refused {
		next.Failed = in.Err // it explains the lost time
	}
	return s, next
}

// wasCut reports whether the connection of a watch broke. This is normal: servers, load
// balancers and networks restart.
func wasCut(err error) bool {
	return ReasonOf(err) == Unreachable && !errors.Is(err, ErrSilent)
}

func (s State) afterPage(in Input) (State, Action) {
	switch {
	case in.Err != nil && in.Token != "" && s.pageFailures < maxPageFailures && !restartsList(in.Err):
		next := pageAction(in.Token)
		next.Failed = in.Err
		next.Wait = s.backoffs.After(in.Err, s.pageFailures)
		s.pageFailures++
		return s, next
	case in.Err != nil:
		s.choosePages(in)
		s.failures = max(s.failures, s.pageFailures) // so that the wait does not shrink
		s, next := s.relist(in.Err)
		next.Patient = next.Verb == ListPage && ReasonOf(in.Err) == Expired
		return s, next
	}
	s.pageFailures = 0
	if in.ContinueToken != "" {
		next := pageAction(in.ContinueToken)
		next.Wait = s.idleWait(in.Idle)
		return s, next
	}
	s.inPages, s.skipStream, s.idle = s.tooHeavy >= maxTooHeavy, false, 0
	s.ResourceVersion = in.ResourceVersion
	next := s.watchAction()
	next.Commit = true
	return s, next
}

// choosePages decides whether the list after one that failed is in pages. The server has not
// seen a list whose connection failed, so the size is not the reason.
func (s *State) choosePages(in Input) {
	reason, dial := ReasonOf(in.Err), (*net.OpError)(nil)
	switch {
	case reason == Expired, isEndless(in.Err):
		s.inPages = false // one piece has no token that could expire or repeat
	case errors.As(in.Err, &dial) && dial.Op == "dial":
	case reason == Unreachable, reason == ServerError, reason == TooManyRequests:
		if !s.inPages && in.Token == "" {
			s.tooHeavy++
		}
		s.inPages = true
	}
}

// restartsList reports whether a retry of the page that failed with err cannot succeed.
// The token has expired (pages of two versions would not be consistent) or is refused,
// the resource is gone, or the page, which never changes, has an object that cannot be
// decoded or transformed.
func restartsList(err error) bool {
	switch ReasonOf(err) {
	case Expired, Refused, NotFound:
		return true
	}
	return isEndless(err) || isAboutAnObject(err)
}

// idleWait counts a response without a result, and returns the wait after it. After
// another one it returns 0.
func (s *State) idleWait(idle bool) time.Duration {
	if !idle {
		s.idle = 0
		return 0
	}
	s.idle++
	return idleBackoff.doubled(s.idle - 1)
}

func (s State) afterWatch(in Input) (State, Action) {
	if in.ResourceVersion != "" {
		s.ResourceVersion = in.ResourceVersion
	}
	ended := in.Err == io.EOF // and not an error that wraps it
	if in.MadeProgress && (ended || wasCut(in.Err) || in.Lasted >= LongWatch) {
		s.failures = 0
	}
	switch reason := ReasonOf(in.Err); {
	case in.MadeProgress && (ended || wasCut(in.Err)), ended && in.Lasted >= ShortWatch:
		next := s.watchAction()
		next.Resumed = true
		next.Wait = s.idleWait(in.Lasted < ShortWatch)
		return s, next
	case ended:
		return s.rewatch(ErrClosedEarly)
	case reason == Expired, reason == NotFound, reason == Decode, reason == Refused,
		apierrors.HasStatusCause(in.Err, metav1.CauseTypeResourceVersionTooLarge):
		// The watch cannot continue or would skip something, so only a list is correct. The
		// server may have forgotten the version (410), or not have reached it: one that was
		// restored from a backup never will.
		return s.relist(in.Err)
	case in.MadeProgress:
		s.failures = min(s.failures, maxShortFailures)
	}
	return s.rewatch(in.Err)
}

// relist lists the collection again, at the newest version. Without a resourceVersion
// the server answers from a quorum, so time never runs back
// (https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list).
func (s State) relist(err error) (State, Action) {
	next := s.startAction()
	next.Restart = true
	next.Failed = err
	next.Wait = s.backoffs.After(err, s.failures)
	s.failures++
	s.pageFailures = 0
	return s, next
}

// rewatch opens the watch again where it ended.
func (s State) rewatch(err error) (State, Action) {
	next := s.watchAction()
	next.Failed = err
	next.Reopened = true
	next.Wait = s.backoffs.After(err, s.failures)
	s.failures++
	return s, next
}

func (s State) watchAction() Action {
	return Action{Verb: OpenWatch, Options: metav1.ListOptions{
		ResourceVersion:     s.ResourceVersion,
		AllowWatchBookmarks: true,
	}}
}

func pageAction(continueToken string) Action {
	return Action{Verb: ListPage, Options: metav1.ListOptions{Limit: pageSize, Continue: continueToken}}
}
