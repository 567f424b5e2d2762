package crcache

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// hookedSelector calls a function when it is used.
type hookedSelector struct {
	labels.Selector
	used func()
}

func (s hookedSelector) Empty() bool { s.used(); return s.Selector.Empty() }

// TestListOfARemovedIndex removes an informer while its index is being read.
func TestListOfARemovedIndex(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	s.put("widgets", newWidget("a", "two", "red"))
	c := newCache(t, s, ctrlcache.Options{})
	start(t, c)
	ctx := timeout(t)
	color := func(obj client.Object) []string { return []string{obj.GetLabels()["color"]} }
	if err := c.IndexField(ctx, partialWidget(), "color", color); err != nil {
		t.Fatal(err)
	}
	for _, obj := range []client.Object{&widget{}, partialWidget()} { // the store stays typed
		if err := c.Get(ctx, client.ObjectKey{Namespace: "a", Name: "one"}, obj); err != nil {
			t.Fatal(err)
		}
	}
	remove := sync.OnceFunc(func() {
		if err := c.RemoveInformer(ctx, partialWidget()); err != nil {
			t.Error(err)
		}
		s.put("widgets", newWidget("a", "two", "red"))
		s.put("widgets", newWidget("a", "three", "red"))
		eventually(t, func() error { return c.Get(ctx, client.ObjectKey{Namespace: "a", Name: "three"}, &widget{}) })
	})
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(widgetKind.GroupVersion().WithKind("WidgetList"))
	err := c.List(ctx, list, &client.ListOptions{FieldSelector: selector("color=red"), LabelSelector: hookedSelector{labels.Everything(), remove}})
	if err == nil || !strings.Contains(err.Error(), "Index with name") {
		t.Errorf("%d of 3 objects are listed, and the error is %v", len(list.Items), err)
	}
}

// TestIndexesOfRemovedInformers removes the indexes with the informer, while another form lives on.
func TestIndexesOfRemovedInformers(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{})
	start(t, c)
	ctx := timeout(t)
	if err := c.Get(ctx, client.ObjectKey{Namespace: "a", Name: "one"}, &widget{}); err != nil {
		t.Fatal(err)
	}
	byColor := func(obj any) ([]string, error) { return []string{obj.(client.Object).GetLabels()["color"]}, nil }
	if err := c.IndexField(ctx, &widget{}, "color", func(obj client.Object) []string { return nil }); err != nil {
		t.Fatal(err)
	}
	var informer toolscache.SharedIndexInformer
	for range 3 {
		got, err := c.GetInformer(ctx, partialWidget())
		if err != nil {
			t.Fatal(err)
		}
		informer = got.(toolscache.SharedIndexInformer)
		if err := informer.AddIndexers(toolscache.Indexers{"color": byColor}); err != nil {
			t.Fatal(err)
		}
		if err := c.IndexField(ctx, partialWidget(), "color", func(obj client.Object) []string { return nil }); err != nil {
			t.Fatal(err)
		}
		if err := c.RemoveInformer(ctx, partialWidget()); err != nil {
			t.Fatal(err)
		}
	}
	if err := informer.AddIndexers(toolscache.Indexers{"other": byColor}); err == nil {
		t.Error("a removed informer gets an index")
	}
	eventually(t, func() error {
		for _, e := range c.sortedEntries() {
			if indexes := e.informer.GetIndexer().Indexers(); len(indexes) != 2 {
				return fmt.Errorf("the indexes are %v", slices.Sorted(maps.Keys(indexes)))
			}
		}
		return nil
	})
}
