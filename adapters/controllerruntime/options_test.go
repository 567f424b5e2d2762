package crcache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/runtime/redirect"
)

// TestEveryField knows each public field of the options of controller-runtime. If a later version has
// another one, decide about it in resolve, and add it here with the test that shows it.
func TestEveryField(t *testing.T) {
	known := map[reflect.Type]map[string]string{
		reflect.TypeFor[ctrlcache.Options](): {
			"HTTPClient":                   "newCache passes one",
			"Scheme":                       "newCache passes one",
			"Mapper":                       "newCache passes one",
			"SyncPeriod":                   "TestSyncPeriod",
			"ReaderFailOnMissingInformer":  "TestErrorsOfReads",
			"DefaultNamespaces":            "TestNamespaces",
			"DefaultLabelSelector":         "TestPrecedence",
			"DefaultFieldSelector":         "TestPrecedence",
			"DefaultTransform":             "TestTransforms",
			"DefaultWatchErrorHandler":     "TestWatchErrorHandler",
			"DefaultUnsafeDisableDeepCopy": "TestDeepCopy",
			"DefaultEnableWatchBookmarks":  "TestBookmarks",
			"ByObject":                     "TestPrecedence",
			"NewInformer":                  "TestNewInformer",
		},
		reflect.TypeFor[ctrlcache.ByObject](): {
			"Namespaces":            "TestPrecedence",
			"Label":                 "TestPrecedence",
			"Field":                 "TestPrecedence",
			"Transform":             "TestTransforms",
			"UnsafeDisableDeepCopy": "TestDeepCopy",
			"EnableWatchBookmarks":  "TestBookmarks",
			"SyncPeriod":            "TestSyncPeriod",
		},
		reflect.TypeFor[ctrlcache.Config](): {
			"LabelSelector":         "TestNamespaces",
			"FieldSelector":         "TestNamespaces",
			"Transform":             "TestTransforms",
			"UnsafeDisableDeepCopy": "TestDeepCopy",
			"EnableWatchBookmarks":  "TestBookmarks",
			"SyncPeriod":            "TestSyncPeriod",
		},
		reflect.TypeFor[ctrlcache.InformerGetOptions](): {"BlockUntilSynced": "TestLateHandler"},
		reflect.TypeFor[client.GetOptions]():            {"Raw": "", "UnsafeDisableDeepCopy": "TestDeepCopy", "DisableReadYourWritesConsistency": "of the client"},
		reflect.TypeFor[client.ListOptions](): {
			"LabelSelector": "TestListSelects", "FieldSelector": "TestListSelects", "Namespace": "TestListSelects", "Limit": "TestListSelects",
			"Continue": "TestListSelects", "UnsafeDisableDeepCopy": "TestDeepCopy", "Raw": "", "DisableReadYourWritesConsistency": "of the client",
		},
	}
	for options, fields := range known {
		for i := range options.NumField() {
			field := options.Field(i)
			if _, ok := fields[field.Name]; !ok && field.IsExported() {
				t.Errorf("controller-runtime has a new option: %v.%s", options, field.Name)
			}
			delete(fields, field.Name)
		}
		delete(fields, "DisableReadYourWritesConsistency") // it is there since v0.25
		for field := range fields {
			t.Errorf("controller-runtime has no option %v.%s any more", options, field)
		}
	}
}

// TestDefaultsOfConfig fills in each field of a Config.
func TestDefaultsOfConfig(t *testing.T) {
	full := ctrlcache.Config{
		LabelSelector:         labels.Everything(),
		FieldSelector:         fields.Everything(),
		Transform:             ctrlcache.TransformStripManagedFields(),
		UnsafeDisableDeepCopy: ptr.To(true),
		EnableWatchBookmarks:  ptr.To(true),
		SyncPeriod:            ptr.To(time.Second),
	}
	got := reflect.ValueOf(withDefaults(ctrlcache.Config{}, full))
	for i := range got.NumField() {
		if got.Field(i).IsZero() || reflect.ValueOf(full).Field(i).IsZero() {
			t.Errorf("%s has no default", got.Type().Field(i).Name)
		}
	}
	kept := withDefaults(ctrlcache.Config{SyncPeriod: ptr.To(time.Hour), UnsafeDisableDeepCopy: ptr.To(false)}, full)
	if *kept.SyncPeriod != time.Hour || *kept.UnsafeDisableDeepCopy {
		t.Errorf("a default replaced a setting: %+v", kept)
	}
}

