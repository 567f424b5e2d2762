package memory

import (
	"context"
	"io"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	corelisters "k8s.io/client-go/listers/core/v1"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/bench/meter"
)

func ourIndexers(count int) cache.Indexers[*corev1.Pod] {
	indexers := cache.Indexers[*corev1.Pod]{}
	for _, index := range chosen(count) {
		indexers[index.name] = cache.IndexFunc[*corev1.Pod](index.values)
	}
	return indexers
}

func newOurCache(pods []*corev1.Pod, indexes int) (any, error) {
	indexer := cache.NewIndexer(ourIndexers(indexes))
	indexer.Replace(pods)
	return indexer, nil
}

func newOurs(s *source, indexes int, counters meter.Counters) (*informer, error) {
	source := cache.NewListWatch[*corev1.Pod](s)
	if !s.typed {
		page := cache.Page[*corev1.Pod]{Items: make([]cache.Item[*corev1.Pod], len(s.pods)), ResourceVersion: s.list.ResourceVersion}
		for i, pod := range s.pods {
			page.Items[i].Object = pod
		}
		source = listing{source, page}
	}
	if s.batched {
		source = watching{source, s}
	}
	kind := cache.Kind[*corev1.Pod]{
		Resource:  corev1.SchemeGroupVersion.WithResource("pods"),
		ListWatch: func(string) cache.ListerWatcher[*corev1.Pod] { return source },
		Indexers:  ourIndexers(indexes),
	}
	i, err := kind.NewInformer(cache.WithoutStreamingList())
	if err != nil {
		return nil, err
	}
	for _, c := range counters {
		if _, err := i.AddEventHandler(cache.ResourceEventHandlerFuncs[*corev1.Pod]{
			AddFunc:    func(*corev1.Pod, bool) { c.Add() },
			UpdateFunc: func(_, after *corev1.Pod) { c.Update(after) },
			DeleteFunc: func(*corev1.Pod, bool) { c.Delete() },
		}); err != nil {
			return nil, err
		}
	}
	lister := generatedLister{cache.NewLister(i.GetIndexer(), corev1.Resource("pods"))}
	return &informer{
		run:    func(ctx context.Context) { i.Run(ctx) },
		lister: lister,
		byNode: func(node string) (int, error) {
			pods, err := lister.ByIndex(nodeIndex, node)
			return len(pods), err
		},
		byIndex: lister.ByIndex,
	}, nil
}

// listing has a page that is already made.
type listing struct {
	cache.ListerWatcher[*corev1.Pod]
	page cache.Page[*corev1.Pod]
}

func (l listing) List(context.Context, metav1.ListOptions) (cache.Page[*corev1.Pod], error) {
	return l.page, nil
}

// watching has a watch of batches.
type watching struct {
	cache.ListerWatcher[*corev1.Pod]
	of *source
}

func (w watching) Watch(context.Context, metav1.ListOptions) (cache.EventStream[*corev1.Pod], error) {
	return &batchStream{batches: w.of.batches, stopped: make(chan struct{})}, nil
}

// generatedLister and generatedNamespaceLister are as informer-gen generates them.
type generatedLister struct{ *cache.Lister[*corev1.Pod] }

func (l generatedLister) Pods(namespace string) corelisters.PodNamespaceLister {
	return generatedNamespaceLister{l.Namespace(namespace)}
}

type generatedNamespaceLister struct {
	*cache.NamespaceLister[*corev1.Pod]
}

// batchStream is an EventStream on a channel of batches.
type batchStream struct {
	batches <-chan []cache.Event[*corev1.Pod]
	stopped chan struct{}
	once    sync.Once
}

// Next returns the events that are there, up to as many as package wire returns at once.
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

// batchesOf returns events in the batches of a batchStream.
func batchesOf(all []watch.Event) (batches [][]cache.Event[*corev1.Pod]) {
	for chunk := range slices.Chunk(all, batchSize) {
		batch := make([]cache.Event[*corev1.Pod], len(chunk))
		for i, event := range chunk {
			pod := event.Object.(*corev1.Pod)
			batch[i] = cache.Event[*corev1.Pod]{Type: event.Type, Item: cache.Item[*corev1.Pod]{Object: pod}, ResourceVersion: pod.ResourceVersion}
		}
		batches = append(batches, batch)
	}
	return batches
}
