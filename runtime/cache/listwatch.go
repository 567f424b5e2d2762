package cache

import (
	"context"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
)

// TypedClient lists and watches the objects of a kind, as a generated typed client does. L is the list type, such as
// *v1.FooList. It returns errors of the API server unchanged (apierrors.APIStatus), because an informer decides by
// their reason. The lists and their items belong to the informer.
type TypedClient[L runtime.Object] interface {
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// ListerWatcher is the source of the objects of an informer that has no bodies to decode.
// The zero value has none.
type ListerWatcher[T Object] struct {
	source source.Source
	fake   bool
}

// erased returns a ListerWatcher as the machine reads it.
func (lw ListerWatcher[T]) erased() (source.Source, bool) { return lw.source, lw.fake }

// NewListWatch returns a ListerWatcher of a typed client. It recognizes clients of
// fake clientsets:
//
//	cache.NewListWatch[*v1.Foo](clientset.ExampleV1().Foos("team-a"))
func NewListWatch[T Object, L runtime.Object](client TypedClient[L]) ListerWatcher[T] {
	return ListerWatcher[T]{sourceOfClient(client), source.IsFake(client)}
}

// NewViewListWatch lists and watches a view T of the objects of a typed client of the
// whole kind. It decodes each object twice. It is for clients without response bodies, such
// as fakes; a program with a real client uses Kind.Open.
//
//	cache.NewViewListWatch[*FooSummary](clientset.ExampleV1().Foos("team-a"))
func NewViewListWatch[T Object, L runtime.Object](client TypedClient[L]) ListerWatcher[T] {
	return ListerWatcher[T]{source.NewViews(sourceOfClient(client), reflect.TypeFor[T]()), source.IsFake(client)}
}

// sourceOfClient returns the source of a typed client.
func sourceOfClient[L runtime.Object](client TypedClient[L]) *source.Client {
	list := func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return client.List(ctx, options)
	}
	return &source.Client{ListFunc: list, WatchFunc: client.Watch}
}
