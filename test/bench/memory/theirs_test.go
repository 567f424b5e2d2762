package memory

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/test/bench/meter"
)

// theirIndexers are empty if count is 0. All other caches have the index by namespace, as
// every cache of ours has it.
func theirIndexers(count int) cache.Indexers {
	indexers := cache.Indexers{}
	if count > 0 {
		indexers[cache.NamespaceIndex] = cache.MetaNamespaceIndexFunc
	}
	for _, index := range chosen(count) {
		indexers[index.name] = func(obj any) ([]string, error) { return index.values(obj.(*corev1.Pod)), nil }
	}
	return indexers
}

func newTheirCache(pods []*corev1.Pod, indexes int) (any, error) {
	indexer := cache.NewIndexer(cache.DeletionHandlingMetaNamespaceKeyFunc, theirIndexers(indexes))
	objs := make([]any, len(pods))
	for i, pod := range pods {
		objs[i] = pod
	}
	return indexer, indexer.Replace(objs, "1")
}

func newTheirs(s *source, indexes int, counters meter.Counters) (*informer, error) {
	i := cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return s.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return s.Watch(ctx, options)
		},
	}, &corev1.Pod{}, 0, theirIndexers(indexes))
	for _, c := range counters {
		if _, err := i.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { c.Add() },
			UpdateFunc: func(_, after any) { c.Update(after.(*corev1.Pod)) },
			DeleteFunc: func(any) { c.Delete() },
		}); err != nil {
			return nil, err
		}
	}
	return &informer{
		run:    i.RunWithContext,
		lister: corelisters.NewPodLister(i.GetIndexer()),
		byNode: func(node string) (int, error) {
			pods, err := i.GetIndexer().ByIndex(nodeIndex, node)
			return len(pods), err
		},
		byIndex: func(index, value string) (pods []*corev1.Pod, err error) {
			objs, err := i.GetIndexer().ByIndex(index, value)
			for _, obj := range objs {
				pods = append(pods, obj.(*corev1.Pod))
			}
			return pods, err
		},
	}, nil
}
