package crcache

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/runtime/writes"
)

// writer is a client that reads from a cache. The cache observes its writes.
type writer struct {
	client.Client
	t      *testing.T
	server *server
	cache  *Cache
}

// newWriter returns a writer with a running cache.
func newWriter(t *testing.T, s *server, options ctrlcache.Options, set ...func(*client.Options)) *writer {
	t.Helper()
	own := &writes.Observer{}
	httpClient := s.client()
	httpClient.Transport = own.Transport(httpClient.Transport)
	options.HTTPClient, options.Mapper, options.Scheme = httpClient, testMapper(), testScheme()
	c, err := NewFunc(WithReadYourWrites(own))(s.config(), options)
	if err != nil {
		t.Fatal(err)
	}
	clientOptions := client.Options{
		HTTPClient: httpClient, Mapper: options.Mapper, Scheme: options.Scheme,
		Cache: &client.CacheOptions{Reader: c, Unstructured: true},
	}
	for _, change := range set {
		change(&clientOptions)
	}
	w := &writer{t: t, server: s, cache: c.(*Cache)}
	if w.Client, err = client.New(s.config(), clientOptions); err != nil {
		t.Fatal(err)
	}
	start(t, w.cache)
	return w
}

// read adds an informer for a form, and waits until it is synced.
func (w *writer) read(f form) *informer {
	w.t.Helper()
	i, err := w.cache.GetInformer(timeout(w.t), emptyWidget(f))
	if err != nil {
		w.t.Fatal(err)
	}
	return i.(interface{ own() *informer }).own()
}

// pending returns the number of writes that the watch has not confirmed.
func (w *writer) pending() (sum int) {
	for status := range w.cache.Statuses() {
		sum += status.Status.PendingWrites
	}
	return sum
}

// awaitConfirmed waits until the watch has confirmed all writes.
func (w *writer) awaitConfirmed() {
	w.t.Helper()
	eventually(w.t, func() error {
		if n := w.pending(); n > 0 {
			return fmt.Errorf("%d writes are pending", n)
		}
		return nil
	})
}

// emptyWidget returns an object to read into.
func emptyWidget(f form) client.Object {
	return [numForms]client.Object{&widget{}, untypedWidget(), partialWidget()}[f]
}

// emptyWidgets returns a list to read into.
func emptyWidgets(f form) client.ObjectList {
	return [numForms]client.ObjectList{&widgetList{}, untypedWidgets(), partialWidgets()}[f]
}

// get returns the version of a widget in a form, or "" if it is not found, and its color if the
// form has one.
func (w *writer) get(f form, key client.ObjectKey) (version, color string) {
	w.t.Helper()
	obj := emptyWidget(f)
	err := w.Get(timeout(w.t), key, obj)
	if client.IgnoreNotFound(err) != nil {
		w.t.Fatalf("%s: %v", f, err)
	}
	if err == nil {
		version = obj.GetResourceVersion()
	}
	switch o := obj.(type) {
	case *widget:
		color = o.Spec.Color
	case *unstructured.Unstructured:
		color, _, _ = unstructured.NestedString(o.Object, "spec", "color")
	}
	return version, color
}

// getAndList returns what get does, and fails if the List of the namespace has another version.
// The watch must be held or quiet: an event between the two reads is a difference.
func (w *writer) getAndList(f form, key client.ObjectKey) (version, color string) {
	w.t.Helper()
	version, color = w.get(f, key)
	list := emptyWidgets(f)
	if err := w.List(timeout(w.t), list, client.InNamespace(key.Namespace)); err != nil {
		w.t.Fatalf("%s: %v", f, err)
	}
	listed := ""
	err := meta.EachListItem(list, func(item runtime.Object) error {
		if o := item.(client.Object); o.GetName() == key.Name {
			listed = o.GetResourceVersion()
		}
		return nil
	})
	if err != nil || listed != version {
		w.t.Errorf("%s: List has version %q of %s and %v, Get has %q", f, listed, key, err, version)
	}
	return version, color
}

// newWidgetOf returns a typed widget.
func newWidgetOf(namespace, name, color string) *widget {
	return &widget{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"color": color}}, Spec: widgetSpec{Color: color}}
}

