// Package fieldmarks lets a server for tests ask the informers of its clients for marks in the fields that they leave out. Both are in
// one process, so the body of a response says it: a program need not change for its tests.
//
//	apitest, testserver ──Mark──▶ body ──▶ client ──▶ runtime/cache: AreIn
package fieldmarks

import (
	"io"
	"net/http"
)

// body is the body of a response of a server that asks for marks.
type body struct{ io.ReadCloser }

// Mark asks the reader of a response for marks. response may be nil.
func Mark(response *http.Response) {
	if response != nil && response.Body != nil {
		response.Body = body{response.Body}
	}
}

// AreIn reports whether the reader of a body should mark what it leaves out. It looks into bodies with a method Unwrap. Another body
// that has this one in it hides it.
func AreIn(reader io.Reader) bool {
	for {
		switch of := reader.(type) {
		case body:
			return true
		case interface{ Unwrap() io.Reader }:
			reader = of.Unwrap()
		default:
			return false
		}
	}
}

// Transport marks all responses of another one.
func Transport(next http.RoundTripper) http.RoundTripper { return transport{next} }

type transport struct{ next http.RoundTripper }

// RoundTrip sends a request.
func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	Mark(response)
	return response, err
}

// WrappedRoundTripper returns the transport below, so that k8s.io/apimachinery/pkg/util/net finds its connections.
func (t transport) WrappedRoundTripper() http.RoundTripper { return t.next }
