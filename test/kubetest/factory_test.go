package kubetest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	coreinformers "github.com/typedinformers/informer-gen/kubernetes/informers/externalversions/core/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/test/progress"
)

// TestOneFactory follows kinds of two generated packages, and kinds that are known only at run
// time, with one factory.
func TestOneFactory(t *testing.T) {
	ctx := within(t)
	server := start(t)
	config := configOf(server)
	kube := clientFor(t, config)
	web := inNamespace(t, kube, "factory")
	client, err := versioned.NewForConfigAndClient(config, httpFor(t, config))
	if err != nil {
		t.Fatal(err)
	}
	dynamicClient, err := dynamic.NewForConfigAndClient(config, httpFor(t, config))
	if err != nil {
		t.Fatal(err)
	}
	newObjects(t, server).create(t, "../../examples/operator/config/crd/data.example.com_databases.yaml")

	labeled := pod("labeled")
	labeled.Labels = map[string]string{"app": "web"}
	for _, p := range []*corev1.Pod{labeled, pod("other")} {
		if _, err := web.Create(ctx, p, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	factory := informers.NewSharedInformerFactory(client, 0, cache.WithOptionsFor[*corev1.Pod](cache.WithLabelSelector("app=web"), cache.WithNamespaces("factory", "default")))
	defer factory.Shutdown()
	databases := factory.Data().V1().Databases()
	// The whole factory of built-in kinds takes minutes to compile.
	pods := cache.InformerFor(factory.Inner(), coreinformers.PodKind(kube))
	namespaces := cache.InformerFor(factory.Inner(), coreinformers.NamespaceKind(kube))
	resource := datav1.SchemeGroupVersion.WithResource("databases")
	untyped := cache.InformerFor(factory.Inner(), informers.DynamicKind[*unstructured.Unstructured](client, resource, true))
	metadata := cache.InformerFor(factory.Inner(), informers.DynamicKind[*metav1.PartialObjectMetadata](client, corev1.SchemeGroupVersion.WithResource("pods"), true))
	// A kind by hand, of a client that has no bodies.
	configMaps := corev1.SchemeGroupVersion.WithResource("configmaps")
	byHand := cache.InformerFor(factory.Inner(), cache.Kind[*unstructured.Unstructured]{
		Resource:   configMaps,
		Namespaced: true,
		ListWatch: func(namespace string) cache.ListerWatcher[*unstructured.Unstructured] {
			return cache.NewListWatch[*unstructured.Unstructured](dynamicClient.Resource(configMaps).Namespace(namespace))
		},
	}, cache.WithNamespace("kube-system"))
	index, err := cache.AddIndex(untyped, "class", func(obj *unstructured.Unstructured) []string {
		class, _, _ := unstructured.NestedString(obj.Object, "spec", "className")
		return []string{class}
	})
	if err != nil {
		t.Fatal(err)
	}
	databases.Informer() // as its lister is used only below
	factory.Start(t.Context())
	if err := factory.WaitForCacheSync(ctx); err != nil {
		t.Fatal(err)
	}

	if objs := pods.GetStore().List(); len(objs) != 1 || objs[0].Name != "labeled" || objs[0].Spec.Containers[0].Image == "" {
		t.Errorf("pods: %v", objs)
	}
	if _, found := namespaces.GetStore().Get(cache.ObjectName{Name: "factory"}); !found {
		t.Error("the namespace is not cached")
	}
	if obj, ok := metadata.GetStore().Get(cache.ObjectName{Namespace: "factory", Name: "other"}); !ok || obj.Kind != "PartialObjectMetadata" || obj.UID == "" {
		t.Errorf("metadata of a pod: %+v", obj)
	}
	if byHand.GetStore().Len() == 0 {
		t.Error("kube-system has no config map")
	}
	heard := make(chan *unstructured.Unstructured, 1)
	if _, err := untyped.AddEventHandler(cache.ResourceEventHandlerFuncs[*unstructured.Unstructured]{AddFunc: func(obj *unstructured.Unstructured, _ bool) { heard <- obj }}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.DataV1().Databases("factory").Create(ctx, &datav1.Database{ObjectMeta: metav1.ObjectMeta{Name: "orders"}, Spec: datav1.DatabaseSpec{ClassName: "small", StorageGi: 1}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	select {
	case obj := <-heard:
		if found := index.Get("small"); len(found) != 1 || found[0] != obj || obj.GetKind() != "Database" {
			t.Errorf("the index has %v for %v", found, obj)
		}
	case <-ctx.Done():
		t.Fatal("no event of the untyped informer")
	}
	var all []string
	for i := range factory.Statuses() {
		all = append(all, i.Resource.Resource+" "+i.Object)
		isByHand := i.Resource == configMaps // it has no Server
		if i.Status.Phase != status.Watching || (i.Server != server.Access().URL) != isByHand {
			t.Errorf("%s of %s: %v", i.Resource.Resource, i.Server, i.Status)
		}
	}
	slices.Sort(all)
	want := []string{
		"configmaps *unstructured.Unstructured", "databases *unstructured.Unstructured", "databases *v1.Database",
		"namespaces *v1.Namespace", "pods *v1.PartialObjectMetadata", "pods *v1.Pod",
	}
	if !slices.Equal(all, want) {
		t.Errorf("the factory has %q", all)
	}
	factory.Shutdown()
	if phase := metadata.Status().Phase; phase != status.Stopped {
		t.Errorf("after Shutdown the informer is %s", phase)
	}
}

// TestNamespacesWithRights follows three namespaces, and gets the right to read the last one
// later. It reads nothing of a fourth one.
func TestNamespacesWithRights(t *testing.T) {
	ctx := within(t)
	admin := clientFor(t, configOf(shared))
	for _, name := range []string{"rights-a", "rights-b", "rights-c", "rights-d"} {
		if _, err := inNamespace(t, admin, name).Create(ctx, pod("web"), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	allow(t, admin, "rights-a", "tenant")
	allow(t, admin, "rights-b", "tenant")
	config := configOf(shared)
	config.Impersonate = rest.ImpersonationConfig{UserName: "tenant"}
	refused := make(chan struct{}, 100)
	factory := cache.NewSharedInformerFactory(0,
		cache.WithOptionsFor[*corev1.Pod](
			cache.WithNamespaces("rights-a", "rights-b", "rights-c"),
			cache.WithBackoff(status.Forbidden, cache.Backoff{Initial: 100 * time.Millisecond, Max: 100 * time.Millisecond}),
			cache.WithWatchErrorHandler(func(context.Context, schema.GroupVersionResource, error) {
				select {
				case refused <- struct{}{}:
				default:
				}
			})))
	defer factory.Shutdown()
	informer := cache.InformerFor(factory, coreinformers.PodKind(clientFor(t, config)))
	added := make(chan string, 10)
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs[*corev1.Pod]{AddFunc: func(p *corev1.Pod, _ bool) { added <- p.Namespace }})
	if err != nil {
		t.Fatal(err)
	}
	factory.Start(t.Context())
	await := func(want ...string) {
		t.Helper()
		var got []string
		for range want {
			select {
			case namespace := <-added:
				got = append(got, namespace)
			case <-ctx.Done():
				t.Fatalf("heard of %q, want %q: %v", got, want, informer.Status())
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("heard of %q, want %q", got, want)
		}
		progress.Step()
	}
	await("rights-a", "rights-b")
	select {
	case <-refused:
	case <-ctx.Done():
		t.Fatal("no request was refused")
	}
	now := informer.Status()
	if registration.HasSynced() || now.Reason != status.Forbidden || !strings.Contains(now.String(), "rights-c") {
		t.Errorf("without the right for one namespace the status is %v", now)
	}
	for i, want := range []status.Phase{status.Watching, status.Watching, status.Degraded} {
		// A watch is opened after the handler has heard of the list.
		err := wait.PollUntilContextCancel(ctx, time.Millisecond, true, func(context.Context) (bool, error) {
			now = informer.Status()
			return now.Scopes[i].Status.Phase == want, nil
		})
		if err != nil {
			t.Errorf("namespace %s: %v", now.Scopes[i].Namespace, now.Scopes[i].Status)
		}
	}
	allow(t, admin, "rights-c", "tenant")
	await("rights-c")
	if err := factory.WaitForCacheSync(ctx); err != nil {
		t.Fatal(err)
	}
	if n := informer.GetStore().Len(); n != 3 {
		t.Errorf("%d pods are cached", n)
	}
}
