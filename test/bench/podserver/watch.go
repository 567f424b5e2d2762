package podserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// watcher is an open watch. It is closed when the watch expires.
type watcher chan batch

// batch is the events of one moment.
type batch struct {
	kind watch.EventType
	pods [][]byte
	// started, if it is not nil, is called before the first of them is written.
	started func()
}

// maxBatches is more than any step of a benchmark sends.
const maxBatches = 16

func (s *Server) watch(w http.ResponseWriter, r *http.Request, received time.Time, streaming bool) {
	w.Header().Set("Content-Type", "application/json")
	opened := make(watcher, maxBatches)
	state, ok := s.open(opened, received, streaming, r.URL.Query().Get("resourceVersion"))
	if !ok {
		writeExpired(w) // the API server also reports it as an event
		return
	}
	defer s.close(opened)
	out := bufio.NewWriterSize(w, writeSize)
	flush := func() bool { return out.Flush() == nil && http.NewResponseController(w).Flush() == nil }
	if streaming {
		writeEvents(out, watch.Added, state.pods)
		fmt.Fprintf(out, `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"%d","annotations":{%q:"true"}},"spec":{"containers":null},"status":{}}}`+"\n",
			state.version, metav1.InitialEventsAnnotationKey)
	}
	if !flush() {
		return
	}
	s.sendSentinel()
	for {
		select {
		case <-r.Context().Done():
			return
		case b, open := <-opened:
			if !open {
				writeExpired(w)
				return
			}
			if b.started != nil {
				b.started()
			}
			writeEvents(out, b.kind, b.pods)
			if !flush() {
				return
			}
		}
	}
}

// open returns the current state. The watcher receives all events after it. It returns
// false if there were events between version and that state.
func (s *Server) open(opened watcher, received time.Time, streaming bool, version string) (*state, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if streaming {
		s.marks.Requests.Streams++
		s.relistedAt(received)
	} else {
		s.marks.Requests.Watches++
		if version != strconv.FormatUint(s.current.version, 10) {
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
		s.send(batch{kind: watch.Modified, pods: [][]byte{s.current.pods[Sentinel]}})
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

func writeEvents(w *bufio.Writer, kind watch.EventType, pods [][]byte) {
	begin := fmt.Sprintf(`{"type":%q,"object":{"kind":"Pod","apiVersion":"v1",`, kind)
	for _, pod := range pods {
		// Flush reports errors.
		w.WriteString(begin)
		w.Write(pod)
		w.WriteString("}\n")
	}
}

func writeExpired(w io.Writer) {
	expired := statusOf(apierrors.NewResourceExpired("too old resource version"))
	_ = json.NewEncoder(w).Encode(map[string]any{"type": watch.Error, "object": expired}) // the client may be gone
}

// writeError answers as the API server does.
func writeError(w http.ResponseWriter, err *apierrors.StatusError) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(int(err.ErrStatus.Code))
	_ = json.NewEncoder(w).Encode(statusOf(err)) // the client may be gone
}

func statusOf(err *apierrors.StatusError) metav1.Status {
	status := err.Status()
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	return status
}
