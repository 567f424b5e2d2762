package kubetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/restmapper"
	clientgocache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/kubeserver"
)

// kind is a built-in kind, followed by both sides.
type kind struct {
	resource schema.GroupVersionResource
	// start starts our informer of the kind.
	start func(*testing.T, *kubernetes.Clientset) ours
}

// ours is a follower of any kind.
type ours interface {
	awaitSync(*testing.T)
	// await waits until the handler knows these versions.
	await(context.Context, map[cache.ObjectName]string) error
	get(cache.ObjectName) (cache.Object, bool)
}

func (f *follower[T]) await(ctx context.Context, versions map[cache.ObjectName]string) error {
	return f.heard.Await(ctx, versions)
}

func (f *follower[T]) get(name cache.ObjectName) (cache.Object, bool) {
	return f.informer.GetStore().Get(name)
}

func kindOf[T cache.Object](version schema.GroupVersion, resource string) kind {
	k := kind{resource: version.WithResource(resource)}
	k.start = func(t *testing.T, client *kubernetes.Clientset) ours {
		return follow[T](t, client.CoreV1().RESTClient(), k.resource, "")
	}
	return k
}

// kinds are built-in kinds that do not change by themselves all the time.
var kinds = []kind{
	kindOf[*corev1.Pod](corev1.SchemeGroupVersion, "pods"),
	kindOf[*corev1.Node](corev1.SchemeGroupVersion, "nodes"),
	kindOf[*corev1.Namespace](corev1.SchemeGroupVersion, "namespaces"),
	kindOf[*corev1.ConfigMap](corev1.SchemeGroupVersion, "configmaps"),
	kindOf[*corev1.Secret](corev1.SchemeGroupVersion, "secrets"),
	kindOf[*corev1.Service](corev1.SchemeGroupVersion, "services"),
	kindOf[*corev1.ServiceAccount](corev1.SchemeGroupVersion, "serviceaccounts"),
	kindOf[*corev1.PersistentVolume](corev1.SchemeGroupVersion, "persistentvolumes"),
	kindOf[*corev1.PersistentVolumeClaim](corev1.SchemeGroupVersion, "persistentvolumeclaims"),
	kindOf[*corev1.LimitRange](corev1.SchemeGroupVersion, "limitranges"),
	kindOf[*corev1.ResourceQuota](corev1.SchemeGroupVersion, "resourcequotas"),
	kindOf[*corev1.Event](corev1.SchemeGroupVersion, "events"),
	kindOf[*eventsv1.Event](eventsv1.SchemeGroupVersion, "events"),
	kindOf[*appsv1.Deployment](appsv1.SchemeGroupVersion, "deployments"),
	kindOf[*appsv1.ReplicaSet](appsv1.SchemeGroupVersion, "replicasets"),
	kindOf[*appsv1.StatefulSet](appsv1.SchemeGroupVersion, "statefulsets"),
	kindOf[*appsv1.DaemonSet](appsv1.SchemeGroupVersion, "daemonsets"),
	kindOf[*batchv1.Job](batchv1.SchemeGroupVersion, "jobs"),
	kindOf[*batchv1.CronJob](batchv1.SchemeGroupVersion, "cronjobs"),
	kindOf[*coordinationv1.Lease](coordinationv1.SchemeGroupVersion, "leases"),
	kindOf[*networkingv1.Ingress](networkingv1.SchemeGroupVersion, "ingresses"),
	kindOf[*networkingv1.NetworkPolicy](networkingv1.SchemeGroupVersion, "networkpolicies"),
	kindOf[*networkingv1.ServiceCIDR](networkingv1.SchemeGroupVersion, "servicecidrs"),
	kindOf[*networkingv1.IPAddress](networkingv1.SchemeGroupVersion, "ipaddresses"),
	kindOf[*discoveryv1.EndpointSlice](discoveryv1.SchemeGroupVersion, "endpointslices"),
	kindOf[*autoscalingv2.HorizontalPodAutoscaler](autoscalingv2.SchemeGroupVersion, "horizontalpodautoscalers"),
	kindOf[*policyv1.PodDisruptionBudget](policyv1.SchemeGroupVersion, "poddisruptionbudgets"),
	kindOf[*rbacv1.Role](rbacv1.SchemeGroupVersion, "roles"),
	kindOf[*rbacv1.RoleBinding](rbacv1.SchemeGroupVersion, "rolebindings"),
	kindOf[*rbacv1.ClusterRole](rbacv1.SchemeGroupVersion, "clusterroles"),
	kindOf[*rbacv1.ClusterRoleBinding](rbacv1.SchemeGroupVersion, "clusterrolebindings"),
	kindOf[*storagev1.StorageClass](storagev1.SchemeGroupVersion, "storageclasses"),
	kindOf[*schedulingv1.PriorityClass](schedulingv1.SchemeGroupVersion, "priorityclasses"),
	kindOf[*flowcontrolv1.FlowSchema](flowcontrolv1.SchemeGroupVersion, "flowschemas"),
	kindOf[*flowcontrolv1.PriorityLevelConfiguration](flowcontrolv1.SchemeGroupVersion, "prioritylevelconfigurations"),
}

