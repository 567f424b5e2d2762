package guide

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/fake"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	datainformers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions/api/v1"
	kubeinformers "github.com/typedinformers/informer-gen/kubernetes/informers/externalversions"
	corev1informers "github.com/typedinformers/informer-gen/kubernetes/informers/externalversions/core/v1"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/redirect"
	"github.com/typedinformers/informer-gen/runtime/sharding"
	"github.com/typedinformers/informer-gen/runtime/writes"
	fooclientset "github.com/typedinformers/informer-gen/test/migration/migrated/generated/clientset/versioned"
	fooinformers "github.com/typedinformers/informer-gen/test/migration/migrated/generated/informers/externalversions/samplecontroller/v1alpha1"
)

// The functions that no test calls are the code of docs/informers.md, docs/scale.md, docs/read-your-writes.md and
// kubernetes/README.md. hack/tools/pages fails if a page has other code. They are only compiled: other tests of this
// package and of runtime/cache check what they do.
var _ = []any{
	informerOptions, severalNamespaces, newScopes, namespacesByLabel, shard, severalPackages, builtinFactory,
	builtinKind, overDynamicClient, leased, hooks, printStatuses, leaveOut, backoff, metadataOnly, observed, waitFor,
}

func informerOptions(ctx context.Context, client versioned.Interface, trim cache.TransformFunc[*datav1.Database]) error {
	factory := informers.NewSharedInformerFactory(client, 10*time.Minute,
		cache.WithNamespace("team-a"), // all kinds
		cache.WithOptionsFor[*datav1.Database]( // one kind
			cache.WithNamespaces("team-a", "team-b"),
			cache.WithLabelSelector("tier=gold"),
			cache.WithResync(time.Minute),
		),
		cache.WithTransform(trim), // a func(*datav1.Database) (*datav1.Database, error): the kind is known from its type
	)

	// without a factory
	informer, err := datainformers.DatabaseKind(client).NewInformer(cache.WithNamespace("team-a"), cache.WithLabelSelector("tier=gold"))
	if err != nil {
		return err
	}
	go informer.Run(ctx)
	factory.Start(ctx)
	return nil
}

func severalNamespaces() cache.SharedInformerOption {
	option := cache.WithOptionsFor[*datav1.Database](cache.WithScopes(
		cache.Scope{Namespace: "team-a"},                               // all databases of team-a
		cache.Scope{Namespace: "team-b", LabelSelector: "tier=gold"},   // some of team-b
		cache.Scope{OtherNamespaces: true, LabelSelector: "tier=gold"}, // some of all other namespaces
	))
	return option
}

func newScopes(ctx context.Context, client versioned.Interface) error {
	informer, err := datainformers.DatabaseKind(client).NewInformer(cache.WithNamespaces("team-a", "team-b"))
	if err != nil {
		return err
	}
	go informer.Run(ctx)
	err = informer.SetScopes(cache.Scope{Namespace: "team-b"}, cache.Scope{Namespace: "team-c"})
	return err
}

func namespacesByLabel(ctx context.Context, kubeclient kubernetes.Interface, client versioned.Interface) error {
	namespaces, err := corev1informers.NamespaceKind(kubeclient).NewInformer(cache.WithLabelSelector("databases=enabled"))
	if err != nil {
		return err
	}
	informer, err := datainformers.DatabaseKind(client).NewInformer(cache.WithScopesLater())
	if err != nil {
		return err
	}
	go namespaces.Run(ctx)
	go informer.Run(ctx)
	go cache.FollowScopes(ctx, informer, cache.ScopesOf(namespaces, func(n *corev1.Namespace) ([]cache.Scope, error) {
		return []cache.Scope{{Namespace: n.Name}}, nil
	}))
	return nil
}

func shard(client versioned.Interface) (*cache.SharedIndexInformer[*datav1.Database], error) {
	quarter := sharding.Split(sharding.UID, 4)[0]
	informer, err := datainformers.DatabaseKind(client).NewInformer(cache.WithShard(quarter))
	return informer, err
}

