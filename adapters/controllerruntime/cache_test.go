package crcache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// patience is how long a test waits for what has to happen.
const patience = 20 * time.Second

// newCache returns a cache that is not started.
func newCache(t *testing.T, s *server, options ctrlcache.Options) *Cache {
	t.Helper()
	if options.HTTPClient == nil {
		options.HTTPClient = s.client()
	}
	if options.Mapper == nil {
		options.Mapper = testMapper()
	}
	options.Scheme = testScheme()
	c, err := New(s.config(), options)
	if err != nil {
		t.Fatal(err)
	}
	return c.(*Cache)
}

// start starts a cache, and stops it at the end of the test.
func start(t *testing.T, c *Cache) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Start(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Start returned %v", err)
		}
	})
	t.Cleanup(stop)
	<-c.started
	return stop
}

func timeout(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// eventually waits until holds returns nil.
func eventually(t *testing.T, holds func() error) {
	t.Helper()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(patience)
	for {
		err := holds()
		if err == nil {
			return
		}
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatal(err)
		}
	}
}

func untypedWidget() *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(widgetKind)
	return u
}

func partialWidget() *metav1.PartialObjectMetadata {
	m := &metav1.PartialObjectMetadata{}
	m.SetGroupVersionKind(widgetKind)
	return m
}

func untypedWidgets() *unstructured.UnstructuredList {
	u := &unstructured.UnstructuredList{}
	u.SetGroupVersionKind(widgetKind.GroupVersion().WithKind("WidgetList"))
	return u
}

func partialWidgets() *metav1.PartialObjectMetadataList {
	m := &metav1.PartialObjectMetadataList{}
	m.SetGroupVersionKind(widgetKind.GroupVersion().WithKind("WidgetList"))
	return m
}

