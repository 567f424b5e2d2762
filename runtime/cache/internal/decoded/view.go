package decoded

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Viewer makes views, of the type T, of whole objects.
type Viewer[T wire.Object] struct{ decoder *wire.Decoder[T] }

// NewViewer returns a Viewer.
func NewViewer[T wire.Object]() Viewer[T] {
	return Viewer[T]{wire.NewDecoder[T](wire.Options{}, nil)}
}

// Of returns the view of an object. It does not share memory with the object.
func (v Viewer[T]) Of(obj wire.Object) (T, error) {
	text, err := json.Marshal(obj)
	if err != nil {
		var none T
		name := obj.GetName()
		if namespace := obj.GetNamespace(); namespace != "" {
			name = namespace + "/" + name
		}
		return none, fmt.Errorf("%s: %w", name, err)
	}
	return v.decoder.Decode(text)
}

// watched is a watch of whole objects.
type watched[W wire.Object] interface {
	Next(ctx context.Context, reuse []wire.Event[W]) ([]wire.Event[W], error)
	Stop()
}

// ViewStream is a watch of whole objects, of the type W, that returns views.
type ViewStream[T, W wire.Object] struct {
	whole watched[W]
	view  Viewer[T]
	// read are the events of the last batch.
	read   []wire.Event[W]
	failed error
}

// NewViewStream returns a watch of the views of the objects of whole.
func NewViewStream[T, W wire.Object](whole watched[W], view Viewer[T]) *ViewStream[T, W] {
	return &ViewStream[T, W]{whole: whole, view: view}
}

// Next blocks until there are events and returns their views, appended to reuse[:0].
func (s *ViewStream[T, W]) Next(ctx context.Context, reuse []wire.Event[T]) ([]wire.Event[T], error) {
	batch := reuse[:0]
	if s.failed != nil {
		return batch, s.failed
	}
	defer func() { clear(s.read) }() // so that it keeps no object alive
	var err error
	if s.read, err = s.whole.Next(ctx, s.read); err != nil {
		return batch, err
	}
	for _, event := range s.read {
		seen := wire.Event[T]{Type: event.Type, ResourceVersion: event.ResourceVersion, InitialEventsEnd: event.InitialEventsEnd}
		if event.Type != watch.Bookmark {
			if seen.Object, s.failed = s.view.Of(event.Object); s.failed != nil {
				if len(batch) == 0 {
					return batch, s.failed
				}
				return batch, nil
			}
		}
		batch = append(batch, seen)
	}
	return batch, nil
}

// Stop ends the watch.
func (s *ViewStream[T, W]) Stop() { s.whole.Stop() }
