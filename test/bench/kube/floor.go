package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// floor is a request whose answer is read and thrown away: no client can be faster.
type floor struct {
	accept, encoding       string
	watchList              bool
	limit                  int
	resourceVersion, match string
}

func (f *floor) flags() {
	pflag.StringVar(&f.accept, "accept", "application/json", "floor: the Accept header")
	pflag.StringVar(&f.encoding, "accept-encoding", "gzip", "floor: the Accept-Encoding header; the answer is not decompressed")
	pflag.BoolVar(&f.watchList, "watchlist", false, "floor: request a streaming list")
	pflag.IntVar(&f.limit, "limit", 0, "floor: how many objects a page has; 0 requests no pages")
	pflag.StringVar(&f.resourceVersion, "resource-version", "", "floor: the parameter resourceVersion, such as 0")
	pflag.StringVar(&f.match, "resource-version-match", "", "floor: the parameter resourceVersionMatch; a streaming list has NotOlderThan")
}

// run reads the whole list, and ends a streaming list at its last bookmark.
func (f *floor) run(ctx context.Context, o options) (*report.Floor, error) {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true, DisableCompression: true}
	defer transport.CloseIdleConnections()
	result := &report.Floor{}
	query := url.Values{}
	if f.resourceVersion != "" {
		query.Set("resourceVersion", f.resourceVersion)
	}
	if f.match != "" {
		query.Set("resourceVersionMatch", f.match)
	}
	if f.limit > 0 {
		query.Set("limit", strconv.Itoa(f.limit))
	}
	if f.watchList {
		query.Set("watch", "true")
		query.Set("sendInitialEvents", "true")
		query.Set("allowWatchBookmarks", "true")
		query.Set("resourceVersionMatch", "NotOlderThan")
	}
	cpu, began := meter.CPUTime(), time.Now()
	for {
		token, err := f.page(ctx, o, transport, query, result)
		if errors.Is(err, errNotReady) {
			if err := pause(ctx); err != nil {
				return nil, err
			}
			cpu, began = meter.CPUTime(), time.Now()
			continue
		}
		if err != nil {
			return nil, err
		}
		if token == "" {
			break
		}
		query.Set("continue", token)
		query.Del("resourceVersion")
		query.Del("resourceVersionMatch")
	}
	result.Seconds, result.CPUSeconds = time.Since(began).Seconds(), (meter.CPUTime() - cpu).Seconds()
	return result, nil
}

// errNotReady is the answer of a server that is still reading the objects from etcd.
var errNotReady = errors.New("the server is not ready")

// pause waits before a request is sent again.
func pause(ctx context.Context) error {
	wait := time.NewTimer(200 * time.Millisecond)
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", errNotReady, ctx.Err())
	}
}

// page reads one answer, and returns the token of the next one.
func (f *floor) page(ctx context.Context, o options, transport http.RoundTripper, query url.Values, result *report.Floor) (token string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url+kinds[o.kind].path()+"?"+query.Encode(), nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+o.token)
	request.Header.Set("Accept", f.accept)
	if f.encoding != "" && f.limit == 0 { // the token of a page has to be read
		request.Header.Set("Accept-Encoding", f.encoding)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusTooManyRequests {
		return "", errNotReady
	}
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1000))
		return "", fmt.Errorf("%s: %s", response.Status, text)
	}
	result.ContentType = response.Header.Get("Content-Type")
	var known ends
	buffer := make([]byte, 64<<10)
	for {
		n, err := response.Body.Read(buffer)
		result.Bytes += n
		known.look(buffer[:n])
		if f.watchList && known.initialEventsEnd {
			return "", nil
		}
		if err == io.EOF {
			return known.token(), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// ends looks for what a body ends with, in either encoding, at little cost: in the first
// and the last bytes.
type ends struct {
	head, tail       []byte
	initialEventsEnd bool
}

const (
	endBytes      = 2 << 10
	initialEvents = "k8s.io/initial-events-end"
)

func (e *ends) look(p []byte) {
	if missing := endBytes - len(e.head); missing > 0 {
		e.head = append(e.head, p[:min(missing, len(p))]...)
	}
	e.tail = append(e.tail, p[max(0, len(p)-endBytes):]...)
	e.tail = e.tail[max(0, len(e.tail)-endBytes):]
	e.initialEventsEnd = e.initialEventsEnd || bytes.Contains(e.tail, []byte(initialEvents))
}

// token returns the token of a list in JSON or protobuf. It is base64 and begins with
// {"v":"meta.k8s.io/v1". A list of custom resources has it at its end.
func (e *ends) token() string {
	const begins = "eyJ2IjoibWV0YS5rOHMuaW8vdjEi"
	token := e.head
	at := bytes.Index(token, []byte(begins))
	if at < 0 {
		token = e.tail
		at = bytes.Index(token, []byte(begins))
	}
	if at < 0 {
		return ""
	}
	token = token[at:]
	for i, b := range token {
		letter := b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '-' || b == '_' || b == '='
		if !letter {
			return string(token[:i])
		}
	}
	return ""
}
