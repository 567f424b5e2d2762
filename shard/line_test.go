package shard

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// line is the connection of a process to the server.
type line struct {
	next                http.RoundTripper
	cut                 atomic.Bool
	late                atomic.Int64 // how much later a write arrives
	latency             atomic.Int64 // how long each way of a message takes at most
	requests, conflicts atomic.Int64
	lists               atomic.Int64 // of ConfigMaps
}

func (l *line) RoundTrip(r *http.Request) (*http.Response, error) {
	l.requests.Add(1)
	if query := r.URL.Query(); strings.HasSuffix(r.URL.Path, "/configmaps") && r.Method == http.MethodGet && (query.Get("watch") == "" || query.Get("sendInitialEvents") != "") {
		l.lists.Add(1)
	}
	if l.cut.Load() {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if late := l.late.Load(); late > 0 && r.Method != http.MethodGet {
		return nil, l.delay(r, time.Duration(late))
	}
	l.travel()
	response, err := l.next.RoundTrip(r)
	l.travel()
	if err == nil && response.StatusCode == http.StatusConflict {
		l.conflicts.Add(1)
	}
	return response, err
}

func (l *line) travel() {
	if latency := l.latency.Load(); latency > 0 {
		time.Sleep(time.Duration(rand.Int64N(latency)))
	}
}

// delay lets a request arrive later, although its sender does not wait for it any more.
func (l *line) delay(r *http.Request, late time.Duration) error {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return err
		}
		r.Body.Close()
	}
	later := r.Clone(context.Background())
	later.Body = io.NopCloser(bytes.NewReader(body))
	time.AfterFunc(late, func() {
		if response, err := l.next.RoundTrip(later); err == nil {
			response.Body.Close()
		}
	})
	<-r.Context().Done()
	return r.Context().Err()
}
