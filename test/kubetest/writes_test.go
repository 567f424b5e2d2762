package kubetest

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/runtime/writes"
	"github.com/typedinformers/informer-gen/test/kubeserver"
)

// ownWrites has clients whose writes are observed, and is told of them.
type ownWrites struct {
	config *rest.Config
	http   *http.Client
	client *kubernetes.Clientset
	any    *dynamic.DynamicClient
	own    writes.Observer

	mu   sync.Mutex // guards told
	told []writes.Write
}

// observe returns clients for a server. Those of built-in kinds send objects in a content type.
func observe(t *testing.T, server *kubeserver.Server, contentType string) *ownWrites {
	t.Helper()
	w := &ownWrites{config: configOf(server)}
	w.config.Wrap(w.own.Transport)
	w.http = httpFor(t, w.config)
	var err error
	if w.any, err = dynamic.NewForConfigAndClient(w.config, w.http); err != nil {
		t.Fatal(err)
	}
	builtIn := rest.CopyConfig(w.config)
	builtIn.ContentType = contentType
	if w.client, err = kubernetes.NewForConfigAndClient(builtIn, w.http); err != nil {
		t.Fatal(err)
	}
	return w
}

// subscribe subscribes w to a resource until end is called.
func (w *ownWrites) subscribe(resource schema.GroupVersionResource) (end func()) {
	return w.own.Subscribe(w.config.Host, resource, w)
}

// Wrote implements writes.Informer.
func (w *ownWrites) Wrote(write writes.Write) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, write)
}

// take returns what was told since the last call.
func (w *ownWrites) take() []writes.Write {
	w.mu.Lock()
	defer w.mu.Unlock()
	told := w.told
	w.told = nil
	return told
}

// meaning is what an informer is told of a write.
type meaning string

const (
	nothing meaning = "nothing"
	state   meaning = "the state"
	gone    meaning = "that it is gone"
)

// check compares what was told of a write that was just made with what a GET says.
func (w *ownWrites) check(t *testing.T, what string, want meaning, now metav1.Object, err error) {
	t.Helper()
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatalf("%s: %v", what, err)
	}
	told := w.take()
	if want == nothing {
		if len(told) > 0 {
			t.Errorf("%s: told of %+v", what, told)
		}
		return
	}
	if len(told) != 1 {
		t.Errorf("%s: told %d times, want %s once", what, len(told), want)
		return
	}
	write, exists := told[0], err == nil && now.GetUID() == told[0].Object.UID
	if write.Gone != (want == gone) || exists != (want == state) {
		t.Errorf("%s: told of %+v, and it exists: %v; want %s", what, write, exists, want)
	}
	if exists && write.Object.ResourceVersion != now.GetResourceVersion() {
		t.Errorf("%s: told of version %s, and GET returns %s", what, write.Object.ResourceVersion, now.GetResourceVersion())
	}
	t.Logf("%s: %s, %s version %q", what, want, write.Object.Kind, write.Object.ResourceVersion)
}

