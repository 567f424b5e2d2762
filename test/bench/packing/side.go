package packing

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/listers"
	"k8s.io/client-go/rest"
	clientcache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/packed"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// objects are the objects of a benchmark, and who serves them.
type objects struct {
	*source
	count    int
	resource schema.GroupVersionResource
	kind     schema.GroupVersionKind
	empty    func() client.Object
	// field is one of an object's own fields. list is the lister that lister-gen generates.
	field func(client.Object) string
	list  func(clientcache.Indexer) func(name cache.ObjectName) (client.Object, error)
	// ours makes our informer. Only its Go type is erased.
	ours func(set ...cache.SharedInformerOption) (ours, error)
}

// ours is an informer of this project.
type ours struct {
	run    func(context.Context)
	synced cache.Syncer
	// handle adds a handler of objects or of names, which calls seen.
	handle func(names bool, seen func()) (cache.ResourceEventHandlerRegistration, error)
	// get returns an object of the lister.
	get func(name cache.ObjectName) (client.Object, error)
}

// nodeIndex is the index of pods, besides the one by namespace.
const nodeIndex = "node"

func objectsOf[T interface {
	client.Object
	cache.Object
}](from *source, count int, resource schema.GroupVersionResource, kind string, empty func() T, field func(T) string, indexers cache.Indexers[T]) objects {
	o := objects{
		source: from, count: count, resource: resource, kind: resource.GroupVersion().WithKind(kind), empty: func() client.Object { return empty() },
		field: func(obj client.Object) string { return field(obj.(T)) },
		list: func(indexer clientcache.Indexer) func(cache.ObjectName) (client.Object, error) {
			all := listers.New[T](indexer, resource.GroupResource())
			return func(name cache.ObjectName) (client.Object, error) {
				return listers.NewNamespaced(all, name.Namespace).Get(name.Name)
			}
		},
	}
	k := cache.Kind[T]{Resource: resource, Namespaced: true, Indexers: indexers, Open: func(string) bodies.OpenFunc { return from.open }}
	if from.isProtobuf() {
		k.Protobuf = empty()
	}
	o.ours = func(set ...cache.SharedInformerOption) (ours, error) {
		informer, err := k.NewInformer(set...)
		if err != nil {
			return ours{}, err
		}
		lister := cache.NewLister(informer.GetIndexer(), resource.GroupResource())
		return ours{informer.Run, informer, func(names bool, seen func()) (cache.ResourceEventHandlerRegistration, error) {
			if names {
				return informer.AddEventHandler(cache.ObjectNameHandler[T](func(cache.ObjectName) { seen() }))
			}
			return informer.AddEventHandler(cache.ResourceEventHandlerFuncs[T]{
				AddFunc: func(T, bool) { seen() }, UpdateFunc: func(T, T) { seen() },
			})
		}, func(name cache.ObjectName) (client.Object, error) {
			return lister.Namespace(name.Namespace).Get(name.Name)
		}}, nil
	}
	return o
}

// following is a cache that follows a source. seen counts the calls of its handler.
type following struct {
	get  func(name cache.ObjectName) (client.Object, error)
	seen *atomic.Int64
	stop func()
}

// side is a cache to compare.
type side struct {
	cache, project string
	follow         func(t testing.TB, o objects) following
}

var sides = []side{
	{"informer", "client-go", clientGo},
	{"informer", "informer-gen", informerGen(false)},
	{"packed", "informer-gen", informerGen(false, packed.WithPackedObjects())},
	{"packed-names", "informer-gen", informerGen(true, packed.WithPackedObjects())},
	{"manager", "controller-runtime", controllerRuntime(ctrlcache.New)},
	{"manager", "informer-gen", controllerRuntime(crcache.New)},
	{"manager-packed", "informer-gen", controllerRuntime(crcache.NewFunc(crcache.WithPackedObjects(packed.Compression{})))},
}

// informerGen returns a side of this project, with a handler of names or of objects.
func informerGen(names bool, set ...cache.SharedInformerOption) func(testing.TB, objects) following {
	return func(t testing.TB, o objects) following {
		t.Helper()
		informer, err := o.ours(set...)
		if err != nil {
			t.Fatal(err)
		}
		f := following{get: informer.get, seen: new(atomic.Int64)}
		handler, err := informer.handle(names, func() { f.seen.Add(1) })
		if err != nil {
			t.Fatal(err)
		}
		f.run(t, informer.run, handler.Synced())
		return f
	}
}