// theirs is an informer of client-go.
type theirs struct {
	store   clientgocache.Store
	changed chan struct{} // has room for one
}

func followTheirs(t *testing.T, factory informers.SharedInformerFactory, resource schema.GroupVersionResource) *theirs {
	t.Helper()
	generic, err := factory.ForResource(resource)
	if err != nil {
		t.Fatal(err)
	}
	f := &theirs{store: generic.Informer().GetStore(), changed: make(chan struct{}, 1)}
	tell := func(any) {
		select {
		case f.changed <- struct{}{}:
		default:
		}
	}
	if _, err := generic.Informer().AddEventHandler(clientgocache.ResourceEventHandlerFuncs{
		AddFunc: tell, UpdateFunc: func(_, after any) { tell(after) }, DeleteFunc: tell,
	}); err != nil {
		t.Fatal(err)
	}
	return f
}

// await waits until the cache has these versions.
func (f *theirs) await(ctx context.Context, versions map[cache.ObjectName]string) error {
	for {
		matching := 0
		for _, obj := range f.store.List() {
			if obj := obj.(cache.Object); versions[cache.MetaObjectToName(obj)] == obj.GetResourceVersion() {
				matching++
			}
		}
		if matching == len(versions) && len(f.store.ListKeys()) == matching {
			return nil
		}
		select {
		case <-f.changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// pair is one kind, followed by both sides.
type pair struct {
	kind
	ours   ours
	theirs *theirs
}

// compare compares the caches of both sides when they have what the server has.
func (p *pair) compare(t *testing.T, client dynamic.Interface) (count int) {
	t.Helper()
	ctx := within(t)
	list, err := client.Resource(p.resource).List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	versions := map[cache.ObjectName]string{}
	for i := range list.Items {
		versions[cache.MetaObjectToName(&list.Items[i])] = list.Items[i].GetResourceVersion()
	}
	if err := p.ours.await(ctx, versions); err != nil {
		t.Fatalf("ours: %v", err)
	}
	if err := p.theirs.await(ctx, versions); err != nil {
		t.Fatalf("client-go: %v", err)
	}
	for name := range versions {
		got, _ := p.ours.get(name)
		want, exists, err := p.theirs.store.GetByKey(name.String())
		if got == nil || !exists || err != nil {
			t.Fatalf("%s: ours is %v, and client-go's is %v, %v", name, got, want, err)
		}
		if a, b := withoutKind(got), withoutKind(want.(cache.Object)); !equality.Semantic.DeepEqual(a, b) {
			t.Errorf("%s: ours is\n%v\nand client-go's is\n%v", name, a, b)
		}
	}
	return len(versions)
}

// withoutKind returns a copy without the kind, which client-go drops, and which protobuf does
// not have.
func withoutKind(obj cache.Object) runtime.Object {
	copied := obj.DeepCopyObject()
	copied.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	if set, ok := copied.(*appsv1.StatefulSet); ok {
		for i := range set.Spec.VolumeClaimTemplates {
			set.Spec.VolumeClaimTemplates[i].TypeMeta = metav1.TypeMeta{}
		}
	}
	return copied
}

// TestKinds compares the caches of many built-in kinds with those of client-go, which reads
// them as it does by default: by streaming lists, as protobuf. It compares the first lists,
// and then the caches after changes.
func TestKinds(t *testing.T) {
	ctx := within(t)
	server := start(t)
	direct := clientFor(t, configOf(server))
	inNamespace(t, direct, "kinds")
	objects := newObjects(t, server)
	created := objects.create(t, "testdata/kinds.yaml")

	through := clientFor(t, configOf(server))
	factory := informers.NewSharedInformerFactory(through, 0)
	var pairs []*pair
	for _, k := range kinds {
		pairs = append(pairs, &pair{k, k.start(t, through), followTheirs(t, factory, k.resource)})
	}
	running, stop := context.WithCancel(ctx)
	factory.Start(running.Done())
	t.Cleanup(func() {
		stop()
		factory.Shutdown()
	})
	compare := func(when string) {
		for _, p := range pairs {
			t.Run(when+" "+p.resource.GroupResource().String(), func(t *testing.T) {
				p.ours.awaitSync(t)
				if n := p.compare(t, objects.client); n == 0 && when == "listed" {
					t.Error("the server has no object")
				}
			})
		}
	}
	compare("listed")
	for _, obj := range created {
		objects.label(t, obj)
	}
	compare("changed")
	for _, obj := range created {
		if name := obj.GetName(); name == "settings" || name == "agent" || name == "fast" {
			objects.remove(t, obj)
		}
	}
	compare("removed")
}

// objects creates and changes objects of any kind.
type objects struct {
	client dynamic.Interface
	mapper meta.RESTMapper
}

func newObjects(t *testing.T, server *kubeserver.Server) *objects {
	t.Helper()
	config := configOf(server)
	clients := clientFor(t, config)
	groups, err := restmapper.GetAPIGroupResources(clients.Discovery())
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfigAndClient(config, httpFor(t, config))
	if err != nil {
		t.Fatal(err)
	}
	return &objects{client, restmapper.NewDiscoveryRESTMapper(groups)}
}

// of returns the client for the collection of obj. It sets the namespace if the kind has
// namespaces.
func (o *objects) of(t *testing.T, obj *unstructured.Unstructured) dynamic.ResourceInterface {
	t.Helper()
	kind := obj.GroupVersionKind()
	mapping, err := o.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		t.Fatal(err)
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return o.client.Resource(mapping.Resource).Namespace(cmp.Or(obj.GetNamespace(), "kinds"))
	}
	return o.client.Resource(mapping.Resource)
}

// create creates the objects of a file.
func (o *objects) create(t *testing.T, file string) (created []*unstructured.Unstructured) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		obj := &unstructured.Unstructured{}
		if err := decoder.Decode(obj); errors.Is(err, io.EOF) {
			return created
		} else if err != nil {
			t.Fatal(err)
		}
		obj, err := o.of(t, obj).Create(within(t), obj, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		created = append(created, obj)
	}
}

// label changes obj.
func (o *objects) label(t *testing.T, obj *unstructured.Unstructured) {
	t.Helper()
	patch := []byte(`{"metadata":{"labels":{"changed":"yes"}}}`)
	if _, err := o.of(t, obj).Patch(within(t), obj.GetName(), types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(fmt.Errorf("%s %s: %w", obj.GetKind(), obj.GetName(), err))
	}
}

func (o *objects) remove(t *testing.T, obj *unstructured.Unstructured) {
	t.Helper()
	if err := o.of(t, obj).Delete(within(t), obj.GetName(), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}
