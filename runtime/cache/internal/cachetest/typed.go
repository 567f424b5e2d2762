package cachetest

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Lister is a source of objects as tests write it, with typed objects and items that have errors. SourceOf makes it a
// source.Source.
type Lister[T wire.Object] interface {
	List(ctx context.Context, options metav1.ListOptions) (Page[T], error)
	Watch(ctx context.Context, options metav1.ListOptions) (EventStream[T], error)
}

// Item, Page and Event are the types of package wire, with typed objects.
type (
	Item[T wire.Object] struct {
		Object T
		Err    *wire.DecodeError
	}
	Page[T wire.Object] struct {
		Items                     []Item[T]
		ResourceVersion, Continue string
	}
	Event[T wire.Object] struct {
		Type watch.EventType
		Item[T]
		ResourceVersion  string
		InitialEventsEnd bool
	}
)

// ItemOf returns an object as an Item.
func ItemOf[T wire.Object](obj T) Item[T] { return Item[T]{Object: obj} }

// ItemsOf returns objects as Items.
func ItemsOf[T wire.Object](objs ...T) []Item[T] {
	items := make([]Item[T], len(objs))
	for i, obj := range objs {
		items[i].Object = obj
	}
	return items
}

func objectsOf[T wire.Object](items []Item[T]) []T {
	objs := make([]T, len(items))
	for i := range items {
		objs[i] = items[i].Object
	}
	return objs
}

// EventStream is a source.Stream of typed events.
type EventStream[T wire.Object] interface {
	Next(ctx context.Context, reuse []Event[T]) ([]Event[T], error)
	Stop()
}

// ListWatch is a Lister of two functions.
type ListWatch[T wire.Object] struct {
	ListFunc  func(ctx context.Context, options metav1.ListOptions) (Page[T], error)
	WatchFunc func(ctx context.Context, options metav1.ListOptions) (EventStream[T], error)
}

// List calls ListFunc.
func (lw *ListWatch[T]) List(ctx context.Context, options metav1.ListOptions) (Page[T], error) {
	return lw.ListFunc(ctx, options)
}

// Watch calls WatchFunc.
func (lw *ListWatch[T]) Watch(ctx context.Context, options metav1.ListOptions) (EventStream[T], error) {
	return lw.WatchFunc(ctx, options)
}

// SourceOf returns a source of objects as the machine reads it.
func SourceOf[T wire.Object](of Lister[T]) source.Source { return &typedSource[T]{of} }

type typedSource[T wire.Object] struct{ of Lister[T] }

func (s *typedSource[T]) List(ctx context.Context, options metav1.ListOptions) (wire.Page, error) {
	page, err := s.of.List(ctx, options)
	items := make([]wire.Item, len(page.Items))
	for i := range page.Items {
		items[i] = erasedItem(&page.Items[i])
	}
	return wire.Page{Items: items, ResourceVersion: page.ResourceVersion, Continue: page.Continue}, err
}

func (s *typedSource[T]) Watch(ctx context.Context, options metav1.ListOptions) (source.Stream, error) {
	of, err := s.of.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	return &typedStream[T]{EventStream: of}, nil
}

type typedStream[T wire.Object] struct {
	EventStream[T]
	events []Event[T]
}

func (s *typedStream[T]) Next(ctx context.Context, reuse []wire.Event) (events []wire.Event, err error) {
	events = reuse[:0]
	s.events, err = s.EventStream.Next(ctx, s.events)
	for i := range s.events {
		event := &s.events[i]
		next := wire.Event{Type: event.Type, ResourceVersion: event.ResourceVersion, InitialEventsEnd: event.InitialEventsEnd}
		if event.Type != watch.Bookmark {
			next.Item = erasedItem(&event.Item)
		}
		events = append(events, next)
	}
	clear(s.events) // so that it keeps no object alive
	return events, err
}

func erasedItem[T wire.Object](item *Item[T]) wire.Item {
	if item.Err != nil {
		return wire.Item{Err: item.Err}
	}
	return wire.Item{Object: item.Object}
}
