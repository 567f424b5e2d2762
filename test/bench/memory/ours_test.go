package memory

import (
	"context"

	corev1 "k8s.io/api/core/v1"
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
	kind := cache.Kind[*corev1.Pod]{
		Resource:  corev1.SchemeGroupVersion.WithResource("pods"),
		ListWatch: func(string) cache.ListerWatcher[*corev1.Pod] { return cache.NewListWatch[*corev1.Pod](s) },
		Indexers:  ourIndexers(indexes),
	}
	i, err := kind.NewInformer()
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

// generatedLister and generatedNamespaceLister are as informer-gen generates them.
type generatedLister struct{ *cache.Lister[*corev1.Pod] }

func (l generatedLister) Pods(namespace string) corelisters.PodNamespaceLister {
	return generatedNamespaceLister{l.Namespace(namespace)}
}

type generatedNamespaceLister struct {
	*cache.NamespaceLister[*corev1.Pod]
}
