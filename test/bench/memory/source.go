package memory

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// sourceKind is how a source delivers objects. client-go always reads from a typed
// client: a list with its items in one array, and a watch.Interface, which is a channel.
// The zero value is what ours is compared with that: a page of objects, as the decoder
// makes it of a body, and the same channel.
type sourceKind struct {
	// typed makes ours read the typed client's list, too.
	typed bool
	// batched makes ours read a stream of batches, as package wire makes it of a body.
	batched bool
	// unbuffered gives the channel no room, like that of client-go's REST client.
	unbuffered bool
}

const (
	// channelSize is the room of a channel for a burst of events.
	channelSize = 1024
	// batchSize is how many objects are in 64 KB, the size of one read.
	batchSize = 32
)

// source is the server of one informer.
type source struct {
	sourceKind
	*workload
	// A batched source has batches, all others have events.
	events  chan watch.Event
	watch   *watch.ProxyWatcher
	batches chan []cache.Event[*corev1.Pod]
}

func newSource(kind sourceKind, w *workload) *source {
	size := channelSize
	if kind.unbuffered {
		size = 0
	}
	s := &source{sourceKind: kind, workload: w, events: make(chan watch.Event, size), batches: make(chan []cache.Event[*corev1.Pod], channelSize/batchSize)}
	s.watch = watch.NewProxyWatcher(s.events)
	return s
}

// send returns a function that sends events as fast as the informer reads them, and that
// allocates nothing: what a decoder would have done is done before.
func (s *source) send(all []watch.Event) func() {
	if s.batched {
		batches := batchesOf(all)
		return func() {
			for _, batch := range batches {
				s.batches <- batch
			}
		}
	}
	return func() {
		for _, event := range all {
			s.events <- event
		}
	}
}

// List and Watch are those of a typed client.
func (s *source) List(context.Context, metav1.ListOptions) (*corev1.PodList, error) {
	return s.list, nil
}

func (s *source) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return s.watch, nil
}
