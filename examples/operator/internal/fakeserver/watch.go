package fakeserver

import (
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"
)

// change is a write, as watches tell it.
type change struct {
	version   int
	resource  schema.GroupVersionResource
	namespace string
	event     watch.Event
}

// tell lets all watches know of a write. mu is held.
func (s *Server) tell(what watch.EventType, action clienttesting.Action, obj runtime.Object) {
	s.log = append(s.log, change{s.version, action.GetResource(), action.GetNamespace(), watch.Event{Type: what, Object: obj.DeepCopyObject()}})
	close(s.changed)
	s.changed = make(chan struct{})
}

// watcher is a watch. It ends with Stop only.
type watcher struct {
	events chan watch.Event
	stop   func()
	done   <-chan struct{} // closed by stop
}

func (w *watcher) ResultChan() <-chan watch.Event { return w.events }
func (w *watcher) Stop()                          { w.stop() }

func (s *Server) watch(action clienttesting.Action) (bool, watch.Interface, error) {
	since, err := strconv.Atoi(action.(clienttesting.WatchActionImpl).ListOptions.ResourceVersion)
	if err != nil {
		return true, nil, err
	}
	done := make(chan struct{})
	w := &watcher{make(chan watch.Event), sync.OnceFunc(func() { close(done) }), done}
	go s.feed(w, func(c change) bool {
		namespace := action.GetNamespace()
		return c.version > since && c.resource == action.GetResource() && (namespace == "" || namespace == c.namespace)
	})
	return true, w, nil
}

// feed sends w the changes that it wants.
func (s *Server) feed(w *watcher, wants func(change) bool) {
	defer close(w.events)
	for next := 0; ; {
		s.mu.Lock()
		changes, more := s.log[next:], s.changed
		s.mu.Unlock()
		next += len(changes)
		for _, c := range changes {
			if !wants(c) {
				continue
			}
			time.Sleep(s.Lag)
			select {
			case w.events <- watch.Event{Type: c.event.Type, Object: c.event.Object.DeepCopyObject()}:
			case <-w.done:
				return
			}
		}
		select {
		case <-more:
		case <-w.done:
			return
		}
	}
}
