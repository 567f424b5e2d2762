package podserver

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// writeSize is how many bytes are written at a time.
const writeSize = 64 << 10

// Server is an http.Handler.
type Server struct {
	Options
	mux     http.ServeMux
	initial *state
	bodies  bodies

	mu sync.Mutex // guards the fields below; it is not held during writes
	// A new state is stored and sent to the watchers in one step.
	current  *state
	watchers map[watcher]struct{}
	marks    Marks
	// relisting is set until a request for a list comes, and sentinelDue until a watch is
	// open after that list.
	relisting, sentinelDue bool
}

// Options are what a server has, and how it sends that.
type Options struct {
	Kind    Kind
	Objects int
	// Gzip compresses lists and streaming lists for clients that accept it.
	Gzip bool
}

// New renders the objects.
func New(o Options) (*Server, error) {
	if o.Objects < 1 {
		return nil, errors.New("at least one object is needed")
	}
	s := &Server{Options: o, initial: newState(o.Kind, o.Objects), watchers: map[watcher]struct{}{}}
	s.current = s.initial
	s.mux.HandleFunc("GET "+o.Kind.path(), s.collection)
	s.mux.HandleFunc("GET /control/marks", s.getMarks)
	s.mux.HandleFunc("POST /control/reset", s.reset)
	s.mux.HandleFunc("POST /control/relist", s.spread("changed", s.relist))
	s.mux.HandleFunc("POST /control/update", s.spread("count", s.update))
	return s, nil
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// request is one for a list or a watch.
type request struct {
	*http.Request
	encoding
	query    url.Values
	received time.Time
	gzip     bool
}

func (s *Server) collection(w http.ResponseWriter, r *http.Request) {
	q := request{
		Request: r, encoding: s.Kind.negotiate(r.Header.Get("Accept")), query: r.URL.Query(), received: time.Now(),
		gzip: s.Gzip && acceptsGzip(r.Header.Get("Accept-Encoding")),
	}
	if q.encoding == nil {
		writeError(w, jsonEncoding{s.Kind}, apierrors.NewGenericServerResponse(http.StatusNotAcceptable, r.Method, schema.GroupResource{}, "", "", 0, true))
		return
	}
	watching, _ := strconv.ParseBool(q.query.Get("watch"))
	streaming, _ := strconv.ParseBool(q.query.Get("sendInitialEvents"))
	switch {
	case !watching:
		s.list(w, q)
	case streaming && q.query.Get("resourceVersionMatch") != string(metav1.ResourceVersionMatchNotOlderThan):
		writeError(w, q, apierrors.NewBadRequest("sendInitialEvents needs resourceVersionMatch=NotOlderThan"))
	default:
		s.watch(w, q, streaming)
	}
}

func (s *Server) list(w http.ResponseWriter, q request) {
	limit, _ := strconv.Atoi(q.query.Get("limit"))
	token := q.query.Get("continue")
	if q.query.Get("resourceVersion") == "0" {
		limit = 0 // the API server answers in one piece from its watch cache
	}
	s.mu.Lock()
	if token == "" {
		s.marks.Requests.Lists++
		s.relistedAt(q.received)
	}
	s.marks.Requests.Pages++
	s.marks.Requests.count(q)
	state := s.current
	s.mu.Unlock()
	start, end, failed := state.page(limit, token)
	if failed != nil {
		writeError(w, q, failed)
		return
	}
	meta := metav1.ListMeta{ResourceVersion: strconv.FormatUint(state.version, 10)}
	if remaining := int64(len(state.objects) - end); remaining > 0 {
		meta.Continue, meta.RemainingItemCount = fmt.Sprintf(tokenFormat, state.version, end), &remaining
	}
	write := func(out *bufio.Writer) { q.list(out, meta, state.objects[start:end]) }
	w.Header().Set("Content-Type", q.contentType())
	out := bufio.NewWriterSize(w, writeSize)
	defer out.Flush() // an error means that the client is gone
	if q.gzip {
		if text := s.bodies.compressed(body{state.version, q.contentType(), start, end, true}, write); text != nil {
			w.Header().Set("Content-Encoding", "gzip")
			out.Write(text)
			return
		}
	}
	write(out)
}

// count notes how a request is answered. The caller holds the server's mu.
func (r *Requests) count(q request) {
	if _, ok := q.encoding.(protobufEncoding); ok {
		r.Protobuf++
	}
	if q.gzip {
		r.Gzip++
	}
	if q.ProtoMajor > 1 {
		r.HTTP2++
	}
}

// relistedAt notes the first request for a list after watches expired. The caller holds
// mu.
func (s *Server) relistedAt(received time.Time) {
	if s.relisting {
		s.relisting = false
		s.marks.Began = received
	}
}
