package protocol

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

var (
	errGone        = apierrors.NewResourceExpired("too old resource version: 5 (9)")
	errForbidden   = apierrors.NewForbidden(schema.GroupResource{Resource: "widgets"}, "", errors.New("no right to list"))
	errNotFound    = apierrors.NewNotFound(schema.GroupResource{Resource: "widgets"}, "")
	errInternal    = apierrors.NewInternalError(errors.New("etcd is away"))
	errSlowDown    = apierrors.NewTooManyRequests("too many", 17)
	errCut         = io.ErrUnexpectedEOF
	errUndecodable = fmt.Errorf("widgets w: %w", ErrObject)
	errUnsent      = &url.Error{Err: &net.OpError{Op: "dial", Err: io.ErrUnexpectedEOF}}
)

func errTooLarge() error {
	err := apierrors.NewTimeoutError("Too large resource version: 9, current: 5", 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
	return err
}

// errClientDecode is what client-go makes of an event that it cannot decode.
func errClientDecode() error {
	reporter := apierrors.NewClientErrorReporter(http.StatusInternalServerError, "GET", "ClientWatchDecoding")
	return apierrors.FromObject(reporter.AsObject(errors.New("unable to decode an event from the watch stream")))
}

func TestStep(t *testing.T) {
	const (
		list   = "list"  // a first page of the newest version
		next   = "next"  // the next page
		whole  = "whole" // the newest version in one piece
		watch  = "watch"
		stream = "stream" // a streaming list
	)
	watching := State{ResourceVersion: "7"}
	failing := State{ResourceVersion: "7", failures: 3, relists: 2}
	start := time.Unix(1_000_000, 0)
	tests := []struct {
		name  string
		state State
		in    Input

		want     string
		version  string        // that the watch starts from
		wait     time.Duration // at the most
		restart  bool
		commit   bool
		reported bool
		failures int
		refusals int
		relists  int
		polls    bool
		inPages  bool // the next list is in pages
		streams  bool // the server may have streaming lists
		noStream bool // the state says that it has none
		resumed  bool
	}{
		{name: "a page with more to come",
			state: State{failures: 2, refusals: 3}, in: Input{Verb: ListPage, ResourceVersion: "5", ContinueToken: "t"}, want: next, failures: 2, refusals: 3},
		{name: "a later page with more to come is an answer",
			state: State{failures: 2, refusals: 3}, in: Input{Verb: ListPage, ResourceVersion: "5", Token: "s", ContinueToken: "t"}, want: next, refusals: 3},
		{name: "the last page",
			in: Input{Verb: ListPage, ResourceVersion: "5"}, want: watch, version: "5", commit: true},
		{name: "a list is an answer, which ends the backoff, and tells nothing of watches",
			state: State{failures: 2, refusals: 3, relists: 4}, in: Input{Verb: ListPage, ResourceVersion: "5"}, want: watch, version: "5", commit: true, refusals: 3, relists: 4},
		{name: "a list that was refused and succeeds ends the refusals",
			state: State{refusals: 3}, in: Input{Verb: ListPage, ResourceVersion: "5"}, want: watch, version: "5", commit: true},
		{name: "a list that fails",
			in: Input{Verb: ListPage, Err: errInternal}, want: list, inPages: true, wait: 600 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a list that fails again",
			state: State{failures: 2}, in: Input{Verb: ListPage, Err: errInternal}, want: list, inPages: true, wait: 1350 * time.Millisecond, restart: true, reported: true, failures: 3},
		{name: "a list that always fails",
			state: State{failures: 1000}, in: Input{Verb: ListPage, Err: errCut}, want: list, inPages: true, wait: 8 * time.Second, restart: true, reported: true, failures: 1001},
		{name: "a server that asks to slow down",
			in: Input{Verb: ListPage, Err: errSlowDown}, want: list, inPages: true, wait: 17 * time.Second, restart: true, reported: true, failures: 1},
		{name: "a right that is missing, after failures",
			state: State{failures: 9}, in: Input{Verb: ListPage, Err: errForbidden}, want: whole, wait: 3500 * time.Millisecond, restart: true, reported: true, refusals: 1},
		{name: "a right that stays missing",
			state: State{refusals: 30}, in: Input{Verb: ListPage, Err: errForbidden}, want: whole, wait: 30 * time.Second, restart: true, reported: true, refusals: 31},
		{name: "a failure after a right was missing",
			state: State{refusals: 30}, in: Input{Verb: ListPage, Err: errInternal}, want: list, inPages: true, wait: 600 * time.Millisecond, restart: true, reported: true, failures: 1, refusals: 30},
		{name: "credentials that stay invalid",
			state: State{refusals: 30}, in: Input{Verb: ListPage, Err: apierrors.NewUnauthorized("who")}, want: whole, wait: 10 * time.Second, restart: true, reported: true, refusals: 31},
		{name: "a request that stays refused is no reason to be stale for long",
			state: State{refusals: 30}, in: Input{Verb: ListPage, Err: apierrors.NewBadRequest("no such selector")}, want: whole, wait: 8 * time.Second, restart: true, reported: true, refusals: 31},
		{name: "a page of HTML is a failure of a proxy",
			state: State{failures: 30}, in: Input{Verb: ListPage, Err: &wire.SyntaxError{Near: "<html>"}}, want: whole, wait: 8 * time.Second, restart: true, reported: true, failures: 31},
		{name: "a list of another kind too",
			in: Input{Verb: ListPage, Err: &wire.KindError{}}, want: whole, wait: 600 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "an object that never decodes",
			state: State{refusals: 30}, in: Input{Verb: ListPage, Err: errUndecodable}, want: whole, wait: time.Minute, restart: true, reported: true, refusals: 31},
		{name: "a server that asks for an absurd wait",
			in: Input{Verb: ListPage, Err: apierrors.NewTooManyRequests("too many", math.MaxInt32)}, want: list, inPages: true, wait: 300 * time.Second, restart: true, reported: true, failures: 1},
		{name: "a server that asks for a negative wait",
			in: Input{Verb: ListPage, Err: apierrors.NewTooManyRequests("too many", -1)}, want: list, inPages: true, wait: 600 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a page that fails is asked for again",
			in: Input{Verb: ListPage, Token: "t", Err: errInternal}, want: next, wait: 600 * time.Millisecond, reported: true, failures: 1},
		{name: "a page that fails for the fourth time",
			state: State{failures: 3, pageFailures: 3}, in: Input{Verb: ListPage, Token: "t", Err: errCut}, want: next, wait: 2025 * time.Millisecond, reported: true, failures: 4},
		{name: "a page whose list has failed before does not begin again",
			state: State{failures: 9}, in: Input{Verb: ListPage, Token: "t", Err: errCut}, want: next, wait: 8 * time.Second, reported: true, failures: 10},
		{name: "a page that fails too often",
			state: State{failures: 9, pageFailures: 5}, in: Input{Verb: ListPage, Token: "t", Err: errInternal}, want: list, inPages: true, wait: 8 * time.Second, restart: true, reported: true, failures: 10},
		{name: "a later page whose token is refused",
			in: Input{Verb: ListPage, Token: "t", Err: apierrors.NewBadRequest("continue key is not valid")}, want: whole, wait: 600 * time.Millisecond, restart: true, reported: true, refusals: 1},
		{name: "a later page of a resource that is gone",
			in: Input{Verb: ListPage, Token: "t", Err: errNotFound}, want: whole, wait: 3500 * time.Millisecond, restart: true, reported: true, refusals: 1},
		{name: "a later page with an object that cannot be taken",
			in: Input{Verb: ListPage, Token: "t", Err: errUndecodable}, want: whole, wait: 3500 * time.Millisecond, restart: true, reported: true, refusals: 1},
		{name: "a list that goes in circles",
			in: Input{Verb: ListPage, Token: "t", Err: ErrTokenRepeated}, want: whole, wait: 600 * time.Millisecond, restart: true, reported: true, refusals: 1},
		{name: "an empty page with a token",
			in: Input{Verb: ListPage, Token: "t", Idle: true, ContinueToken: "u"}, want: next, wait: 200 * time.Millisecond},
		{name: "one empty page after the other",
			state: State{idle: 9}, in: Input{Verb: ListPage, Token: "t", Idle: true, ContinueToken: "u"}, want: next, wait: 2 * time.Second},
		{name: "an empty last page",
			in: Input{Verb: ListPage, Token: "t", Idle: true, ResourceVersion: "5"}, want: watch, version: "5", commit: true},
		{name: "a later page whose token expired",
			in: Input{Verb: ListPage, Token: "t", Err: errGone}, want: whole, restart: true, reported: true, relists: 1},
		{name: "a page token that expired",
			in: Input{Verb: ListPage, Err: errGone}, want: whole, restart: true, reported: true, relists: 1},
		{name: "a token that expires again, of a list that began at once",
			state: State{relists: 3}, in: Input{Verb: ListPage, Err: errGone}, want: whole, wait: 1350 * time.Millisecond, restart: true, reported: true, relists: 4},
		{name: "a list in pages that expired is read in one piece",
			state: State{inPages: true, tooHeavy: 1}, in: Input{Verb: ListPage, Token: "t", Err: errGone}, want: whole, restart: true, reported: true, relists: 1},
		{name: "a list in pages that goes in circles is read in one piece",
			state: State{inPages: true, tooHeavy: 1}, in: Input{Verb: ListPage, Token: "t", Err: ErrPagesRepeated}, want: whole, wait: 600 * time.Millisecond, restart: true, reported: true, refusals: 1},
		{name: "a list in pages that is forbidden stays in pages",
			state: State{inPages: true, tooHeavy: 1}, in: Input{Verb: ListPage, Err: errForbidden}, want: list, inPages: true, wait: 3500 * time.Millisecond, restart: true, reported: true, refusals: 1},
		{name: "a server that cannot be reached has not seen how large the list is",
			in: Input{Verb: ListPage, Err: errUnsent}, want: whole, wait: 600 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a connection that is cut while the list comes",
			in: Input{Verb: ListPage, Err: &url.Error{Err: &net.OpError{Op: "read", Err: errCut}}}, want: list, inPages: true, wait: 600 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a list that does not end in time",
			in: Input{Verb: ListPage, Err: ErrListStalled}, want: list, inPages: true, wait: 600 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "the last page after one list that failed in one piece",
			state: State{inPages: true, tooHeavy: 1}, in: Input{Verb: ListPage, Token: "t", ResourceVersion: "5"}, want: watch, version: "5", commit: true},
		{name: "the last page after two lists that failed in one piece",
			state: State{inPages: true, tooHeavy: 2}, in: Input{Verb: ListPage, Token: "t", ResourceVersion: "5"}, want: watch, inPages: true, version: "5", commit: true},
		{name: "one piece after pages that expired, of a list that is too large for it",
			state: State{tooHeavy: 2}, in: Input{Verb: ListPage, ResourceVersion: "5"}, want: watch, inPages: true, version: "5", commit: true},
		{name: "a version that is forgotten, of a list that is too large for one piece",
			state: State{ResourceVersion: "7", inPages: true, tooHeavy: 2}, in: Input{Verb: OpenWatch, Err: errGone}, want: list, inPages: true, restart: true, reported: true, relists: 1},
		{name: "a list in one piece that fails again is tried in pages",
			state: State{failures: 1}, in: Input{Verb: ListPage, Err: errCut}, want: list, inPages: true, wait: 900 * time.Millisecond, restart: true, reported: true, failures: 2},

		{name: "a watch that ends in good order resumes where it was",
			state: watching, in: Input{Verb: OpenWatch, Err: io.EOF, MadeProgress: true, Lasted: time.Minute, ResourceVersion: "9"}, want: watch, version: "9", resumed: true},
		{name: "a watch that brings an event and ends at once",
			state: watching, in: Input{Verb: OpenWatch, Err: io.EOF, MadeProgress: true, ResourceVersion: "9"}, want: watch, version: "9", wait: 200 * time.Millisecond, resumed: true},
		{name: "a watch that brings an event and is cut at once",
			state: State{ResourceVersion: "7", idle: 2}, in: Input{Verb: OpenWatch, Err: errCut, MadeProgress: true, ResourceVersion: "9"}, want: watch, version: "9", wait: 450 * time.Millisecond, resumed: true},
		{name: "a watch that brings an event and ends at once, again and again",
			state: State{ResourceVersion: "7", idle: 1000}, in: Input{Verb: OpenWatch, Err: io.EOF, MadeProgress: true, ResourceVersion: "9"}, want: watch, version: "9", wait: 2 * time.Second, resumed: true},
		{name: "a watch that brings an event and fails at once is no progress",
			state: failing, in: Input{Verb: OpenWatch, Err: errInternal, MadeProgress: true, ResourceVersion: "9"}, want: watch, version: "9", wait: 2025 * time.Millisecond, reported: true, failures: 4, relists: 2},
		{name: "a watch that was open for a second and fails is an answer",
			state: failing, in: Input{Verb: OpenWatch, Err: errInternal, Lasted: time.Second}, want: watch, version: "7", wait: 600 * time.Millisecond, reported: true, failures: 1, relists: 2},
		{name: "a watch that lasted and fails",
			state: failing, in: Input{Verb: OpenWatch, Err: errInternal, MadeProgress: true, Lasted: time.Minute, ResourceVersion: "9"}, want: watch, version: "9", wait: 600 * time.Millisecond, reported: true, failures: 1},
		{name: "a watch that is not answered",
			state: watching, in: Input{Verb: OpenWatch, Err: ErrUnanswered}, want: watch, version: "7", wait: 600 * time.Millisecond, reported: true, failures: 1},
		{name: "what a request took counts",
			state: State{ResourceVersion: "7", failures: 3, relists: 2, current: start}, in: Input{Verb: OpenWatch, Err: errInternal, Began: start, Ended: start.Add(25 * time.Millisecond)}, want: watch, version: "7", wait: 2 * time.Second, reported: true, failures: 4, relists: 2},
		{name: "but not for a wait that the server has asked for",
			in: Input{Verb: ListPage, Err: errSlowDown, Began: start, Ended: start.Add(time.Minute)}, want: list, inPages: true, wait: 17 * time.Second, restart: true, reported: true, failures: 1},
		{name: "what a watch lasted does not count",
			state: watching, in: Input{Verb: OpenWatch, Err: errInternal, Began: start, Ended: start.Add(time.Minute), Lasted: time.Minute}, want: watch, version: "7", wait: 600 * time.Millisecond, reported: true, failures: 1},
		{name: "a watch without events resumes where it began",
			state: watching, in: Input{Verb: OpenWatch, Err: io.EOF, MadeProgress: true, Lasted: time.Minute}, want: watch, version: "7", resumed: true},
		{name: "a watch that ends at once, in good order",
			state: watching, in: Input{Verb: OpenWatch, Err: io.EOF}, want: watch, version: "7", wait: 600 * time.Millisecond, reported: true, failures: 1},
		{name: "a quiet watch that ends in good order after a while, as through a proxy",
			state: failing, in: Input{Verb: OpenWatch, Err: io.EOF, Lasted: 2 * time.Second}, want: watch, version: "7", resumed: true, relists: 2},
		{name: "a quiet watch that is cut after a while",
			state: watching, in: Input{Verb: OpenWatch, Err: errCut, Lasted: 2 * time.Second}, want: watch, version: "7", wait: 600 * time.Millisecond, reported: true, failures: 1},
		{name: "a watch of use forgets failures",
			state: failing, in: Input{Verb: OpenWatch, Err: io.EOF, MadeProgress: true, Lasted: time.Minute}, want: watch, version: "7", resumed: true},
		{name: "a watch that is cut resumes where it was",
			state: watching, in: Input{Verb: OpenWatch, Err: errCut, MadeProgress: true, Lasted: time.Second, ResourceVersion: "9"}, want: watch, version: "9", resumed: true},
		{name: "a watch that fails resumes",
			state: failing, in: Input{Verb: OpenWatch, Err: errInternal}, want: watch, version: "7", wait: 2025 * time.Millisecond, reported: true, failures: 4, relists: 2},
		{name: "a watch that is forbidden is asked for more slowly",
			state: watching, in: Input{Verb: OpenWatch, Err: errForbidden}, want: watch, version: "7", wait: 3500 * time.Millisecond, reported: true, refusals: 1},
		{name: "an EOF while a watch is opened is not an end in good order",
			state: watching, in: Input{Verb: OpenWatch, Err: fmt.Errorf("watch: %w", &url.Error{Err: io.EOF})}, want: watch, version: "7", wait: 600 * time.Millisecond, reported: true, failures: 1},

		{name: "a version that is forgotten is listed at once, although the server has failed before",
			state: State{ResourceVersion: "7", failures: 9}, in: Input{Verb: OpenWatch, Err: errGone}, want: whole, restart: true, reported: true, relists: 1},
		{name: "a version that is forgotten again and again is not listed in a frenzy",
			state: failing, in: Input{Verb: OpenWatch, Err: errGone}, want: whole, wait: 900 * time.Millisecond, restart: true, reported: true, relists: 3},
		{name: "what has passed since the last list began counts",
			state: State{ResourceVersion: "7", relists: 30, listBegan: start}, in: Input{Verb: OpenWatch, Err: errGone, Began: start.Add(3 * time.Second), Ended: start.Add(3 * time.Second)}, want: whole, wait: 5 * time.Second, restart: true, reported: true, relists: 31},
		{name: "a list that began long ago needs no wait",
			state: State{ResourceVersion: "7", failures: 9, relists: 30, listBegan: start}, in: Input{Verb: OpenWatch, Err: errGone, Began: start.Add(8 * time.Second), Ended: start.Add(8 * time.Second)}, want: whole, restart: true, reported: true, relists: 31},
		{name: "a watch that brings an event and then 410 is no progress",
			state: failing, in: Input{Verb: OpenWatch, Err: errGone, MadeProgress: true, ResourceVersion: "9"}, want: whole, wait: 900 * time.Millisecond, restart: true, reported: true, relists: 3},
		{name: "a watch that lasted and then 410 is progress",
			state: failing, in: Input{Verb: OpenWatch, Err: errGone, MadeProgress: true, Lasted: time.Minute}, want: whole, restart: true, reported: true, relists: 1},
		{name: "a server that is behind is listed again when it wants",
			state: State{ResourceVersion: "7", failures: 9}, in: Input{Verb: OpenWatch, Err: errTooLarge()}, want: whole, wait: time.Second, restart: true, reported: true, relists: 1},
		{name: "a version that is refused is listed again",
			state: watching, in: Input{Verb: OpenWatch, Err: apierrors.NewBadRequest("invalid resource version")}, want: whole, wait: 600 * time.Millisecond, restart: true, reported: true, refusals: 1, relists: 1},
		{name: "an event that client-go cannot decode is not skipped",
			state: watching, in: Input{Verb: OpenWatch, Err: errClientDecode()}, want: whole, wait: 3500 * time.Millisecond, restart: true, reported: true, refusals: 1, relists: 1},
		{name: "a resource that is gone is listed again, slowly",
			state: watching, in: Input{Verb: OpenWatch, Err: errNotFound}, want: whole, wait: 3500 * time.Millisecond, restart: true, reported: true, refusals: 1, relists: 1},
		{name: "an object that cannot be taken is not skipped",
			state: watching, in: Input{Verb: OpenWatch, Err: errUndecodable, MadeProgress: true}, want: whole, wait: 3500 * time.Millisecond, restart: true, reported: true, refusals: 1, relists: 1},

		{name: "watches that have failed for a while, then a list",
			state: State{ResourceVersion: "7", failures: 5, current: start}, in: Input{Verb: OpenWatch, Err: errInternal, Began: start.Add(pollAfter), Ended: start.Add(pollAfter)}, want: whole, restart: true, reported: true, failures: 6, polls: true},
		{name: "watches that are forbidden for a while, then a list", streams: true,
			state: State{ResourceVersion: "7", refusals: 3, current: start}, in: Input{Verb: OpenWatch, Err: errForbidden, Began: start.Add(pollAfter), Ended: start.Add(pollAfter)}, want: whole, restart: true, reported: true, refusals: 4, polls: true},
		{name: "watches that end at once for a while, then a list",
			state: State{ResourceVersion: "7", failures: 5, current: start}, in: Input{Verb: OpenWatch, Err: io.EOF, Began: start.Add(pollAfter), Ended: start.Add(pollAfter)}, want: whole, restart: true, reported: true, failures: 6, polls: true},
		{name: "watches that are cut at once for a while, then a list",
			state: State{ResourceVersion: "7", failures: 5, current: start}, in: Input{Verb: OpenWatch, Err: errCut, Began: start.Add(pollAfter), Ended: start.Add(pollAfter)}, want: whole, restart: true, reported: true, failures: 6, polls: true},
		{name: "one watch that takes long is no reason to list",
			state: State{ResourceVersion: "7", current: start}, in: Input{Verb: OpenWatch, Err: ErrUnanswered, Began: start, Ended: start.Add(time.Minute)}, want: watch, version: "7", reported: true, failures: 1},
		{name: "a server that cannot be reached gets no list",
			state: State{ResourceVersion: "7", failures: 9, current: start}, in: Input{Verb: OpenWatch, Err: errUnsent, Began: start.Add(time.Hour), Ended: start.Add(time.Hour)}, want: watch, version: "7", wait: 8 * time.Second, reported: true, failures: 10},
		{name: "a server that asks to slow down gets no list",
			state: State{ResourceVersion: "7", failures: 5, current: start}, in: Input{Verb: OpenWatch, Err: errSlowDown, Began: start.Add(time.Hour), Ended: start.Add(time.Hour)}, want: watch, version: "7", wait: 17 * time.Second, reported: true, failures: 6},
		{name: "a server that says when it will be ready gets no list",
			state: State{ResourceVersion: "7", failures: 9, current: start}, in: Input{Verb: OpenWatch, Err: apierrors.NewTimeoutError("starting", 1), Began: start.Add(time.Hour), Ended: start.Add(time.Hour)}, want: watch, version: "7", wait: 8 * time.Second, reported: true, failures: 10},
		{name: "a watch that was open for a second has shown the collection",
			state: State{ResourceVersion: "7", failures: 5, refusals: 1, current: start}, in: Input{Verb: OpenWatch, Err: errCut, Lasted: time.Second, Began: start.Add(time.Hour), Ended: start.Add(time.Hour)}, want: watch, version: "7", wait: 600 * time.Millisecond, reported: true, failures: 1, refusals: 1},
		{name: "a list instead of watches that fail does not end their backoff",
			state: State{ResourceVersion: "7", failures: 6, polls: true, retry: Pause{Min: 4 * time.Second, Max: 8 * time.Second}}, in: Input{Verb: ListPage, ResourceVersion: "9"}, want: watch, version: "9", wait: 8 * time.Second, commit: true, failures: 6},
		{name: "a page of such a list",
			state: State{ResourceVersion: "7", failures: 6, polls: true}, in: Input{Verb: ListPage, Token: "s", ContinueToken: "t"}, want: next, failures: 6, polls: true},
		{name: "a page of such a list that fails",
			state: State{ResourceVersion: "7", failures: 9, polls: true}, in: Input{Verb: ListPage, Token: "s", Err: errInternal}, want: next, wait: 8 * time.Second, reported: true, failures: 10, polls: true},
		{name: "after a list instead of watches that fails too, the watch resumes",
			state: State{ResourceVersion: "7", failures: 9, polls: true}, in: Input{Verb: ListPage, Err: errInternal}, want: watch, inPages: true, version: "7", wait: 8 * time.Second, reported: true, failures: 10},

		{name: "a stream that is refused becomes a list, without a word", streams: true,
			in: Input{Verb: OpenStream, Err: apierrors.NewInvalid(schema.GroupKind{}, "", nil)}, want: whole, restart: true, noStream: true},
		{name: "a stream without a bookmark becomes a list", streams: true,
			in: Input{Verb: OpenStream, Err: fmt.Errorf("watch: %w", ErrNoBookmark)}, want: whole, restart: true, reported: true},
		{name: "a stream without a bookmark, with changes, is not tried again", streams: true,
			in: Input{Verb: OpenStream, Overdue: true, Err: fmt.Errorf("watch: %w", ErrNoBookmark)}, want: whole, restart: true, reported: true, noStream: true},
		{name: "a stream that is not answered becomes a list", streams: true,
			in: Input{Verb: OpenStream, Err: fmt.Errorf("watch: %w", ErrUnanswered)}, want: whole, restart: true, reported: true},
		{name: "a stream that is forbidden becomes a list", streams: true,
			in: Input{Verb: OpenStream, Err: errForbidden}, want: whole, restart: true, reported: true},
		{name: "a stream that fails becomes a list", streams: true,
			in: Input{Verb: OpenStream, Err: errInternal}, want: whole, restart: true, reported: true},
		{name: "a stream of a server without watches becomes a list", streams: true,
			in: Input{Verb: OpenStream, Err: apierrors.NewMethodNotSupported(schema.GroupResource{}, "watch")}, want: whole, restart: true, reported: true},
		{name: "a stream that is HTML becomes a list", streams: true,
			in: Input{Verb: OpenStream, Err: &wire.SyntaxError{Near: "<html>"}}, want: whole, restart: true, reported: true},
		{name: "a stream that is cut before its end becomes a list", streams: true,
			in: Input{Verb: OpenStream, Err: errCut}, want: whole, restart: true, reported: true},
		{name: "a stream that ends in good order before its list does becomes a list", streams: true,
			in: Input{Verb: OpenStream, Err: io.EOF}, want: whole, restart: true, reported: true},
		{name: "a stream of a server that asks to slow down becomes a list later", streams: true,
			in: Input{Verb: OpenStream, Err: errSlowDown}, want: whole, wait: 17 * time.Second, restart: true, reported: true, failures: 1},
		{name: "a stream with an object that cannot be taken is tried again", streams: true,
			in: Input{Verb: OpenStream, Err: errUndecodable}, want: stream, wait: 3500 * time.Millisecond, restart: true, reported: true, refusals: 1},
		{name: "a stream that did not get to the server is tried again", streams: true,
			in: Input{Verb: OpenStream, Err: errUnsent}, want: stream, wait: 600 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a list instead of a stream that failed is a strike", streams: true,
			state: State{skipStream: true, onlyStream: true}, in: Input{Verb: ListPage, ResourceVersion: "5"}, want: watch, version: "5", commit: true},
		{name: "a second strike, and streams are given up", streams: true,
			state: State{skipStream: true, onlyStream: true, strikes: 1}, in: Input{Verb: ListPage, ResourceVersion: "5"}, want: watch, version: "5", commit: true, noStream: true},
		{name: "a list that failed after a stream shows that the server is unwell", streams: true,
			state: State{skipStream: true, onlyStream: true, strikes: 1}, in: Input{Verb: ListPage, Err: errForbidden}, want: whole, wait: 3500 * time.Millisecond, restart: true, reported: true, refusals: 1},
		{name: "the list after that is no strike", streams: true,
			state: State{skipStream: true, strikes: 1}, in: Input{Verb: ListPage, ResourceVersion: "5"}, want: watch, version: "5", commit: true},
		{name: "a stream that has listed and ends at once is an answer", streams: true,
			state: State{failures: 2, refusals: 2, relists: 2}, in: Input{Verb: OpenStream, Listed: true, Err: io.EOF, ResourceVersion: "9"}, want: watch, version: "9", wait: 600 * time.Millisecond, reported: true, failures: 1, relists: 2},
		{name: "a stream that has listed and then 410 is no progress", streams: true,
			state: State{relists: 2}, in: Input{Verb: OpenStream, Listed: true, Err: errGone, ResourceVersion: "9"}, want: stream, wait: 900 * time.Millisecond, restart: true, reported: true, relists: 3},
		{name: "a stream that has listed continues as a watch", streams: true,
			in: Input{Verb: OpenStream, Listed: true, MadeProgress: true, Lasted: time.Minute, Err: io.EOF, ResourceVersion: "9"}, want: watch, version: "9", resumed: true},
		{name: "a stream that has listed and is cut", streams: true,
			in: Input{Verb: OpenStream, Listed: true, MadeProgress: true, Lasted: time.Minute, Err: errCut, ResourceVersion: "9"}, want: watch, version: "9", resumed: true},
		{name: "a version that is forgotten is streamed again", streams: true,
			state: watching, in: Input{Verb: OpenWatch, Err: errGone}, want: stream, restart: true, reported: true, relists: 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.state.noStream = !test.streams
			test.state.backoffs = Backoffs(nil).WithDefaults()
			state, act := Step(test.state, test.in)
			got := watch
			if act.Verb == OpenStream {
				got = stream
				if o := act.Options; o.SendInitialEvents == nil || !*o.SendInitialEvents || o.ResourceVersionMatch != metav1.ResourceVersionMatchNotOlderThan || o.ResourceVersion != "" || !o.AllowWatchBookmarks {
					t.Errorf("a streaming list is asked for with %+v", o)
				}
			} else if act.Verb == ListPage {
				switch {
				case act.Options.Continue != "":
					got = next
				case act.Options.Limit == 0:
					got = whole
				default:
					got = list
				}
				if act.Options.ResourceVersion != "" {
					t.Errorf("the list asks for version %q; it must be the newest, so that time never runs back", act.Options.ResourceVersion)
				}
			} else if !act.Options.AllowWatchBookmarks {
				t.Error("the watch does not ask for bookmarks")
			}
			if got != test.want {
				t.Errorf("next is %s, want %s", got, test.want)
			}
			if act.Options.ResourceVersion != test.version {
				t.Errorf("the watch starts at %q, want %q", act.Options.ResourceVersion, test.version)
			}
			if act.Wait.Max != test.wait {
				t.Errorf("waits %v, want at most %v", act.Wait, test.wait)
			}
			if act.Restart != test.restart || act.Commit != test.commit {
				t.Errorf("restart %v, commit %v, want %v, %v", act.Restart, act.Commit, test.restart, test.commit)
			}
			if (act.Failed != nil) != test.reported {
				t.Errorf("reports %v, want a report: %v", act.Failed, test.reported)
			}
			if state.inPages != test.inPages {
				t.Errorf("in pages: %v, want %v", state.inPages, test.inPages)
			}
			if patient := test.want == whole && test.in.Verb == ListPage && ReasonOf(test.in.Err) == Expired; act.Patient != patient {
				t.Errorf("patient: %v, want it for a list in one piece after pages that expired", act.Patient)
			}
			if again := act.Verb == OpenWatch && act.Failed != nil || test.state.polls || test.polls; act.WatchFailed != again {
				t.Errorf("the watch has failed: %v, want it for a watch that is opened again after it failed, and a list instead of it", act.WatchFailed)
			}
			if noStream := state.noStream && test.streams; noStream != test.noStream {
				t.Errorf("streams are given up: %v, want %v", noStream, test.noStream)
			}
			if act.Resumed != test.resumed {
				t.Errorf("resumed: %v, want %v", act.Resumed, test.resumed)
			}
			if state.failures != test.failures || state.refusals != test.refusals || state.relists != test.relists {
				t.Errorf("%d failures, %d refusals, %d relists, want %d, %d, %d", state.failures, state.refusals, state.relists, test.failures, test.refusals, test.relists)
			}
			if state.polls != test.polls {
				t.Errorf("polls: %v, want %v", state.polls, test.polls)
			}
		})
	}
}