// clientGo has the index of the other side.
func clientGo(t testing.TB, o objects) following {
	t.Helper()
	lw := clientcache.NewListWatchFromClient(restClient(t, o), o.resource.Resource, "", fields.Everything())
	indexers := clientcache.Indexers{clientcache.NamespaceIndex: clientcache.MetaNamespaceIndexFunc}
	if o.resource.Resource == "pods" {
		indexers[nodeIndex] = func(obj any) ([]string, error) { return []string{obj.(*corev1.Pod).Spec.NodeName}, nil }
	}
	informer := clientcache.NewSharedIndexInformer(lw, o.empty(), 0, indexers)
	f := following{seen: new(atomic.Int64), get: o.list(informer.GetIndexer())}
	handler, err := informer.AddEventHandler(clientcache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { f.seen.Add(1) }, UpdateFunc: func(any, any) { f.seen.Add(1) },
	})
	if err != nil {
		t.Fatal(err)
	}
	synced := make(chan struct{})
	go func() {
		defer close(synced)
		clientcache.WaitForCacheSync(t.Context().Done(), handler.HasSynced)
	}()
	f.run(t, informer.RunWithContext, synced)
	return f
}

// controllerRuntime returns a side with a cache for controller-runtime.
func controllerRuntime(newCache ctrlcache.NewCacheFunc) func(testing.TB, objects) following {
	return func(t testing.TB, o objects) following {
		t.Helper()
		mapper := meta.NewDefaultRESTMapper(nil)
		mapper.AddSpecific(o.kind, o.resource, o.resource, meta.RESTScopeNamespace)
		made, err := newCache(&rest.Config{Host: "http://source"}, ctrlcache.Options{Scheme: scheme, Mapper: mapper, HTTPClient: &http.Client{Transport: o.source}})
		if err != nil {
			t.Fatal(err)
		}
		if o.resource.Resource == "pods" {
			if err := made.IndexField(t.Context(), o.empty(), nodeIndex, func(obj client.Object) []string { return []string{obj.(*corev1.Pod).Spec.NodeName} }); err != nil {
				t.Fatal(err)
			}
		}
		f := following{seen: new(atomic.Int64), get: func(name cache.ObjectName) (client.Object, error) {
			obj := o.empty()
			return obj, made.Get(context.Background(), client.ObjectKey{Namespace: name.Namespace, Name: name.Name}, obj)
		}}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			if err := made.Start(ctx); err != nil {
				t.Error(err)
			}
		}()
		informer, err := made.GetInformer(ctx, o.empty())
		if err != nil {
			t.Fatal(err)
		}
		handler, err := informer.AddEventHandler(clientcache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { f.seen.Add(1) }, UpdateFunc: func(any, any) { f.seen.Add(1) },
		})
		if err != nil {
			t.Fatal(err)
		}
		for !handler.HasSynced() {
			time.Sleep(time.Millisecond)
		}
		f.stop = func() {
			cancel()
			<-done
		}
		return f
	}
}

// run runs an informer until stop is called, and returns when it is synced.
func (f *following) run(t testing.TB, run func(context.Context), synced <-chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx)
	}()
	select {
	case <-synced:
	case <-time.After(5 * time.Minute):
		t.Fatal("the cache is not synced after 5 minutes")
	}
	f.stop = func() {
		cancel()
		<-done
	}
}

var scheme = runtime.NewScheme()

func init() {
	log.SetLogger(logr.Discard())
	_ = corev1.AddToScheme(scheme)
	scheme.AddKnownTypes(podserver.DatabaseVersion, &podserver.Database{}, &podserver.DatabaseList{})
	metav1.AddToGroupVersion(scheme, podserver.DatabaseVersion)
}

// restClient returns a client as generated clientsets have it.
func restClient(t testing.TB, o objects) rest.Interface {
	t.Helper()
	version := o.resource.GroupVersion()
	config := &rest.Config{Host: "http://source", APIPath: "/apis", QPS: -1}
	config.GroupVersion, config.NegotiatedSerializer = &version, serializer.NewCodecFactory(scheme).WithoutConversion()
	if o.isProtobuf() {
		config.ContentType, config.AcceptContentTypes = runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf+","+runtime.ContentTypeJSON
	}
	c, err := rest.RESTClientForConfigAndClient(config, &http.Client{Transport: o.source})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
