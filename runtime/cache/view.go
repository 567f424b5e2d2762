package cache

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// NewViewListWatch lists and watches a view T of what a typed client of the whole
// kind returns. It makes the whole object first: it is for clients that have no
// response bodies, as fake ones, where a program with a real one has an OpenFunc.
//
//	cache.NewViewListWatch[*FooSummary](clientset.ExampleV1().Foos("team-a"))
func NewViewListWatch[T Object, L runtime.Object](client TypedClient[L]) *ListWatch[T] {
	view := viewer[T]{wire.NewDecoder[T](wire.Options{}, nil)}
	return &ListWatch[T]{
		ListFunc: func(ctx context.Context, options metav1.ListOptions) (Page[T], error) {
			list, err := client.List(ctx, options)
			if err != nil {
				return Page[T]{}, err
			}
			whole, err := pageOf[GenericObject](list)
			page := Page[T]{ResourceVersion: whole.ResourceVersion, Continue: whole.Continue}
			for _, item := range whole.Items {
				if err != nil {
					break
				}
				var obj T
				obj, err = view.of(item.Object)
				page.Items = append(page.Items, Item[T]{Object: obj})
			}
			return page, err
		},
		WatchFunc: func(ctx context.Context, options metav1.ListOptions) (EventStream[T], error) {
			w, err := client.Watch(ctx, options)
			if err != nil {
				return nil, err
			}
			return &viewStream[T]{whole: watchStream[GenericObject]{watch: w}, view: view}, nil
		},
		client: clientKindOf(client),
	}
}

// viewer makes views of whole objects.
type viewer[T Object] struct{ decoder *wire.Decoder[T] }

func (v viewer[T]) of(obj GenericObject) (T, error) {
	text, err := json.Marshal(obj)
	if err != nil {
		var none T
		return none, fmt.Errorf("%s: %w", MetaObjectToName(obj), err)
	}
	return v.decoder.Decode(text)
}

// viewStream is a watch of whole objects, seen as views.
type viewStream[T Object] struct {
	whole watchStream[GenericObject]
	view  viewer[T]
	// read are the events of the last batch.
	read   []Event[GenericObject]
	failed error
}

func (s *viewStream[T]) Next(ctx context.Context, reuse []Event[T]) ([]Event[T], error) {
	batch := reuse[:0]
	if s.failed != nil {
		return batch, s.failed
	}
	defer func() { clear(s.read) }() // they are kept no longer than it takes
	var err error
	if s.read, err = s.whole.Next(ctx, s.read); err != nil {
		return batch, err
	}
	for _, event := range s.read {
		seen := Event[T]{Type: event.Type, ResourceVersion: event.ResourceVersion, InitialEventsEnd: event.InitialEventsEnd}
		if event.Type != watch.Bookmark {
			if seen.Object, s.failed = s.view.of(event.Object); s.failed != nil {
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

func (s *viewStream[T]) Stop() { s.whole.Stop() }
