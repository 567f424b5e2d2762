package decoded

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Viewer makes views, of one Go type, of whole objects.
type Viewer struct{ decoder *wire.Decoder }

// NewViewer returns a Viewer. view is the Go type of the views.
func NewViewer(view reflect.Type) Viewer { return Viewer{wire.NewDecoder(view, wire.Options{}, nil)} }

// Of returns the view of an object. It does not share memory with the object.
func (v Viewer) Of(obj wire.Object) (wire.Object, error) {
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

// ViewStream is a watch of whole objects that returns views.
type ViewStream struct {
	*Stream
	view   Viewer
	failed error
}

// NewViewStream returns a watch of the views of the objects of whole.
func NewViewStream(whole *Stream, view Viewer) *ViewStream {
	return &ViewStream{Stream: whole, view: view}
}

// Next blocks until there are events and returns their views, appended to reuse[:0].
func (s *ViewStream) Next(ctx context.Context, reuse []wire.Event) ([]wire.Event, error) {
	if s.failed != nil {
		return reuse[:0], s.failed
	}
	batch, err := s.Stream.Next(ctx, reuse)
	if err != nil {
		return batch, err
	}
	for i := range batch {
		event := &batch[i]
		if event.Type == watch.Bookmark {
			continue
		}
		if event.Object, s.failed = s.view.Of(event.Object); s.failed != nil {
			clear(batch[i:]) // so that it keeps no object alive
			if i == 0 {
				return batch[:0], s.failed
			}
			return batch[:i], nil
		}
	}
	return batch, nil
}
