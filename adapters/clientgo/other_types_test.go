package clientgo

import (
	"errors"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	toolscache "k8s.io/client-go/tools/cache"
)

// TestOtherTypes writes objects of another type, as tests of programs do, to the store of an informer that replaces client-go's and to
// client-go's indexer. Both must have the same.
func TestOtherTypes(t *testing.T) {
	const byOwner = "owner"
	owner := func(obj any) ([]string, error) {
		accessor, ok := obj.(metav1.Object)
		if !ok {
			return nil, errors.New("no object")
		}
		return []string{accessor.GetLabels()["owner"]}, nil
	}
	indexers := func() toolscache.Indexers {
		return toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc, byOwner: owner}
	}
	stores := map[string]toolscache.Indexer{
		"client-go": toolscache.NewIndexer(toolscache.DeletionHandlingMetaNamespaceKeyFunc, indexers()),
		"generated": NewInformer(Source{Resource: widgets, Object: newObject("w", ""), ListWatch: newSource(t), Indexers: indexers()}).GetIndexer(),
	}
	other := func(namespace, name, owner string) *unstructured.Unstructured {
		obj := &unstructured.Unstructured{}
		obj.SetNamespace(namespace)
		obj.SetName(name)
		obj.SetLabels(map[string]string{"owner": owner})
		return obj
	}
	for name, store := range stores {
		t.Run(name, func(t *testing.T) {
			expect := func(step string, keys ...string) {
				t.Helper()
				got := store.ListKeys()
				slices.Sort(got)
				if !slices.Equal(got, keys) || len(store.List()) != len(keys) {
					t.Errorf("%s: got %v and %d objects, want %v", step, got, len(store.List()), keys)
				}
			}
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			first := other("a", "x", "me")
			must(store.Add(first))
			must(store.Add(other("b", "y", "you")))
			must(store.Add(newObject("a/z", "red")))
			expect("add", "a/x", "a/z", "b/y")
			if got, exists, err := store.GetByKey("a/x"); got != any(first) || !exists || err != nil {
				t.Errorf("get: %v, %v, %v", got, exists, err)
			}
			if objs, err := store.ByIndex(byOwner, "me"); err != nil || len(objs) != 1 || objs[0] != any(first) {
				t.Errorf("by index: %v, %v", objs, err)
			}
			if objs, err := store.Index(toolscache.NamespaceIndex, first); err != nil || len(objs) != 2 {
				t.Errorf("index: %v, %v", objs, err)
			}
			if keys, err := store.IndexKeys(toolscache.NamespaceIndex, "b"); err != nil || !slices.Equal(keys, []string{"b/y"}) {
				t.Errorf("index keys: %v, %v", keys, err)
			}
			if values := store.ListIndexFuncValues(toolscache.NamespaceIndex); len(values) != 2 {
				t.Errorf("values: %v", values)
			}
			must(store.Update(newObject("a/x", "red")))
			if got, _, _ := store.Get(first); got == any(first) {
				t.Error("an object of the cache's type does not replace the other")
			}
			expect("update", "a/x", "a/z", "b/y")
			must(store.Update(first))
			if got, _, _ := store.Get(first); got != any(first) {
				t.Error("an object of another type does not replace that of the cache's")
			}
			must(store.Delete(first))
			expect("delete", "a/z", "b/y")
			must(store.Replace([]any{newObject("c/w", "red"), first}, "7"))
			expect("replace", "a/x", "c/w")
		})
	}
}

// TestOtherTypesOfAdapter adds an object of another type to an adapter that a program made, which refuses it.
func TestOtherTypesOfAdapter(t *testing.T) {
	store := SharedIndexInformer(newInformer(newSource(t))).GetStore()
	if err := store.Add(&unstructured.Unstructured{Object: map[string]any{}}); err == nil || len(store.List()) != 0 {
		t.Errorf("%v, %v", err, store.List())
	}
}