// clientOf is the client of a kind.
type clientOf[T metav1.Object] interface {
	Create(context.Context, T, metav1.CreateOptions) (T, error)
	Update(context.Context, T, metav1.UpdateOptions) (T, error)
	Patch(ctx context.Context, name string, as types.PatchType, patch []byte, options metav1.PatchOptions, subresources ...string) (T, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
	Get(context.Context, string, metav1.GetOptions) (T, error)
}

// anyAPI makes a dynamic client a clientOf.
type anyAPI struct{ dynamic.ResourceInterface }

func (a anyAPI) Create(ctx context.Context, obj *unstructured.Unstructured, options metav1.CreateOptions) (*unstructured.Unstructured, error) {
	return a.ResourceInterface.Create(ctx, obj, options)
}

func (a anyAPI) Update(ctx context.Context, obj *unstructured.Unstructured, options metav1.UpdateOptions) (*unstructured.Unstructured, error) {
	return a.ResourceInterface.Update(ctx, obj, options)
}

func (a anyAPI) Get(ctx context.Context, name string, options metav1.GetOptions) (*unstructured.Unstructured, error) {
	return a.ResourceInterface.Get(ctx, name, options)
}

func (a anyAPI) Delete(ctx context.Context, name string, options metav1.DeleteOptions) error {
	return a.ResourceInterface.Delete(ctx, name, options)
}

// writer makes writes of one kind, and checks what is told of each.
type writer[T metav1.Object] struct {
	*ownWrites
	api clientOf[T]
	// fresh returns an object that does not exist yet.
	fresh func(name string, finalizers ...string) T
}

// after checks what is told after a write of the named object.
func (w *writer[T]) after(t *testing.T, what, name string, want meaning, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	now, err := w.api.Get(within(t), name, metav1.GetOptions{})
	w.check(t, what, want, now, err)
}

func (w *writer[T]) create(t *testing.T, name string, finalizers ...string) {
	t.Helper()
	_, err := w.api.Create(within(t), w.fresh(name, finalizers...), metav1.CreateOptions{})
	w.after(t, "create "+name, name, state, err)
}

func (w *writer[T]) update(t *testing.T, what, name string, want meaning, options metav1.UpdateOptions, change func(T)) {
	t.Helper()
	obj, err := w.api.Get(within(t), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	change(obj)
	_, err = w.api.Update(within(t), obj, options)
	w.after(t, what, name, want, err)
}

func (w *writer[T]) patch(t *testing.T, what, name string, want meaning, patch string, dryRun ...string) {
	t.Helper()
	_, err := w.api.Patch(within(t), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{DryRun: dryRun})
	w.after(t, what, name, want, err)
}

func (w *writer[T]) remove(t *testing.T, what, name string, want meaning, options metav1.DeleteOptions) {
	t.Helper()
	w.after(t, what, name, want, w.api.Delete(within(t), name, options))
}

const withoutFinalizers = `{"metadata":{"finalizers":null}}`

// lives makes all writes of objects whose deletion needs no grace period.
func (w *writer[T]) lives(t *testing.T) {
	ctx, dryRun := within(t), []string{metav1.DryRunAll}
	label := func(obj T) { obj.SetLabels(map[string]string{"changed": "true"}) }

	w.create(t, "one")
	w.update(t, "update", "one", state, metav1.UpdateOptions{FieldManager: "me"}, label)
	w.update(t, "update without a change", "one", state, metav1.UpdateOptions{FieldManager: "me"}, label)
	w.update(t, "update as a dry run", "one", nothing, metav1.UpdateOptions{DryRun: dryRun}, func(obj T) { obj.SetLabels(nil) })
	w.patch(t, "patch", "one", state, `{"metadata":{"annotations":{"a":"b"}}}`)
	w.patch(t, "patch as a dry run", "one", nothing, `{"metadata":{"annotations":null}}`, metav1.DryRunAll)
	w.remove(t, "delete as a dry run", "one", nothing, metav1.DeleteOptions{DryRun: dryRun})
	other := types.UID("other")
	if err := w.api.Delete(ctx, "one", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &other}}); !apierrors.IsConflict(err) {
		t.Errorf("delete of another UID: %v", err)
	}
	w.after(t, "delete of another UID", "one", nothing, nil)
	w.remove(t, "delete", "one", gone, metav1.DeleteOptions{})
	if err := w.api.Delete(ctx, "one", metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("delete again: %v", err)
	}
	w.after(t, "delete again", "one", nothing, nil)
	w.create(t, "one") // with another UID

	applied, err := json.Marshal(w.fresh("applied"))
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"apply, which creates", "apply"} {
		_, err := w.api.Patch(ctx, "applied", types.ApplyPatchType, applied, metav1.PatchOptions{FieldManager: "me"})
		w.after(t, what, "applied", state, err)
	}

	const finalizer = "example.com/wait"
	w.create(t, "two", finalizer)
	w.remove(t, "delete with a finalizer, as a dry run", "two", nothing, metav1.DeleteOptions{DryRun: dryRun})
	w.remove(t, "delete with a finalizer", "two", state, metav1.DeleteOptions{})
	w.remove(t, "delete again", "two", state, metav1.DeleteOptions{})
	w.patch(t, "remove the last finalizer as a dry run", "two", nothing, withoutFinalizers, metav1.DryRunAll)
	w.patch(t, "label a deleted object", "two", state, `{"metadata":{"labels":{"a":"b"}}}`)
	w.patch(t, "remove the last finalizer", "two", gone, withoutFinalizers)

	var orphan bool
	w.create(t, "three", finalizer, "example.com/other")
	//lint:ignore SA1019 no other option makes the server answer with the code 202
	w.remove(t, "delete with finalizers, and accept", "three", state, metav1.DeleteOptions{OrphanDependents: &orphan})
	w.update(t, "update to one finalizer", "three", state, metav1.UpdateOptions{}, func(obj T) { obj.SetFinalizers([]string{finalizer}) })
	w.update(t, "update to no finalizer, as a dry run", "three", nothing, metav1.UpdateOptions{DryRun: dryRun}, func(obj T) { obj.SetFinalizers(nil) })
	w.update(t, "update to no finalizer", "three", gone, metav1.UpdateOptions{}, func(obj T) { obj.SetFinalizers(nil) })

	policy := metav1.DeletePropagationForeground
	w.create(t, "four")
	w.remove(t, "delete in the foreground", "four", state, metav1.DeleteOptions{PropagationPolicy: &policy})
	w.patch(t, "finish the foreground", "four", gone, withoutFinalizers)

	collection, ok := w.api.(interface {
		DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error
	})
	if !ok {
		return // Services cannot be deleted together
	}
	w.create(t, "five")
	w.after(t, "delete all", "five", nothing, collection.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	if _, err := w.api.Get(ctx, "five", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after all were deleted: %v", err)
	}
}

