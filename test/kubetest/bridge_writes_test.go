package kubetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	corelisters "k8s.io/client-go/listers/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/typedinformers/informer-gen/adapters/clientgo"
	crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"
	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	coreinformers "github.com/typedinformers/informer-gen/kubernetes/informers/externalversions/core/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/writes"
	"github.com/typedinformers/informer-gen/test/progress"
)

// gate is a transport whose watches send nothing while it is shut. So what a cache has at that time
// comes from the responses to writes.
type gate struct {
	next http.RoundTripper

	mu     sync.Mutex
	opened chan struct{} // closed while the gate is open
}

func newGate() *gate {
	g := &gate{opened: make(chan struct{})}
	close(g.opened)
	return g
}

// wrap is for rest.Config.Wrap.
func (g *gate) wrap(next http.RoundTripper) http.RoundTripper {
	g.next = next
	return g
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opened = make(chan struct{})
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.opened)
}

func (g *gate) passable() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.opened
}

// RoundTrip sends a request.
func (g *gate) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := g.next.RoundTrip(request)
	if err == nil && request.Method == http.MethodGet && request.URL.Query().Has("watch") {
		response.Body = gated{response.Body, g, request.Context()}
	}
	return response, err
}

// CloseIdleConnections closes those of the transport below.
func (g *gate) CloseIdleConnections() {
	(&http.Client{Transport: g.next}).CloseIdleConnections()
}

// gated is the body of a watch.
type gated struct {
	io.ReadCloser
	gate *gate
	ctx  context.Context
}

func (b gated) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	select {
	case <-b.gate.passable():
	case <-b.ctx.Done():
	}
	return n, err
}

// reading is a manager whose client reads a kind in some forms, and writes.
type reading struct {
	client.Client
	t     *testing.T
	live  client.Reader
	cache *crcache.Cache
	gate  *gate
	// kind and object are those of the objects, forms those of the readers.
	kind   schema.GroupVersionKind
	object client.Object
	forms  []string
	// hasMessages is set if typed clients of the kind use protobuf.
	hasMessages bool
	// written has the versions of each object.
	written map[types.UID][]string

	mu sync.Mutex
	// heard has the events of each object that a handler of each form was called for. mu guards
	// it.
	heard map[string]map[types.UID][]string
}

// TestManagerReadsItsWrites writes with the client of a manager, and reads each state from its
// cache while watches send nothing.
func TestManagerReadsItsWrites(t *testing.T) {
	ctrl.SetLogger(logr.Discard())
	server := start(t)
	newObjects(t, server).create(t, "../../examples/operator/config/crd/data.example.com_databases.yaml")
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientscheme.AddToScheme, datav1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	kube := clientFor(t, configOf(server))
	for _, object := range []client.Object{
		&corev1.ConfigMap{Data: map[string]string{"color": "red"}},
		&corev1.Service{Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}, // whose deletion returns it
		&datav1.Database{Spec: datav1.DatabaseSpec{ClassName: "small", StorageGi: 1}},
	} {
		kinds, _, err := scheme.ObjectKinds(object)
		if err != nil {
			t.Fatal(err)
		}
		for n, test := range []struct {
			forms       []string
			contentType string // of the rest.Config
		}{
			{[]string{"typed"}, ""},
			{[]string{"unstructured"}, ""},
			{[]string{"metadata"}, ""},
			{[]string{"typed", "unstructured", "metadata"}, ""},
			{[]string{"typed", "unstructured", "metadata"}, runtime.ContentTypeJSON},
		} {
			t.Run(fmt.Sprint(kinds[0].Kind, test.forms, test.contentType), func(t *testing.T) {
				namespace := fmt.Sprintf("%s-%d", strings.ToLower(kinds[0].Kind), n)
				inNamespace(t, kube, namespace)
				config, own := configOf(server), &writes.Observer{}
				config.ContentType = test.contentType
				config.Proxy = http.ProxyFromEnvironment // so that no other test shares its connections
				r := &reading{t: t, gate: newGate(), kind: kinds[0], object: object, forms: test.forms,
					hasMessages: test.contentType == "" && kinds[0].Group == "",
					written:     map[types.UID][]string{}, heard: map[string]map[types.UID][]string{}}
				config.Wrap(r.gate.wrap)
				config.Wrap(own.Transport)
				mgr, err := ctrl.NewManager(config, ctrl.Options{
					Scheme:   scheme,
					Metrics:  metricsserver.Options{BindAddress: "0"},
					NewCache: crcache.NewFunc(crcache.WithReadYourWrites(own)),
					Client:   client.Options{Cache: &client.CacheOptions{Unstructured: true}},
				})
				if err != nil {
					t.Fatal(err)
				}
				r.Client, r.live, r.cache = mgr.GetClient(), mgr.GetAPIReader(), mgr.GetCache().(*crcache.Cache)
				runManager(t, mgr)
				for _, form := range test.forms {
					r.listen(form)
				}
				r.gate.shut()
				for _, writer := range []string{"typed", "unstructured"} {
					r.script(writer, namespace, kinds[0].Kind == "Database")
				}
				r.gate.open()
				r.check()
			})
		}
	}
}

