package cachewrite

import (
	"context"
	"sort"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	typed "github.com/typedinformers/informer-gen/runtime/cache"

	"cachewrite/other"
)

func field(lister listers.PodNamespaceLister) error {
	pod, err := lister.Get("a")
	if err != nil {
		return err
	}
	pod.Spec.NodeName = "b" // want `this write to Spec.NodeName changes the object in the cache that PodNamespaceLister.Get returned`
	pod.Name = "c"          // The first finding stands for the object.
	return nil
}

func parts(lister listers.PodNamespaceLister) {
	a, _ := lister.Get("a")
	a.Labels["x"] = "y" // want `this write to Labels changes`
	b, _ := lister.Get("b")
	all := b.GetAnnotations()
	all["x"] = "y" // want `this write to GetAnnotations\(\) changes`
	c, _ := lister.Get("c")
	delete(c.Labels, "x") // want `this delete from Labels changes`
	d, _ := lister.Get("d")
	for n := range d.Spec.Containers {
		d.Spec.Containers[n].Image = "x" // want `this write to Spec.Containers\[…\].Image changes`
	}
	e, _ := lister.Get("e")
	sort.Strings(e.Finalizers) // want `this call of Strings changes`
	f, _ := lister.Get("f")
	f.SetLabels(nil) // want `this call of SetLabels changes`
	g, _ := lister.Get("g")
	g.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // want `this call of SetGroupVersionKind changes`
	h, _ := lister.Get("h")
	finalizers := append(h.Finalizers, "x") // want `this append to Finalizers may write to memory of the object in the cache that PodNamespaceLister.Get returned`
	_ = finalizers
	k, _ := lister.Get("k")
	rest := append(k.Finalizers[:1], k.Finalizers[2:]...) // want `this append to a part of Finalizers changes the object`
	_ = rest
	i, _ := lister.Get("i")
	short := *i
	short.Name = "x"
	short.Labels["x"] = "y" // want `this write to Labels changes`
	j, _ := lister.Get("j")
	metadata := &corev1.Pod{ObjectMeta: j.ObjectMeta}
	if metadata.Annotations == nil {
		metadata.Annotations = map[string]string{}
	}
	metadata.Annotations["x"] = "y" // want `this write to Annotations changes`
}

func lists(lister listers.PodLister, informer cache.SharedIndexInformer, own cache.Store) {
	pods, _ := lister.List(labels.Everything())
	sort.Slice(pods, func(a, b int) bool { return pods[a].Name < pods[b].Name })
	pods[0] = nil
	for _, pod := range pods {
		pod.Name = "a" // want `this write to Name changes the object in the cache that PodLister.List returned`
	}
	byName := map[string]*corev1.Pod{}
	more, _ := lister.List(labels.Everything())
	for _, pod := range more {
		byName[pod.Name] = pod
	}
	byName["a"].Spec.NodeName = "b" // want `this write to Spec.NodeName changes`
	objs, _ := informer.GetIndexer().ByIndex("node", "a")
	for _, obj := range objs {
		if pod, is := obj.(*corev1.Pod); is {
			pod.Name = "a" // want `this write to Name changes the object in the cache that Indexer.ByIndex returned`
		}
	}
	for _, obj := range own.List() { // The program fills this store.
		obj.(*corev1.Pod).Name = "a"
	}
}

func change(pod *corev1.Pod) { pod.Spec.NodeName = "a" }

func first(pods []*corev1.Pod) *corev1.Pod { return pods[0] }

func find(lister listers.PodNamespaceLister) (*corev1.Pod, error) { return lister.Get("a") }

func functions(lister listers.PodLister) {
	pods, _ := lister.List(labels.Everything())
	change(first(pods)) // want `calling change changes the object in the cache that PodLister.List returned \(write to Spec.NodeName in cachewrite.go:\d+\)`
	pod, _ := find(lister.Pods("a"))
	pod.Name = "b" // want `this write to Name changes`
	found, _ := other.Find(lister)
	other.Label(found) // want `calling Label changes the object in the cache that PodNamespaceLister.Get returned \(write to Labels in other.go:\d+\)`
	last, _ := find(lister.Pods("b"))
	func() {
		last.Name = "c" // want `this write to Name changes`
	}()
}

func events(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(oldObj, newObj any) {
			newObj.(*corev1.Pod).Name = "a" // want `this write to Name changes the object in the cache that the event handler got`
		},
	})
	_ = handler.Funcs{CreateFunc: func(ctx context.Context, e event.CreateEvent) {
		e.Object.SetLabels(nil) // want `this call of SetLabels changes`
	}}
	handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, obj client.Object) []string {
		obj.GetLabels()["a"] = "b" // want `this write to GetLabels\(\) changes`
		return nil
	})
}

func unsafeLists(ctx context.Context, c client.Client) {
	var pods corev1.PodList
	c.List(ctx, &pods, client.InNamespace("a"), client.UnsafeDisableDeepCopy)
	for n := range pods.Items {
		pods.Items[n].Name = "a"
		pods.Items[n].Labels["a"] = "b" // want `this write to Items\[…\].Labels changes the object in the cache that List with UnsafeDisableDeepCopy returned`
	}
}

func typedCaches(lister *typed.Lister[*corev1.Pod], informer *typed.SharedIndexInformer[*corev1.Pod]) {
	pod, _ := lister.Get("a")
	pod.Name = "b" // want `this write to Name changes the object in the cache that Lister.Get returned`
	for pod := range informer.GetIndexer().All() {
		pod.Name = "a" // want `this write to Name changes`
	}
}

func right(ctx context.Context, lister listers.PodNamespaceLister, all listers.PodLister, c client.Client) {
	pod, _ := lister.Get("a")
	pod = pod.DeepCopy()
	pod.Labels["a"] = "b"
	var other1 corev1.Pod
	other1 = *pod
	other1.Labels["a"] = "b"
	cached, _ := lister.Get("b")
	changed := other.LabelCopy(cached.DeepCopy())
	changed.Name = "a"
	finalizers := append(cached.Finalizers[:1:1], "x")
	_ = finalizers
	safe, _ := other.FindCopy(all)
	safe.Name = "b"
	maybe, _ := lister.Get("c")
	if maybe.Name == "" {
		maybe = maybe.DeepCopy()
	}
	if maybe.Name == "" {
		maybe.Name = "a"
	}
	short := *cached
	short.Labels = map[string]string{}
	short.Labels["a"] = "b"
	var pods corev1.PodList
	c.List(ctx, &pods)
	pods.Items[0].Labels["a"] = "b"
	name := cached.Name
	name += "x"
	_ = name
}

func fresh(lister listers.PodNamespaceLister) {
	pod, err := lister.Get("a")
	if err != nil {
		pod = &corev1.Pod{}
	}
	if pod.ResourceVersion == "" {
		pod.Name = "a"
	}
}

func pageWrong(lister listers.PodNamespaceLister, name, owner string) error {
	pod, err := lister.Get(name)
	if err != nil {
		return err
	}
	pod.Labels["owner"] = owner // want `changes the object in the cache`
	return nil
}

func pageRight(lister listers.PodNamespaceLister, name, owner string) error {
	pod, err := lister.Get(name)
	if err != nil {
		return err
	}
	pod = pod.DeepCopy()
	pod.Labels["owner"] = owner
	return nil
}
