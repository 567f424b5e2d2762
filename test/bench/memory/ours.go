package memory

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// ours is this runtime.
type ours struct{}

func (ours) indexers(count int) cache.Indexers[*corev1.Pod] {
	indexers := cache.Indexers[*corev1.Pod]{}
	for _, index := range chosen(count) {
		indexers[index.name] = cache.IndexFunc[*corev1.Pod](index.values)
	}
	return indexers
}

func (o ours) cacheOf(pods []*corev1.Pod, count int) (any, error) {
	indexer := cache.NewIndexer(o.indexers(count))
	indexer.Replace(pods)
	return indexer, nil
}

func (o ours) informer(s *source, count int, counters []*counter) (instance, error) {
	source := cache.NewListWatch[*corev1.Pod](s)
	if !s.kind.isTyped() {
		source.ListFunc = s.listPage
	}
	if s.kind == batched {
		source.WatchFunc = func(context.Context, metav1.ListOptions) (cache.EventStream[*corev1.Pod], error) {
			return newBatchStream(s.batches), nil
		}
	}
	informer := cache.NewSharedIndexInformer(cache.Config[*corev1.Pod]{
		Resource:      corev1.SchemeGroupVersion.WithResource("pods"),
		ListerWatcher: source,
		Indexers:      o.indexers(count),
		Settings:      cache.Settings{WithoutStreamingList: true},
	})
	for _, c := range counters {
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs[*corev1.Pod]{
			AddFunc:    func(*corev1.Pod, bool) { c.add() },
			UpdateFunc: func(_, after *corev1.Pod) { c.update(after) },
			DeleteFunc: func(*corev1.Pod, bool) { c.delete() },
		}); err != nil {
			return nil, err
		}
	}
	return &ourInstance{informer, generatedLister{cache.NewLister(informer.GetIndexer(), corev1.Resource("pods"))}}, nil
}

type ourInstance struct {
	informer *cache.SharedIndexInformer[*corev1.Pod]
	lister   podLister
}

func (i *ourInstance) run(ctx context.Context) { i.informer.Run(ctx) }

func (i *ourInstance) get(names []cache.ObjectName, first, count int) error {
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

func (i *ourInstance) listNamespace(namespace string) (int, error) {
	pods, err := i.lister.Pods(namespace).List(labels.Everything())
	return len(pods), err
}

func (i *ourInstance) listAll() (int, error) {
	pods, err := i.lister.List(labels.Everything())
	return len(pods), err
}

func (i *ourInstance) byNode(node string) (int, error) {
	pods, err := i.lister.ByNode(node)
	return len(pods), err
}

func (i *ourInstance) read(namespace string, values map[string]string) (map[string][]*corev1.Pod, error) {
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
		if results[index], err = i.informer.GetIndexer().ByIndex(index, value); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// podLister and podNamespaceLister are what informer-gen makes of a kind.
type podLister interface {
	List(selector labels.Selector) ([]*corev1.Pod, error)
	Pods(namespace string) podNamespaceLister
	ByNode(value string) ([]*corev1.Pod, error)
}

type podNamespaceLister interface {
	List(selector labels.Selector) ([]*corev1.Pod, error)
	Get(name string) (*corev1.Pod, error)
}

type generatedLister struct{ *cache.Lister[*corev1.Pod] }

func (l generatedLister) Pods(namespace string) podNamespaceLister {
	return generatedNamespaceLister{l.Namespace(namespace)}
}

func (l generatedLister) ByNode(value string) ([]*corev1.Pod, error) {
	return l.ByIndex(nodeIndex, value)
}

type generatedNamespaceLister struct {
	*cache.NamespaceLister[*corev1.Pod]
}
