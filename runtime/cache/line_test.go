package cache

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// line is the connection to a server. Requests may fail on it, and watches may be silent or cut.
type line struct {
	next http.RoundTripper

	mu sync.Mutex // guards what follows
	// troubles are what happens to the next requests.
	troubles []trouble
	// silence is nil, or closed when the watches are no longer silent.
	silence chan struct{}
	// watches are the open ones.
	watches map[*lineBody]bool
}

// trouble is what happens to a request.
type trouble func(next http.RoundTripper, request *http.Request) (*http.Response, error)

func (l *line) RoundTrip(request *http.Request) (*http.Response, error) {
	roundTrip := trouble(http.RoundTripper.RoundTrip)
	l.mu.Lock()
	if len(l.troubles) > 0 {
		roundTrip, l.troubles = l.troubles[0], l.troubles[1:]
	}
	l.mu.Unlock()
	response, err := roundTrip(l.next, request)
	if err == nil && request.URL.Query().Get("watch") != "" && response.StatusCode == http.StatusOK {
		b := &lineBody{ReadCloser: response.Body, line: l, request: request, end: make(chan struct{})}
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.watches == nil {
			l.watches = map[*lineBody]bool{}
		}
		l.watches[b] = true
		response.Body = b
	}
	return response, err
}

// expect sets what happens to the next requests.
func (l *line) expect(troubles ...trouble) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.troubles = troubles
}

// cut ends all watches, as a broken connection does.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for b := range l.watches {
		b.endOnce.Do(func() { close(b.end) })
		_ = b.ReadCloser.Close()
	}
}

// setSilent makes watches silent, also those that open later, or lets them speak again.
func (l *line) setSilent(silent bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case silent && l.silence == nil:
		l.silence = make(chan struct{})
	case !silent && l.silence != nil:
		close(l.silence)
		l.silence = nil
	}
}

// open returns the number of open watches.
func (l *line) open() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.watches)
}

// lineBody is the body of a watch.
type lineBody struct {
	io.ReadCloser
	line    *line
	request *http.Request
	endOnce sync.Once
	end     chan struct{} // closed by cut and by Close
}

func (b *lineBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	for {
		select {
		case <-b.end:
			return 0, io.ErrUnexpectedEOF
		default:
		}
		b.line.mu.Lock()
		silence := b.line.silence
		b.line.mu.Unlock()
		if silence == nil {
			return n, err
		}
		select {
		case <-silence:
		case <-b.end:
		case <-b.request.Context().Done():
			return 0, b.request.Context().Err()
		}
	}
}

func (b *lineBody) Close() error {
	b.endOnce.Do(func() { close(b.end) })
	b.line.mu.Lock()
	delete(b.line.watches, b)
	b.line.mu.Unlock()
	return b.ReadCloser.Close()
}

// answer does not execute the request, and answers with an error.
func answer(status metav1.Status) trouble {
	return func(_ http.RoundTripper, request *http.Request) (*http.Response, error) {
		status.Kind, status.APIVersion = "Status", "v1"
		body, err := json.Marshal(status)
		return &http.Response{
			StatusCode: int(status.Code), Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(strings.NewReader(string(body))), Request: request,
		}, err
	}
}

// refuse does not execute the request.
func refuse(http.RoundTripper, *http.Request) (*http.Response, error) {
	return nil, errors.New("dial: refused")
}

// lose loses the response.
func lose(next http.RoundTripper, request *http.Request) (*http.Response, error) {
	if response, err := next.RoundTrip(request); err == nil {
		_ = response.Body.Close()
	}
	return nil, io.ErrUnexpectedEOF
}

// delay returns a trouble that sends the response of now later.
func delay(by time.Duration) trouble {
	return func(next http.RoundTripper, request *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		select {
		case <-time.After(by):
		case <-request.Context().Done():
			if err == nil {
				_ = response.Body.Close()
			}
			return nil, request.Context().Err()
		}
		return response, err
	}
}

// cutAfter returns a trouble that ends the body after some bytes.
func cutAfter(left int) trouble {
	return func(next http.RoundTripper, request *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		if err == nil {
			response.Body = &shortBody{response.Body, left}
		}
		return response, err
	}
}

type shortBody struct {
	io.ReadCloser
	left int
}

func (b *shortBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// troubles are those of requests to read, and of requests to write.
func troublesOf(arg byte, writing bool) []trouble {
	kinds := []trouble{
		answer(errForbidden.ErrStatus), answer(errInternal.ErrStatus), answer(errSlowDown.ErrStatus), refuse, lose,
		answer(errNotFound.ErrStatus), answer(errGone.ErrStatus), delay(time.Duration(arg) * time.Second / 8), cutAfter(int(arg) * 7),
		answer(errTooLarge().(*apierrors.StatusError).ErrStatus),
	}
	if writing {
		kinds = kinds[:5]
	}
	var all []trouble
	for range int(arg>>3) % 6 {
		all = append(all, kinds[int(arg)%len(kinds)])
	}
	return all
}

// decodeProtobuf decodes a Status.
func decodeProtobuf(t *testing.T, body []byte, into interface{ Unmarshal([]byte) error }) {
	t.Helper()
	rest, isProtobuf := strings.CutPrefix(string(body), "k8s\x00")
	u := runtime.Unknown{}
	if err := u.Unmarshal([]byte(rest)); err != nil || !isProtobuf {
		t.Errorf("the body %q is no protobuf: %v", body, err)
	}
	if err := into.Unmarshal(u.Raw); err != nil {
		t.Error(err)
	}
}