// namesIn returns the sorted names of what a list returns.
func namesIn(t *testing.T, c client.Reader, options ...client.ListOption) string {
	t.Helper()
	var list widgetList
	if err := c.List(timeout(t), &list, options...); err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for i := range list.Items {
		names = append(names, list.Items[i].Namespace+"/"+list.Items[i].Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func TestFormsOfOneKind(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	s.put("widgets", newWidget("a", "two", "blue"))
	c := newCache(t, s, ctrlcache.Options{})
	start(t, c)
	ctx, key := timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}

	steps := []struct {
		form  string
		read  func() error
		lists int // of the server, after the step
	}{
		{"metadata", func() error {
			m := partialWidget()
			if err := c.Get(ctx, key, m); err != nil {
				return err
			}
			if m.Labels["color"] != "red" || m.GroupVersionKind() != widgetKind {
				return fmt.Errorf("got %+v", m)
			}
			return nil
		}, 1},
		{"typed", func() error {
			w := &widget{}
			if err := c.Get(ctx, key, w); err != nil {
				return err
			}
			if w.Spec.Color != "red" || w.GroupVersionKind() != widgetKind {
				return fmt.Errorf("got %+v", w)
			}
			return nil
		}, 2},
		{"unstructured", func() error {
			u := untypedWidget()
			if err := c.Get(ctx, key, u); err != nil {
				return err
			}
			if got, _, _ := unstructured.NestedString(u.Object, "spec", "unknown"); got != "kept" {
				return fmt.Errorf("got %v", u.Object)
			}
			return nil
		}, 3},
	}
	for i, step := range steps {
		if err := step.read(); err != nil {
			t.Fatalf("%s: %v", step.form, err)
		}
		if got := len(s.seen("widgets", false)); got != step.lists {
			t.Errorf("%d lists after the first %s read, want %d", got, step.form, step.lists)
		}
		for _, earlier := range steps[:i] {
			if err := earlier.read(); err != nil {
				t.Errorf("%s after %s: %v", earlier.form, step.form, err)
			}
		}
	}
	if err := c.RemoveInformer(ctx, untypedWidget()); err != nil {
		t.Fatal(err)
	}
	for _, step := range steps[:2] {
		if err := step.read(); err != nil {
			t.Errorf("%s after the removal: %v", step.form, err)
		}
	}
	if forms := fmt.Sprint(formsIn(c)); forms != "[[typed] [metadata]]" {
		t.Errorf("the forms are %v", forms)
	}
	if n := len(s.seen("widgets", false)); n != 3 {
		t.Errorf("%d lists", n)
	}
}

func TestListSelects(t *testing.T) {
	s := newServer(t)
	for _, namespace := range []string{"a", "b"} {
		for _, name := range []string{"one", "two", "three"} {
			s.put("widgets", newWidget(namespace, name, map[string]string{"one": "red", "two": "red", "three": "blue"}[name]))
		}
	}
	c := newCache(t, s, ctrlcache.Options{})
	color := func(obj client.Object) []string { return []string{obj.(*widget).Spec.Color} }
	if err := c.IndexField(t.Context(), &widget{}, "spec.color", color); err != nil {
		t.Fatal(err)
	}
	start(t, c)
	if err := c.IndexField(t.Context(), &widget{}, "name", func(obj client.Object) []string { return []string{obj.GetName()} }); err != nil {
		t.Fatal(err)
	}
	if err := c.IndexField(t.Context(), &widget{}, "name", color); err == nil {
		t.Error("an index replaced another one")
	}
	for _, test := range []struct {
		name    string
		options []client.ListOption
		want    string
	}{
		{"all", nil, "a/one a/three a/two b/one b/three b/two"},
		{"namespace", []client.ListOption{client.InNamespace("b")}, "b/one b/three b/two"},
		{"labels", []client.ListOption{client.MatchingLabels{"color": "blue"}}, "a/three b/three"},
		{"labels in a namespace", []client.ListOption{client.MatchingLabels{"color": "blue"}, client.InNamespace("b")}, "b/three"},
		{"field", []client.ListOption{client.MatchingFields{"spec.color": "red"}}, "a/one a/two b/one b/two"},
		{"field in a namespace", []client.ListOption{client.MatchingFields{"spec.color": "red"}, client.InNamespace("b")}, "b/one b/two"},
		{"fields", []client.ListOption{client.MatchingFields{"spec.color": "red", "name": "two"}}, "a/two b/two"},
		{"fields and labels", []client.ListOption{client.MatchingFields{"spec.color": "red"}, client.MatchingLabels{"name": "one"}, client.InNamespace("a")}, "a/one"},
		{"nothing", []client.ListOption{client.MatchingFields{"spec.color": "green"}}, ""},
		{"unknown namespace", []client.ListOption{client.InNamespace("c")}, ""},
	} {
		if got := namesIn(t, c, test.options...); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	ctx := timeout(t)
	for limit, options := range map[int][]client.ListOption{
		4: {client.Limit(4)},
		2: {client.Limit(2), client.MatchingFields{"spec.color": "red"}},
		1: {client.Limit(1), client.MatchingLabels{"color": "red"}},
	} {
		var list widgetList
		if err := c.List(ctx, &list, options...); err != nil || len(list.Items) != limit {
			t.Errorf("%d objects with the limit %d, and %v", len(list.Items), limit, err)
		}
		if list.Continue != "continue-not-supported" {
			t.Errorf("continue is %q", list.Continue)
		}
	}
	for _, test := range []struct {
		option client.ListOption
		want   string
	}{
		{client.Continue("x"), "continue list option is not supported by the cache"},
		{client.MatchingFields{"spec.size": "1"}, "does not exist"},
		{&client.ListOptions{FieldSelector: selector("spec.color!=red")}, "non-exact field matches are not supported by the cache"},
		{&client.ListOptions{FieldSelector: selector("")}, "non-exact field matches are not supported by the cache"},
	} {
		if err := c.List(ctx, &widgetList{}, test.option); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

func TestErrorsOfReads(t *testing.T) {
	s := newServer(t)
	c := newCache(t, s, ctrlcache.Options{ReaderFailOnMissingInformer: true})
	ctx, key := timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}
	var missing *ctrlcache.ErrResourceNotCached
	if err := c.Get(ctx, key, &widget{}); !errors.As(err, &missing) || missing.GVK != widgetKind {
		t.Errorf("without an informer: %v", err)
	}
	if _, err := c.GetInformer(ctx, &widget{}); err != nil {
		t.Fatal(err)
	}
	var notStarted *ctrlcache.ErrCacheNotStarted
	if err := c.List(ctx, &widgetList{}); !errors.As(err, &notStarted) {
		t.Errorf("before the start: %v", err)
	}
	start(t, c)
	if err := c.Start(ctx); err == nil || !strings.Contains(err.Error(), "informer already started") {
		t.Errorf("a second start: %v", err)
	}
	err := c.Get(ctx, key, &widget{})
	if !apierrors.IsNotFound(err) {
		t.Fatalf("a missing object: %v", err)
	}
	if details := err.(apierrors.APIStatus).Status().Details; details.Kind != "Widget" || details.Group != "example.com" {
		t.Errorf("details %+v", details)
	}
	if err := c.List(ctx, untypedWidgets()); !errors.As(err, &missing) {
		t.Errorf("another form: %v", err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	informer, err := c.GetInformer(canceled, &corev1.Pod{})
	if informer != nil || !apierrors.IsTimeout(err) {
		t.Errorf("with a canceled context: %v, %v", informer, err)
	}
}

// TestListsOfOtherShapes reads into lists whose items are pointers or interfaces.
func TestListsOfOtherShapes(t *testing.T) {
	s := newServer(t)
	for resource, kind := range map[string]string{"gadgets": "Gadget", "gizmos": "Gizmo"} {
		obj := newWidget("a", "one", "red")
		obj.SetKind(kind)
		s.put(resource, obj)
	}
	c := newCache(t, s, ctrlcache.Options{})
	start(t, c)
	for _, share := range []bool{false, true} {
		options := &client.ListOptions{UnsafeDisableDeepCopy: &share}
		var lists [2]gadgetList
		for i := range lists {
			if err := c.List(timeout(t), &lists[i], options); err != nil || len(lists[i].Items) != 1 || lists[i].Items[0].Spec.Color != "red" {
				t.Fatalf("pointers: %+v, %v", lists[i], err)
			}
		}
		if a, b := lists[0].Items[0], lists[1].Items[0]; a == b || sharesMemory(a, b) != share {
			t.Errorf("shared is %v, want %v", sharesMemory(a, b), share)
		}
		var objects gizmoList
		if err := c.List(timeout(t), &objects, options); err != nil || len(objects.Items) != 1 || objects.Items[0].(*gizmo).Spec.Color != "red" {
			t.Errorf("interfaces: %+v, %v", objects, err)
		}
	}
	list := &unstructured.Unstructured{} // which is no list of objects
	list.SetGroupVersionKind(widgetKind.GroupVersion().WithKind("WidgetList"))
	if err := c.List(timeout(t), list); err == nil || !strings.Contains(err.Error(), "UnstructuredList") {
		t.Errorf("into an object: %v", err)
	}
	if err := c.Get(timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}, &metav1.PartialObjectMetadata{}); err == nil {
		t.Error("metadata of no kind")
	}
}

// TestListKindOfItsOwn caches a resource whose CustomResourceDefinition names a listKind that does not follow from its kind.
func TestListKindOfItsOwn(t *testing.T) {
	for _, listKind := range []string{"Widgets", "WidgetCollection", "GadgetList"} {
		s := newServer(t)
		s.listKinds = map[string]string{"widgets": listKind}
		c := newCache(t, s, ctrlcache.Options{})
		start(t, c)
		s.put("widgets", newWidget("a", "one", "red"))
		for _, obj := range []client.Object{untypedWidget(), &widget{}, partialWidget()} {
			ctx := timeout(t)
			if err := c.Get(ctx, client.ObjectKey{Namespace: "a", Name: "one"}, obj); err != nil {
				t.Errorf("%s, as a %T: %v", listKind, obj, err)
			}
		}
	}
}
