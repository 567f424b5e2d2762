package clientgo

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// The tests in this file call an adapter as libraries do that take informers of client-go. The
// interfaces have the methods of theirs.

// genericInformer is GenericInformer of client-go's informers.
type genericInformer interface {
	Informer() toolscache.SharedIndexInformer
	Lister() toolscache.GenericLister
}

var _ genericInformer = (*InformerAndLister)(nil)

// knativeInformer is controller.Informer of knative.dev/pkg.
type knativeInformer interface {
	Run(stop <-chan struct{})
	HasSynced() bool
}

// runKnative runs informers as RunInformers of knative.dev/pkg/controller does.
func runKnative(stop <-chan struct{}, all ...knativeInformer) (waitForEnd func(), err error) {
	var running sync.WaitGroup
	for _, informer := range all {
		running.Go(func() { informer.Run(stop) })
	}
	for i, informer := range all {
		if !toolscache.WaitForCacheSync(stop, informer.HasSynced) {
			return running.Wait, fmt.Errorf("informer %d is not synced", i)
		}
	}
	return running.Wait, nil
}

// duckFactory is apis/duck.InformerFactory of knative.dev/pkg.
type duckFactory interface {
	Get(context.Context, schema.GroupVersionResource) (toolscache.SharedIndexInformer, toolscache.GenericLister, error)
}

type duckFunc func() *InformerAndLister

func (f duckFunc) Get(context.Context, schema.GroupVersionResource) (toolscache.SharedIndexInformer, toolscache.GenericLister, error) {
	both := f()
	return both.Informer(), both.Lister(), nil
}

// TestKnative runs informers of ours as those of injection, with a filtered handler that enqueues
// keys, as its reconcilers have.
func TestKnative(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newSource(t, newObject("a/w", "red"), newObject("a/v", "blue"))
		both := GenericInformer(newInformer(source))
		var factory duckFactory = duckFunc(func() *InformerAndLister { return both })
		informer, lister, err := factory.Get(t.Context(), widgets)
		if err != nil {
			t.Fatal(err)
		}
		queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
		defer queue.ShutDown()
		enqueue := func(obj any) {
			key, err := toolscache.DeletionHandlingMetaNamespaceKeyFunc(obj)
			if err != nil {
				t.Error(err)
			}
			queue.Add(key)
		}
		_, err = informer.AddEventHandler(toolscache.FilteringResourceEventHandler{
			FilterFunc: func(obj any) bool {
				if tombstone, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
					obj = tombstone.Obj
				}
				return obj.(object).Labels["color"] == "red"
			},
			Handler: toolscache.ResourceEventHandlerFuncs{AddFunc: enqueue, UpdateFunc: func(_, obj any) { enqueue(obj) }, DeleteFunc: enqueue},
		})
		if err != nil {
			t.Fatal(err)
		}
		stop := make(chan struct{})
		waitForEnd, err := runKnative(stop, informer, SharedIndexInformer(newInformer(source)))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		wantQueued(t, queue, "a/w")
		if obj, err := lister.ByNamespace("a").Get("v"); err != nil || describe(obj) != "a/v blue" {
			t.Errorf("the lister has %v: %v", obj, err)
		}
		source.DeleteDropWatch(newObject("a/w", "red"))
		source.ResetWatch()
		time.Sleep(time.Minute)
		synctest.Wait()
		wantQueued(t, queue, "a/w")
		close(stop)
		waitForEnd()
	})
}

// wantQueued takes one key from a queue.
func wantQueued(t *testing.T, queue workqueue.TypedRateLimitingInterface[string], want string) {
	t.Helper()
	if queue.Len() != 1 {
		t.Fatalf("the queue has %d keys", queue.Len())
	}
	key, _ := queue.Get()
	queue.Done(key)
	if key != want {
		t.Errorf("the queue has %q, want %q", key, want)
	}
}

// certManagerInformer is Informer of cert-manager's internal/informers.
type certManagerInformer interface {
	AddEventHandler(handler toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error)
	HasSynced() bool
}

// certManagerPair is one handler for two informers of a kind, of which one has metadata only.
type certManagerPair struct {
	typed, metadata toolscache.SharedIndexInformer
}

func (p certManagerPair) HasSynced() bool { return p.typed.HasSynced() && p.metadata.HasSynced() }

func (p certManagerPair) AddEventHandler(handler toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error) {
	if _, err := p.metadata.AddEventHandler(handler); err != nil {
		return nil, err
	}
	return p.typed.AddEventHandler(handler)
}

// TestCertManager has an informer with a transform, as that of Secrets, and adds an index as the
// shim of Gateways does.
func TestCertManager(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		typed, metadata := SharedIndexInformer(newInformer(newSource(t, newObject("a/w", "red")))), SharedIndexInformer(newInformer(newSource(t, newObject("a/v", "red"))))
		for range 2 { // it is set by each call of Informer
			if err := metadata.SetTransform(func(obj any) (any, error) { obj.(object).Labels = nil; return obj, nil }); err != nil {
				t.Fatal(err)
			}
		}
		if err := typed.AddIndexers(toolscache.Indexers{"color": byColor}); err != nil {
			t.Fatal(err)
		}
		var informer certManagerInformer = certManagerPair{typed, metadata}
		heard := &recorder{}
		if _, err := informer.AddEventHandler(heard); err != nil {
			t.Fatal(err)
		}
		for _, one := range []toolscache.SharedIndexInformer{typed, metadata} {
			run(t, func(ctx context.Context) { one.Run(ctx.Done()) })
		}
		if !toolscache.WaitForNamedCacheSync("certificates", t.Context().Done(), informer.HasSynced) {
			t.Fatal("it is not synced")
		}
		synctest.Wait()
		wantSorted(t, heard.take(), "add a/v  initial=true", "add a/w red initial=true")
		if objs, err := typed.GetIndexer().ByIndex("color", "red"); err != nil || len(objs) != 1 {
			t.Errorf("the index has %v: %v", objs, err)
		}
	})
}