// runManager runs a manager until the end of the test.
func runManager(t *testing.T, mgr ctrl.Manager) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the manager ended with %v", err)
		}
		mgr.GetHTTPClient().CloseIdleConnections()
	})
	if !mgr.GetCache().WaitForCacheSync(within(t)) {
		t.Fatal("the cache is not synced")
	}
}

// empty returns an object of the kind in a form, without content.
func (r *reading) empty(form string) client.Object {
	switch form {
	case "typed":
		return reflect.New(reflect.TypeOf(r.object).Elem()).Interface().(client.Object)
	case "metadata":
		m := &metav1.PartialObjectMetadata{}
		m.SetGroupVersionKind(r.kind)
		return m
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(r.kind)
	return u
}

// filled returns an object of the kind in a form.
func (r *reading) filled(form, namespace, name string) client.Object {
	r.t.Helper()
	obj := r.object.DeepCopyObject().(client.Object)
	obj.SetNamespace(namespace)
	obj.SetName(name)
	if form == "typed" {
		return obj
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		r.t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(r.kind)
	unstructured.RemoveNestedField(u.Object, "status")
	unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
	return u
}

// listen adds a handler in a form.
func (r *reading) listen(form string) {
	r.t.Helper()
	informer, err := r.cache.GetInformer(within(r.t), r.empty(form))
	if err != nil {
		r.t.Fatal(err)
	}
	r.mu.Lock()
	r.heard[form] = map[types.UID][]string{}
	r.mu.Unlock()
	note := func(event string, obj any) {
		if unknown, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
			obj = unknown.Obj // the response to a delete does not have the final state
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		o := obj.(client.Object)
		if event == "add" || event == "update" {
			event += " " + o.GetResourceVersion()
		}
		r.heard[form][o.GetUID()] = append(r.heard[form][o.GetUID()], event)
	}
	registration, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { note("add", obj) },
		UpdateFunc: func(_, obj any) { note("update", obj) },
		DeleteFunc: func(obj any) { note("delete", obj) },
	})
	if err != nil {
		r.t.Fatal(err)
	}
	select {
	case <-registration.HasSyncedChecker().Done():
	case <-within(r.t).Done():
		r.t.Fatalf("the handler of %s is not synced", form)
	}
}

// Forms of responses: those of a typed client are protobuf for built-in kinds, except for an Apply,
// and unless the rest.Config has another ContentType.
const (
	whole = iota
	message
	partial
)

// atOnce reports whether a state is read in a form before the watch has it. An informer that decodes to
// unstructured cannot read protobuf, and only one that decodes to metadata can use
// PartialObjectMetadata: metadata next to typed objects comes from their store.
func (r *reading) atOnce(form string, response int) bool {
	switch {
	case response == message && r.hasMessages:
		return form != "unstructured"
	case response == partial:
		return form == "metadata" && !slices.Contains(r.forms, "typed")
	}
	return true
}

