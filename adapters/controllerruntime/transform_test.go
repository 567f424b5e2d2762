package crcache

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestTransformsOfBothForms have mistakes that show only if both forms are stored.
func TestTransformsOfBothForms(t *testing.T) {
	for name, transform := range map[string]toolscache.TransformFunc{
		"nil": func(obj any) (any, error) {
			if _, ok := obj.(*widget); ok {
				return (*widget)(nil), nil
			}
			return obj, nil
		},
		"nil map": func(obj any) (any, error) {
			if _, ok := obj.(*unstructured.Unstructured); ok {
				return (*unstructured.Unstructured)(nil), nil
			}
			return obj, nil
		},
		"rename": func(obj any) (any, error) {
			if u, ok := obj.(*unstructured.Unstructured); ok {
				u.SetName("other")
			}
			return obj, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			s.put("widgets", newWidget("a", "one", "red"))
			c := newCache(t, s, ctrlcache.Options{DefaultTransform: transform})
			for _, obj := range []client.Object{&widget{}, untypedWidget()} {
				if _, err := c.GetInformer(t.Context(), obj); err != nil {
					t.Fatal(err)
				}
			}
			start(t, c)
			eventually(t, func() error {
				for status := range c.Kinds() {
					if strings.Contains(status.NotSynced, "a/one") && strings.Contains(status.NotSynced, "transform") {
						return nil
					}
					return fmt.Errorf("the status is %v", status.NotSynced)
				}
				return nil
			})
		})
	}
}

// TestLabelsOfEachForm selects by the labels that readers see: a transform may treat the forms
// differently.
func TestLabelsOfEachForm(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{DefaultTransform: func(obj any) (any, error) {
		if w, ok := obj.(*widget); ok {
			w.Labels = nil
		}
		return obj, nil
	}})
	for _, obj := range []client.Object{&widget{}, untypedWidget()} {
		if _, err := c.GetInformer(t.Context(), obj); err != nil {
			t.Fatal(err)
		}
	}
	start(t, c)
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(widgetKind.GroupVersion().WithKind("WidgetList"))
	if err := c.List(timeout(t), list, client.MatchingLabels{"color": "red"}); err != nil || len(list.Items) != 1 {
		t.Errorf("unstructured: %d items, %v", len(list.Items), err)
	}
	typed := &widgetList{}
	if err := c.List(timeout(t), typed, client.MatchingLabels{"color": "red"}); err != nil || len(typed.Items) != 0 {
		t.Errorf("typed: %d items, %v", len(typed.Items), err)
	}
}
