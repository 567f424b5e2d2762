package podserver

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// reset begins anew, for another client.
func (s *Server) reset(http.ResponseWriter, *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	s.current, s.marks = s.initial, report.Marks{}
	s.relisting, s.sentinelDue = false, false
}

func (s *Server) getMarks(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = json.NewEncoder(w).Encode(s.marks) // the client may be gone
}

// relist changes some objects in silence, ends all watches with 410, and sends an
// update of the sentinel as soon as somebody has listed and watches again.
func (s *Server) relist(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	places, err := s.places(r, "changed")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	next := s.current.change(places)
	next.version++ // even if nothing of this collection has changed
	s.current = next
	s.relisting, s.sentinelDue = true, true
	s.expire()
}

// update sends updates of that many objects, and of the sentinel, as fast as they
// are taken. It renders them first.
func (s *Server) update(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	places, err := s.places(r, "count")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	places = append(places, Sentinel)
	s.current = s.current.change(places)
	b := batch{kind: watch.Modified, started: func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.marks.Started = time.Now().UnixNano()
	}}
	for _, place := range places {
		b.pods = append(b.pods, s.current.pods[place])
	}
	s.send(b)
}

// places is called with mu held.
func (s *Server) places(r *http.Request, parameter string) ([]int, error) {
	count, err := strconv.Atoi(r.URL.Query().Get(parameter))
	if err != nil {
		return nil, err
	}
	return s.current.spread(count)
}