// script writes two objects with one form of the client, and reads after each write.
func (r *reading) script(writer, namespace string, hasStatus bool) {
	ctx := within(r.t)
	response := whole
	if writer == "typed" {
		response = message
	}
	obj := r.filled(writer, namespace, writer)
	merge := func(text string) client.Patch { return client.RawPatch(types.MergePatchType, []byte(text)) }
	set := func(label string) error {
		obj.SetLabels(map[string]string{"step": label})
		return r.Update(ctx, obj)
	}
	r.step("create", obj, response, func() error { return r.Create(ctx, obj) })
	r.step("update", obj, response, func() error { return set("update") })
	r.step("update of nothing", obj, response, func() error { return set("update") })
	r.step("patch", obj, response, func() error { return r.Patch(ctx, obj, merge(`{"metadata": {"labels": {"step": "patch"}}}`)) })
	if hasStatus {
		r.step("patch of the status", obj, response, func() error {
			return r.Status().Patch(ctx, obj, merge(`{"status": {"phase": "Ready"}}`))
		})
		r.step("update of the status", obj, response, func() error { return r.Status().Update(ctx, obj) })
	}
	r.step("metadata patch", obj, partial, func() error {
		m := r.empty("metadata")
		m.SetNamespace(namespace)
		m.SetName(writer)
		err := r.Patch(ctx, m, merge(`{"metadata": {"labels": {"step": "metadata"}}}`))
		obj.SetResourceVersion(m.GetResourceVersion())
		return err
	})
	r.step("apply", obj, whole, func() error {
		u := r.filled("unstructured", namespace, writer).(*unstructured.Unstructured)
		u.SetLabels(map[string]string{"applied": "true"})
		err := r.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("test"), client.ForceOwnership)
		obj.SetResourceVersion(u.GetResourceVersion())
		return err
	})
	if r.kind.Kind == "ConfigMap" {
		r.step("typed apply", obj, whole, func() error {
			configMap := corev1apply.ConfigMap(writer, namespace).WithData(map[string]string{"color": "blue"})
			err := r.Apply(ctx, configMap, client.FieldOwner("test"), client.ForceOwnership)
			obj.SetResourceVersion(*configMap.ResourceVersion)
			return err
		})
	}
	r.step("finalizer", obj, response, func() error {
		return r.Patch(ctx, obj, merge(`{"metadata": {"finalizers": ["example.com/x"]}}`))
	})
	r.step("delete with a finalizer", obj, response, func() error {
		if err := r.Delete(ctx, obj); err != nil {
			return err
		}
		live := r.empty("unstructured")
		err := r.live.Get(ctx, client.ObjectKeyFromObject(obj), live)
		obj.SetResourceVersion(live.GetResourceVersion())
		return err
	})
	r.gone("last finalizer", obj, func() error {
		return r.Patch(ctx, obj, merge(`{"metadata": {"finalizers": null}}`))
	})
	again := r.filled(writer, namespace, writer)
	r.step("create again", again, response, func() error { return r.Create(ctx, again) })
	r.gone("delete", again, func() error { return r.Delete(ctx, again) })
}

// version returns the version of an object in the cache, or "" if it is not found. It fails if Get
// and List do not agree, unless the object has changed between them.
func (r *reading) version(form string, key client.ObjectKey) string {
	r.t.Helper()
	for {
		version := r.got(form, key)
		listed := r.listed(form, key)
		if listed != version && r.got(form, key) != version {
			continue // an event came meanwhile
		}
		if listed != version {
			r.t.Errorf("%s: List has version %q of %s, Get has %q", form, listed, key, version)
		}
		return version
	}
}

// got returns the version that Get returns, or "".
func (r *reading) got(form string, key client.ObjectKey) string {
	r.t.Helper()
	obj := r.empty(form)
	err := r.Get(within(r.t), key, obj)
	if client.IgnoreNotFound(err) != nil {
		r.t.Fatalf("%s: %v", form, err)
	}
	if err != nil {
		return ""
	}
	return obj.GetResourceVersion()
}