func TestMistakes(t *testing.T) {
	for _, test := range []struct {
		options ctrlcache.Options
		want    string
	}{
		{ctrlcache.Options{ByObject: map[client.Object]ctrlcache.ByObject{&corev1.Node{}: {Namespaces: map[string]ctrlcache.Config{"a": {}}}}}, "ByObject[Node].Namespaces is set, but Node is not namespaced"},
		{ctrlcache.Options{ByObject: map[client.Object]ctrlcache.ByObject{&widget{}: {}, untypedWidget(): {}}}, "two entries for example.com/v1, Kind=Widget"},
		{ctrlcache.Options{ByObject: map[client.Object]ctrlcache.ByObject{&unstructured.Unstructured{}: {}}}, "Options.ByObject[*unstructured.Unstructured]"},
		{ctrlcache.Options{ByObject: map[client.Object]ctrlcache.ByObject{&corev1.Service{}: {}}}, "ByObject[Service]: cannot tell whether it is namespaced"},
		{ctrlcache.Options{DefaultNamespaces: map[string]ctrlcache.Config{"a": {SyncPeriod: ptr.To(time.Minute)}, "b": {}}}, `Options.DefaultNamespaces["b"].SyncPeriod is 10h0m0s`},
		{ctrlcache.Options{SyncPeriod: ptr.To(-time.Minute)}, "SyncPeriod is -1m0s"},
		{ctrlcache.Options{DefaultLabelSelector: labels.Nothing()}, "the label selector selects nothing"},
		{ctrlcache.Options{DefaultFieldSelector: fields.Nothing()}, "the field selector selects nothing"},
		{ctrlcache.Options{DefaultNamespaces: map[string]ctrlcache.Config{"Team A": {}}}, `["Team A"]: the key cannot be the name of a namespace`},
	} {
		test.options.Scheme, test.options.Mapper = testScheme(), testMapper()
		if c, err := New(&rest.Config{}, test.options); err == nil || c != nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, %v; want %q", c, err, test.want)
		}
	}
	if _, err := New(nil, ctrlcache.Options{}); err == nil {
		t.Error("a cache without a config")
	}
	if _, err := New(&rest.Config{Host: "http://127.0.0.1:1"}, ctrlcache.Options{}); err != nil {
		t.Errorf("all defaults: %v", err)
	}
}

