package podserver

import (
	"bytes"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// writeSize is how many bytes are written at a time.
const writeSize = 64 << 10

// firstVersion is that of the oldest object, as in a cluster that is not new.
const firstVersion = 48_000_000

// Options are what a server has, and how it sends that.
type Options struct {
	Kind    Kind
	Objects int
	// Protobuf makes it send protobuf and not JSON. It refuses clients that prefer the other one.
	Protobuf bool
	// WithoutStreaming makes it refuse streaming lists, for which it keeps two more copies of each object.
	WithoutStreaming bool
	// History is the number of changes that the server remembers once it has sent them. A watch from an older version has expired.
	History int
}

// LastVersion is that of a collection before its first change. Each change of an object adds one.
func LastVersion(objects int) uint64 { return firstVersion + uint64(objects) }

// Server is an http.Handler.
type Server struct {
	Options
	mux      http.ServeMux
	encoding Encoding

	mu sync.Mutex // guards the fields below; it is not held during writes to clients
	// version is that of the collection, and generations are by the number of an object.
	version     uint64
	generations []int
	// items and added are the objects in a list and in the events of a streaming list, unless there are none.
	items, added [][]byte
	// bodies are those that clients have requested, of the current version: of a list, or if the key is set, of a streaming list.
	bodies map[bool][]byte
	// last is the last change, and isPending is set until it is sent. history are the sent ones, the oldest first.
	last      change
	isPending bool
	history   []change
	// watches are the open ones.
	watches map[chan []byte]struct{}
}

// change has the events of objects that have changed together, after a version.
type change struct {
	after  uint64
	events []byte
}

// New encodes the objects, which takes some 20 µs for each pod.
func New(options Options) *Server {
	s := &Server{
		Options: options, encoding: EncodingOf(options.Protobuf), version: LastVersion(options.Objects),
		generations: make([]int, options.Objects), items: make([][]byte, options.Objects),
		bodies: map[bool][]byte{}, watches: map[chan []byte]struct{}{},
	}
	if !options.WithoutStreaming {
		s.added = make([][]byte, options.Objects)
	}
	OnAllCores(options.Objects, func(i int) { s.encode(i, firstVersion+uint64(i)) })
	s.mux.HandleFunc("GET "+options.Kind.Path(), s.collection)
	s.mux.HandleFunc("POST /control/change", s.changeSome)
	s.mux.HandleFunc("POST /control/send", s.send)
	return s
}

// NewFleet returns a server of so many nodes and as many pods. What a client controls of one of them is below /nodes/control/ or
// /pods/control/.
func NewFleet(objects int, withoutStreaming bool) http.Handler {
	mux := http.NewServeMux()
	for _, name := range []string{Nodes, LargePods} {
		kind := Kinds[name]
		server := New(Options{Kind: kind, Objects: objects, WithoutStreaming: withoutStreaming, History: 300})
		mux.Handle(kind.Path(), server)
		mux.Handle("/"+kind.Resource+"/", http.StripPrefix("/"+kind.Resource, server))
	}
	return mux
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// encode makes the next generation of an object, and returns the event of it.
func (s *Server) encode(i int, version uint64) []byte {
	s.generations[i]++
	obj := s.Kind.make(i, s.generations[i], version)
	s.items[i] = s.encoding.Item(obj) // without a kind
	if s.added != nil {
		s.added[i] = s.encoding.Event(watch.Added, obj, s.Kind.GroupVersionKind)
	}
	if s.generations[i] == 1 {
		return nil
	}
	return s.encoding.Event(watch.Modified, obj, s.Kind.GroupVersionKind)
}

// OnAllCores calls do for each number below n.
func OnAllCores(n int, do func(int)) {
	var running sync.WaitGroup
	parts := runtime.GOMAXPROCS(0)
	for part := range parts {
		running.Go(func() {
			for i := part; i < n; i += parts {
				do(i)
			}
		})
	}
	running.Wait()
}

// changeSome changes as many objects all over the collection as the parameter count has.
func (s *Server) changeSome(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	count, err := strconv.Atoi(r.URL.Query().Get("count"))
	if err != nil || count < 1 || count > s.Objects {
		http.Error(w, fmt.Sprintf("%q of %d objects cannot be changed", r.URL.Query().Get("count"), s.Objects), http.StatusBadRequest)
		return
	}
	changed := make([][]byte, count)
	OnAllCores(count, func(n int) { changed[n] = s.encode(n*s.Objects/count, s.version+uint64(n)+1) })
	s.last, s.isPending = change{s.version, bytes.Join(changed, nil)}, true
	s.version += uint64(count)
	if unlisted, _ := strconv.ParseBool(r.URL.Query().Get("unlisted")); unlisted && len(s.bodies) > 0 { // no client will list soon
		clear(s.bodies)
		debug.FreeOSMemory() // it may be some GB, and the client is on the same machine
	}
	for streaming := range s.bodies { // so that a client need not wait for them
		s.bodies[streaming] = s.newBody(streaming)
	}
}

// send sends the events of the last change, as fast as clients read.
func (s *Server) send(http.ResponseWriter, *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watches {
		w <- s.last.events
	}
	if s.isPending {
		s.history = append(s.history, s.last)
		s.history = slices.Delete(s.history, 0, max(0, len(s.history)-s.History)) // frees their events
	}
	s.isPending = false
}

// eventsAfter returns the events of the changes after a version. It reports false if the server does not remember them all. The
// caller holds mu.
func (s *Server) eventsAfter(version uint64) (events []byte, ok bool) {
	if version == s.version || s.isPending && s.History > 0 && version == s.last.after {
		return nil, true
	}
	for i := range s.history {
		if ok = ok || s.history[i].after == version; ok {
			events = append(events, s.history[i].events...)
		}
	}
	return events, ok
}

// newBody joins the objects. The caller holds mu.
func (s *Server) newBody(streaming bool) []byte {
	version := strconv.FormatUint(s.version, 10)
	if !streaming {
		return s.encoding.List(s.Kind.GroupVersionKind, version, s.items)
	}
	bookmark := s.Kind.empty()
	bookmark.SetResourceVersion(version)
	bookmark.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	return bytes.Join(append(slices.Clone(s.added), s.encoding.Event(watch.Bookmark, bookmark, s.Kind.GroupVersionKind)), nil)
}

// body returns one of the current version. The caller holds mu.
func (s *Server) body(streaming bool) []byte {
	if s.bodies[streaming] == nil {
		s.bodies[streaming] = s.newBody(streaming)
	}
	return s.bodies[streaming]
}

// collection answers requests for a list or a watch.
func (s *Server) collection(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.Header.Get("Accept"), s.encoding.ContentType()) {
		http.Error(w, "this server only has "+s.encoding.ContentType(), http.StatusNotAcceptable)
		return
	}
	query := r.URL.Query()
	watching, _ := strconv.ParseBool(query.Get("watch"))
	streaming, _ := strconv.ParseBool(query.Get("sendInitialEvents"))
	if watching {
		if streaming && s.WithoutStreaming {
			http.Error(w, "this server has no streaming lists", http.StatusBadRequest)
			return
		}
		s.watch(w, r, streaming)
		return
	}
	s.mu.Lock()
	body := s.body(false)
	s.mu.Unlock()
	w.Header().Set("Content-Type", s.encoding.ContentType())
	write(w, body)
}

func (s *Server) watch(w http.ResponseWriter, r *http.Request, streaming bool) {
	w.Header().Set("Content-Type", s.encoding.ContentType()+";stream=watch")
	opened := make(chan []byte, 16) // more than are sent before a client is measured again
	s.mu.Lock()
	var body []byte
	isCurrent := streaming
	if streaming {
		body = s.body(true)
	} else if version, err := strconv.ParseUint(r.URL.Query().Get("resourceVersion"), 10, 64); err == nil {
		body, isCurrent = s.eventsAfter(version)
	}
	if isCurrent {
		s.watches[opened] = struct{}{}
	}
	s.mu.Unlock()
	if !isCurrent {
		expired := apierrors.NewResourceExpired("too old resource version").Status()
		write(w, s.encoding.Event(watch.Error, &expired, schema.GroupVersionKind{Version: "v1", Kind: "Status"})) // not as the status of the answer
		return
	}
	defer func() {
		s.mu.Lock()
		delete(s.watches, opened)
		s.mu.Unlock()
	}()
	var end <-chan time.Time
	if seconds, err := strconv.Atoi(r.URL.Query().Get("timeoutSeconds")); err == nil {
		end = time.After(time.Duration(seconds) * time.Second)
	}
	for ok := write(w, body); ok; {
		select {
		case <-r.Context().Done():
			return
		case <-end:
			return
		case text := <-opened:
			ok = write(w, text)
		}
	}
}

// write sends a part of a body, and returns false if the client is gone.
func write(w http.ResponseWriter, text []byte) bool {
	for part := range slices.Chunk(text, writeSize) {
		if _, err := w.Write(part); err != nil {
			return false
		}
	}
	return http.NewResponseController(w).Flush() == nil
}
