package cache

import (
	"errors"
	"fmt"
	"io"
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
	errUndecodable = &ObjectError{Resource: widgets, Object: ObjectName{Name: "w"}, Err: errors.New("bad field")}
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
		whole  = "whole" // the list in one piece
		watch  = "watch"
		stream = "stream" // a streaming list
	)
	watching := reflectorState{resourceVersion: "7"}
	failing := reflectorState{resourceVersion: "7", failures: 3}
	tests := []struct {
		name  string
		state reflectorState
		in    input

		want     string
		version  string // that the watch starts from
		wait     time.Duration
		restart  bool
		commit   bool
		reported bool
		failures int
		whole    bool // the state says that the list is in one piece
		streams  bool // the server may have streaming lists
	}{
		{name: "a page with more to come",
			in: input{verb: listPage, resourceVersion: "5", continueToken: "t"}, want: next},
		{name: "the last page",
			in: input{verb: listPage, resourceVersion: "5"}, want: watch, version: "5", commit: true},
		{name: "the last page after failures keeps backing off, until a watch was of use",
			state: reflectorState{failures: 2}, in: input{verb: listPage, resourceVersion: "5"}, want: watch, version: "5", commit: true, failures: 2},
		{name: "a list that fails",
			in: input{verb: listPage, err: errInternal}, want: list, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a list that fails again",
			state: reflectorState{failures: 2}, in: input{verb: listPage, err: errInternal}, want: list, wait: 3200 * time.Millisecond, restart: true, reported: true, failures: 3},
		{name: "a list that fails for ever",
			state: reflectorState{failures: 1000}, in: input{verb: listPage, err: errCut}, want: list, wait: 30 * time.Second, restart: true, reported: true, failures: 1001},
		{name: "a server that asks to slow down",
			in: input{verb: listPage, err: errSlowDown}, want: list, wait: 17 * time.Second, restart: true, reported: true, failures: 1},
		{name: "a right that is missing",
			in: input{verb: listPage, err: errForbidden}, want: list, wait: 2 * time.Second, restart: true, reported: true, failures: 1},
		{name: "a right that stays missing",
			state: reflectorState{failures: 30}, in: input{verb: listPage, err: errForbidden}, want: list, wait: time.Minute, restart: true, reported: true, failures: 31},
		{name: "a page token that expired",
			in: input{verb: listPage, err: errGone}, want: whole, wait: 800 * time.Millisecond, restart: true, whole: true, reported: true, failures: 1},
		{name: "a list in one piece that ends is followed by pages next time",
			state: reflectorState{wholeList: true}, in: input{verb: listPage, resourceVersion: "5"}, want: watch, version: "5", commit: true},

		{name: "a watch that ends in good order resumes where it was",
			state: watching, in: input{verb: openWatch, err: io.EOF, useful: true, resourceVersion: "9"}, want: watch, version: "9"},
		{name: "a watch without events resumes where it began",
			state: watching, in: input{verb: openWatch, err: io.EOF, useful: true}, want: watch, version: "7"},
		{name: "a watch that ends at once, in good order",
			state: watching, in: input{verb: openWatch, err: io.EOF}, want: watch, version: "7", wait: 800 * time.Millisecond, reported: true, failures: 1},
		{name: "a watch of use forgets failures",
			state: failing, in: input{verb: openWatch, err: io.EOF, useful: true}, want: watch, version: "7"},
		{name: "a watch that is cut resumes where it was",
			state: watching, in: input{verb: openWatch, err: errCut, useful: true, resourceVersion: "9"}, want: watch, version: "9"},
		{name: "a watch that fails resumes",
			state: failing, in: input{verb: openWatch, err: errInternal}, want: watch, version: "7", wait: 6400 * time.Millisecond, reported: true, failures: 4},
		{name: "a watch that is forbidden is asked for more slowly",
			state: watching, in: input{verb: openWatch, err: errForbidden}, want: watch, version: "7", wait: 2 * time.Second, reported: true, failures: 1},
		{name: "a list in one piece that fails is tried in pages again",
			state: reflectorState{wholeList: true, failures: 1}, in: input{verb: listPage, err: errCut}, want: list, wait: 1600 * time.Millisecond, restart: true, reported: true, failures: 2},
		{name: "a version that is forgotten is listed anew",
			state: watching, in: input{verb: openWatch, err: errGone}, want: list, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a version that is not taken is listed anew, slowly",
			state: watching, in: input{verb: openWatch, err: apierrors.NewBadRequest("invalid resource version")}, want: list, wait: 2 * time.Second, restart: true, reported: true, failures: 1},
		{name: "an event that client-go cannot decode is not skipped",
			state: watching, in: input{verb: openWatch, err: errClientDecode()}, want: list, wait: 2 * time.Second, restart: true, reported: true, failures: 1},
		{name: "an EOF while a watch is opened is not an end in good order",
			state: watching, in: input{verb: openWatch, err: fmt.Errorf("watch: %w", &url.Error{Err: io.EOF})}, want: watch, version: "7", wait: 800 * time.Millisecond, reported: true, failures: 1},
		{name: "a version that is forgotten again and again is not listed in a frenzy",
			state: failing, in: input{verb: openWatch, err: errGone}, want: list, wait: 6400 * time.Millisecond, restart: true, reported: true, failures: 4},
		{name: "a server that is behind is listed anew",
			state: watching, in: input{verb: openWatch, err: errTooLarge()}, want: list, wait: time.Second, restart: true, reported: true, failures: 1},
		{name: "a resource that is gone is listed anew, slowly",
			state: watching, in: input{verb: openWatch, err: errNotFound}, want: list, wait: 2 * time.Second, restart: true, reported: true, failures: 1},
		{name: "an object that cannot be taken is not skipped",
			state: watching, in: input{verb: openWatch, err: errUndecodable, useful: true}, want: list, wait: 2 * time.Second, restart: true, reported: true, failures: 1},

		{name: "a stream that is refused becomes a list, without a word", streams: true,
			in: input{verb: openStream, err: apierrors.NewInvalid(schema.GroupKind{}, "", nil)}, want: list, restart: true},
		{name: "a stream without a bookmark becomes a list", streams: true,
			in: input{verb: openStream, err: fmt.Errorf("watch: %w", errNoBookmark)}, want: list, restart: true, reported: true},
		{name: "a stream that is cut before its end is tried again", streams: true,
			in: input{verb: openStream, err: errCut}, want: stream, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a stream that ends in good order before its list does", streams: true,
			in: input{verb: openStream, err: io.EOF}, want: stream, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},
		{name: "a stream that is forbidden", streams: true,
			in: input{verb: openStream, err: errForbidden}, want: stream, wait: 2 * time.Second, restart: true, reported: true, failures: 1},
		{name: "a stream that has listed goes on as a watch", streams: true,
			in: input{verb: openStream, listed: true, useful: true, err: io.EOF, resourceVersion: "9"}, want: watch, version: "9"},
		{name: "a stream that has listed and is cut", streams: true,
			in: input{verb: openStream, listed: true, useful: true, err: errCut, resourceVersion: "9"}, want: watch, version: "9"},
		{name: "a version that is forgotten is streamed anew", streams: true,
			state: watching, in: input{verb: openWatch, err: errGone}, want: stream, wait: 800 * time.Millisecond, restart: true, reported: true, failures: 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.state.noStream = !test.streams
			state, act := step(test.state, test.in)
			got := watch
			if act.verb == openStream {
				got = stream
				if o := act.options; o.SendInitialEvents == nil || !*o.SendInitialEvents || o.ResourceVersionMatch != metav1.ResourceVersionMatchNotOlderThan || o.ResourceVersion != "" || !o.AllowWatchBookmarks {
					t.Errorf("a streaming list is asked for with %+v", o)
				}
			} else if act.verb == listPage {
				switch {
				case act.options.Continue != "":
					got = next
				case act.options.Limit == 0:
					got = whole
				default:
					got = list
				}
				if act.options.ResourceVersion != "" {
					t.Errorf("the list asks for version %q; it must be the newest, so that time never runs back", act.options.ResourceVersion)
				}
			} else if !act.options.AllowWatchBookmarks {
				t.Error("the watch does not ask for bookmarks")
			}
			if got != test.want {
				t.Errorf("next is %s, want %s", got, test.want)
			}
			if act.options.ResourceVersion != test.version {
				t.Errorf("the watch starts at %q, want %q", act.options.ResourceVersion, test.version)
			}
			if act.wait != test.wait {
				t.Errorf("waits %v, want %v", act.wait, test.wait)
			}
			if act.restart != test.restart || act.commit != test.commit {
				t.Errorf("restart %v, commit %v, want %v, %v", act.restart, act.commit, test.restart, test.commit)
			}
			if (act.failed != nil) != test.reported {
				t.Errorf("reports %v, want a report: %v", act.failed, test.reported)
			}
			if state.wholeList != test.whole {
				t.Errorf("list in one piece: %v, want %v", state.wholeList, test.whole)
			}
			if again := act.verb == openWatch && act.failed != nil; act.onProbation != again {
				t.Errorf("on probation: %v, want it for a watch that is opened again after it failed", act.onProbation)
			}
			if state.failures != test.failures {
				t.Errorf("%d failures, want %d", state.failures, test.failures)
			}
		})
	}
}

func TestReasonOf(t *testing.T) {
	for err, want := range map[error]Reason{
		nil:                                    "",
		errGone:                                Expired,
		errForbidden:                           Forbidden,
		errNotFound:                            NotFound,
		errInternal:                            ServerError,
		errSlowDown:                            TooManyRequests,
		errCut:                                 Unreachable,
		errUndecodable:                         Decode,
		errClosedEarly:                         ClosedEarly,
		errTooLarge():                          ServerError,
		errClientDecode():                      Decode,
		apierrors.NewUnauthorized("who"):       Unauthorized,
		errors.New("dial: connection refused"): Unreachable,
	} {
		if got := reasonOf(err); got != want {
			t.Errorf("reasonOf(%v) = %q, want %q", err, got, want)
		}
	}
}
