package clientgo

import (
	"fmt"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/listers"
	toolscache "k8s.io/client-go/tools/cache"
)

// TestListersAreThoseOfClientGo compares the lister with client-go's own, and with that of
// generated code, which reads the adapter.
func TestListersAreThoseOfClientGo(t *testing.T) {
	core := newInformer(newSource(t))
	indexer := toolscache.NewIndexer(toolscache.MetaNamespaceKeyFunc, toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc})
	ours, theirs := GenericInformer(core).Lister(), toolscache.NewGenericLister(indexer, widgets.GroupResource())
	overOurs := toolscache.NewGenericLister(GenericInformer(core).Informer().GetIndexer(), widgets.GroupResource())
	generated := listers.NewNamespaced[object](listers.New[object](SharedIndexInformer(core).GetIndexer(), widgets.GroupResource()), "a")
	read := func(l toolscache.GenericLister) (lines []string) {
		for _, selector := range []labels.Selector{labels.Everything(), labels.Nothing(), labels.SelectorFromSet(labels.Set{"color": "red"})} {
			lists := map[string]toolscache.GenericNamespaceLister{"all": l, "a": l.ByNamespace("a"), "none": l.ByNamespace("none"), "every": l.ByNamespace("")}
			for where, lister := range lists {
				objs, err := lister.List(selector)
				lines = append(lines, fmt.Sprintf("%s in %s: %v %v %v", selector, where, describeObjects(objs), objs == nil, err))
			}
		}
		for _, name := range []string{"w", "a/w", "a/b/w", ""} {
			for where, lister := range map[string]toolscache.GenericNamespaceLister{"all": l, "a": l.ByNamespace("a")} {
				obj, err := lister.Get(name)
				lines = append(lines, fmt.Sprintf("%s in %s: %v %v %v", name, where, describe(obj), err, apierrors.IsNotFound(err)))
			}
		}
		slices.Sort(lines)
		return lines
	}
	for _, objs := range [][]object{nil, {newObject("w", "red")}, {newObject("w", "red"), newObject("a/w", "red"), newObject("a/v", "blue"), newObject("b/v", "red")}} {
		for _, obj := range objs {
			core.GetIndexer().Add(obj)
			if err := indexer.Add(obj); err != nil {
				t.Fatal(err)
			}
		}
		want := read(theirs)
		wantLines(t, read(ours), want...)
		wantLines(t, read(overOurs), want...)
	}
	if all, err := generated.List(labels.Everything()); err != nil || len(all) != 2 {
		t.Errorf("the generated lister has %v: %v", all, err)
	}
	if obj, err := generated.Get("w"); err != nil || describe(obj) != "a/w red" {
		t.Errorf("the generated lister has %v: %v", obj, err)
	}
	if all, err := ours.List(nil); err != nil || len(all) != 4 {
		t.Errorf("without a selector: %v, %v", all, err)
	}
}

func describeObjects(objs []runtime.Object) (all []string) {
	for _, obj := range objs {
		all = append(all, describe(obj))
	}
	return slices.Sorted(slices.Values(all))
}