// listed returns the version in a List, or "".
func (r *reading) listed(form string, key client.ObjectKey) string {
	r.t.Helper()
	kind := r.kind.GroupVersion().WithKind(r.kind.Kind + "List")
	var list client.ObjectList
	switch form {
	case "typed":
		made, err := r.Scheme().New(kind)
		if err != nil {
			r.t.Fatal(err)
		}
		list = made.(client.ObjectList)
	case "metadata":
		list = &metav1.PartialObjectMetadataList{}
	default:
		list = &unstructured.UnstructuredList{}
	}
	list.GetObjectKind().SetGroupVersionKind(kind)
	if err := r.List(within(r.t), list, client.InNamespace(key.Namespace)); err != nil {
		r.t.Fatal(err)
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, item := range items {
		if o := item.(client.Object); o.GetName() == key.Name {
			return o.GetResourceVersion()
		}
	}
	return ""
}

// step writes obj, and compares what is read at once. If the cache cannot use the response, it has
// the old state until the watch has the new one.
func (r *reading) step(name string, obj client.Object, response int, do func() error) {
	r.t.Helper()
	key := client.ObjectKeyFromObject(obj)
	before := map[string]string{}
	for _, form := range r.forms {
		before[form] = r.version(form, key)
	}
	if err := do(); err != nil {
		r.t.Fatalf("%s of %s: %v", name, key, err)
	}
	after := obj.GetResourceVersion()
	if versions := r.written[obj.GetUID()]; !slices.Contains(versions, after) {
		r.written[obj.GetUID()] = append(versions, after)
	}
	for _, form := range r.forms {
		want := after
		if !r.atOnce(form, response) {
			want = before[form]
		}
		if got := r.version(form, key); got != want {
			r.t.Errorf("%s of %s: %s has version %q, want %q after %q", name, key, form, got, want, before[form])
		}
	}
	if !slices.ContainsFunc(r.forms, func(form string) bool { return !r.atOnce(form, response) }) {
		return
	}
	r.gate.open()
	r.eventually(func() error {
		for _, form := range r.forms {
			if got := r.version(form, key); got != after {
				return fmt.Errorf("%s of %s: %s has version %q, want %q", name, key, form, got, after)
			}
		}
		return nil
	})
	r.gate.shut()
}

// gone deletes obj, which is not read any more.
func (r *reading) gone(name string, obj client.Object, do func() error) {
	r.t.Helper()
	if err := do(); err != nil {
		r.t.Fatalf("%s of %s: %v", name, client.ObjectKeyFromObject(obj), err)
	}
	for _, form := range r.forms {
		if got := r.version(form, client.ObjectKeyFromObject(obj)); got != "" {
			r.t.Errorf("%s of %s: %s still has version %q", name, client.ObjectKeyFromObject(obj), form, got)
		}
	}
}

// eventually tries until holds returns nil.
func (r *reading) eventually(holds func() error) {
	r.t.Helper()
	var last error
	err := wait.PollUntilContextCancel(within(r.t), time.Millisecond, true, func(context.Context) (bool, error) {
		last = holds()
		return last == nil, nil
	})
	if err != nil {
		r.t.Fatal(errors.Join(last, err))
	}
	progress.Step()
}

// check waits until the watch has confirmed all writes. The handlers have heard each state once, in
// order.
func (r *reading) check() {
	r.t.Helper()
	r.eventually(func() error {
		for status := range r.cache.Kinds() {
			if n := status.Status.PendingWrites; n > 0 {
				return fmt.Errorf("%d writes of %s are pending", n, status.GroupVersionKind.Kind)
			}
		}
		return nil
	})
	for _, form := range r.forms {
		for uid, versions := range r.written {
			want := []string{}
			for _, version := range versions {
				want = append(want, "update "+version)
			}
			want[0] = "add " + versions[0]
			want = append(want, "delete")
			r.eventually(func() error {
				r.mu.Lock()
				defer r.mu.Unlock()
				if got := r.heard[form][uid]; !slices.Equal(got, want) {
					return fmt.Errorf("the events of %s are %q, want %q", form, got, want)
				}
				return nil
			})
		}
	}
}

// TestClientGoInformerReadsItsWrites writes with a clientset of client-go, and reads with client-go's
// lister over an adapter.
func TestClientGoInformerReadsItsWrites(t *testing.T) {
	server := start(t)
	config, own, gate := configOf(server), &writes.Observer{}, newGate()
	config.Wrap(gate.wrap)
	config.Wrap(own.Transport)
	kube := clientFor(t, config)
	web := inNamespace(t, kube, "writes")
	factory := cache.NewSharedInformerFactory(0, cache.WithReadYourWrites(own))
	defer factory.Shutdown()
	pods := clientgo.SharedIndexInformer(cache.InformerFor(factory, coreinformers.PodKind(kube)))
	namespaces := clientgo.SharedIndexInformer(cache.InformerFor(factory, coreinformers.NamespaceKind(kube)))
	lister := corelisters.NewPodLister(pods.GetIndexer()).Pods("writes")
	factory.Start(t.Context())
	ctx := within(t)
	if err := factory.WaitForCacheSync(ctx); err != nil {
		t.Fatal(err)
	}
	gate.shut()
	check := func(step string, want *corev1.Pod) {
		t.Helper()
		got, err := lister.Get("web")
		if err != nil || got.ResourceVersion != want.ResourceVersion || !reflect.DeepEqual(got.Labels, want.Labels) || (got.DeletionTimestamp == nil) != (want.DeletionTimestamp == nil) {
			t.Errorf("after the %s the lister has %v and %v, want version %s", step, got, err, want.ResourceVersion)
		}
		all, err := lister.List(labels.Everything())
		if err != nil || len(all) != 1 || all[0] != got {
			t.Errorf("after the %s the list has %v and %v", step, all, err)
		}
	}
	p := pod("web")
	p.Spec.NodeName = "node-1" // so that a delete has a grace period
	created, err := web.Create(ctx, p, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	check("create", created)
	created.Labels = map[string]string{"app": "web"}
	updated, err := web.Update(ctx, created, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	check("update", updated)
	updated.Status.Message = "x"
	updated, err = kube.CoreV1().Pods("writes").UpdateStatus(ctx, updated, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	check("update of the status", updated)
	if err := web.Delete(ctx, "web", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
		t.Fatal(err)
	}
	check("dry run of a delete", updated)
	if err := web.Delete(ctx, "web", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	deleting, err := web.Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	check("delete with a grace period", deleting)
	if err := web.Delete(ctx, "web", metav1.DeleteOptions{GracePeriodSeconds: new(int64)}); err != nil {
		t.Fatal(err)
	}
	if got, err := lister.Get("web"); err == nil {
		t.Errorf("after the delete without one the lister has %v", got)
	}

	// A Namespace stays until its contents are gone, though the response has no finalizers.
	if err := kube.CoreV1().Namespaces().Delete(ctx, "writes", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	obj, exists, err := namespaces.GetStore().GetByKey("writes")
	if err != nil || !exists {
		t.Errorf("after its delete the namespace is %v, %v", obj, err)
	}
	if got := pods.(interface{ Status() cache.Status }).Status().PendingWrites; got == 0 {
		t.Error("no write is pending while watches send nothing")
	}
	gate.open()
	list, err := kube.CoreV1().Pods("writes").List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	waiter := pods.(interface {
		WaitFor(ctx context.Context, resourceVersion string) error
	})
	if err := waiter.WaitFor(ctx, list.ResourceVersion); err != nil {
		t.Fatal(err)
	}
	if got := pods.(interface{ Status() cache.Status }).Status().PendingWrites; got != 0 {
		t.Errorf("%d writes are pending when the watch has confirmed all", got)
	}
}