// TestOwnWritesAreRead writes with a client of controller-runtime while watches send nothing, and
// reads each state from the cache.
func TestOwnWritesAreRead(t *testing.T) {
	for _, forms := range [][]form{{typed}, {untyped}, {metadata}, {typed, untyped}, {typed, untyped, metadata}} {
		t.Run(fmt.Sprint(forms), func(t *testing.T) {
			s := newServer(t)
			s.put("widgets", newWidget("a", "old", "red"))
			w := newWriter(t, s, ctrlcache.Options{})
			heard := map[form]*events{}
			for _, f := range forms {
				heard[f] = &events{}
				heard[f].listenTo(t, w.read(f))
			}
			s.hold()
			script(t, w, forms)
			s.release()
			w.awaitConfirmed()
			for _, f := range forms {
				if version, _ := w.getAndList(f, client.ObjectKey{Namespace: "a", Name: "new"}); version != s.version("a", "new") {
					t.Errorf("%s: version %q at the end, want %q", f, version, s.version("a", "new"))
				}
				heard[f].check(t, s, f)
			}
		})
	}
}

// TestOwnWritesListNothing writes objects of several namespaces. Each namespace is listed once.
func TestOwnWritesListNothing(t *testing.T) {
	for name, namespaces := range map[string][]string{
		"all namespaces":                {ctrlcache.AllNamespaces},
		"two namespaces":                {"a", "b"},
		"a namespace and all others":    {"a", ctrlcache.AllNamespaces},
		"two namespaces and all others": {"a", "b", ctrlcache.AllNamespaces},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			options := ctrlcache.Options{DefaultNamespaces: map[string]ctrlcache.Config{}}
			for _, namespace := range namespaces {
				options.DefaultNamespaces[namespace] = ctrlcache.Config{}
			}
			w := newWriter(t, s, options)
			heard := &events{}
			heard.listenTo(t, w.read(typed))
			ctx := timeout(t)
			var all [50]*widget
			for step, write := range []func(*widget) error{
				func(obj *widget) error { return w.Create(ctx, obj) },
				func(obj *widget) error { obj.Spec.Color = "blue"; return w.Update(ctx, obj) },
				func(obj *widget) error { return w.Delete(ctx, obj) },
			} {
				for i := range all {
					if step == 0 {
						all[i] = newWidgetOf([]string{"a", "b"}[i%2], fmt.Sprint("widget-", i), "red")
					}
					if err := write(all[i]); err != nil {
						t.Fatal(err)
					}
					key := client.ObjectKeyFromObject(all[i])
					if version, _ := w.get(typed, key); version != s.version(key.Namespace, key.Name) {
						t.Fatalf("the cache has version %q of %v, want %q", version, key, s.version(key.Namespace, key.Name))
					}
				}
			}
			w.awaitConfirmed()
			heard.check(t, s, typed)
			lists := slices.DeleteFunc(s.seen("widgets", false), func(r asked) bool { return r.method != http.MethodGet })
			if len(lists) != len(namespaces) {
				t.Errorf("%d lists, want %d: %+v", len(lists), len(namespaces), lists)
			}
		})
	}
}

