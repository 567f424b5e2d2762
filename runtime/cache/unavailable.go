package cache

import (
	"context"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// NewUnavailableListWatch is for a view of a resource of which a program has no
// typed client, and, as with a fake clientset, no server either. Its errors say how
// to give the view its objects.
func NewUnavailableListWatch[T Object](resource schema.GroupVersionResource) *ListWatch[T] {
	name := reflect.TypeFor[T]()
	err := fmt.Errorf("there is no server to list %s of as %v, and the clientset has no client for them: make the factory with cache.WithListerWatcher(func(namespace string) cache.ListerWatcher[%v] { return cache.NewViewListWatch[%v](…) }), with a typed client of %s",
		resource.GroupResource(), name, name, name, resource.Resource)
	return &ListWatch[T]{
		ListFunc:  func(context.Context, metav1.ListOptions) (Page[T], error) { return Page[T]{}, err },
		WatchFunc: func(context.Context, metav1.ListOptions) (EventStream[T], error) { return nil, err },
	}
}