func severalPackages(ctx context.Context, client versioned.Interface, kubeclient kubernetes.Interface, fooclient fooclientset.Interface, resource schema.GroupVersionResource) error {
	factory := informers.NewSharedInformerFactory(client, 0)
	databases := factory.Data().V1().Databases()

	// all accessors of another package
	kube := kubeinformers.Join(factory.Inner(), kubeclient)
	pods := kube.Core().V1().Pods()

	// one kind of another package
	foos := cache.InformerFor(factory.Inner(), fooinformers.FooKind(fooclient))

	// a kind that is known only at run time
	widgets := cache.InformerFor(factory.Inner(), informers.DynamicKind[*unstructured.Unstructured](client, resource, true))

	factory.Start(ctx)
	defer factory.Shutdown()
	if err := factory.WaitForCacheSync(ctx); err != nil {
		return err
	}
	fmt.Println(databases.Informer(), pods.Informer(), foos, widgets)
	return nil
}

func builtinFactory(kubeclient kubernetes.Interface) any {
	factory := kubeinformers.NewSharedInformerFactory(kubeclient, 0) // kubeclient is a kubernetes.Interface
	pods := factory.Core().V1().Pods()                               // its Informer and its Lister have *corev1.Pod
	return pods
}

func builtinKind(factory informers.SharedInformerFactory, kubeclient kubernetes.Interface) any {
	pods := cache.InformerFor(factory.Inner(), corev1informers.PodKind(kubeclient))
	return pods
}

func overDynamicClient(dynamicClient dynamic.Interface, resource schema.GroupVersionResource) cache.SharedInformerOption {
	option := cache.WithListerWatcher(func(namespace string) cache.ListerWatcher[*unstructured.Unstructured] {
		return cache.NewListWatch[*unstructured.Unstructured](dynamicClient.Resource(resource).Namespace(namespace))
	})
	return option
}

func leased(ctx context.Context, factory informers.SharedInformerFactory, kind cache.Kind[*datav1.Database], handler cache.ResourceEventHandler[*datav1.Database]) error {
	lease, err := cache.Acquire(factory.Inner(), kind)
	if err != nil {
		return err
	}
	defer lease.Release()
	_, err = lease.AddEventHandler(handler)
	if err != nil {
		return err
	}
	if err := lease.WaitForCacheSync(ctx); err != nil {
		return err
	}
	return nil
}

func hooks(client versioned.Interface) informers.SharedInformerFactory {
	factory := informers.NewSharedInformerFactory(client, 0,
		cache.WithStatusHandler(func(ctx context.Context, change status.Change) {
			klog.FromContext(ctx).Info("Informer", "name", change.Name, "was", change.Old.Phase, "is", change.New)
		}),
		cache.WithOptionsFor[*datav1.Database](cache.WithWatchErrorHandler(func(ctx context.Context, resource schema.GroupVersionResource, err error) {
			klog.FromContext(ctx).Error(err, "Informer", "resource", resource)
		})))
	return factory
}

func printStatuses(w io.Writer, factory informers.SharedInformerFactory) {
	for i := range factory.Statuses() {
		fmt.Fprintln(w, i.Resource.GroupResource(), i.Object, i.Status) // databases.data.example.com *v1.Database Watching for 5m: 312 objects at version 4711
	}
}

func leaveOut(config *rest.Config) informers.SharedInformerFactory {
	own := &writes.Observer{}
	config.Wrap(own.Transport) // before the clients are made
	client := versioned.NewForConfigOrDie(config)
	factory := informers.NewSharedInformerFactory(client, 0, cache.WithUpdateGuard(own),
		cache.WithoutFields("metadata.managedFields", "metadata.annotations[example.com/notes]"),
		cache.WithOptionsFor[*datav1.Database](cache.WithFields("metadata.labels", "spec.storageGi", "status.conditions.type")))
	return factory
}

