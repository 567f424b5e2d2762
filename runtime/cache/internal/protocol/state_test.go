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
)

var (
	errGone        = apierrors.NewResourceExpired("too old resource version: 5 (9)")
	errForbidden   = apierrors.NewForbidden(schema.GroupResource{Resource: "widgets"}, "", errors.New("no right to list"))
	errNotFound    = apierrors.NewNotFound(schema.GroupResource{Resource: "widgets"}, "")
	errInternal    = apierrors.NewInternalError(errors.New("etcd is away"))
	errSlowDown    = apierrors.NewTooManyRequests("too many", 17)
	errCut         = io.ErrUnexpectedEOF
	errUndecodable = fmt.Errorf("widgets w: %w", ErrObject)
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
	failing := State{ResourceVersion: "7", failures: 3}
	tests := []struct {
		name  string
		state State
		in    Input

		want     string
		version  string // that the watch starts from
		wait     time.Duration
		restart  bool
		commit   bool
		reported bool
		failures int
		inPages  bool // the next list is in pages
		streams  bool // the server may have streaming lists
		noStream bool // the state says that it has none
		resumed  bool
	}{
		{name: "a page with more to come",
			in: Input{Verb: ListPage, ResourceVersion: "5", ContinueToken: "t"}, want: next},
		{name: "the last page",
			in: Input{Verb: ListPage, ResourceVersion: "5"}, want: watch, version: "5", commit: true},
		{name: "the last page after failures keeps backing off, until a watch was of use",
			state: State{failures: 2}, in: Input{Verb: ListPage, ResourceVersion: "5"}, want: watch, version: "5", commit: true, failures: 2},
		{name: "a list that fails",
			in: Input{Verb: ListPage, Err: errInternal}, want: list, inPages: true, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a list that fails again",
			state: State{failures: 2}, in: Input{Verb: ListPage, Err: errInternal}, want: list, inPages: true, wait: 3200 * time.Millisecond, restart: true, reported: true, failures: 3},
		{name: "a list that always fails",
			state: State{failures: 1000}, in: Input{Verb: ListPage, Err: errCut}, want: list, inPages: true, wait: 30 * time.Second, restart: true, reported: true, failures: 1001},
		{name: "a server that asks to slow down",
			in: Input{Verb: ListPage, Err: errSlowDown}, want: list, inPages: true, wait: 17 * time.Second, restart: true, reported: true, failures: 1},
		{name: "a right that is missing",
			in: Input{Verb: ListPage, Err: errForbidden}, want: whole, wait: 2 * time.Second, restart: true, reported: true, failures: 1},
		{name: "a right that stays missing",
			state: State{failures: 30}, in: Input{Verb: ListPage, Err: errForbidden}, want: whole, wait: 24 * time.Second, restart: true, reported: true, failures: 31},
		{name: "credentials that stay invalid",
			state: State{failures: 30}, in: Input{Verb: ListPage, Err: apierrors.NewUnauthorized("who")}, want: whole, wait: 8 * time.Second, restart: true, reported: true, failures: 31},
		{name: "a server that asks for an absurd wait",
			in: Input{Verb: ListPage, Err: apierrors.NewTooManyRequests("too many", math.MaxInt32)}, want: list, inPages: true, wait: 5 * time.Minute, restart: true, reported: true, failures: 1},
		{name: "a server that asks for a negative wait",
			in: Input{Verb: ListPage, Err: apierrors.NewTooManyRequests("too many", -1)}, want: list, inPages: true, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a page that fails is asked for again",
			in: Input{Verb: ListPage, Token: "t", Err: errInternal}, want: next, wait: 800 * time.Millisecond, reported: true},
		{name: "a page that fails for the fourth time",
			state: State{pageFailures: 3}, in: Input{Verb: ListPage, Token: "t", Err: errCut}, want: next, wait: 6400 * time.Millisecond, reported: true},
		{name: "a page whose list has failed before waits for its own failures only",
			state: State{failures: 9}, in: Input{Verb: ListPage, Token: "t", Err: errCut}, want: next, wait: 800 * time.Millisecond, reported: true, failures: 9},
		{name: "a page that fails too often",
			state: State{pageFailures: 5}, in: Input{Verb: ListPage, Token: "t", Err: errInternal}, want: list, inPages: true, wait: 25600 * time.Millisecond, restart: true, reported: true, failures: 6},
		{name: "a later page whose token is refused",
			in: Input{Verb: ListPage, Token: "t", Err: apierrors.NewBadRequest("continue key is not valid")}, want: whole, wait: 2 * time.Second, restart: true, reported: true, failures: 1},
		{name: "a later page of a resource that is gone",
			in: Input{Verb: ListPage, Token: "t", Err: errNotFound}, want: whole, wait: 2 * time.Second, restart: true, reported: true, failures: 1},
		{name: "a later page with an object that cannot be taken",
			in: Input{Verb: ListPage, Token: "t", Err: errUndecodable}, want: whole, wait: 2 * time.Second, restart: true, reported: true, failures: 1},
		{name: "a list that goes in circles",
			in: Input{Verb: ListPage, Token: "t", Err: ErrTokenRepeated}, want: whole, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "an empty page with a token",
			in: Input{Verb: ListPage, Token: "t", Idle: true, ContinueToken: "u"}, want: next, wait: 100 * time.Millisecond},
		{name: "one empty page after the other",
			state: State{idle: 9}, in: Input{Verb: ListPage, Token: "t", Idle: true, ContinueToken: "u"}, want: next, wait: 1200 * time.Millisecond},
		{name: "an empty last page",
			in: Input{Verb: ListPage, Token: "t", Idle: true, ResourceVersion: "5"}, want: watch, version: "5", commit: true},
		{name: "a later page whose token expired",
			in: Input{Verb: ListPage, Token: "t", Err: errGone}, want: whole, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a page token that expired",
			in: Input{Verb: ListPage, Err: errGone}, want: whole, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a list in pages that expired is read in one piece",
			state: State{inPages: true, tooHeavy: 1}, in: Input{Verb: ListPage, Token: "t", Err: errGone}, want: whole, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a list in pages that goes in circles is read in one piece",
			state: State{inPages: true, tooHeavy: 1}, in: Input{Verb: ListPage, Token: "t", Err: ErrPagesRepeated}, want: whole, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a list in pages that is forbidden stays in pages",
			state: State{inPages: true, tooHeavy: 1}, in: Input{Verb: ListPage, Err: errForbidden}, want: list, inPages: true, wait: 2 * time.Second, restart: true, reported: true, failures: 1},
		{name: "a server that cannot be reached has not seen how large the list is",
			in: Input{Verb: ListPage, Err: &url.Error{Err: &net.OpError{Op: "dial", Err: errCut}}}, want: whole, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a connection that is cut while the list comes",
			in: Input{Verb: ListPage, Err: &url.Error{Err: &net.OpError{Op: "read", Err: errCut}}}, want: list, inPages: true, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a list that does not end in time",
			in: Input{Verb: ListPage, Err: ErrListStalled}, want: list, inPages: true, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "the last page after one list that failed in one piece",
			state: State{inPages: true, tooHeavy: 1}, in: Input{Verb: ListPage, Token: "t", ResourceVersion: "5"}, want: watch, version: "5", commit: true},
		{name: "the last page after two lists that failed in one piece",
			state: State{inPages: true, tooHeavy: 2}, in: Input{Verb: ListPage, Token: "t", ResourceVersion: "5"}, want: watch, inPages: true, version: "5", commit: true},
		{name: "one piece after pages that expired, of a list that is too large for it",
			state: State{tooHeavy: 2}, in: Input{Verb: ListPage, ResourceVersion: "5"}, want: watch, inPages: true, version: "5", commit: true},
		{name: "a version that is forgotten, of a list that is too large for one piece",
			state: State{ResourceVersion: "7", inPages: true, tooHeavy: 2}, in: Input{Verb: OpenWatch, Err: errGone}, want: list, inPages: true, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},

		{name: "a watch that ends in good order resumes where it was",
			state: watching, in: Input{Verb: OpenWatch, Err: io.EOF, MadeProgress: true, Lasted: time.Minute, ResourceVersion: "9"}, want: watch, version: "9", resumed: true},
		{name: "a watch that brings an event and ends at once",
			state: watching, in: Input{Verb: OpenWatch, Err: io.EOF, MadeProgress: true, ResourceVersion: "9"}, want: watch, version: "9", wait: 100 * time.Millisecond, resumed: true},
		{name: "a watch that brings an event and is cut at once",
			state: State{ResourceVersion: "7", idle: 2}, in: Input{Verb: OpenWatch, Err: errCut, MadeProgress: true, ResourceVersion: "9"}, want: watch, version: "9", wait: 400 * time.Millisecond, resumed: true},
		{name: "a watch that brings an event and ends at once, again and again",
			state: State{ResourceVersion: "7", idle: 1000}, in: Input{Verb: OpenWatch, Err: io.EOF, MadeProgress: true, ResourceVersion: "9"}, want: watch, version: "9", wait: 1200 * time.Millisecond, resumed: true},
		{name: "a watch that brings an event and fails at once is no progress",
			state: failing, in: Input{Verb: OpenWatch, Err: errInternal, MadeProgress: true, ResourceVersion: "9"}, want: watch, version: "9", wait: 6400 * time.Millisecond, reported: true, failures: 4},
		{name: "watches that bring an event and fail at once are opened every 13 s",
			state: State{ResourceVersion: "7", failures: 100}, in: Input{Verb: OpenWatch, Err: errInternal, MadeProgress: true, ResourceVersion: "9"}, want: watch, version: "9", wait: 12800 * time.Millisecond, reported: true, failures: 5},
		{name: "a watch that lasted and fails",
			state: failing, in: Input{Verb: OpenWatch, Err: errInternal, MadeProgress: true, Lasted: time.Minute, ResourceVersion: "9"}, want: watch, version: "9", wait: 800 * time.Millisecond, reported: true, failures: 1},
		{name: "a watch that brings an event and then 410 is no progress",
			state: failing, in: Input{Verb: OpenWatch, Err: errGone, MadeProgress: true, ResourceVersion: "9"}, want: whole, wait: 6400 * time.Millisecond, restart: true, reported: true, failures: 4},
		{name: "a watch that is not answered",
			state: watching, in: Input{Verb: OpenWatch, Err: ErrUnanswered}, want: watch, version: "7", wait: 800 * time.Millisecond, reported: true, failures: 1},
		{name: "a watch without events resumes where it began",
			state: watching, in: Input{Verb: OpenWatch, Err: io.EOF, MadeProgress: true, Lasted: time.Minute}, want: watch, version: "7", resumed: true},
		{name: "a watch that ends at once, in good order",
			state: watching, in: Input{Verb: OpenWatch, Err: io.EOF}, want: watch, version: "7", wait: 800 * time.Millisecond, reported: true, failures: 1},
		{name: "a quiet watch that ends in good order after a while, as through a proxy",
			state: failing, in: Input{Verb: OpenWatch, Err: io.EOF, Lasted: 2 * time.Second}, want: watch, version: "7", resumed: true, failures: 3},
		{name: "a quiet watch that is cut after a while",
			state: watching, in: Input{Verb: OpenWatch, Err: errCut, Lasted: 2 * time.Second}, want: watch, version: "7", wait: 800 * time.Millisecond, reported: true, failures: 1},
		{name: "a watch of use forgets failures",
			state: failing, in: Input{Verb: OpenWatch, Err: io.EOF, MadeProgress: true, Lasted: time.Minute}, want: watch, version: "7", resumed: true},
		{name: "a watch that is cut resumes where it was",
			state: watching, in: Input{Verb: OpenWatch, Err: errCut, MadeProgress: true, Lasted: time.Second, ResourceVersion: "9"}, want: watch, version: "9", resumed: true},
		{name: "a watch that fails resumes",
			state: failing, in: Input{Verb: OpenWatch, Err: errInternal}, want: watch, version: "7", wait: 6400 * time.Millisecond, reported: true, failures: 4},
		{name: "a watch that is forbidden is asked for more slowly",
			state: watching, in: Input{Verb: OpenWatch, Err: errForbidden}, want: watch, version: "7", wait: 2 * time.Second, reported: true, failures: 1},
		{name: "a list in one piece that fails again is tried in pages",
			state: State{failures: 1}, in: Input{Verb: ListPage, Err: errCut}, want: list, inPages: true, wait: 1600 * time.Millisecond, restart: true, reported: true, failures: 2},
		{name: "a version that is forgotten is listed again",
			state: watching, in: Input{Verb: OpenWatch, Err: errGone}, want: whole, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a version that is refused is listed again, slowly",
			state: watching, in: Input{Verb: OpenWatch, Err: apierrors.NewBadRequest("invalid resource version")}, want: whole, wait: 2 * time.Second, restart: true, reported: true, failures: 1},
		{name: "an event that client-go cannot decode is not skipped",
			state: watching, in: Input{Verb: OpenWatch, Err: errClientDecode()}, want: whole, wait: 2 * time.Second, restart: true, reported: true, failures: 1},
		{name: "an EOF while a watch is opened is not an end in good order",
			state: watching, in: Input{Verb: OpenWatch, Err: fmt.Errorf("watch: %w", &url.Error{Err: io.EOF})}, want: watch, version: "7", wait: 800 * time.Millisecond, reported: true, failures: 1},
		{name: "a version that is forgotten again and again is not listed in a frenzy",
			state: failing, in: Input{Verb: OpenWatch, Err: errGone}, want: whole, wait: 6400 * time.Millisecond, restart: true, reported: true, failures: 4},
		{name: "a server that is behind is listed again",
			state: watching, in: Input{Verb: OpenWatch, Err: errTooLarge()}, want: whole, wait: time.Second, restart: true, reported: true, failures: 1},
		{name: "a resource that is gone is listed again, slowly",
			state: watching, in: Input{Verb: OpenWatch, Err: errNotFound}, want: whole, wait: 2 * time.Second, restart: true, reported: true, failures: 1},
		{name: "an object that cannot be taken is not skipped",
			state: watching, in: Input{Verb: OpenWatch, Err: errUndecodable, MadeProgress: true}, want: whole, wait: 2 * time.Second, restart: true, reported: true, failures: 1},

		{name: "a stream that is refused becomes a list, without a word", streams: true,
			in: Input{Verb: OpenStream, Err: apierrors.NewInvalid(schema.GroupKind{}, "", nil)}, want: whole, restart: true, noStream: true},
		{name: "a stream without a bookmark becomes a list", streams: true,
			in: Input{Verb: OpenStream, Err: fmt.Errorf("watch: %w", ErrNoBookmark)}, want: whole, restart: true, reported: true},
		{name: "a stream without a bookmark, with changes, is not tried again", streams: true,
			in: Input{Verb: OpenStream, Overdue: true, Err: fmt.Errorf("watch: %w", ErrNoBookmark)}, want: whole, restart: true, reported: true, noStream: true},
		{name: "a stream that stalls for the second time is not tried again", streams: true,
			state: State{stalled: true}, in: Input{Verb: OpenStream, Err: fmt.Errorf("watch: %w", ErrNoBookmark)}, want: whole, restart: true, reported: true, noStream: true},
		{name: "a stream that is not answered becomes a list", streams: true,
			state: State{stalled: true}, in: Input{Verb: OpenStream, Err: fmt.Errorf("watch: %w", ErrUnanswered)}, want: whole, restart: true, reported: true},
		{name: "a stream that has listed and ends at once is no progress", streams: true,
			state: State{failures: 2}, in: Input{Verb: OpenStream, Listed: true, Err: io.EOF, ResourceVersion: "9"}, want: watch, version: "9", wait: 3200 * time.Millisecond, reported: true, failures: 3},
		{name: "a stream that has listed and then 410 is no progress", streams: true,
			state: State{failures: 2}, in: Input{Verb: OpenStream, Listed: true, Err: errGone, ResourceVersion: "9"}, want: stream, wait: 3200 * time.Millisecond, restart: true, reported: true, failures: 3},
		{name: "a stream that is cut before its end is tried again", streams: true,
			in: Input{Verb: OpenStream, Err: errCut}, want: stream, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a stream that ends in good order before its list does", streams: true,
			in: Input{Verb: OpenStream, Err: io.EOF}, want: stream, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a stream that is forbidden", streams: true,
			in: Input{Verb: OpenStream, Err: errForbidden}, want: stream, wait: 2 * time.Second, restart: true, reported: true, failures: 1},
		{name: "a stream that has listed continues as a watch", streams: true,
			in: Input{Verb: OpenStream, Listed: true, MadeProgress: true, Lasted: time.Minute, Err: io.EOF, ResourceVersion: "9"}, want: watch, version: "9", resumed: true},
		{name: "a stream that has listed and is cut", streams: true,
			in: Input{Verb: OpenStream, Listed: true, MadeProgress: true, Lasted: time.Minute, Err: errCut, ResourceVersion: "9"}, want: watch, version: "9", resumed: true},
		{name: "a version that is forgotten is streamed again", streams: true,
			state: watching, in: Input{Verb: OpenWatch, Err: errGone}, want: stream, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},
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
			if act.Wait != test.wait {
				t.Errorf("waits %v, want %v", act.Wait, test.wait)
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
			if again := act.Verb == OpenWatch && act.Failed != nil; act.Reopened != again {
				t.Errorf("reopened: %v, want it for a watch that is opened again after it failed", act.Reopened)
			}
			if noStream := state.noStream && test.streams; noStream != test.noStream {
				t.Errorf("streams are given up: %v, want %v", noStream, test.noStream)
			}
			if act.Resumed != test.resumed {
				t.Errorf("resumed: %v, want %v", act.Resumed, test.resumed)
			}
			if state.failures != test.failures {
				t.Errorf("%d failures, want %d", state.failures, test.failures)
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
	state, act := Start(true, Backoffs(nil).WithDefaults())
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