func TestReasonOf(t *testing.T) {
	for err, want := range map[error]string{
		nil:                                    "",
		errGone:                                Expired,
		errForbidden:                           Forbidden,
		errNotFound:                            NotFound,
		errInternal:                            ServerError,
		errSlowDown:                            TooManyRequests,
		errCut:                                 Unreachable,
		errUndecodable:                         Decode,
		ErrClosedEarly:                         ClosedEarly,
		errTooLarge():                          ServerError,
		errClientDecode():                      Decode,
		apierrors.NewUnauthorized("who"):       Unauthorized,
		errors.New("dial: connection refused"): Unreachable,
	} {
		if got := ReasonOf(err); got != want {
			t.Errorf("ReasonOf(%v) = %q, want %q", err, got, want)
		}
	}
}

// TestPagesAreForListsThatAreTooLarge follows one collection through several lists. What
// counts is how often one piece has failed, not pages or what their size cannot explain.
func TestPagesAreForListsThatAreTooLarge(t *testing.T) {
	const whole, first = 0, pageSize // the limits of the next list
	list := func(err error) Input { return Input{Verb: ListPage, Err: err} }
	token := func(err error) Input { return Input{Verb: ListPage, Token: "t", Err: err} }
	last, more := Input{Verb: ListPage, ResourceVersion: "5"}, Input{Verb: ListPage, ContinueToken: "t"}
	gone := Input{Verb: OpenWatch, Err: errGone}
	state, act := Start(false, Backoffs(nil).WithDefaults())
	for i, step := range []struct {
		in   Input
		want int64
	}{
		{list(errForbidden), whole},
		{list(errInternal), first}, // the first that counts
		{list(errCut), first},
		{more, first},
		{token(errSlowDown), first},
		{token(errGone), whole},
		{last, -1},
		{gone, whole},
		{more, first}, // which nobody asked for
		{token(errCut), first},
		{last, -1},
		{gone, whole},
		{list(ErrListStalled), first}, // the second
		{last, -1},
		{gone, first},
		{token(errGone), whole},
		{last, -1},
		{gone, first},
	} {
		if state, act = Step(state, step.in); act.Verb == OpenWatch && step.want != -1 || act.Verb == ListPage && act.Options.Limit != step.want {
			t.Fatalf("step %d: %v with limit %d, want %d", i, act.Verb, act.Options.Limit, step.want)
		}
	}
}