func backoff(client versioned.Interface) {
	factory := informers.NewSharedInformerFactory(client, 0,
		cache.WithBackoff(status.Forbidden, cache.Backoff{Initial: time.Second, Max: 10 * time.Second}))
	factory.Retry() // do not wait any longer, for example because the CRD has just been installed
}

// TestReadTheCache runs the code of the section "Read the cache".
func TestReadTheCache(t *testing.T) {
	client := fake.NewClientset(&datav1.Database{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "orders", Labels: map[string]string{"owner": "alice"}},
		Spec:       datav1.DatabaseSpec{ClassName: "fast", StorageGi: 1},
	})
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Data().V1().Databases().Informer()
	factory.Start(t.Context())
	t.Cleanup(factory.Shutdown)
	if err := factory.WaitForCacheSync(t.Context()); err != nil {
		t.Fatal(err)
	}
	check := func(err error, got *datav1.Database) {
		t.Helper()
		if err != nil || got.Name != "orders" {
			t.Errorf("got %v, %v", got, err)
		}
	}

	databases := factory.Data().V1().Databases()
	db, err := databases.Lister().Databases("team-a").Get("orders") // allocates nothing, and normally takes no lock
	check(err, db)
	all, err := databases.Lister().List(labels.Everything()) // a new slice, which is yours
	check(err, all[0])
	fast, err := databases.Lister().ByClass("fast") // the same, through an index
	check(err, fast[0])
	ranged := 0
	for db := range databases.Informer().GetIndexer().AllByIndex("byClass", "fast") {
		// allocates nothing; ranges over the objects that were cached when the loop began
		check(nil, db)
		ranged++
	}
	if ranged != 1 {
		t.Errorf("the loop had %d objects", ranged)
	}

	byOwner, err := cache.AddIndex(databases.Informer(), "owner", func(db *datav1.Database) []string { return []string{db.Labels["owner"]} })
	if err != nil {
		t.Fatal(err)
	}
	mine := byOwner.Get("alice") // []*datav1.Database
	check(nil, mine[0])
}

func metadataOnly(kubeconfig *rest.Config) (*cache.SharedIndexInformer[*metav1.PartialObjectMetadata], error) {
	config := rest.CopyConfig(kubeconfig)
	config.APIPath, config.GroupVersion = "/apis", &schema.GroupVersion{Group: "example.com", Version: "v1"} // "/api" for the core group
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()                                          // of k8s.io/client-go/kubernetes/scheme
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	client, err := rest.RESTClientForConfigAndClient(config, redirect.Refuse(httpClient)) // sends the token to no other host
	if err != nil {
		return nil, err
	}
	kind := cache.Kind[*metav1.PartialObjectMetadata]{
		Resource:   schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "foos"},
		Namespaced: true,
		Open: func(namespace string) bodies.OpenFunc {
			return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
				return client.Get().Resource("foos").NamespaceIfScoped(namespace, namespace != "").
					SpecificallyVersionedParams(&options, metav1.ParameterCodec, schema.GroupVersion{Version: "v1"}).
					SetHeader("Accept", accept).MaxRetries(0).Stream(ctx)
			}
		},
	}
	return kind.NewInformer(cache.WithNamespace("team-a"))
}

func observed(ctx context.Context, config *rest.Config, db *datav1.Database) (*datav1.Database, error) {
	own := &writes.Observer{}
	config.Wrap(own.Transport) // before the clients are made
	client := versioned.NewForConfigOrDie(config)
	factory := informers.NewSharedInformerFactory(client, 0, cache.WithReadYourWrites(own))
	databases := factory.Data().V1().Databases()
	factory.Start(ctx)
	updated, err := client.DataV1().Databases("team-a").UpdateStatus(ctx, db, metav1.UpdateOptions{})
	if err != nil {
		return updated, err
	}
	again, err := databases.Lister().Databases("team-a").Get(db.Name) // is updated, or newer
	return again, err
}

func waitFor(ctx context.Context, factory informers.SharedInformerFactory, updated *datav1.Database) error {
	databases := factory.Data().V1().Databases()
	err := databases.Informer().WaitFor(ctx, updated.ResourceVersion)
	return err
}