// script writes, and reads after each write.
func script(t *testing.T, w *writer, forms []form) {
	ctx := timeout(t)
	key := client.ObjectKey{Namespace: "a", Name: "new"}
	one, two := newWidgetOf("a", "new", "red"), newWidget("a", "two", "red")
	old := newWidget("a", "old", "red")
	var uid types.UID
	patch := func(text string) client.Patch { return client.RawPatch(types.MergePatchType, []byte(text)) }
	for _, step := range []struct {
		name  string
		key   client.ObjectKey
		do    func() error
		color string // "" if the object is gone
	}{
		{"create", key, func() error { return w.Create(ctx, one) }, "red"},
		{"update", key, func() error { one.Spec.Color = "blue"; return w.Update(ctx, one) }, "blue"},
		{"patch", key, func() error { return w.Patch(ctx, one, patch(`{"spec": {"color": "green"}}`)) }, "green"},
		{"patch of the status", key, func() error { return w.Status().Patch(ctx, one, patch(`{"status": {"ready": true}}`)) }, "green"},
		{"merge", key, func() error {
			base := one.DeepCopyObject().(*widget)
			one.Spec.Color = "gray"
			return w.Patch(ctx, one, client.MergeFrom(base))
		}, "gray"},

		{"unstructured create", client.ObjectKeyFromObject(two), func() error { return w.Create(ctx, two) }, "red"},
		{"unstructured update", client.ObjectKeyFromObject(two), func() error {
			return errors.Join(unstructured.SetNestedField(two.Object, "blue", "spec", "color"), w.Update(ctx, two))
		}, "blue"},
		{"unstructured update of the status", client.ObjectKeyFromObject(two), func() error {
			return errors.Join(unstructured.SetNestedField(two.Object, true, "status", "ready"), w.Status().Update(ctx, two))
		}, "blue"},
		{"unstructured patch", client.ObjectKeyFromObject(two), func() error {
			return w.Patch(ctx, two, patch(`{"spec": {"color": "green"}}`))
		}, "green"},
		{"apply of a new object", client.ObjectKey{Namespace: "a", Name: "applied"}, func() error {
			return w.Apply(ctx, client.ApplyConfigurationFromUnstructured(newWidget("a", "applied", "red")), client.FieldOwner("test"))
		}, "red"},
		{"apply", client.ObjectKey{Namespace: "a", Name: "applied"}, func() error {
			return w.Apply(ctx, client.ApplyConfigurationFromUnstructured(newWidget("a", "applied", "blue")), client.FieldOwner("test"))
		}, "blue"},

		{"delete", client.ObjectKeyFromObject(two), func() error { return w.Delete(ctx, two) }, ""},
		{"delete of a listed object", client.ObjectKeyFromObject(old), func() error { return w.Delete(ctx, old) }, ""},
		{"create again", client.ObjectKeyFromObject(old), func() error { return w.Create(ctx, old) }, "red"},
		{"delete by metadata", client.ObjectKeyFromObject(old), func() error {
			partial := partialWidget()
			partial.Namespace, partial.Name = "a", "old"
			return w.Delete(ctx, partial)
		}, ""},
		{"finalizer", key, func() error { one.Finalizers = []string{"example.com/x"}; return w.Update(ctx, one) }, "gray"},
		{"delete with a finalizer", key, func() error { uid = one.UID; return w.Delete(ctx, one) }, "gray"},
		{"last finalizer", key, func() error {
			return w.Patch(ctx, one, patch(`{"metadata": {"finalizers": null}}`))
		}, ""},
		{"create with the name of a deleted object", key, func() error {
			one = newWidgetOf("a", "new", "black")
			err := w.Create(ctx, one)
			if one.UID == uid {
				return fmt.Errorf("the UID is still %s", uid)
			}
			return err
		}, "black"},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		want := w.server.version(step.key.Namespace, step.key.Name)
		for _, f := range forms {
			version, color := w.getAndList(f, step.key)
			if version != want || f != metadata && color != step.color {
				t.Errorf("%s: %s has version %q with color %q, want %q with %q", step.name, f, version, color, want, step.color)
			}
		}
	}
	if w.pending() == 0 {
		t.Error("no write is pending while watches are held")
	}
}

// version returns the version of a widget on the server, or "" if there is none.
func (s *server) version(namespace, name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if obj := s.objects["widgets/"+namespace+"/"+name]; obj != nil {
		return obj.GetResourceVersion()
	}
	return ""
}

// events are the calls of a handler, by the key of the object.
type events struct {
	mu   sync.Mutex
	seen map[string][]string
}

func (e *events) add(kind string, obj any) {
	if unknown, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
		obj = unknown.Obj // the response to a delete does not have the final state
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.seen == nil {
		e.seen = map[string][]string{}
	}
	o := obj.(client.Object)
	key := client.ObjectKeyFromObject(o).String()
	if kind != deleted { // whose version is that of the last state, or of the deletion
		kind += " " + o.GetResourceVersion()
	}
	e.seen[key] = append(e.seen[key], kind)
}

const deleted = "delete"

func (e *events) listenTo(t *testing.T, i toolscache.SharedIndexInformer) {
	t.Helper()
	registration, err := i.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { e.add("add", obj) },
		UpdateFunc: func(_, obj any) { e.add("update", obj) },
		DeleteFunc: func(obj any) { e.add(deleted, obj) },
	})
	if err != nil {
		t.Fatal(err)
	}
	<-syncedOf(registration)
}

// check compares the events with the history of the server: each state, once, in order.
func (e *events) check(t *testing.T, s *server, f form) {
	t.Helper()
	want := map[string][]string{}
	s.mu.Lock()
	for _, c := range s.history {
		event, obj := deleted, c.old
		switch {
		case c.new == nil:
		case c.old == nil:
			event, obj = "add "+c.new.GetResourceVersion(), c.new
		default:
			event, obj = "update "+c.new.GetResourceVersion(), c.new
		}
		key := client.ObjectKeyFromObject(obj).String()
		want[key] = append(want[key], event)
	}
	s.mu.Unlock()
	eventually(t, func() error {
		e.mu.Lock()
		defer e.mu.Unlock()
		if !maps.EqualFunc(e.seen, want, slices.Equal) {
			return fmt.Errorf("%s: the events are %q, want %q", f, e.seen, want)
		}
		return nil
	})
}
