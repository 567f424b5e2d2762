package podserver

import (
	"bufio"
	"bytes"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// watcher is an open watch. It is closed when the watch expires.
type watcher chan batch

// batch is the events of one moment.
type batch struct {
	kind    watch.EventType
	objects []rendered
	// started, if it is not nil, is called before the first of them is written.
	started func()
}

// maxBatches is more than any step of a benchmark sends.
const maxBatches = 16

func (s *Server) watch(w http.ResponseWriter, q request, streaming bool) {
	q.gzip = q.gzip && streaming // the API server compresses no other watch
	w.Header().Set("Content-Type", q.streamType())
	opened := make(watcher, maxBatches)
	state, ok := s.open(opened, q, streaming)
	if !ok {
		out := bufio.NewWriter(w)
		writeExpired(out, q) // the API server also reports it as an event
		out.Flush()          // an error means that the client is gone
		return
	}
	defer s.close(opened)
	if q.gzip {
		w.Header().Set("Content-Encoding", "gzip")
	}
	out := bufio.NewWriterSize(w, writeSize)
	// send writes events of one moment. The API server compresses them as one member.
	send := func(write func(*bufio.Writer)) bool {
		if q.gzip {
			var plain bytes.Buffer
			buffer := bufio.NewWriter(&plain)
			write(buffer)
			buffer.Flush()
			out.Write(compress(plain.Bytes()))
		} else {
			write(out)
		}
		return out.Flush() == nil && http.NewResponseController(w).Flush() == nil
	}
	if !s.sendInitial(w, out, q, state, streaming) {
		return
	}
	s.sendSentinel()
	for {
		select {
		case <-q.Context().Done():
			return
		case b, open := <-opened:
			if !open {
				send(func(out *bufio.Writer) { writeExpired(out, q) })
				return
			}
			if b.started != nil {
				b.started()
			}
			if !send(func(out *bufio.Writer) { s.writeEvents(out, q, b.kind, b.objects) }) {
				return
			}
		}
	}
}

// sendInitial sends the objects and the bookmark of a streaming list, and nothing but the
// header of another watch.
func (s *Server) sendInitial(w http.ResponseWriter, out *bufio.Writer, q request, state *state, streaming bool) bool {
	write := func(out *bufio.Writer) {
		s.writeEvents(out, q, watch.Added, state.objects)
		s.writeEvents(out, q, watch.Bookmark, []rendered{s.Kind.bookmark(state.version)})
	}
	switch {
	case streaming && q.gzip:
		out.Write(s.bodies.compressed(body{version: state.version, contentType: q.streamType()}, write))
	case streaming:
		write(out)
	}
	return out.Flush() == nil && http.NewResponseController(w).Flush() == nil
}

// bookmark ends the initial events of a streaming list.
func (k Kind) bookmark(version uint64) rendered {
	obj := k.empty()
	obj.SetResourceVersion(strconv.FormatUint(version, 10))
	obj.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	return render(obj, k.GroupVersionKind)
}

// open returns the current state. The watcher receives all events after it. It returns
// false if there were events between the requested version and that state.
func (s *Server) open(opened watcher, q request, streaming bool) (*state, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks.Requests.count(q)
	if streaming {
		s.marks.Requests.Streams++
		s.relistedAt(q.received)
	} else {
		s.marks.Requests.Watches++
		if q.query.Get("resourceVersion") != strconv.FormatUint(s.current.version, 10) {
			return nil, false
		}
	}
	s.watchers[opened] = struct{}{}
	return s.current, true
}

func (s *Server) close(w watcher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watchers, w)
}

// sendSentinel updates the sentinel if the client has listed again.
func (s *Server) sendSentinel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sentinelDue && !s.relisting {
		s.sentinelDue = false
		s.current = s.current.change([]int{Sentinel})
		s.send(batch{kind: watch.Modified, objects: []rendered{s.current.objects[Sentinel]}})
	}
}

// send sends to all watchers. The caller holds mu.
func (s *Server) send(b batch) {
	for w := range s.watchers {
		w <- b
	}
}

// expire ends all watches. The caller holds mu.
func (s *Server) expire() {
	for w := range s.watchers {
		close(w)
		delete(s.watchers, w)
	}
}

func (s *Server) writeEvents(w *bufio.Writer, e encoding, kind watch.EventType, objects []rendered) {
	for _, obj := range objects {
		e.event(w, kind, s.Kind.GroupVersionKind, obj)
	}
}

func writeExpired(w *bufio.Writer, e encoding) {
	expired := apierrors.NewResourceExpired("too old resource version").Status()
	e.event(w, watch.Error, statusKind, render(&expired, statusKind))
}

// writeError answers as the API server does.
func writeError(w http.ResponseWriter, e encoding, err *apierrors.StatusError) {
	w.Header().Set("Content-Type", e.contentType())
	w.WriteHeader(int(err.ErrStatus.Code))
	status := err.Status()
	_ = e.status(w, &status) // the client may be gone
}
