package source

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Views lists and watches views of the objects of a typed client.
type Views struct {
	*Client
	view viewer
}

// NewViews returns a source of views. view is their Go type.
func NewViews(whole *Client, view reflect.Type) *Views {
	return &Views{whole, viewer{wire.NewDecoder(view, wire.Options{}, nil)}}
}

// List reads one page.
func (s *Views) List(ctx context.Context, options metav1.ListOptions) (wire.Page, error) {
	page, err := s.Client.List(ctx, options)
	for i := 0; i < len(page.Items) && err == nil; i++ {
		page.Items[i].Object, err = s.view.of(page.Items[i].Object)
	}
	return page, err
}

// Watch opens a stream.
func (s *Views) Watch(ctx context.Context, options metav1.ListOptions) (Stream, error) {
	whole, err := s.Client.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	return Each(whole, func(event *wire.Event) (err error) {
		if event.Type != watch.Bookmark {
			event.Object, err = s.view.of(event.Object)
		}
		return err
	}), nil
}

// viewer makes views, of one Go type, of whole objects.
type viewer struct{ decoder *wire.Decoder }

// of returns the view of an object. It does not share memory with the object.
func (v viewer) of(obj wire.Object) (wire.Object, error) {
	text, err := json.Marshal(obj)
	if err != nil {
		name := obj.GetName()
		if namespace := obj.GetNamespace(); namespace != "" {
			name = namespace + "/" + name
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return v.decoder.Decode(text)
}