// TestStreamsThatFailAreGivenUp has streams that fail while lists succeed: the second one is the last. One that
// succeeds between them makes up for the first.
func TestStreamsThatFailAreGivenUp(t *testing.T) {
	stream := func(err error) Input { return Input{Verb: OpenStream, Err: err} }
	listed, gone := Input{Verb: ListPage, ResourceVersion: "5"}, Input{Verb: OpenWatch, Err: errGone}
	streamed := Input{Verb: OpenStream, Listed: true, MadeProgress: true, Lasted: time.Minute, Err: errGone}
	failed := Input{Verb: ListPage, Err: errInternal}
	state, act := Start(true, Backoffs(nil).WithDefaults())
	for i, step := range []struct {
		in   Input
		want Verb
	}{
		{stream(errForbidden), ListPage},
		{listed, OpenWatch}, // the first strike
		{gone, OpenStream},
		{streamed, OpenStream}, // which makes up for it
		{stream(errCut), ListPage},
		{listed, OpenWatch}, // the first one again
		{gone, OpenStream},
		{stream(errInternal), ListPage},
		{failed, ListPage}, // so it was not the stream
		{listed, OpenWatch},
		{gone, OpenStream},
		{stream(io.EOF), ListPage},
		{listed, OpenWatch}, // the second one
		{gone, ListPage},
		{listed, OpenWatch},
		{gone, ListPage},
	} {
		if state, act = Step(state, step.in); act.Verb != step.want {
			t.Fatalf("step %d: %v follows, want %v", i, act.Verb, step.want)
		}
	}
}