// metaOf returns the metadata of a new object.
func metaOf(name string, finalizers []string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Finalizers: finalizers}
}

func freshConfigMap(name string, finalizers ...string) *corev1.ConfigMap {
	return &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metaOf(name, finalizers), Data: map[string]string{"a": "b"}}
}

// freshService returns an object that is the response to its deletion.
func freshService(name string, finalizers ...string) *corev1.Service {
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metaOf(name, finalizers),
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
	}
}

// contentTypes are those of objects that a client sends and receives, by names for namespaces.
var contentTypes = map[string]string{"json": runtime.ContentTypeJSON, "protobuf": runtime.ContentTypeProtobuf}

// TestWrites compares what an observer tells of writes with what the server has after them.
func TestWrites(t *testing.T) {
	configMaps, services := corev1.SchemeGroupVersion.WithResource("configmaps"), corev1.SchemeGroupVersion.WithResource("services")
	for name, contentType := range contentTypes {
		t.Run(name, func(t *testing.T) {
			w := observe(t, shared, contentType)
			namespace := "writes-" + name
			inNamespace(t, w.client, namespace)
			t.Run("ConfigMap", func(t *testing.T) {
				defer w.subscribe(configMaps)()
				(&writer[*corev1.ConfigMap]{w, w.client.CoreV1().ConfigMaps(namespace), freshConfigMap}).lives(t)
				w.deleteWithQuery(t, namespace)
			})
			t.Run("Service", func(t *testing.T) {
				defer w.subscribe(services)()
				(&writer[*corev1.Service]{w, w.client.CoreV1().Services(namespace), freshService}).lives(t)
			})
			t.Run("Deployment", func(t *testing.T) { w.subresources(t, namespace) })
			t.Run("Pod", func(t *testing.T) {
				defer w.subscribe(pods)()
				(&writer[*corev1.Pod]{w, w.client.CoreV1().Pods(namespace), freshPod}).pods(t, w.client, namespace)
			})
			t.Run("Namespace", func(t *testing.T) {
				defer w.subscribe(corev1.SchemeGroupVersion.WithResource("namespaces"))()
				fresh := func(name string, finalizers ...string) *corev1.Namespace {
					return &corev1.Namespace{ObjectMeta: metaOf(name, finalizers)}
				}
				(&writer[*corev1.Namespace]{w, w.client.CoreV1().Namespaces(), fresh}).namespaces(t, w.client, namespace)
			})
		})
	}
	t.Run("dynamic", func(t *testing.T) {
		w := observe(t, shared, runtime.ContentTypeJSON)
		inNamespace(t, w.client, "writes-dynamic")
		defer w.subscribe(configMaps)()
		(&writer[*unstructured.Unstructured]{w, anyAPI{w.any.Resource(configMaps).Namespace("writes-dynamic")}, func(name string, finalizers ...string) *unstructured.Unstructured {
			content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(freshConfigMap(name, finalizers...))
			if err != nil {
				t.Fatal(err)
			}
			return &unstructured.Unstructured{Object: content}
		}}).lives(t)
	})
}

// TestWritesOfCustomResources does the same for a kind that is installed with a CRD.
func TestWritesOfCustomResources(t *testing.T) {
	server := start(t)
	w := observe(t, server, runtime.ContentTypeJSON)
	inNamespace(t, w.client, "custom")
	newObjects(t, server).create(t, "../../examples/operator/config/crd/data.example.com_databases.yaml")
	client, err := versioned.NewForConfigAndClient(w.config, w.http)
	if err != nil {
		t.Fatal(err)
	}
	resource := datav1.SchemeGroupVersion.WithResource("databases")
	follow[*datav1.Database](t, client.DataV1().RESTClient(), resource, "custom").awaitSync(t) // it is installed
	defer w.subscribe(resource)()
	fresh := func(name string, finalizers ...string) *datav1.Database {
		return &datav1.Database{
			TypeMeta:   metav1.TypeMeta{APIVersion: datav1.SchemeGroupVersion.String(), Kind: "Database"},
			ObjectMeta: metaOf(name, finalizers),
			Spec:       datav1.DatabaseSpec{ClassName: "small", StorageGi: 1},
		}
	}
	databases := &writer[*datav1.Database]{w, client.DataV1().Databases("custom"), fresh}
	databases.lives(t)

	databases.create(t, "status")
	obj, err := client.DataV1().Databases("custom").Get(within(t), "status", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	obj.Status.Phase = datav1.DatabaseReady
	obj, err = client.DataV1().Databases("custom").UpdateStatus(within(t), obj, metav1.UpdateOptions{})
	w.check(t, "status", state, obj, err)
}
