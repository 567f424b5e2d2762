package podserver

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// writeSize is how many bytes are written at a time.
const writeSize = 64 << 10

// Server is an http.Handler.
type Server struct {
	mux     http.ServeMux
	initial *state

	mu sync.Mutex // guards the fields below; it is not held during writes
	// A new state is stored and sent to the watchers in one step.
	current  *state
	watchers map[watcher]struct{}
	marks    Marks
	// relisting is set until a request for a list comes, and sentinelDue until a watch is
	// open after that list.
	relisting, sentinelDue bool
}

// New renders the pods.
func New(objects int) (*Server, error) {
	if objects < 1 {
		return nil, errors.New("at least one object is needed")
	}
	s := &Server{initial: newState(objects), watchers: map[watcher]struct{}{}}
	s.current = s.initial
	s.mux.HandleFunc("GET /api/v1/pods", s.pods)
	s.mux.HandleFunc("GET /control/marks", s.getMarks)
	s.mux.HandleFunc("POST /control/reset", s.reset)
	s.mux.HandleFunc("POST /control/relist", s.spread("changed", s.relist))
	s.mux.HandleFunc("POST /control/update", s.spread("count", s.update))
	return s, nil
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

func (s *Server) pods(w http.ResponseWriter, r *http.Request) {
	received := time.Now()
	query := r.URL.Query()
	watching, _ := strconv.ParseBool(query.Get("watch"))
	streaming, _ := strconv.ParseBool(query.Get("sendInitialEvents"))
	switch {
	case !watching:
		s.list(w, r, received)
	case streaming && query.Get("resourceVersionMatch") != string(metav1.ResourceVersionMatchNotOlderThan):
		writeError(w, apierrors.NewBadRequest("sendInitialEvents needs resourceVersionMatch=NotOlderThan"))
	default:
		s.watch(w, r, received, streaming)
	}
}

func (s *Server) list(w http.ResponseWriter, r *http.Request, received time.Time) {
	query := r.URL.Query()
	limit, _ := strconv.Atoi(query.Get("limit"))
	token := query.Get("continue")
	if query.Get("resourceVersion") == "0" {
		limit = 0 // the API server answers in one piece from its watch cache
	}
	s.mu.Lock()
	if token == "" {
		s.marks.Requests.Lists++
		s.relistedAt(received)
	}
	s.marks.Requests.Pages++
	state := s.current
	s.mu.Unlock()
	start, end, failed := state.page(limit, token)
	if failed != nil {
		writeError(w, failed)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	out := bufio.NewWriterSize(w, writeSize)
	defer out.Flush() // an error means that the client is gone
	fmt.Fprintf(out, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"`, state.version)
	if end < len(state.pods) {
		fmt.Fprintf(out, `,"continue":"`+tokenFormat+`","remainingItemCount":%d`, state.version, end, len(state.pods)-end)
	}
	out.WriteString(`},"items":[`)
	for i, pod := range state.pods[start:end] {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('{')
		out.Write(pod)
	}
	out.WriteString("]}\n")
}

// relistedAt notes the first request for a list after watches expired. The caller holds
// mu.
func (s *Server) relistedAt(received time.Time) {
	if s.relisting {
		s.relisting = false
		s.marks.Began = received
	}
}
