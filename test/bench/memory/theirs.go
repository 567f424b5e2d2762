package memory

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	ourcache "github.com/typedinformers/informer-gen/runtime/cache"
)

// theirs is client-go as it comes.
type theirs struct{}

// indexers are none at all if count is 0.
func (theirs) indexers(count int) cache.Indexers {
	indexers := cache.Indexers{}
	if count > 0 {
		indexers[cache.NamespaceIndex] = cache.MetaNamespaceIndexFunc
	}
	for _, index := range chosen(count) {
		indexers[index.name] = func(obj any) ([]string, error) { return index.values(obj.(*corev1.Pod)), nil }
	}
	return indexers
}

func (t theirs) cacheOf(pods []*corev1.Pod, count int) (any, error) {
	indexer := cache.NewIndexer(cache.DeletionHandlingMetaNamespaceKeyFunc, t.indexers(count))
	objs := make([]any, len(pods))
	for i, pod := range pods {
		objs[i] = pod
	}
	return indexer, indexer.Replace(objs, "1")
}

func (t theirs) informer(s *source, count int, counters []*counter) (instance, error) {
	informer := cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return s.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return s.Watch(ctx, options)
		},
	}, &corev1.Pod{}, 0, t.indexers(count))
	for _, c := range counters {
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { c.add() },
			UpdateFunc: func(_, after any) { c.update(after.(*corev1.Pod)) },
			DeleteFunc: func(any) { c.delete() },
		}); err != nil {
			return nil, err
		}
	}
	return &theirInstance{informer, corelisters.NewPodLister(informer.GetIndexer())}, nil
}

type theirInstance struct {
	informer cache.SharedIndexInformer
	lister   corelisters.PodLister
}

func (i *theirInstance) run(ctx context.Context) { i.informer.RunWithContext(ctx) }

func (i *theirInstance) get(names []ourcache.ObjectName, first, count int) error {
	for range count {
		if first += stride; first >= len(names) {
			first %= len(names)
		}
		pod, err := i.lister.Pods(names[first].Namespace).Get(names[first].Name)
		if err != nil {
			return err
		}
		if pod.Name != names[first].Name {
			return errOther
		}
	}
	return nil
}

func (i *theirInstance) listNamespace(namespace string) (int, error) {
	pods, err := i.lister.Pods(namespace).List(labels.Everything())
	return len(pods), err
}

func (i *theirInstance) listAll() (int, error) {
	pods, err := i.lister.List(labels.Everything())
	return len(pods), err
}

func (i *theirInstance) byNode(node string) (int, error) {
	pods, err := i.informer.GetIndexer().ByIndex(nodeIndex, node)
	return len(pods), err
}

func (i *theirInstance) read(namespace string, values map[string]string) (map[string][]*corev1.Pod, error) {
	all, err := i.lister.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	ofNamespace, err := i.lister.Pods(namespace).List(labels.Everything())
	if err != nil {
		return nil, err
	}
	results := map[string][]*corev1.Pod{"all": all, "namespace": ofNamespace}
	for index, value := range values {
		objs, err := i.informer.GetIndexer().ByIndex(index, value)
		if err != nil {
			return nil, err
		}
		for _, obj := range objs {
			results[index] = append(results[index], obj.(*corev1.Pod))
		}
	}
	return results, nil
}