// TestNamespaces reads several namespaces, each with selectors of its own.
func TestNamespaces(t *testing.T) {
	s := newServer(t)
	for _, namespace := range []string{"a", "b", "c"} {
		for _, color := range []string{"red", "blue"} {
			s.put("widgets", newWidget(namespace, color, color))
		}
	}
	s.put("nodes", newObject("Node", "", "node-1"))
	options := ctrlcache.Options{DefaultNamespaces: map[string]ctrlcache.Config{
		"a": {LabelSelector: labels.SelectorFromSet(labels.Set{"color": "red"})},
		"b": {FieldSelector: selector("metadata.name=blue")},
	}}
	c := newCache(t, s, options)
	start(t, c)
	ctx := timeout(t)
	if got := namesIn(t, c); got != "a/red b/blue" {
		t.Errorf("two namespaces have %s", got)
	}
	if got := namesIn(t, c, client.InNamespace("a")); got != "a/red" {
		t.Errorf("one namespace has %s", got)
	}
	for _, err := range []error{
		c.Get(ctx, client.ObjectKey{Namespace: "c", Name: "red"}, &widget{}),
		c.Get(ctx, client.ObjectKey{Name: "red"}, &widget{}),
		c.List(ctx, untypedWidgets(), client.InNamespace("c")),
	} {
		if err == nil || !strings.Contains(err.Error(), "unknown namespace for the cache") {
			t.Errorf("an unknown namespace: %v", err)
		}
	}
	for _, namespace := range []string{"", "c"} { // which is ignored
		if err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "node-1"}, &corev1.Node{}); err != nil {
			t.Errorf("a node: %v", err)
		}
	}
	informer, err := c.GetInformer(ctx, &widget{})
	if err != nil {
		t.Fatal(err)
	}
	var heard recorder
	if _, err := informer.(toolscache.SharedIndexInformer).AddEventHandler(&heard); err != nil {
		t.Fatal(err)
	}
	heard.waitFor(t, "add *crcache.widget red true", "add *crcache.widget blue true")

	options.DefaultNamespaces[ctrlcache.AllNamespaces] = ctrlcache.Config{}
	all := newCache(t, s, options)
	start(t, all)
	if got := namesIn(t, all); got != "a/red b/blue c/blue c/red" {
		t.Errorf("all namespaces have %s", got)
	}
	if err := all.Get(ctx, client.ObjectKey{Namespace: "c", Name: "red"}, &widget{}); err != nil {
		t.Error(err)
	}
}

// mark is a transform that sets an annotation, of any form.
func mark(value string) toolscache.TransformFunc {
	return func(obj any) (any, error) {
		o := obj.(client.Object)
		o.SetAnnotations(map[string]string{"mark": value, "type": fmt.Sprintf("%T", obj)})
		return o, nil
	}
}

func TestTransforms(t *testing.T) {
	s := newServer(t)
	for _, namespace := range []string{"a", "b", "c"} {
		s.put("widgets", newWidget(namespace, "one", "red"))
		s.put("configmaps", newObject("ConfigMap", namespace, "one"))
	}
	c := newCache(t, s, ctrlcache.Options{
		DefaultTransform: mark("global"),
		ByObject: map[client.Object]ctrlcache.ByObject{&widget{}: {
			Transform:  mark("object"),
			Namespaces: map[string]ctrlcache.Config{"a": {Transform: mark("namespace")}, "b": {}, "c": {Transform: func(obj any) (any, error) { return obj, nil }}},
		}},
	})
	start(t, c)
	ctx := timeout(t)
	for namespace, want := range map[string]string{"a": "namespace", "b": "object", "c": ""} {
		for _, obj := range []client.Object{partialWidget(), &widget{}, untypedWidget(), &widget{}, partialWidget()} {
			if err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "one"}, obj); err != nil {
				t.Fatal(err)
			}
			_, isPartial := obj.(*metav1.PartialObjectMetadata)
			annotations := obj.GetAnnotations()
			if annotations["mark"] != want || want != "" && !isPartial && annotations["type"] != fmt.Sprintf("%T", obj) {
				t.Errorf("%T in %s has %v", obj, namespace, annotations)
			}
		}
	}
	configMap := &corev1.ConfigMap{}
	if err := c.Get(ctx, client.ObjectKey{Namespace: "a", Name: "one"}, configMap); err != nil || configMap.Annotations["mark"] != "global" {
		t.Errorf("got %v, %v", configMap, err)
	}
}

