// Package protocol decides what a Reflector requests next, and when. It has no I/O and
// no goroutines, does not know the type of the objects, and does not read the clock.
//
// It promises that a watch resumes where the last one ended, and that a list always
// asks for the newest version. It retries an error after a wait that grows up to a
// limit, and reports it with a reason.
//
//	start ─▶ stream ── initial events, bookmark ─▶ watch ◀─┐ clean end, cut,
//	           │  ▲                               ▲  │  └────┘ 5xx, 429: resume
//	     fails,│  └── 410, 404, 400, undecodable ─┼──┤
//	no bookmark│                                  │  │
//	           ▼                                  │  │
//	          list ─────────── last page ─────────┘  │
//	          ▲  └─ next page; the same page after a failure
//	          ├── the same, where streams do not work ┤
//	          └── poll: watches have failed for a while ┘
//
// What a list can give does not depend on streams and watches. If a stream fails, a list
// follows at once. While watches fail, a list refreshes the collection every pollAfter.
//
// Three counts make the waits. Each begins again when its own cause is gone.
//
//	failures  requests without a useful answer (no connection, 429, 5xx), until a list is complete, a watch
//	          lasts, or the server answers 410 or a refusal
//	refusals  answers that only a person can change (401, 403, 404, 400, an object that does not
//	          decode, a list without an end), until the refused list succeeds, or a watch makes progress
//	relists   lists because a watch could not go on, until a watch made progress
//
// A 410 is an answer, and not a failure: the list follows at once. Only the next lists without
// progress between them have to be some time apart.
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
	"syscall"
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

// String returns the verb in the rules of a Role.
func (v Verb) String() string {
	if v == ListPage {
		return "list"
	}
	return "watch"
}

// State has the last request of a Reflector, and the facts that it knows about the server.
type State struct {
	// asked is the last request.
	asked request
	// noStream is set when the server refuses streaming lists or sends no bookmark, or
	// when the configuration excludes them.
	noStream bool
	// strikes counts streams that failed while a list succeeded, since the last stream that
	// succeeded: the server may not support streaming lists.
	strikes int
	// inPages is set when a list in one piece has failed, and its size may be the reason. The
	// collection is then read in pages. It is cleared after that list, or if pages do not work.
	// tooHeavy counts these failures: from the second one on, later lists are in pages too.
	inPages  bool
	tooHeavy int
	// The comment of the package explains failures, refusals and relists.
	failures, refusals, relists int
	// listBegan is when the last list began. current is when the collection was last known to be up to date, or
	// a poll last failed.
	listBegan, current time.Time
	// idle counts consecutive responses without an error or a result: such pages, and
	// watches that ended at once.
	idle int
	// backoffs are constant.
	backoffs Backoffs
}

// request is a stream, a list or a watch.
type request interface {
	action(State) Action
	// after returns the state that follows the request.
	after(State, Input) (State, Action)
}

// stream is a streaming list, which continues as a watch.
type stream struct{}

// list is a list in one piece, or a page of one.
type list struct {
	why why
	// token asks for a page after the first one, and failures counts how often the page has failed.
	token    string
	failures int
	// resume is the watch after a poll, and retry the wait before it.
	resume watch
	retry  Pause
}

// why is the reason for a list that is no streaming list.
type why uint8

const (
	// The zero value: streaming lists are not requested.
	_ why = iota
	// streamFailed: a streaming list has failed. If the list succeeds, that was the stream's fault.
	streamFailed
	// allFailed: a streaming list and lists have failed.
	allFailed
	// poll: watches have failed for a while. The list refreshes the collection.
	poll
)

// watch follows changes after a version.
type watch struct{ version string }

// Input is the result of a request.
type Input struct {
	// Began and Ended are the times of the request.
	Began, Ended time.Time
	// Err is nil for a page, and io.EOF for a watch that ended normally.
	Err error
	// ResourceVersion is the version of the page, or the last one that the watch saw.
	ResourceVersion string
	// ContinueToken asks for the next page. It is empty for the last one. Idle is set for a page without items, or with
	// those of an earlier page.
	ContinueToken string
	Idle          bool
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
	// Wait comes before the request.
	Wait Pause
	// Resumed marks a watch that replaces one that ended normally.
	Resumed bool
	// IsSlow is set for a list in one piece after pages that expired: it may take longer,
	// because pages are no better.
	IsSlow bool
	// Commit makes the pages read so far the collection.
	Commit bool
	// Failed is the error to report, or nil.
	Failed error
	// WatchFailed marks a watch that is opened again after it failed, and a list instead of it. The watch may
	// fail again after the server has answered.
	WatchFailed bool
}

