package crcache

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestTransformsWithAMistake return nothing for one form.
func TestTransformsWithAMistake(t *testing.T) {
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
				var reasons []string
				for status := range c.Kinds() {
					reasons = append(reasons, status.NotSynced)
				}
				if all := strings.Join(reasons, ""); !strings.Contains(all, "a/one") || !strings.Contains(all, "transform") || !slices.Contains(reasons, "") {
					return fmt.Errorf("the reasons are %q", reasons)
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
