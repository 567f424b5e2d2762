package source

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/internal/safemeta"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Client lists and watches by a typed client, which has decoded the objects.
type Client struct {
	ListFunc  func(context.Context, metav1.ListOptions) (runtime.Object, error)
	WatchFunc func(context.Context, metav1.ListOptions) (watch.Interface, error)
}

// List reads one page.
func (s *Client) List(ctx context.Context, options metav1.ListOptions) (wire.Page, error) {
	list, err := s.ListFunc(ctx, options)
	if err != nil {
		return wire.Page{}, err
	}
	return pageOf(list)
}

// Watch opens a stream.
func (s *Client) Watch(ctx context.Context, options metav1.ListOptions) (Stream, error) {
	w, err := s.WatchFunc(ctx, options)
	if err != nil {
		return nil, err
	}
	return &clientStream{watch: w}, nil
}

// pageOf returns the items of a typed list, of any Go type. It copies each out of the list's array, so
// that one long-lived object does not keep the whole page alive.
func pageOf(list runtime.Object) (wire.Page, error) {
	listMeta, err := meta.ListAccessor(list)
	if err != nil {
		return wire.Page{}, fmt.Errorf("the client returned a list of type %T without ListMeta: %w", list, err)
	}
	page := wire.Page{
		Items:           make([]wire.Item, 0, meta.LenList(list)),
		ResourceVersion: listMeta.GetResourceVersion(),
		Continue:        listMeta.GetContinue(),
		Shard:           safemeta.AppliedShard(listMeta),
	}
	err = meta.EachListItemWithAlloc(list, func(item runtime.Object) error {
		obj, ok := item.(wire.Object)
		if !ok {
			return errNoMetadata(item)
		}
		if _, err := safemeta.NameOf(obj); err != nil {
			return fmt.Errorf("item %d of the client's list: %w", len(page.Items), err)
		}
		page.Items = append(page.Items, wire.Item{Object: obj})
		return nil
	})
	return page, err
}
