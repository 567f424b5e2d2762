package crcache

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestResponsesInOtherForms writes by requests whose response is not the whole object. Only a
// cache of metadata has use for PartialObjectMetadata, and none for a Scale.
func TestResponsesInOtherForms(t *testing.T) {
	key := client.ObjectKey{Namespace: "a", Name: "one"}
	for _, test := range []struct {
		name  string
		forms []form
		// atOnce is set if the state is read before the watch has it.
		atOnce bool
		do     func(*testing.T, *writer) error
	}{
		{"metadata patch for metadata", []form{metadata}, true, patchMetadata},
		{"metadata patch for typed", []form{typed}, false, patchMetadata},
		{"metadata patch for unstructured", []form{untyped}, false, patchMetadata},
		{"metadata patch for both", []form{typed, untyped}, false, patchMetadata},
		{"metadata patch for typed and metadata", []form{typed, metadata}, false, patchMetadata},
		{"scale for metadata", []form{metadata}, false, scale},
		{"scale for typed", []form{typed}, false, scale},
		{"scale for unstructured", []form{untyped}, false, scale},
		{"dry run for typed", []form{typed}, false, func(t *testing.T, w *writer) error {
			return client.NewDryRunClient(w).Update(timeout(t), newWidgetOf("a", "one", "blue"))
		}},
		{"delete of a collection for typed", []form{typed}, false, func(t *testing.T, w *writer) error {
			return w.DeleteAllOf(timeout(t), &widget{}, client.InNamespace("a"))
		}},
		{"delete of a collection for metadata", []form{metadata}, false, func(t *testing.T, w *writer) error {
			return w.DeleteAllOf(timeout(t), partialWidget(), client.InNamespace("a"))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t)
			s.put("widgets", newWidget("a", "one", "red"))
			w := newWriter(t, s, ctrlcache.Options{})
			heard := map[form]*events{}
			for _, f := range test.forms {
				heard[f] = &events{}
				heard[f].listenTo(t, w.read(f))
			}
			s.hold()
			before := s.version("a", "one")
			if err := test.do(t, w); err != nil {
				t.Fatal(err)
			}
			want := before
			if test.atOnce {
				want = s.version("a", "one")
			}
			for _, f := range test.forms {
				version, color := w.getAndList(f, key)
				if version != want || f != metadata && color != "red" {
					t.Errorf("%s: version %q with color %q, want %q with red", f, version, color, want)
				}
			}
			s.release()
			for _, f := range test.forms {
				eventually(t, func() error {
					if version, _ := w.get(f, key); version != s.version("a", "one") {
						return fmt.Errorf("%s: version %q, want %q", f, version, s.version("a", "one"))
					}
					return nil
				})
				heard[f].check(t, s, f)
			}
			w.awaitConfirmed()
		})
	}
}

