package memory

import (
	"context"
	"io"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// sourceKind is where an informer reads from.
type sourceKind int

const (
	// typed is a typed client: a list with its items in one array, and a
	// watch.Interface, which is a channel. All that client-go has is this.
	typed sourceKind = iota
	// paged is a page of objects, and a watch.Interface.
	paged
	// batched is a page of objects, and a stream in batches: what package wire makes
	// of a body.
	batched
	// unbuffered is a page of objects, and a watch.Interface whose channel has no room,
	// as that of client-go's REST client has none.
	unbuffered
	// typedUnbuffered is a typed client, with such a channel.
	typedUnbuffered
)

func (k sourceKind) isTyped() bool { return k == typed || k == typedUnbuffered }

func (k sourceKind) isUnbuffered() bool { return k == unbuffered || k == typedUnbuffered }

const (
	// channelSize is that of the channel of a watch, so that bursts are seen as such.
	channelSize = 1024
	// batchSize is how many objects stand in 64 KB, which are read at once.
	batchSize = 32
)

// source is the server of one informer.
type source struct {
	kind sourceKind
	list *corev1.PodList
	// items belong to the informer.
	items   []cache.Item[*corev1.Pod]
	watch   *channelWatch
	batches chan []cache.Event[*corev1.Pod]
}

func newSource(kind sourceKind, w *workload) *source {
	size := channelSize
	if kind.isUnbuffered() {
		size = 0
	}
	s := &source{kind: kind, list: w.list, watch: newChannelWatch(size), batches: make(chan []cache.Event[*corev1.Pod], channelSize/batchSize)}
	if !kind.isTyped() {
		s.items = make([]cache.Item[*corev1.Pod], len(w.pods))
		for i, pod := range w.pods {
			s.items[i].Object = pod
		}
	}
	return s
}

// send returns a function that sends events as fast as the informer reads, and
// allocates nothing. What a decoder would have done is done before.
func (s *source) send(all []watch.Event) func() {
	if s.kind != batched {
		return func() {
			for _, event := range all {
				s.watch.events <- event
			}
		}
	}
	events := make([]cache.Event[*corev1.Pod], len(all))
	for i, event := range all {
		pod := event.Object.(*corev1.Pod)
		events[i] = cache.Event[*corev1.Pod]{Type: event.Type, Item: cache.Item[*corev1.Pod]{Object: pod}, ResourceVersion: pod.ResourceVersion}
	}
	return func() {
		for rest := events; len(rest) > 0; {
			n := min(batchSize, len(rest))
			s.batches <- rest[:n]
			rest = rest[n:]
		}
	}
}

func allModified(pods []*corev1.Pod) []watch.Event {
	events := make([]watch.Event, len(pods))
	for i, pod := range pods {
		events[i] = modified(pod)
	}
	return events
}

func modified(pod *corev1.Pod) watch.Event { return watch.Event{Type: watch.Modified, Object: pod} }

// listPage is a ListFunc of ours.
func (s *source) listPage(context.Context, metav1.ListOptions) (cache.Page[*corev1.Pod], error) {
	return cache.Page[*corev1.Pod]{Items: s.items, ResourceVersion: s.list.ResourceVersion}, nil
}

// List and Watch are those of a typed client.
func (s *source) List(context.Context, metav1.ListOptions) (*corev1.PodList, error) {
	return s.list, nil
}

func (s *source) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return s.watch, nil
}

// channelWatch is a watch.Interface on a channel, without a lock.
type channelWatch struct {
	events chan watch.Event
	once   sync.Once
}

func newChannelWatch(size int) *channelWatch {
	return &channelWatch{events: make(chan watch.Event, size)}
}

func (w *channelWatch) ResultChan() <-chan watch.Event { return w.events }

// Stop is called when all has been sent.
func (w *channelWatch) Stop() { w.once.Do(func() { close(w.events) }) }

// batchStream is an EventStream on a channel of batches.
type batchStream struct {
	batches <-chan []cache.Event[*corev1.Pod]
	stopped chan struct{}
	once    sync.Once
}

func newBatchStream(batches <-chan []cache.Event[*corev1.Pod]) *batchStream {
	return &batchStream{batches: batches, stopped: make(chan struct{})}
}

// Next returns what is there, up to as much as package wire returns at once.
func (s *batchStream) Next(ctx context.Context, reuse []cache.Event[*corev1.Pod]) ([]cache.Event[*corev1.Pod], error) {
	var all []cache.Event[*corev1.Pod]
	select {
	case events := <-s.batches:
		all = append(reuse[:0], events...)
	case <-s.stopped:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for len(all) < channelSize {
		select {
		case events := <-s.batches:
			all = append(all, events...)
		default:
			return all, nil
		}
	}
	return all, nil
}

func (s *batchStream) Stop() { s.once.Do(func() { close(s.stopped) }) }
