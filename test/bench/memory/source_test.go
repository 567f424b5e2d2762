package memory

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// channelSize is the room of a channel for a burst of events.
const channelSize = 1024

// source is the server of one informer. It is a typed client: a list with its items in one array, and a
// watch.Interface, which is a channel.
type source struct {
	*workload
	events chan watch.Event
	watch  *watch.ProxyWatcher
}

// newSource returns a source whose channel has the given room. That of client-go's REST client has none.
func newSource(room int, w *workload) *source {
	s := &source{workload: w, events: make(chan watch.Event, room)}
	s.watch = watch.NewProxyWatcher(s.events)
	return s
}

// send sends events as fast as the informer reads them. It allocates nothing: what a decoder would have done is done before.
func (s *source) send(all []watch.Event) {
	for _, event := range all {
		s.events <- event
	}
}

// List and Watch are those of a typed client.
func (s *source) List(context.Context, metav1.ListOptions) (*corev1.PodList, error) {
	return s.list, nil
}

func (s *source) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return s.watch, nil
}