const (
	// pageSize is the number of objects in a page, the same as in kubectl.
	pageSize = 500
	// maxTooHeavy is the number of lists in one piece that may fail because of their size
	// before all lists are in pages.
	maxTooHeavy = 2
	// maxStrikes is the number of streams that may fail while lists succeed before streams are given up.
	maxStrikes = 2
	// pollAfter is how long watches may fail before a list refreshes the collection.
	pollAfter = 20 * time.Second
	// maxPageFailures is the number of consecutive failures of a page before the list
	// restarts: one failed request does not make it read the earlier pages again.
	maxPageFailures = 5
	// LongWatch is how long a watch without events has to last to be progress.
	LongWatch = 10 * time.Second
	// ShortWatch is how long a watch has to last to be resumed at once.
	ShortWatch = time.Second
)

// Start returns the first state and the first request. Unless streams is set, it never
// requests a streaming list.
func Start(streams bool, backoffs Backoffs) (State, Action) {
	s := State{noStream: !streams, backoffs: backoffs}
	return s.ask(s.first())
}

// Step returns the state that follows a request that ended.
func Step(s State, in Input) (State, Action) { return s.asked.after(s, in) }

// ask makes a request the next one.
func (s State) ask(next request) (State, Action) {
	s.asked = next
	return s, next.action(s)
}

// first returns the request that begins to read the collection.
func (s State) first() request {
	if s.noStream {
		return list{}
	}
	return stream{}
}

// action returns the request. Without a resourceVersion the server sends the state of a quorum, as for a list (KEP-3157).
func (stream) action(State) Action {
	sendInitialEvents := true
	return Action{Verb: OpenStream, Options: metav1.ListOptions{
		SendInitialEvents:    &sendInitialEvents,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		AllowWatchBookmarks:  true,
	}}
}

// after lists if the list is not complete: the failure may concern streams alone, unless it is about an object, or the
// server was not reached. The list decides about the wait, unless the server has asked for one.
func (stream) after(s State, in Input) (State, Action) {
	s.listBegan = in.Began
	if in.Listed { // an answer, however the watch went on
		s.failures, s.refusals, s.strikes = 0, 0, 0
		return watch{in.ResourceVersion}.after(s, in)
	}
	if in.Err == io.EOF {
		in.Err = ErrStreamEnded
	}
	if isUnsent(in.Err) || isAboutAnObject(in.Err) {
		return s.relist(stream{}, in)
	}
	reason := ReasonOf(in.Err)
	s.noStream = s.noStream || reason == Refused || in.Overdue
	wait := askedBy(in.Err)
	if reason == TooManyRequests {
		wait = s.backoff(in)
	}
	s, next := s.ask(list{why: streamFailed})
	next.Wait = wait
	if reason != Refused {
		next.Failed = in.Err // it explains the lost time
	}
	return s, next
}

// isUnsent reports whether a request did not get to the server.
func isUnsent(err error) bool {
	dial := (*net.OpError)(nil)
	return errors.As(err, &dial) && dial.Op == "dial" || errors.Is(err, syscall.ECONNREFUSED)
}

// wasCut reports whether the connection of a watch broke. This is normal: servers, load
// balancers and networks restart.
func wasCut(err error) bool {
	return ReasonOf(err) == Unreachable && !errors.Is(err, ErrSilent)
}

// isBehind reports whether the server has not reached the version of a request. One that was restored
// from a backup never will.
func isBehind(err error) bool {
	return apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge)
}

// backoff counts a request that failed, and returns the wait after it.
func (s *State) backoff(in Input) Pause {
	count := &s.failures
	switch {
	case ReasonOf(in.Err) == Expired, isBehind(in.Err):
		s.failures = 0
		return askedBy(in.Err)
	case isRefusal(in.Err):
		count, s.failures = &s.refusals, 0
	}
	*count++
	return s.backoffs.After(in.Err, *count-1, in.Ended.Sub(in.Began)-in.Lasted)
}

// isRefusal reports whether err is about an answer that only a person can change.
func isRefusal(err error) bool {
	switch ReasonOf(err) {
	case Unauthorized, Forbidden, NotFound, Refused:
		return true
	case Decode:
		return !isForeign(err)
	}
	return isEndless(err)
}

func (l list) action(s State) Action {
	options := metav1.ListOptions{Continue: l.token}
	if s.inPages || l.token != "" {
		options.Limit = pageSize
	}
	return Action{Verb: ListPage, Options: options, WatchFailed: l.why == poll}
}

func (l list) after(s State, in Input) (State, Action) {
	if l.token == "" {
		s.listBegan = in.Began
	}
	if in.Err != nil {
		return l.afterFailure(s, in)
	}
	if l.why != poll && (l.token != "" || in.ContinueToken == "") { // a first page that succeeds does not mean that the list does
		s.failures = 0
	}
	if in.ContinueToken != "" {
		wait := s.idleWait(in.Idle)
		l.token, l.failures = in.ContinueToken, 0
		s, next := s.ask(l)
		next.Wait = wait
		return s, next
	}
	if l.why == streamFailed {
		s.strikes++
		s.noStream = s.noStream || s.strikes >= maxStrikes
	}
	s.inPages, s.idle, s.current = s.tooHeavy >= maxTooHeavy, 0, in.Ended
	if l.why != poll && s.relists == 0 { // otherwise the watch was refused, and not the list
		s.refusals = 0
	}
	s, next := s.ask(watch{in.ResourceVersion})
	next.Commit = true
	if l.why == poll { // that a list succeeds does not mean that watches do
		next.WatchFailed, next.Wait = true, l.retry
	}
	return s, next
}

