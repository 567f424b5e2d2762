package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Fault is what becomes of an answer. The functions of this package make them; the zero value is Cut.
type Fault struct {
	// instead answers in the place of the server. Nil where the server is asked.
	instead func(http.ResponseWriter, *http.Request)
	// before runs before the server is asked, and calls strike when it takes effect.
	before func(ctx context.Context, strike func())
	// spoil changes the body of a 200 answer. What it returns calls strike when it takes effect.
	spoil func(ctx context.Context, body io.ReadCloser, strike func()) io.ReadCloser
	// keepsLength is set where the header may go on promising the length of the whole body.
	keepsLength bool
}

// Cut closes the connection without an answer.
//
// Clients hide it: Go's transport repeats a GET that a connection which was used before did not answer, and
// client-go does so ten times more.
func Cut() Fault {
	return Fault{instead: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }}
}

// Truncate closes the connection inside the first object, or line of a watch, that goes on after so many bytes of
// the body.
func Truncate(afterBytes int) Fault {
	return Fault{keepsLength: true, spoil: func(_ context.Context, body io.ReadCloser, strike func()) io.ReadCloser {
		return &truncated{ReadCloser: body, left: afterBytes, end: errCut, strike: strike}
	}}
}

// EndEarly is Truncate, but the answer ends in good order as far as HTTP is concerned, as gateways do that have
// lost their server.
func EndEarly(afterBytes int) Fault {
	return Fault{spoil: func(_ context.Context, body io.ReadCloser, strike func()) io.ReadCloser {
		return &truncated{ReadCloser: body, left: afterBytes, end: io.EOF, strike: strike}
	}}
}

// Delay lets a request wait before it is passed on. It strikes when the wait begins.
func Delay(d time.Duration) Fault {
	return Fault{before: func(ctx context.Context, strike func()) {
		strike()
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done(): // and then passing it on fails
		}
	}}
}

// Stall sends so many bytes of the body and then nothing more, with the connection open, until the client gives
// up, CutAll or Stop.
func Stall(afterBytes int) Fault {
	return Fault{keepsLength: true, spoil: func(ctx context.Context, body io.ReadCloser, strike func()) io.ReadCloser {
		return &stalled{ReadCloser: body, ctx: ctx, left: afterBytes, strike: strike}
	}}
}

// Status answers with an error of that HTTP code, as the API server words it. retryAfter is in whole seconds; 0
// leaves the header out, and client-go then reports the error at once instead of asking ten times more.
func Status(code int, retryAfter time.Duration) Fault {
	seconds := int(retryAfter / time.Second)
	failure := statusOf(code, seconds)
	return Fault{instead: func(w http.ResponseWriter, _ *http.Request) { writeStatus(w, failure, seconds) }}
}

// Gone answers 410: the resourceVersion, or the page token, is one that the server has forgotten.
func Gone() Fault { return Status(http.StatusGone, 0) }

// GoneEvent lets a watch pass so many events, and ends it with an ERROR event of code 410.
func GoneEvent(afterEvents int) Fault {
	return Fault{spoil: func(_ context.Context, body io.ReadCloser, strike func()) io.ReadCloser {
		return &interrupted{ReadCloser: body, events: afterEvents, last: errorEvent(statusOf(http.StatusGone, 0)), strike: strike}
	}}
}

const message = "made by a proxy of the test"

func statusOf(code, retryAfterSeconds int) *metav1.Status {
	failure := apierrors.NewGenericServerResponse(code, http.MethodGet, schema.GroupResource{}, "", message, retryAfterSeconds, false).ErrStatus
	if code == http.StatusGone { // which NewGenericServerResponse does not know
		failure = apierrors.NewResourceExpired(message).ErrStatus
	}
	failure.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	return &failure
}

func writeStatus(w http.ResponseWriter, failure *metav1.Status, retryAfterSeconds int) {
	w.Header().Set("Content-Type", "application/json")
	if retryAfterSeconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(retryAfterSeconds))
	}
	w.WriteHeader(int(failure.Code))
	_, _ = w.Write(marshal(failure)) // the client may have gone
}

func errorEvent(failure *metav1.Status) []byte {
	return marshal(struct {
		Type   string         `json:"type"`
		Object *metav1.Status `json:"object"`
	}{"ERROR", failure})
}

// marshal returns v as one line.
func marshal(v any) []byte {
	var line bytes.Buffer
	if err := json.NewEncoder(&line).Encode(v); err != nil {
		panic(err) // the types are ours, and have nothing that JSON has not
	}
	return line.Bytes()
}

// Passes says whether the answer of the server arrives whole after all.
func (f Fault) Passes() bool { return f.before != nil }
