package podserver

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// Marks are what a client asks for after it was measured.
type Marks struct {
	// Began is when the first request for a list came after watches expired, or when the
	// server wrote the first of a burst of updates, whichever was later.
	Began    time.Time
	Requests Requests
}

// Requests are how many the server has received since a reset.
type Requests struct {
	Lists, Pages, Streams, Watches int
	// Of pages, streams and watches: how many it answered with protobuf, compressed unless
	// too short, and over HTTP/2.
	Protobuf, Gzip, HTTP2 int
}

// reset restores the initial state, for another client.
func (s *Server) reset(http.ResponseWriter, *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	s.current, s.marks = s.initial, Marks{}
	s.relisting, s.sentinelDue = false, false
}

func (s *Server) getMarks(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = json.NewEncoder(w).Encode(s.marks) // the client may be gone
}

// spread makes a handler that calls do with the numbers of as many objects as the parameter
// asks for. It holds mu.
func (s *Server) spread(parameter string, do func(numbers []int)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		count, err := strconv.Atoi(r.URL.Query().Get(parameter))
		if err == nil {
			var numbers []int
			if numbers, err = s.current.spread(count); err == nil {
				do(numbers)
				return
			}
		}
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

// relist changes objects without events, and ends all watches with 410. The sentinel is
// updated when a client has listed again and watches.
func (s *Server) relist(numbers []int) {
	s.current = s.current.change(numbers)
	s.current.version++ // even if nothing of this collection has changed
	s.relisting, s.sentinelDue = true, true
	s.expire()
}

// update sends updates of objects, and then of the sentinel, as fast as clients read. It
// renders them first.
func (s *Server) update(numbers []int) {
	numbers = append(numbers, Sentinel)
	s.current = s.current.change(numbers)
	b := batch{kind: watch.Modified, started: func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.marks.Began = time.Now()
	}}
	for _, i := range numbers {
		b.objects = append(b.objects, s.current.objects[i])
	}
	s.send(b)
}
