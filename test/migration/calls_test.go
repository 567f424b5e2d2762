package migration_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgolisters "k8s.io/client-go/listers"
	clientgocorelisters "k8s.io/client-go/listers/core/v1"
	clientgonetworkinglisters "k8s.io/client-go/listers/networking/v1"
	clientgocache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/adapters/clientgo"
	corelisters "github.com/typedinformers/informer-gen/kubernetes/listers/core/v1"
	networkinglisters "github.com/typedinformers/informer-gen/kubernetes/listers/networking/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/migration/apis/samplecontroller/v1alpha1"
	clientgofoolisters "github.com/typedinformers/informer-gen/test/migration/clientgo/generated/listers/samplecontroller/v1alpha1"
	"github.com/typedinformers/informer-gen/test/migration/migrated/generated/clientset/versioned/fake"
	informers "github.com/typedinformers/informer-gen/test/migration/migrated/generated/informers/externalversions"
	fooinformers "github.com/typedinformers/informer-gen/test/migration/migrated/generated/informers/externalversions/samplecontroller/v1alpha1"
	foolisters "github.com/typedinformers/informer-gen/test/migration/migrated/generated/listers/samplecontroller/v1alpha1"
)

// TestNotFoundOfListers compares the errors of generated listers with those of lister-gen's, which programs
// store in a status.
func TestNotFoundOfListers(t *testing.T) {
	empty := clientgocache.NewIndexer(clientgocache.MetaNamespaceKeyFunc, clientgocache.Indexers{clientgocache.NamespaceIndex: clientgocache.MetaNamespaceIndexFunc})
	for _, test := range []struct {
		name       string
		ours, want func(string) error
	}{
		{
			"a custom resource",
			errorOf(foolisters.NewFooLister(cache.NewIndexer[*v1alpha1.Foo](nil)).Foos("a").Get),
			errorOf(clientgofoolisters.NewFooLister(empty).Foos("a").Get),
		}, {
			"the core group",
			errorOf(corelisters.NewPodLister(cache.NewIndexer[*corev1.Pod](nil)).Pods("a").Get),
			errorOf(clientgocorelisters.NewPodLister(empty).Pods("a").Get),
		}, {
			"a plural kind",
			//lint:ignore SA1019 It is the only plural kind of Kubernetes.
			errorOf(corelisters.NewEndpointsLister(cache.NewIndexer[*corev1.Endpoints](nil)).Endpoints("a").Get),
			errorOf(clientgocorelisters.NewEndpointsLister(empty).Endpoints("a").Get),
		}, {
			"cluster-scoped",
			errorOf(corelisters.NewNodeLister(cache.NewIndexer[*corev1.Node](nil)).Get),
			errorOf(clientgocorelisters.NewNodeLister(empty).Get),
		}, {
			"cluster-scoped, several words",
			errorOf(networkinglisters.NewIngressClassLister(cache.NewIndexer[*networkingv1.IngressClass](nil)).Get),
			errorOf(clientgonetworkinglisters.NewIngressClassLister(empty).Get),
		},
	} {
		if got, want := test.ours("x").Error(), test.want("x").Error(); got != want {
			t.Errorf("%s: the error is %q, want %q", test.name, got, want)
		}
	}
	// Listers of a resource that is known at run time name the resource, as those of client-go.
	informer := informers.NewSharedInformerFactory(fake.NewSimpleClientset(), 0)
	foos, err := informer.ForResource(v1alpha1.SchemeGroupVersion.WithResource("foos"))
	if err != nil {
		t.Fatal(err)
	}
	got := errorOf(foos.Lister().ByNamespace("a").Get)("x").Error()
	adapter := errorOf(clientgo.GenericLister(informer.Samplecontroller().V1alpha1().Foos().Informer()).ByNamespace("a").Get)("x").Error()
	want := errorOf(clientgocache.NewGenericLister(empty, v1alpha1.Resource("foos")).ByNamespace("a").Get)("x").Error()
	if got != want || adapter != want {
		t.Errorf("the errors are %q and %q, want %q", got, adapter, want)
	}
}

// errorOf returns get without its object.
func errorOf[T any](get func(string) (T, error)) func(string) error {
	return func(name string) error {
		_, err := get(name)
		return err
	}
}

// handWritten is a type of a program with the methods of a generated FooInformer.
type handWritten struct {
	informer *cache.SharedIndexInformer[*v1alpha1.Foo]
}

func (i handWritten) Informer() *cache.SharedIndexInformer[*v1alpha1.Foo] { return i.informer }

func (i handWritten) Lister() foolisters.FooLister {
	return foolisters.NewFooLister(i.Informer().GetIndexer())
}

// TestCalls makes calls of the table of docs/migrating.md that no other test of this package makes.
func TestCalls(t *testing.T) {
	foo := &v1alpha1.Foo{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "x"}}

	client := fake.NewSimpleClientset(foo)
	informer, err := fooinformers.FooKind(client).NewInformer()
	if err != nil {
		t.Fatal(err)
	}
	var foos fooinformers.FooInformer = handWritten{informer}
	stopCh, stopped := make(chan struct{}), make(chan struct{})
	ctx := wait.ContextForChannel(stopCh)
	go func() {
		foos.Informer().Run(ctx)
		close(stopped)
	}()
	for _, synced := range []cache.Syncer{foos.Informer(), cache.AlwaysSynced()} {
		if err := cache.WaitForCacheSync(ctx, synced); err != nil || !synced.HasSynced() || synced.NotSyncedReason() != "" {
			t.Error(err)
		}
	}
	if _, err := foos.Lister().Foos("a").Get("x"); err != nil {
		t.Error(err)
	}
	close(stopCh)
	<-stopped
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := cache.WaitForCacheSync(canceled, cache.AlwaysSynced()); err != nil {
		t.Error(err)
	}

	factory := informers.NewSharedInformerFactory(fake.NewSimpleClientset(), 0)
	factory.Samplecontroller().V1alpha1().Foos().Informer().GetIndexer().Add(foo)
	if _, err := factory.Samplecontroller().V1alpha1().Foos().Lister().Foos("a").Get("x"); err != nil {
		t.Error(err)
	}

	staying := clientgocache.NewIndexer(clientgocache.MetaNamespaceKeyFunc, clientgocache.Indexers{clientgocache.NamespaceIndex: clientgocache.MetaNamespaceIndexFunc})
	for name, indexer := range map[string]clientgocache.Indexer{"client-go's": staying, "ours": clientgo.Indexer(cache.NewIndexer[*v1alpha1.Foo](nil))} {
		lister := clientgolisters.New[*v1alpha1.Foo](indexer, v1alpha1.Resource("foo"))
		if err := indexer.Add(foo); err != nil {
			t.Fatal(err)
		}
		if got, err := clientgolisters.NewNamespaced(lister, "a").Get("x"); err != nil || got != foo {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