// TestStripManagedFields leaves the managed fields out already when objects are decoded.
func TestStripManagedFields(t *testing.T) {
	strip := ctrlcache.TransformStripManagedFields()
	for _, test := range []struct {
		name       string
		transforms map[string]toolscache.TransformFunc // by namespace
		isAsked    bool
	}{
		{"all namespaces", map[string]toolscache.TransformFunc{"": strip}, true},
		{"two namespaces", map[string]toolscache.TransformFunc{"a": strip, "b": ctrlcache.TransformStripManagedFields()}, true},
		{"one of two namespaces", map[string]toolscache.TransformFunc{"a": strip, "b": mark("b")}, false},
		{"called by another transform", map[string]toolscache.TransformFunc{"": func(obj any) (any, error) { return strip(obj) }}, false},
	} {
		s := newServer(t)
		w := newWidget("a", "one", "red")
		w.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "m", Operation: "Update", APIVersion: "example.com/v1", FieldsType: "FieldsV1", FieldsV1: fieldsV1("{}")}})
		s.put("widgets", w)
		namespaces := map[string]ctrlcache.Config{}
		for namespace, transform := range test.transforms {
			namespaces[namespace] = ctrlcache.Config{Transform: transform}
		}
		c := newCache(t, s, ctrlcache.Options{DefaultNamespaces: namespaces})
		start(t, c)
		for _, obj := range []client.Object{&widget{}, untypedWidget(), partialWidget()} {
			if err := c.Get(timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}, obj); err != nil || len(obj.GetManagedFields()) > 0 || obj.GetLabels()["color"] != "red" {
				t.Errorf("%s: got %+v, %v", test.name, obj, err)
			}
		}
		if got := strings.Contains(s.seen("widgets", false)[0].accept, "drop=metadata.managedFields"); got != test.isAsked {
			t.Errorf("%s: the server is asked to leave them out: %v, want %v", test.name, got, test.isAsked)
		}
	}
}

// TestTransformOfAnotherType returns an object that no reader could get.
func TestTransformOfAnotherType(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{DefaultTransform: func(any) (any, error) { return &corev1.Pod{}, nil }})
	start(t, c)
	ctx := timeout(t)
	if _, err := c.GetInformer(ctx, &widget{}, ctrlcache.BlockUntilSynced(false)); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		for status := range c.Statuses() {
			if status.Status.Err == nil || !strings.Contains(status.Status.Err.Error(), "the transform returned a *v1.Pod for a *crcache.widget") {
				return fmt.Errorf("the status is %v", status.Status)
			}
		}
		return nil
	})
}

func TestDeepCopy(t *testing.T) {
	s := newServer(t)
	for _, namespace := range []string{"a", "b"} {
		s.put("widgets", newWidget(namespace, "one", "red"))
		s.put("configmaps", newObject("ConfigMap", namespace, "one"))
	}
	c := newCache(t, s, ctrlcache.Options{
		DefaultUnsafeDisableDeepCopy: ptr.To(true),
		ByObject: map[client.Object]ctrlcache.ByObject{
			&corev1.ConfigMap{}: {UnsafeDisableDeepCopy: ptr.To(false)},
			&widget{}:           {Namespaces: map[string]ctrlcache.Config{"a": {}, "b": {UnsafeDisableDeepCopy: ptr.To(false)}}},
		},
	})
	start(t, c)
	ctx := timeout(t)
	for _, test := range []struct {
		namespace string
		options   []client.GetOption
		shared    bool
	}{
		{"a", nil, true},
		{"b", nil, false},
		{"b", []client.GetOption{client.UnsafeDisableDeepCopy}, true},
	} {
		for _, newObject := range []func() client.Object{
			func() client.Object { return &widget{} },
			func() client.Object { return untypedWidget() },
			func() client.Object { return partialWidget() },
		} {
			first, second := newObject(), newObject()
			for _, obj := range []client.Object{first, second} {
				if err := c.Get(ctx, client.ObjectKey{Namespace: test.namespace, Name: "one"}, obj, test.options...); err != nil {
					t.Fatal(err)
				}
			}
			if got := sharesMemory(first, second); got != test.shared {
				t.Errorf("%T in %s, %v: shared is %v", first, test.namespace, test.options, got)
			}
			if _, isTyped := first.(*widget); isTyped && !test.shared && first.GetObjectKind().GroupVersionKind() != widgetKind {
				t.Errorf("the copy has the kind %v", first.GetObjectKind().GroupVersionKind())
			}
		}
		var first, second widgetList
		for _, list := range []*widgetList{&first, &second} {
			options := []client.ListOption{client.InNamespace(test.namespace)}
			if len(test.options) > 0 {
				options = append(options, client.UnsafeDisableDeepCopy)
			}
			if err := c.List(ctx, list, options...); err != nil || len(list.Items) != 1 {
				t.Fatal(err)
			}
		}
		if got := sharesMemory(&first.Items[0], &second.Items[0]); got != test.shared {
			t.Errorf("a list of %s: shared is %v", test.namespace, got)
		}
	}
	var first, second corev1.ConfigMapList
	if err := errors.Join(c.List(ctx, &first), c.List(ctx, &second)); err != nil || first.Items[0].Kind != "ConfigMap" {
		t.Errorf("got %+v, %v", first.Items[0].TypeMeta, err)
	}
}