func (l list) afterFailure(s State, in Input) (State, Action) {
	if l.why == streamFailed {
		l.why = allFailed
	}
	if l.token != "" && l.failures < maxPageFailures && !restartsList(in.Err) {
		wait := s.backoff(in)
		l.failures++
		s, next := s.ask(l)
		next.Failed, next.Wait = in.Err, wait
		return s, next
	}
	s.choosePages(l, in)
	if l.why == poll {
		s.current = in.Ended
		return s.rewatch(l.resume, in)
	}
	s, next := s.relist(list{why: l.why}, in)
	next.IsSlow = ReasonOf(in.Err) == Expired
	return s, next
}

// choosePages decides whether the list after one that failed is in pages. The server has not
// seen a list whose connection failed, so the size is not the reason.
func (s *State) choosePages(failed list, in Input) {
	reason := ReasonOf(in.Err)
	switch {
	case reason == Expired, isEndless(in.Err):
		s.inPages = false // one piece has no token that could expire or repeat
	case isUnsent(in.Err):
	case reason == Unreachable, reason == ServerError, reason == TooManyRequests:
		if !s.inPages && failed.token == "" {
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
// another one it returns no wait.
func (s *State) idleWait(idle bool) Pause {
	if !idle {
		s.idle = 0
		return Pause{}
	}
	s.idle++
	return idleBackoff.pause(s.idle - 1)
}

func (w watch) action(State) Action {
	return Action{Verb: OpenWatch, Options: metav1.ListOptions{
		ResourceVersion:     w.version,
		AllowWatchBookmarks: true,
	}}
}

func (w watch) after(s State, in Input) (State, Action) {
	if in.ResourceVersion != "" {
		w.version = in.ResourceVersion
	}
	if in.Lasted >= ShortWatch { // an answer
		s.failures = 0
	}
	ended := in.Err == io.EOF // and not an error that wraps it
	endedWell := ended || wasCut(in.Err)
	if in.MadeProgress && (endedWell || in.Lasted >= LongWatch) {
		s.failures, s.refusals, s.relists = 0, 0, 0
	}
	if in.Listed || in.MadeProgress || in.Lasted >= ShortWatch {
		s.current = in.Ended
	}
	switch reason := ReasonOf(in.Err); {
	case in.MadeProgress && endedWell, ended && in.Lasted >= ShortWatch:
		wait := s.idleWait(in.Lasted < ShortWatch)
		s, next := s.ask(w)
		next.Resumed, next.Wait = true, wait
		return s, next
	case ended:
		in.Err = ErrClosedEarly
	case reason == Expired, reason == NotFound, reason == Decode, reason == Refused, isBehind(in.Err):
		// The watch cannot continue or would skip something, so only a list is correct. The
		// server may have forgotten the version (410), or not have reached it.
		return s.relist(s.first(), in)
	}
	return s.retryWatch(w, in)
}

// relist lists the collection again, at the newest version. Without a resourceVersion
// the server answers from a quorum, so time never runs back
// (https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list).
func (s State) relist(by request, in Input) (State, Action) {
	_, isWatch := s.asked.(watch)
	wait := s.backoff(in)
	if isWatch || in.Listed || ReasonOf(in.Err) == Expired {
		if s.relists > 0 { // the first one follows at once
			apart := s.backoffs.of(Expired).pause(s.relists - 1)
			wait = wait.atLeast(apart.without(in.Ended.Sub(s.listBegan)))
		}
		s.relists++
	}
	s, next := s.ask(by)
	next.Failed, next.Wait = in.Err, wait
	return s, next
}

// retryWatch opens the watch again where it ended. If watches have failed for a while and lists may succeed,
// a list comes first: a role may have the right to list alone, and a proxy may cut each watch.
func (s State) retryWatch(w watch, in Input) (State, Action) {
	s, next := s.rewatch(w, in)
	isFirst := s.failures+s.refusals == 1 // which may have taken long
	if isFirst || in.Ended.Sub(s.current) < pollAfter || !listMayHelp(in.Err) {
		return s, next
	}
	s, next = s.ask(list{why: poll, resume: w, retry: next.Wait})
	next.Failed = in.Err
	return s, next
}

// listMayHelp reports whether a list may succeed although a watch has failed with err.
func listMayHelp(err error) bool {
	reason := ReasonOf(err)
	return !isUnsent(err) && reason != TooManyRequests && askedBy(err) == (Pause{})
}

// rewatch opens the watch again where it ended.
func (s State) rewatch(w watch, in Input) (State, Action) {
	wait := s.backoff(in)
	s, next := s.ask(w)
	next.Failed, next.WatchFailed, next.Wait = in.Err, true, wait
	return s, next
}