// patchMetadata patches a label with a metadata client, which asks for PartialObjectMetadata.
func patchMetadata(t *testing.T, w *writer) error {
	partial := partialWidget()
	partial.Namespace, partial.Name = "a", "one"
	return w.Patch(timeout(t), partial, client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"labels": {"patched": "true"}}}`)))
}

// scale updates the subresource scale. The metadata of the response is that of the widget.
func scale(t *testing.T, w *writer) error {
	body := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "autoscaling/v1", "kind": "Scale",
		"metadata": map[string]any{"namespace": "a", "name": "one"},
		"spec":     map[string]any{"replicas": int64(2)},
	}}
	return w.SubResource("scale").Update(timeout(t), newWidget("a", "one", "red"), client.WithSubResourceBody(body))
}

// TestOwnWritesOutsideTheCache writes objects that the options of the cache leave out. The cache
// has none of them, and nothing waits for them.
func TestOwnWritesOutsideTheCache(t *testing.T) {
	red := labels.SelectorFromSet(labels.Set{"color": "red"})
	paint := func(obj any) (any, error) { obj.(*widget).Spec.Color += " paint"; return obj, nil }
	for _, test := range []struct {
		name    string
		options ctrlcache.Options
		// want has the colors of the objects that the cache has after the writes.
		want map[string]string
	}{
		{"all", ctrlcache.Options{}, map[string]string{"a/red": "red", "a/blue": "blue", "b/red": "red", "b/blue": "blue", "c/red": "red", "c/blue": "blue"}},
		{"one namespace", ctrlcache.Options{DefaultNamespaces: map[string]ctrlcache.Config{"a": {}}}, map[string]string{"a/red": "red", "a/blue": "blue"}},
		{"label selector", ctrlcache.Options{ByObject: map[client.Object]ctrlcache.ByObject{&widget{}: {Label: red}}}, map[string]string{"a/red": "red", "b/red": "red", "c/red": "red"}},
		{"field selector for a name", ctrlcache.Options{DefaultFieldSelector: selector("metadata.name=red")}, map[string]string{"a/red": "red", "b/red": "red", "c/red": "red"}},
		{"field selector for a namespace", ctrlcache.Options{DefaultFieldSelector: selector("metadata.namespace!=b")}, map[string]string{"a/red": "red", "a/blue": "blue", "c/red": "red", "c/blue": "blue"}},
		{"transform", ctrlcache.Options{DefaultTransform: paint, DefaultLabelSelector: red}, map[string]string{"a/red": "red paint", "b/red": "red paint", "c/red": "red paint"}},
		{"namespaces with settings of their own", ctrlcache.Options{ByObject: map[client.Object]ctrlcache.ByObject{&widget{}: {Namespaces: map[string]ctrlcache.Config{
			"a": {LabelSelector: red}, "b": {Transform: paint},
		}}}}, map[string]string{"a/red": "red", "b/red": "red paint", "b/blue": "blue paint"}},
		{"all other namespaces", ctrlcache.Options{DefaultNamespaces: map[string]ctrlcache.Config{
			"a": {LabelSelector: red}, ctrlcache.AllNamespaces: {Transform: paint},
		}}, map[string]string{"a/red": "red", "b/red": "red paint", "b/blue": "blue paint", "c/red": "red paint", "c/blue": "blue paint"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t)
			w := newWriter(t, s, test.options)
			heard := &events{}
			i := w.read(typed)
			heard.listenTo(t, i)
			s.hold()
			for _, namespace := range []string{"a", "b", "c"} {
				for _, color := range []string{"red", "blue"} {
					if err := w.Create(timeout(t), newWidgetOf(namespace, color, color)); err != nil {
						t.Fatal(err)
					}
				}
			}
			checkColors(t, i, test.want)
			s.release()
			w.awaitConfirmed()
			checkColors(t, i, test.want)
			// What is not cached is deleted without a trace.
			s.hold()
			for _, namespace := range []string{"a", "b", "c"} {
				for _, color := range []string{"red", "blue"} {
					if err := w.Delete(timeout(t), newWidgetOf(namespace, color, color)); err != nil {
						t.Fatal(err)
					}
				}
			}
			checkColors(t, i, map[string]string{})
			s.release()
			heard.checkPairs(t, test.want)
		})
	}
}

// checkColors compares all objects of an informer.
func checkColors(t *testing.T, i *informer, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for _, obj := range i.GetStore().List() {
		w := obj.(*widget)
		got[w.Namespace+"/"+w.Name] = w.Spec.Color
	}
	if !maps.Equal(got, want) {
		t.Errorf("the cache has %v, want %v", got, want)
	}
}

// checkPairs waits until each of some objects was added and deleted, and nothing else has happened.
func (e *events) checkPairs(t *testing.T, keys map[string]string) {
	t.Helper()
	eventually(t, func() error {
		e.mu.Lock()
		defer e.mu.Unlock()
		ok := len(e.seen) == len(keys)
		for key := range keys {
			seen := e.seen[key]
			ok = ok && len(seen) == 2 && strings.HasPrefix(seen[0], "add ") && seen[1] == deleted
		}
		if !ok {
			return fmt.Errorf("the events are %q, want an add and a delete of each of %v", e.seen, slices.Sorted(maps.Keys(keys)))
		}
		return nil
	})
}