// sharesMemory reports whether two objects share their contents.
func sharesMemory(a, b client.Object) bool {
	if u, ok := a.(*unstructured.Unstructured); ok {
		return reflect.ValueOf(u.Object).Pointer() == reflect.ValueOf(b.(*unstructured.Unstructured).Object).Pointer()
	}
	return reflect.ValueOf(a.GetLabels()).Pointer() == reflect.ValueOf(b.GetLabels()).Pointer()
}

func TestBookmarks(t *testing.T) {
	s := newServer(t)
	c := newCache(t, s, ctrlcache.Options{
		DefaultEnableWatchBookmarks: ptr.To(false),
		ByObject: map[client.Object]ctrlcache.ByObject{
			&corev1.ConfigMap{}: {EnableWatchBookmarks: ptr.To(true)},
			&widget{}:           {Namespaces: map[string]ctrlcache.Config{"a": {EnableWatchBookmarks: ptr.To(true)}, "b": {}}},
		},
	})
	start(t, c)
	ctx := timeout(t)
	if err := errors.Join(c.List(ctx, &corev1.ConfigMapList{}), c.List(ctx, &corev1.SecretList{}), c.List(ctx, &widgetList{})); err != nil {
		t.Fatal(err)
	}
	for resource, want := range map[string]map[string]bool{"configmaps": {"": true}, "secrets": {"": false}, "widgets": {"a": true, "b": false}} {
		eventually(t, func() error {
			got := map[string]bool{}
			for _, r := range s.seen(resource, true) {
				got[r.namespace] = r.bookmarks
			}
			if !reflect.DeepEqual(got, want) {
				return fmt.Errorf("%s: bookmarks are requested: %v, want %v", resource, got, want)
			}
			return nil
		})
	}
}

func TestSyncPeriod(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{
		SyncPeriod: ptr.To(time.Hour),
		ByObject: map[client.Object]ctrlcache.ByObject{
			&widget{}:     {SyncPeriod: ptr.To(10 * time.Millisecond)},
			&corev1.Pod{}: {SyncPeriod: ptr.To(time.Duration(0))},
		},
	})
	for kind, want := range map[client.Object]time.Duration{&corev1.Pod{}: 0, &corev1.Secret{}: time.Hour} {
		gvk, err := c.kindOf(kind)
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if got := c.planFor(gvk, true).resync(); got < want*9/10 || got > want*11/10 {
				t.Errorf("%T: %v", kind, got)
			}
		}
	}
	start(t, c)
	informer, err := c.GetInformer(timeout(t), &widget{})
	if err != nil {
		t.Fatal(err)
	}
	resynced := make(chan struct{}, 1000)
	informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{UpdateFunc: func(oldObj, newObj any) {
		if oldObj == newObj {
			select {
			case resynced <- struct{}{}:
			default:
			}
		}
	}})
	<-resynced
}

