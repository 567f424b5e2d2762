package protocol

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"reflect"
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
	start := time.Unix(1_000_000, 0)
	tests := []struct {
		name  string
		asked request // list{} if it is nil
		state State
		in    Input

		next     request
		wait     time.Duration // at the most
		reported bool
		failures int
		refusals int
		relists  int
		inPages  bool // the next list is in pages
		streams  bool // the server may have streaming lists
		noStream bool // the state says that it has none
		resumed  bool
	}{
		{name: "a page with more to come",
			state: State{failures: 2, refusals: 3}, in: Input{ResourceVersion: "5", ContinueToken: "t"}, next: list{token: "t"}, failures: 2, refusals: 3},
		{name: "a later page with more to come is an answer",
			asked: list{token: "s"}, state: State{failures: 2, refusals: 3}, in: Input{ResourceVersion: "5", ContinueToken: "t"}, next: list{token: "t"}, refusals: 3},
		{name: "the last page",
			in: Input{ResourceVersion: "5"}, next: watch{"5"}},
		{name: "a list is an answer, which ends the backoff, and tells nothing of watches",
			state: State{failures: 2, refusals: 3, relists: 4}, in: Input{ResourceVersion: "5"}, next: watch{"5"}, refusals: 3, relists: 4},
		{name: "a list that was refused and succeeds ends the refusals",
			state: State{refusals: 3}, in: Input{ResourceVersion: "5"}, next: watch{"5"}},
		{name: "a list that fails",
			in: Input{Err: errInternal}, next: list{}, inPages: true, wait: 600 * time.Millisecond, reported: true, failures: 1},
		{name: "a list that fails again",
			state: State{failures: 2}, in: Input{Err: errInternal}, next: list{}, inPages: true, wait: 1350 * time.Millisecond, reported: true, failures: 3},
		{name: "a list that always fails",
			state: State{failures: 1000}, in: Input{Err: errCut}, next: list{}, inPages: true, wait: 8 * time.Second, reported: true, failures: 1001},
		{name: "a server that asks to slow down",
			in: Input{Err: errSlowDown}, next: list{}, inPages: true, wait: 17 * time.Second, reported: true, failures: 1},
		{name: "a right that is missing, after failures",
			state: State{failures: 9}, in: Input{Err: errForbidden}, next: list{}, wait: 3500 * time.Millisecond, reported: true, refusals: 1},
		{name: "a right that stays missing",
			state: State{refusals: 30}, in: Input{Err: errForbidden}, next: list{}, wait: 30 * time.Second, reported: true, refusals: 31},
		{name: "a failure after a right was missing",
			state: State{refusals: 30}, in: Input{Err: errInternal}, next: list{}, inPages: true, wait: 600 * time.Millisecond, reported: true, failures: 1, refusals: 30},
		{name: "credentials that stay invalid",
			state: State{refusals: 30}, in: Input{Err: apierrors.NewUnauthorized("who")}, next: list{}, wait: 10 * time.Second, reported: true, refusals: 31},
		{name: "a request that stays refused is no reason to be stale for long",
			state: State{refusals: 30}, in: Input{Err: apierrors.NewBadRequest("no such selector")}, next: list{}, wait: 8 * time.Second, reported: true, refusals: 31},
		{name: "a page of HTML is a failure of a proxy",
			state: State{failures: 30}, in: Input{Err: &wire.SyntaxError{Near: "<html>"}}, next: list{}, wait: 8 * time.Second, reported: true, failures: 31},
		{name: "a list of another kind too",
			in: Input{Err: &wire.KindError{}}, next: list{}, wait: 600 * time.Millisecond, reported: true, failures: 1},
		{name: "an object that never decodes",
			state: State{refusals: 30}, in: Input{Err: errUndecodable}, next: list{}, wait: time.Minute, reported: true, refusals: 31},
		{name: "a server that asks for an absurd wait",
			in: Input{Err: apierrors.NewTooManyRequests("too many", math.MaxInt32)}, next: list{}, inPages: true, wait: 300 * time.Second, reported: true, failures: 1},
		{name: "a server that asks for a negative wait",
			in: Input{Err: apierrors.NewTooManyRequests("too many", -1)}, next: list{}, inPages: true, wait: 600 * time.Millisecond, reported: true, failures: 1},
		{name: "a page that fails is asked for again",
			asked: list{token: "t"}, in: Input{Err: errInternal}, next: list{token: "t", failures: 1}, wait: 600 * time.Millisecond, reported: true, failures: 1},
		{name: "a page that fails for the fourth time",
			asked: list{token: "t", failures: 3}, state: State{failures: 3}, in: Input{Err: errCut}, next: list{token: "t", failures: 4}, wait: 2025 * time.Millisecond, reported: true, failures: 4},
		{name: "a page whose list has failed before does not begin again",
			asked: list{token: "t"}, state: State{failures: 9}, in: Input{Err: errCut}, next: list{token: "t", failures: 1}, wait: 8 * time.Second, reported: true, failures: 10},
		{name: "a page that fails too often",
			asked: list{token: "t", failures: 5}, state: State{failures: 9}, in: Input{Err: errInternal}, next: list{}, inPages: true, wait: 8 * time.Second, reported: true, failures: 10},
		{name: "a later page whose token is refused",
			asked: list{token: "t"}, in: Input{Err: apierrors.NewBadRequest("continue key is not valid")}, next: list{}, wait: 600 * time.Millisecond, reported: true, refusals: 1},
		{name: "a later page of a resource that is gone",
			asked: list{token: "t"}, in: Input{Err: errNotFound}, next: list{}, wait: 3500 * time.Millisecond, reported: true, refusals: 1},
		{name: "a later page with an object that cannot be taken",
			asked: list{token: "t"}, in: Input{Err: errUndecodable}, next: list{}, wait: 3500 * time.Millisecond, reported: true, refusals: 1},
		{name: "a list that goes in circles",
			asked: list{token: "t"}, in: Input{Err: ErrTokenRepeated}, next: list{}, wait: 600 * time.Millisecond, reported: true, refusals: 1},
		{name: "an empty page with a token",
			asked: list{token: "t"}, in: Input{Idle: true, ContinueToken: "u"}, next: list{token: "u"}, wait: 200 * time.Millisecond},
		{name: "one empty page after the other",
			asked: list{token: "t"}, state: State{idle: 9}, in: Input{Idle: true, ContinueToken: "u"}, next: list{token: "u"}, wait: 2 * time.Second},
		{name: "an empty last page",
			asked: list{token: "t"}, in: Input{Idle: true, ResourceVersion: "5"}, next: watch{"5"}},
		{name: "a later page whose token expired",
			asked: list{token: "t"}, in: Input{Err: errGone}, next: list{}, reported: true, relists: 1},
		{name: "a page token that expired",
			in: Input{Err: errGone}, next: list{}, reported: true, relists: 1},
		{name: "a token that expires again, of a list that began at once",
			state: State{relists: 3}, in: Input{Err: errGone}, next: list{}, wait: 1350 * time.Millisecond, reported: true, relists: 4},
		{name: "a list in pages that expired is read in one piece",
			asked: list{token: "t"}, state: State{inPages: true, tooHeavy: 1}, in: Input{Err: errGone}, next: list{}, reported: true, relists: 1},
		{name: "a list in pages that goes in circles is read in one piece",
			asked: list{token: "t"}, state: State{inPages: true, tooHeavy: 1}, in: Input{Err: ErrPagesRepeated}, next: list{}, wait: 600 * time.Millisecond, reported: true, refusals: 1},
		{name: "a list in pages that is forbidden stays in pages",
			state: State{inPages: true, tooHeavy: 1}, in: Input{Err: errForbidden}, next: list{}, inPages: true, wait: 3500 * time.Millisecond, reported: true, refusals: 1},
		{name: "a server that cannot be reached has not seen how large the list is",
			in: Input{Err: errUnsent}, next: list{}, wait: 600 * time.Millisecond, reported: true, failures: 1},
		{name: "a connection that is cut while the list comes",
			in: Input{Err: &url.Error{Err: &net.OpError{Op: "read", Err: errCut}}}, next: list{}, inPages: true, wait: 600 * time.Millisecond, reported: true, failures: 1},
		{name: "a list that does not end in time",
			in: Input{Err: ErrListStalled}, next: list{}, inPages: true, wait: 600 * time.Millisecond, reported: true, failures: 1},
		{name: "the last page after one list that failed in one piece",
			asked: list{token: "t"}, state: State{inPages: true, tooHeavy: 1}, in: Input{ResourceVersion: "5"}, next: watch{"5"}},
		{name: "the last page after two lists that failed in one piece",
			asked: list{token: "t"}, state: State{inPages: true, tooHeavy: 2}, in: Input{ResourceVersion: "5"}, next: watch{"5"}, inPages: true},
		{name: "one piece after pages that expired, of a list that is too large for it",
			state: State{tooHeavy: 2}, in: Input{ResourceVersion: "5"}, next: watch{"5"}, inPages: true},
		{name: "a version that is forgotten, of a list that is too large for one piece",
			asked: watch{"7"}, state: State{inPages: true, tooHeavy: 2}, in: Input{Err: errGone}, next: list{}, inPages: true, reported: true, relists: 1},
		{name: "a list in one piece that fails again is tried in pages",
			state: State{failures: 1}, in: Input{Err: errCut}, next: list{}, inPages: true, wait: 900 * time.Millisecond, reported: true, failures: 2},

		{name: "a watch that ends in good order resumes where it was",
			asked: watch{"7"}, in: Input{Err: io.EOF, MadeProgress: true, Lasted: time.Minute, ResourceVersion: "9"}, next: watch{"9"}, resumed: true},
		{name: "a watch that brings an event and ends at once",
			asked: watch{"7"}, in: Input{Err: io.EOF, MadeProgress: true, ResourceVersion: "9"}, next: watch{"9"}, wait: 200 * time.Millisecond, resumed: true},
		{name: "a watch that brings an event and is cut at once",
			asked: watch{"7"}, state: State{idle: 2}, in: Input{Err: errCut, MadeProgress: true, ResourceVersion: "9"}, next: watch{"9"}, wait: 450 * time.Millisecond, resumed: true},
		{name: "a watch that brings an event and ends at once, again and again",
			asked: watch{"7"}, state: State{idle: 1000}, in: Input{Err: io.EOF, MadeProgress: true, ResourceVersion: "9"}, next: watch{"9"}, wait: 2 * time.Second, resumed: true},
		{name: "a watch that brings an event and fails at once is no progress",
			asked: watch{"7"}, state: State{failures: 3, relists: 2}, in: Input{Err: errInternal, MadeProgress: true, ResourceVersion: "9"}, next: watch{"9"}, wait: 2025 * time.Millisecond, reported: true, failures: 4, relists: 2},
		{name: "a watch that was open for a second and fails is an answer",
			asked: watch{"7"}, state: State{failures: 3, relists: 2}, in: Input{Err: errInternal, Lasted: time.Second}, next: watch{"7"}, wait: 600 * time.Millisecond, reported: true, failures: 1, relists: 2},
		{name: "a watch that lasted and fails",
			asked: watch{"7"}, state: State{failures: 3, relists: 2}, in: Input{Err: errInternal, MadeProgress: true, Lasted: time.Minute, ResourceVersion: "9"}, next: watch{"9"}, wait: 600 * time.Millisecond, reported: true, failures: 1},
		{name: "a watch that is not answered",
			asked: watch{"7"}, in: Input{Err: ErrUnanswered}, next: watch{"7"}, wait: 600 * time.Millisecond, reported: true, failures: 1},
		{name: "what a request took counts",
			asked: watch{"7"}, state: State{failures: 3, relists: 2, current: start}, in: Input{Err: errInternal, Began: start, Ended: start.Add(25 * time.Millisecond)}, next: watch{"7"}, wait: 2 * time.Second, reported: true, failures: 4, relists: 2},
		{name: "but not for a wait that the server has asked for",
			in: Input{Err: errSlowDown, Began: start, Ended: start.Add(time.Minute)}, next: list{}, inPages: true, wait: 17 * time.Second, reported: true, failures: 1},
		{name: "what a watch lasted does not count",
			asked: watch{"7"}, in: Input{Err: errInternal, Began: start, Ended: start.Add(time.Minute), Lasted: time.Minute}, next: watch{"7"}, wait: 600 * time.Millisecond, reported: true, failures: 1},
		{name: "a watch without events resumes where it began",
			asked: watch{"7"}, in: Input{Err: io.EOF, MadeProgress: true, Lasted: time.Minute}, next: watch{"7"}, resumed: true},
		{name: "a watch that ends at once, in good order",
			asked: watch{"7"}, in: Input{Err: io.EOF}, next: watch{"7"}, wait: 600 * time.Millisecond, reported: true, failures: 1},
		{name: "a quiet watch that ends in good order after a while, as through a proxy",
			asked: watch{"7"}, state: State{failures: 3, relists: 2}, in: Input{Err: io.EOF, Lasted: 2 * time.Second}, next: watch{"7"}, resumed: true, relists: 2},
		{name: "a quiet watch that is cut after a while",
			asked: watch{"7"}, in: Input{Err: errCut, Lasted: 2 * time.Second}, next: watch{"7"}, wait: 600 * time.Millisecond, reported: true, failures: 1},
		{name: "a watch of use forgets failures",
			asked: watch{"7"}, state: State{failures: 3, relists: 2}, in: Input{Err: io.EOF, MadeProgress: true, Lasted: time.Minute}, next: watch{"7"}, resumed: true},
		{name: "a watch that is cut resumes where it was",
			asked: watch{"7"}, in: Input{Err: errCut, MadeProgress: true, Lasted: time.Second, ResourceVersion: "9"}, next: watch{"9"}, resumed: true},
		{name: "a watch that fails resumes",
			asked: watch{"7"}, state: State{failures: 3, relists: 2}, in: Input{Err: errInternal}, next: watch{"7"}, wait: 2025 * time.Millisecond, reported: true, failures: 4, relists: 2},
		{name: "a watch that is forbidden is asked for more slowly",
			asked: watch{"7"}, in: Input{Err: errForbidden}, next: watch{"7"}, wait: 3500 * time.Millisecond, reported: true, refusals: 1},
		{name: "an EOF while a watch is opened is not an end in good order",
			asked: watch{"7"}, in: Input{Err: fmt.Errorf("watch: %w", &url.Error{Err: io.EOF})}, next: watch{"7"}, wait: 600 * time.Millisecond, reported: true, failures: 1},

		{name: "a version that is forgotten is listed at once, although the server has failed before",
			asked: watch{"7"}, state: State{failures: 9}, in: Input{Err: errGone}, next: list{}, reported: true, relists: 1},
		{name: "a version that is forgotten again and again is not listed in a frenzy",
			asked: watch{"7"}, state: State{failures: 3, relists: 2}, in: Input{Err: errGone}, next: list{}, wait: 900 * time.Millisecond, reported: true, relists: 3},
		{name: "what has passed since the last list began counts",
			asked: watch{"7"}, state: State{relists: 30, listBegan: start}, in: Input{Err: errGone, Began: start.Add(3 * time.Second), Ended: start.Add(3 * time.Second)}, next: list{}, wait: 5 * time.Second, reported: true, relists: 31},
		{name: "a list that began long ago needs no wait",
			asked: watch{"7"}, state: State{failures: 9, relists: 30, listBegan: start}, in: Input{Err: errGone, Began: start.Add(8 * time.Second), Ended: start.Add(8 * time.Second)}, next: list{}, reported: true, relists: 31},
		{name: "a watch that brings an event and then 410 is no progress",
			asked: watch{"7"}, state: State{failures: 3, relists: 2}, in: Input{Err: errGone, MadeProgress: true, ResourceVersion: "9"}, next: list{}, wait: 900 * time.Millisecond, reported: true, relists: 3},
		{name: "a watch that lasted and then 410 is progress",
			asked: watch{"7"}, state: State{failures: 3, relists: 2}, in: Input{Err: errGone, MadeProgress: true, Lasted: time.Minute}, next: list{}, reported: true, relists: 1},
		{name: "a server that is behind is listed again when it wants",
			asked: watch{"7"}, state: State{failures: 9}, in: Input{Err: errTooLarge()}, next: list{}, wait: time.Second, reported: true, relists: 1},
		{name: "a version that is refused is listed again",
			asked: watch{"7"}, in: Input{Err: apierrors.NewBadRequest("invalid resource version")}, next: list{}, wait: 600 * time.Millisecond, reported: true, refusals: 1, relists: 1},
		{name: "an event that client-go cannot decode is not skipped",
			asked: watch{"7"}, in: Input{Err: errClientDecode()}, next: list{}, wait: 3500 * time.Millisecond, reported: true, refusals: 1, relists: 1},
		{name: "a resource that is gone is listed again, slowly",
			asked: watch{"7"}, in: Input{Err: errNotFound}, next: list{}, wait: 3500 * time.Millisecond, reported: true, refusals: 1, relists: 1},
		{name: "an object that cannot be taken is not skipped",
			asked: watch{"7"}, in: Input{Err: errUndecodable, MadeProgress: true}, next: list{}, wait: 3500 * time.Millisecond, reported: true, refusals: 1, relists: 1},

		{name: "watches that have failed for a while, then a list",
			asked: watch{"7"}, state: State{failures: 5, current: start}, in: Input{Err: errInternal, Began: start.Add(pollAfter), Ended: start.Add(pollAfter)}, next: list{why: poll, resume: watch{"7"}}, reported: true, failures: 6},
		{name: "watches that are forbidden for a while, then a list", streams: true,
			asked: watch{"7"}, state: State{refusals: 3, current: start}, in: Input{Err: errForbidden, Began: start.Add(pollAfter), Ended: start.Add(pollAfter)}, next: list{why: poll, resume: watch{"7"}}, reported: true, refusals: 4},
		{name: "watches that end at once for a while, then a list",
			asked: watch{"7"}, state: State{failures: 5, current: start}, in: Input{Err: io.EOF, Began: start.Add(pollAfter), Ended: start.Add(pollAfter)}, next: list{why: poll, resume: watch{"7"}}, reported: true, failures: 6},
		{name: "watches that are cut at once for a while, then a list",
			asked: watch{"7"}, state: State{failures: 5, current: start}, in: Input{Err: errCut, Began: start.Add(pollAfter), Ended: start.Add(pollAfter)}, next: list{why: poll, resume: watch{"7"}}, reported: true, failures: 6},
		{name: "one watch that takes long is no reason to list",
			asked: watch{"7"}, state: State{current: start}, in: Input{Err: ErrUnanswered, Began: start, Ended: start.Add(time.Minute)}, next: watch{"7"}, reported: true, failures: 1},
		{name: "a server that cannot be reached gets no list",
			asked: watch{"7"}, state: State{failures: 9, current: start}, in: Input{Err: errUnsent, Began: start.Add(time.Hour), Ended: start.Add(time.Hour)}, next: watch{"7"}, wait: 8 * time.Second, reported: true, failures: 10},
		{name: "a server that asks to slow down gets no list",
			asked: watch{"7"}, state: State{failures: 5, current: start}, in: Input{Err: errSlowDown, Began: start.Add(time.Hour), Ended: start.Add(time.Hour)}, next: watch{"7"}, wait: 17 * time.Second, reported: true, failures: 6},
		{name: "a server that says when it will be ready gets no list",
			asked: watch{"7"}, state: State{failures: 9, current: start}, in: Input{Err: apierrors.NewTimeoutError("starting", 1), Began: start.Add(time.Hour), Ended: start.Add(time.Hour)}, next: watch{"7"}, wait: 8 * time.Second, reported: true, failures: 10},
		{name: "a watch that was open for a second has shown the collection",
			asked: watch{"7"}, state: State{failures: 5, refusals: 1, current: start}, in: Input{Err: errCut, Lasted: time.Second, Began: start.Add(time.Hour), Ended: start.Add(time.Hour)}, next: watch{"7"}, wait: 600 * time.Millisecond, reported: true, failures: 1, refusals: 1},
		{name: "a list instead of watches that fail does not end their backoff",
			asked: list{why: poll, resume: watch{"7"}, retry: Pause{Min: 4 * time.Second, Max: 8 * time.Second}}, state: State{failures: 6}, in: Input{ResourceVersion: "9"}, next: watch{"9"}, wait: 8 * time.Second, failures: 6},
		{name: "nor does it end refusals",
			asked: list{why: poll, resume: watch{"7"}}, state: State{refusals: 3}, in: Input{ResourceVersion: "9"}, next: watch{"9"}, refusals: 3},
		{name: "a page of such a list",
			asked: list{why: poll, token: "s", resume: watch{"7"}}, state: State{failures: 6}, in: Input{ContinueToken: "t"}, next: list{why: poll, token: "t", resume: watch{"7"}}, failures: 6},
		{name: "a page of such a list that fails",
			asked: list{why: poll, token: "s", resume: watch{"7"}}, state: State{failures: 9}, in: Input{Err: errInternal}, next: list{why: poll, token: "s", failures: 1, resume: watch{"7"}}, wait: 8 * time.Second, reported: true, failures: 10},
		{name: "after a list instead of watches that fails too, the watch resumes",
			asked: list{why: poll, resume: watch{"7"}}, state: State{failures: 9}, in: Input{Err: errInternal}, next: watch{"7"}, inPages: true, wait: 8 * time.Second, reported: true, failures: 10},

		{name: "a stream that is refused becomes a list, without a word", streams: true,
			asked: stream{}, in: Input{Err: apierrors.NewInvalid(schema.GroupKind{}, "", nil)}, next: list{why: streamFailed}, noStream: true},
		{name: "a stream without a bookmark becomes a list", streams: true,
			asked: stream{}, in: Input{Err: fmt.Errorf("watch: %w", ErrNoBookmark)}, next: list{why: streamFailed}, reported: true},
		{name: "a stream without a bookmark, with changes, is not tried again", streams: true,
			asked: stream{}, in: Input{Overdue: true, Err: fmt.Errorf("watch: %w", ErrNoBookmark)}, next: list{why: streamFailed}, reported: true, noStream: true},
		{name: "a stream that is not answered becomes a list", streams: true,
			asked: stream{}, in: Input{Err: fmt.Errorf("watch: %w", ErrUnanswered)}, next: list{why: streamFailed}, reported: true},
		{name: "a stream that is forbidden becomes a list", streams: true,
			asked: stream{}, in: Input{Err: errForbidden}, next: list{why: streamFailed}, reported: true},
		{name: "a stream that fails becomes a list", streams: true,
			asked: stream{}, in: Input{Err: errInternal}, next: list{why: streamFailed}, reported: true},
		{name: "a stream of a server without watches becomes a list", streams: true,
			asked: stream{}, in: Input{Err: apierrors.NewMethodNotSupported(schema.GroupResource{}, "watch")}, next: list{why: streamFailed}, reported: true},
		{name: "a stream that is HTML becomes a list", streams: true,
			asked: stream{}, in: Input{Err: &wire.SyntaxError{Near: "<html>"}}, next: list{why: streamFailed}, reported: true},
		{name: "a stream that is cut before its end becomes a list", streams: true,
			asked: stream{}, in: Input{Err: errCut}, next: list{why: streamFailed}, reported: true},
		{name: "a stream that ends in good order before its list does becomes a list", streams: true,
			asked: stream{}, in: Input{Err: io.EOF}, next: list{why: streamFailed}, reported: true},
		{name: "a stream of a server that asks to slow down becomes a list later", streams: true,
			asked: stream{}, in: Input{Err: errSlowDown}, next: list{why: streamFailed}, wait: 17 * time.Second, reported: true, failures: 1},
		{name: "a stream with an object that cannot be taken is tried again", streams: true,
			asked: stream{}, in: Input{Err: errUndecodable}, next: stream{}, wait: 3500 * time.Millisecond, reported: true, refusals: 1},
		{name: "a stream that did not get to the server is tried again", streams: true,
			asked: stream{}, in: Input{Err: errUnsent}, next: stream{}, wait: 600 * time.Millisecond, reported: true, failures: 1},
		{name: "a list instead of a stream that failed is a strike", streams: true,
			asked: list{why: streamFailed}, in: Input{ResourceVersion: "5"}, next: watch{"5"}},
		{name: "a second strike, and streams are given up", streams: true,
			asked: list{why: streamFailed}, state: State{strikes: 1}, in: Input{ResourceVersion: "5"}, next: watch{"5"}, noStream: true},
		{name: "a list that failed after a stream shows that the server is unwell", streams: true,
			asked: list{why: streamFailed}, state: State{strikes: 1}, in: Input{Err: errForbidden}, next: list{why: allFailed}, wait: 3500 * time.Millisecond, reported: true, refusals: 1},
		{name: "the list after that is no strike", streams: true,
			asked: list{why: allFailed}, state: State{strikes: 1}, in: Input{ResourceVersion: "5"}, next: watch{"5"}},
		{name: "a stream that has listed and ends at once is an answer", streams: true,
			asked: stream{}, state: State{failures: 2, refusals: 2, relists: 2}, in: Input{Listed: true, Err: io.EOF, ResourceVersion: "9"}, next: watch{"9"}, wait: 600 * time.Millisecond, reported: true, failures: 1, relists: 2},
		{name: "a stream that has listed and then 410 is no progress", streams: true,
			asked: stream{}, state: State{relists: 2}, in: Input{Listed: true, Err: errGone, ResourceVersion: "9"}, next: stream{}, wait: 900 * time.Millisecond, reported: true, relists: 3},
		{name: "a stream that has listed, of a resource that is gone then", streams: true,
			asked: stream{}, in: Input{Listed: true, Err: errNotFound, ResourceVersion: "9"}, next: stream{}, wait: 3500 * time.Millisecond, reported: true, refusals: 1, relists: 1},
		{name: "a stream that has listed continues as a watch", streams: true,
			asked: stream{}, in: Input{Listed: true, MadeProgress: true, Lasted: time.Minute, Err: io.EOF, ResourceVersion: "9"}, next: watch{"9"}, resumed: true},
		{name: "a stream that has listed and is cut", streams: true,
			asked: stream{}, in: Input{Listed: true, MadeProgress: true, Lasted: time.Minute, Err: errCut, ResourceVersion: "9"}, next: watch{"9"}, resumed: true},
		{name: "a version that is forgotten is streamed again", streams: true,
			asked: watch{"7"}, in: Input{Err: errGone}, next: stream{}, reported: true, relists: 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.asked == nil {
				test.asked = list{}
			}
			test.state.asked, test.state.noStream, test.state.backoffs = test.asked, !test.streams, Backoffs(nil).WithDefaults()
			state, act := Step(test.state, test.in)
			if next := withoutRetry(state.asked); next != test.next {
				t.Errorf("next is %#v, want %#v", next, test.next)
			}
			if act.Wait.Max != test.wait {
				t.Errorf("waits %v, want at most %v", act.Wait, test.wait)
			}
			from, wasList := test.asked.(list)
			_, watches := test.next.(watch)
			if commit := wasList && watches && test.in.Err == nil; act.Commit != commit {
				t.Errorf("commit %v, want it after the last page of a list", act.Commit)
			}
			if (act.Failed != nil) != test.reported {
				t.Errorf("reports %v, want a report: %v", act.Failed, test.reported)
			}
			if state.inPages != test.inPages {
				t.Errorf("in pages: %v, want %v", state.inPages, test.inPages)
			}
			to, isList := test.next.(list)
			if patient := isList && to.token == "" && wasList && ReasonOf(test.in.Err) == Expired; act.IsSlow != patient {
				t.Errorf("patient: %v, want it for a list in one piece after pages that expired", act.IsSlow)
			}
			if again := watches && act.Failed != nil || from.why == poll || to.why == poll; act.WatchFailed != again {
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
		})
	}
}

