package shard

import (
	"io"
	"net/http"
)

// Transport wraps a RoundTripper. Pass it to rest.Config.Wrap. It refuses the writes of work that is no longer
// valid or has called done, with a *LostError. It does not check reads, and requests without a context of Begin.
func (c *Coordinator) Transport(next http.RoundTripper) http.RoundTripper { return &transport{next} }

type transport struct{ next http.RoundTripper }

// RoundTrip sends a request if its work is valid. The process may be paused before the request is sent, so
// the body checks again when it is read.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	w := workOf(request.Context())
	if w == nil || request.Method == http.MethodGet || request.Method == http.MethodHead || request.Method == http.MethodOptions {
		return t.next.RoundTrip(request)
	}
	if !w.valid() {
		if request.Body != nil {
			request.Body.Close()
		}
		return nil, &LostError{w.coordinator.options.Identity}
	}
	if request.Body != nil && request.Body != http.NoBody {
		checked := *request
		checked.Body = &body{request.Body, w}
		if again := request.GetBody; again != nil {
			checked.GetBody = func() (io.ReadCloser, error) {
				b, err := again()
				return &body{b, w}, err
			}
		}
		request = &checked
	}
	return t.next.RoundTrip(request)
}

// WrappedRoundTripper returns the RoundTripper that sends the requests, for functions of client-go.
func (t *transport) WrappedRoundTripper() http.RoundTripper { return t.next }

// body is the body of a write.
type body struct {
	io.ReadCloser
	work *work
}

// Read fails if the work is no longer valid. The request fails then.
func (b *body) Read(p []byte) (int, error) {
	if !b.work.valid() {
		return 0, &LostError{b.work.coordinator.options.Identity}
	}
	return b.ReadCloser.Read(p)
}
