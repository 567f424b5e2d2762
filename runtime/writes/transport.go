package writes

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// maxBody is the number of bytes of the longest body that is read. An object in etcd has at most
// 1.5 MiB by default.
const maxBody = 8 << 20

// transport is a http.RoundTripper that reads the responses to writes.
type transport struct {
	observer *Observer
	next     http.RoundTripper
}

// WrappedRoundTripper returns the transport below, so that
// k8s.io/apimachinery/pkg/util/net finds its TLS configuration and its connections.
func (t *transport) WrappedRoundTripper() http.RoundTripper { return t.next }

// CloseIdleConnections is called by the method of http.Client of that name. Transports between this
// one and that of the connections may lack it.
func (t *transport) CloseIdleConnections() {
	for next := t.next; next != nil; {
		switch found := next.(type) {
		case interface{ CloseIdleConnections() }:
			found.CloseIdleConnections()
			return
		case utilnet.RoundTripperWrapper:
			next = found.WrappedRoundTripper()
		default:
			return
		}
	}
}

// RoundTrip sends a request, unless a guard refuses it. If it is a write, informers have heard of it when RoundTrip returns.
// A redirect is a request of its own, so a response is always that to the URL of request.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if !mayWrite(request.Method) {
		return t.next.RoundTrip(request)
	}
	request, err := t.observer.refuse(request)
	if err != nil {
		if request.Body != nil {
			_ = request.Body.Close()
		}
		return nil, err
	}
	sent := time.Now()
	response, err := t.next.RoundTrip(request)
	if err == nil && hasObject(response) {
		t.observer.observe(request, response, sent)
	}
	return response, err
}

// hasObject reports whether the body of a response to a write may be an object or a Status.
func hasObject(response *http.Response) bool {
	switch {
	case response == nil || response.Body == nil || response.ContentLength > maxBody:
		return false
	case response.StatusCode != http.StatusOK && response.StatusCode != http.StatusCreated && response.StatusCode != http.StatusAccepted:
		return false
	case response.Header.Get("Content-Encoding") != "":
		return false
	}
	// The parameters say in which form an object is. Its TypeMeta says it too.
	switch mediaType, parameters, err := mime.ParseMediaType(response.Header.Get("Content-Type")); {
	case err != nil || parameters["stream"] != "":
		return false
	default:
		return mediaType == runtime.ContentTypeJSON || mediaType == runtime.ContentTypeProtobuf
	}
}

// observe tells the informers that are subscribed of a write. The body of response is replaced by
// one with the same bytes. sent is when the request was sent.
func (o *Observer) observe(request *http.Request, response *http.Response, sent time.Time) {
	subscribed := o.subscribersOf(request.URL)
	if len(subscribed) == 0 || changesNothing(request) {
		return
	}
	text, whole := read(response)
	if !whole {
		return
	}
	found, err := parseAnswer(text)
	if err != nil {
		return // the watch has to decode the object too, and reports why it cannot
	}
	for _, to := range subscribed {
		write, ok := found.write(request.Method, response.StatusCode, to.target)
		if !ok {
			continue
		}
		write.Sent = sent
		for _, s := range to.subscriptions {
			s.informer.Wrote(write)
		}
	}
}

// read returns the body of a response, and whether this is all of it. Afterwards the response
// has the same body, also if reading it has failed.
func read(response *http.Response) (text []byte, whole bool) {
	var buffer bytes.Buffer
	if response.ContentLength > 0 {
		// ReadFrom needs space to find the end.
		buffer.Grow(int(response.ContentLength) + bytes.MinRead)
	}
	n, err := buffer.ReadFrom(io.LimitReader(response.Body, maxBody+1))
	text = buffer.Bytes()[:n:n]
	response.Body = &replay{left: text, err: err, ReadCloser: response.Body}
	return text, err == nil && n <= maxBody
}

// replay is a body of which some bytes were read before.
type replay struct {
	left []byte
	// err follows the bytes that are left. It is nil if the rest of the body follows them, or its
	// end.
	err error
	io.ReadCloser
}

// Read returns the bytes that were read before, and then how the body has continued.
func (r *replay) Read(p []byte) (int, error) {
	switch {
	case len(r.left) > 0:
		n := copy(p, r.left)
		r.left = r.left[n:]
		return n, nil
	case r.err != nil:
		return 0, r.err
	}
	return r.ReadCloser.Read(p)
}