// withoutRetry returns a request without the wait after it.
func withoutRetry(r request) request {
	if l, is := r.(list); is {
		l.retry = Pause{}
		return l
	}
	return r
}

// TestRequests: a list, streamed or not, asks for the newest version, so that time never runs back.
func TestRequests(t *testing.T) {
	isInitial := true
	bookmarks := metav1.ListOptions{AllowWatchBookmarks: true}
	streaming, watching := bookmarks, bookmarks
	streaming.SendInitialEvents, streaming.ResourceVersionMatch = &isInitial, metav1.ResourceVersionMatchNotOlderThan
	watching.ResourceVersion = "7"
	for name, test := range map[string]struct {
		request request
		inPages bool
		want    Action
	}{
		"a list":           {list{}, false, Action{Verb: ListPage}},
		"a list in pages":  {list{}, true, Action{Verb: ListPage, Options: metav1.ListOptions{Limit: pageSize}}},
		"a page":           {list{token: "t"}, false, Action{Verb: ListPage, Options: metav1.ListOptions{Limit: pageSize, Continue: "t"}}},
		"a poll":           {list{why: poll}, false, Action{Verb: ListPage, WatchFailed: true}},
		"a streaming list": {stream{}, true, Action{Verb: OpenStream, Options: streaming}},
		"a watch":          {watch{"7"}, true, Action{Verb: OpenWatch, Options: watching}},
	} {
		if _, got := (State{inPages: test.inPages}).ask(test.request); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
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
	failed := func(err error) Input { return Input{Err: err} }
	last, more := Input{ResourceVersion: "5"}, Input{ContinueToken: "t"}
	state, act := Start(false, Backoffs(nil).WithDefaults())
	for i, step := range []struct {
		in   Input
		want int64
	}{
		{failed(errForbidden), whole},
		{failed(errInternal), first}, // the first that counts
		{failed(errCut), first},
		{more, first},
		{failed(errSlowDown), first},
		{failed(errGone), whole},
		{last, -1},
		{failed(errGone), whole},
		{more, first}, // which nobody asked for
		{failed(errCut), first},
		{last, -1},
		{failed(errGone), whole},
		{failed(ErrListStalled), first}, // the second
		{last, -1},
		{failed(errGone), first},
		{failed(errGone), whole},
		{last, -1},
		{failed(errGone), first},
	} {
		if state, act = Step(state, step.in); act.Verb == OpenWatch && step.want != -1 || act.Verb == ListPage && act.Options.Limit != step.want {
			t.Fatalf("step %d: %v with limit %d, want %d", i, act.Verb, act.Options.Limit, step.want)
		}
	}
}

// TestStreamsThatFailAreGivenUp has streams that fail while lists succeed: the second one is the last. One that
// succeeds between them makes up for the first.
func TestStreamsThatFailAreGivenUp(t *testing.T) {
	failed := func(err error) Input { return Input{Err: err} }
	listed := Input{ResourceVersion: "5"}
	streamed := Input{Listed: true, MadeProgress: true, Lasted: time.Minute, Err: errGone}
	state, act := Start(true, Backoffs(nil).WithDefaults())
	for i, step := range []struct {
		in   Input
		want Verb
	}{
		{failed(errForbidden), ListPage},
		{listed, OpenWatch}, // the first strike
		{failed(errGone), OpenStream},
		{streamed, OpenStream}, // which makes up for it
		{failed(errCut), ListPage},
		{listed, OpenWatch}, // the first one again
		{failed(errGone), OpenStream},
		{failed(errInternal), ListPage},
		{failed(errInternal), ListPage}, // so it was not the stream
		{listed, OpenWatch},
		{failed(errGone), OpenStream},
		{failed(io.EOF), ListPage},
		{listed, OpenWatch}, // the second one
		{failed(errGone), ListPage},
		{listed, OpenWatch},
		{failed(errGone), ListPage},
	} {
		if state, act = Step(state, step.in); act.Verb != step.want {
			t.Fatalf("step %d: %v follows, want %v", i, act.Verb, step.want)
		}
	}
}

// TestListsAreApart: the time since the last list began counts, streamed or not, and that of its later pages does not.
func TestListsAreApart(t *testing.T) {
	start := time.Unix(1_000_000, 0)
	at := func(seconds int, in Input) Input {
		in.Began, in.Ended = start.Add(time.Duration(seconds)*time.Second), start.Add(time.Duration(seconds)*time.Second)
		return in
	}
	gone, listed := Input{Err: errGone}, Input{ResourceVersion: "5"}
	streamed := Input{Listed: true, ResourceVersion: "5", Err: errGone}
	for name, test := range map[string]struct {
		streams bool
		steps   []Input
	}{
		"lists":   {false, []Input{at(0, listed), at(0, gone), at(100, Input{ContinueToken: "t"}), at(101, listed), at(102, gone)}},
		"streams": {true, []Input{at(0, streamed), at(100, streamed), at(200, streamed), at(300, streamed)}},
	} {
		state, act := Start(test.streams, Backoffs{Expired: {Initial: 10 * time.Second, Max: 10 * time.Second}}.WithDefaults())
		for _, in := range test.steps {
			state, act = Step(state, in)
		}
		if want := map[string]time.Duration{"lists": 8 * time.Second, "streams": 10 * time.Second}[name]; act.Wait.Max != want {
			t.Errorf("%s: waits %v, want %v", name, act.Wait.Max, want)
		}
	}
}

// TestPageFailuresAreThoseOfOnePage has two pages, each of which fails as often as it may.
func TestPageFailuresAreThoseOfOnePage(t *testing.T) {
	state, _ := Start(false, Backoffs(nil).WithDefaults())
	for _, token := range []string{"t", "u"} {
		state, _ = Step(state, Input{ContinueToken: token})
		for range maxPageFailures {
			var act Action
			if state, act = Step(state, Input{Err: errInternal}); act.Options.Continue != token {
				t.Fatalf("after page %s has failed, %q follows", token, act.Options.Continue)
			}
		}
	}
}

// TestPolls has watches that fail for a while. A poll, whether it succeeds or not, delays no watch, and the next one is as long after it.
func TestPolls(t *testing.T) {
	start := time.Unix(1_000_000, 0)
	at := func(after time.Duration, in Input) Input {
		in.Began, in.Ended = start.Add(after), start.Add(after)
		return in
	}
	failed := Input{Err: errInternal}
	for name, answer := range map[string]Input{"succeeds": {ResourceVersion: "9"}, "fails": {Err: errForbidden}} {
		state, _ := Start(false, Backoffs{"": {Initial: time.Second, Max: time.Second}, Forbidden: {Initial: time.Second, Max: time.Second}}.WithDefaults())
		state, _ = Step(state, at(0, Input{ResourceVersion: "5"}))
		state, _ = Step(state, at(0, failed))
		for _, after := range []time.Duration{pollAfter, 2 * pollAfter} {
			var act Action
			if state, act = Step(state, at(after-1, failed)); act.Verb != OpenWatch || act.Wait.Max != time.Second {
				t.Errorf("%s: before %v: %v after %v", name, after, act.Verb, act.Wait)
			}
			if state, act = Step(state, at(after, failed)); act.Verb != ListPage || act.Wait.Max != 0 {
				t.Errorf("%s: at %v: %v after %v", name, after, act.Verb, act.Wait)
			}
			if state, act = Step(state, at(after, answer)); act.Verb != OpenWatch || act.Wait.Max != time.Second {
				t.Errorf("%s: after the poll at %v: %v after %v", name, after, act.Verb, act.Wait)
			}
		}
	}
}