// TestWatchErrorHandler uses the Reflector, as client-go's handlers do.
func TestWatchErrorHandler(t *testing.T) {
	s := newServer(t)
	s.setRefuse(func(_ *http.Request, resource string) *metav1.Status {
		return &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: resource + " is forbidden"}
	})
	var once sync.Once
	heard := make(chan string)
	c := newCache(t, s, ctrlcache.Options{DefaultWatchErrorHandler: func(ctx context.Context, r *toolscache.Reflector, err error) {
		toolscache.DefaultWatchErrorHandler(logr.NewContext(ctx, logr.Discard()), r, err)
		once.Do(func() { heard <- fmt.Sprintf("%s, %s: %v", r.Name(), r.TypeDescription(), err) })
	}})
	start(t, c)
	if _, err := c.GetInformer(timeout(t), &widget{}, ctrlcache.BlockUntilSynced(false)); err != nil {
		t.Fatal(err)
	}
	if got := <-heard; !strings.HasPrefix(got, "widgets.example.com, example.com/v1, Kind=Widget: list: widgets is forbidden") {
		t.Errorf("got %q", got)
	}
}

// TestNewInformer makes informers with the function of a user.
func TestNewInformer(t *testing.T) {
	called := false
	c, err := New(&rest.Config{}, ctrlcache.Options{
		Scheme: testScheme(),
		Mapper: testMapper(),
		NewInformer: func(toolscache.ListerWatcher, runtime.Object, time.Duration, toolscache.Indexers) toolscache.SharedIndexInformer {
			called = true
			informer, _ := newBlocked()
			return informer
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.GetInformer(t.Context(), &widget{}); err != nil || !called {
		t.Errorf("called is %v, %v", called, err)
	}
	if _, ours := c.(*Cache); ours {
		t.Error("the informers of a user are in our cache")
	}
}

// TestDiscoveryRefusesRedirects redirects each request of discovery to another host, which would get the token.
func TestDiscoveryRefusesRedirects(t *testing.T) {
	var stolen atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stolen.Add(1) }))
	defer other.Close()
	answers := map[string]string{
		"/api":                 `{"kind":"APIVersions","versions":["v1"]}`,
		"/api/v1":              `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods","kind":"Pod","namespaced":true}]}`,
		"/apis":                `{"kind":"APIGroupList","groups":[{"name":"example.com","versions":[{"groupVersion":"example.com/v1","version":"v1"}]}]}`,
		"/apis/example.com":    `{"kind":"APIGroup","name":"example.com","versions":[{"groupVersion":"example.com/v1","version":"v1"}]}`,
		"/apis/example.com/v1": `{"kind":"APIResourceList","groupVersion":"example.com/v1","resources":[{"name":"widgets","kind":"Widget","namespaced":true}]}`,
	}
	for path := range answers {
		for _, within := range []bool{true, false} {
			var redirects atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer secret" {
					t.Errorf("%s is requested without the token", r.URL.Path)
				}
				asked, isMoved := strings.CutPrefix(r.URL.Path, "/moved")
				switch {
				case asked == path && !isMoved && within:
					redirects.Add(1)
					http.Redirect(w, r, "/moved"+path, http.StatusTemporaryRedirect)
				case asked == path && !isMoved:
					redirects.Add(1)
					http.Redirect(w, r, other.URL+path, http.StatusTemporaryRedirect)
				default:
					w.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(w, answers[asked])
				}
			}))
			config := &rest.Config{Host: server.URL, BearerToken: "secret", QPS: -1}
			c, err := New(config, ctrlcache.Options{Scheme: testScheme()})
			if err != nil {
				t.Fatal(err)
			}
			mapper := c.(*Cache).mapper
			_, widgets := mapper.RESTMapping(schema.GroupKind{Group: "example.com", Kind: "Widget"}, "v1")
			_, pods := mapper.RESTMapping(schema.GroupKind{Kind: "Pod"})
			_, unknown := mapper.RESTMapping(schema.GroupKind{Group: "example.com", Kind: "Unknown"})
			switch err := errors.Join(widgets, pods); {
			case within && err != nil:
				t.Errorf("%s redirects within the host: %v", path, err)
			case !within && redirects.Load() > 0 && !redirect.Is(errors.Join(err, unknown)):
				t.Errorf("%s redirects to another host: %v", path, err)
			}
			server.Close()
		}
	}
	if n := stolen.Load(); n > 0 {
		t.Errorf("the other host got %d requests", n)
	}
}
