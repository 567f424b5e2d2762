package pack

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Source packs the objects of another source, but for those that a decoder has packed.
type Source struct {
	source.Source
	Packing *Packing
}

// Unwrap returns the source of the objects.
func (s *Source) Unwrap() source.Source { return s.Source }

// List reads one page.
func (s *Source) List(ctx context.Context, options metav1.ListOptions) (wire.Page, error) {
	if options.Continue == "" {
		s.Packing.beginList()
	}
	page, err := s.Source.List(ctx, options)
	for i := range page.Items {
		s.keep(&page.Items[i], true)
	}
	return page, err
}

// Watch opens a stream.
func (s *Source) Watch(ctx context.Context, options metav1.ListOptions) (source.Stream, error) {
	isInitial := options.SendInitialEvents != nil && *options.SendInitialEvents
	if isInitial {
		s.Packing.beginList()
	}
	stream, err := s.Source.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	return source.Each(stream, func(event *wire.Event) error {
		s.keep(&event.Item, false)
		if isInitial {
			event.Object = s.Packing.trim(event.Object) // thousands of others may follow before it is delivered
			isInitial = !event.InitialEventsEnd
		}
		return nil
	}), nil
}

// Decode decodes one object, such as the response to a write.
func (s *Source) Decode(body []byte) (wire.Item, error) {
	item, err := source.Decode(s.Source, body)
	if err == nil {
		s.keep(&item, false)
	}
	return item, err
}

func (s *Source) keep(item *wire.Item, isListed bool) {
	if item.Object != nil {
		item.Object = s.Packing.Keep(item.Object, isListed)
	}
}