// istioClient reads an informer as informerClient of istio's pkg/kube/kclient does.
type istioClient[T any] struct {
	informer   toolscache.SharedIndexInformer
	registered []toolscache.ResourceEventHandlerRegistration
}

// newIstioClient sets up an informer as istio's pkg/config/schema/kubeclient does, and runs it.
func newIstioClient[T any](t *testing.T, informer toolscache.SharedIndexInformer) *istioClient[T] {
	strip := func(obj any) (any, error) { return obj, nil }
	if err := informer.SetTransform(strip); err != nil {
		t.Error(err)
	}
	if err := informer.SetWatchErrorHandler(func(r *toolscache.Reflector, err error) { toolscache.DefaultWatchErrorHandler(t.Context(), r, err) }); err != nil {
		t.Error(err)
	}
	run(t, func(ctx context.Context) { informer.Run(ctx.Done()) })
	return &istioClient[T]{informer: informer}
}

func (c *istioClient[T]) get(name, namespace string) (none T) {
	key := name
	if namespace != "" {
		key = namespace + "/" + name
	}
	obj, exists, err := c.informer.GetIndexer().GetByKey(key)
	if err != nil || !exists {
		return none
	}
	return obj.(T)
}

func (c *istioClient[T]) list(namespace string, selector labels.Selector) (all []T) {
	_ = toolscache.ListAllByNamespace(c.informer.GetIndexer(), namespace, selector, func(obj any) { all = append(all, obj.(T)) })
	return all
}

// lookup adds an index at the first call, also while the informer runs.
func (c *istioClient[T]) lookup(index, value string, extract func(T) []string) []any {
	if _, known := c.informer.GetIndexer().GetIndexers()[index]; !known {
		_ = c.informer.AddIndexers(toolscache.Indexers{index: func(obj any) ([]string, error) { return extract(obj.(T)), nil }})
	}
	objs, _ := c.informer.GetIndexer().ByIndex(index, value)
	return objs
}

func (c *istioClient[T]) addEventHandler(handler toolscache.ResourceEventHandler) toolscache.ResourceEventHandlerRegistration {
	registration, err := c.informer.AddEventHandler(toolscache.FilteringResourceEventHandler{FilterFunc: func(any) bool { return true }, Handler: handler})
	if err != nil {
		return nil
	}
	c.registered = append(c.registered, registration)
	return registration
}

func (c *istioClient[T]) hasSynced() bool {
	for _, registration := range c.registered {
		if !registration.HasSynced() {
			return false
		}
	}
	return c.informer.HasSynced()
}

func (c *istioClient[T]) shutdownHandlers() {
	for _, registration := range c.registered {
		_ = c.informer.RemoveEventHandler(registration)
	}
	c.registered = nil
}

func TestIstio(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newSource(t, newObject("a/w", "red"), newObject("b/v", "blue"))
		client := newIstioClient[object](t, NewSharedIndexInformer(source, newObject("w", ""), 0, toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc}))
		heard := &recorder{}
		first := client.addEventHandler(heard)
		second := client.addEventHandler(heard)
		if first == second || client.hasSynced() {
			t.Error("two handlers have one registration, or are synced before the first list")
		}
		if !waitFor(t.Context(), first, second) || !client.hasSynced() {
			t.Error("it is not synced")
		}
		keys := sets.New[string]()
		for _, obj := range append(client.list("", labels.Everything()), client.list("a", labels.SelectorFromSet(labels.Set{"color": "red"}))...) {
			keys.Insert(cache.MetaNamespaceKeyFunc(obj))
		}
		if !keys.Equal(sets.New("a/w", "b/v")) || client.get("v", "b") == nil || client.get("v", "a") != nil || client.get("v", "") != nil {
			t.Errorf("it has %v", keys)
		}
		colors := func(obj object) []string { return []string{obj.Labels["color"]} }
		namespaces := func(obj object) []string { return []string{obj.Namespace} }
		for range 2 {
			if len(client.lookup("color", "blue", colors)) != 1 || len(client.lookup(toolscache.NamespaceIndex, "a", namespaces)) != 1 {
				t.Error("the indexes are wrong")
			}
		}
		heard.take()
		client.shutdownHandlers()
		source.Add(newObject("a/u", "red"))
		synctest.Wait()
		wantLines(t, heard.take())
	})
}

// TestWaitInAFactoryOfClientGo waits for an adapter as WaitForCacheSync of client-go's factories
// does.
func TestWaitInAFactoryOfClientGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		informer := SharedIndexInformer(newInformer(newSource(t)))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if waitFor(ctx, informer) {
			t.Error("it is synced before the start")
		}
		var group wait.Group
		ctx, cancel = context.WithCancel(t.Context())
		group.StartWithContext(ctx, informer.RunWithContext)
		if !toolscache.WaitForNamedCacheSyncWithContext(ctx, informer.HasSynced) {
			t.Error("it is not synced")
		}
		cancel()
		group.Wait()
	})
}
