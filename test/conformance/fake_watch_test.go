package conformance

import (
	"context"
	"strconv"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Watch serves the history after a version, and then what comes. A version that
// is forgotten is answered as the API server's watch cache does: by an ERROR event.
func (s *fakeServer) Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	if err := s.begin(ctx, "watch", options); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	from, err := strconv.Atoi(options.ResourceVersion)
	if err != nil || from == 0 {
		return nil, apierrors.NewBadRequest("this server watches from definite versions only")
	}
	if from > s.version {
		return nil, tooLargeVersion()
	}
	w := &watching{
		server:    s,
		result:    make(chan watch.Event),
		stopped:   make(chan struct{}),
		bookmarks: options.AllowWatchBookmarks,
	}
	for w.next < len(s.history) && s.history[w.next].version <= from {
		w.next++
	}
	if from < s.compacted {
		status := apierrors.NewResourceExpired("too old resource version").Status()
		w.ended, w.last = true, &status
	}
	s.watches[w] = struct{}{}
	go w.serve(ctx)
	return w, nil
}

// watching is one open watch. Its goroutine ends with Stop, with its context, or
// when the server ends it, and closes result.
type watching struct {
	server    *fakeServer
	result    chan watch.Event
	stopped   chan struct{}
	stopOnce  sync.Once
	bookmarks bool

	// The server's lock guards the fields below.
	next  int // into the history
	ended bool
	last  *metav1.Status // the ERROR event to end with
}

func (w *watching) ResultChan() <-chan watch.Event { return w.result }

func (w *watching) Stop() { w.stopOnce.Do(func() { close(w.stopped) }) }

func (w *watching) serve(ctx context.Context) {
	defer close(w.result)
	defer func() {
		w.server.mu.Lock()
		defer w.server.mu.Unlock()
		delete(w.server.watches, w)
	}()
	for {
		events, changed, ended := w.pending()
		for _, event := range events {
			select {
			case w.result <- event:
			case <-w.stopped:
				return
			case <-ctx.Done():
				return
			}
		}
		if ended {
			return
		}
		if len(events) > 0 {
			continue
		}
		select {
		case <-changed:
		case <-w.stopped:
			return
		case <-ctx.Done():
			return
		}
	}
}

// pending returns what is to be sent now, and whether it is the last.
func (w *watching) pending() (events []watch.Event, changed <-chan struct{}, ended bool) {
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	if w.ended {
		if w.last != nil {
			events = append(events, watch.Event{Type: watch.Error, Object: w.last})
		}
		return events, nil, true
	}
	for ; w.next < len(w.server.history); w.next++ {
		event := w.server.history[w.next].event
		if event.Type == watch.Bookmark && !w.bookmarks {
			continue
		}
		event.Object = event.Object.DeepCopyObject()
		events = append(events, event)
	}
	return events, w.server.changed, false
}
