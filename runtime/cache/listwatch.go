package cache

import (
	"context"
	"fmt"
	"io"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// ListerWatcher is the source of the objects of a Reflector. It returns errors of the
// API server unchanged (apierrors.APIStatus), because the Reflector decides by their
// reason.
type ListerWatcher[T Object] interface {
	// List returns one page of the collection. The items, and their slice, belong to the
	// caller.
	List(ctx context.Context, options metav1.ListOptions) (Page[T], error)
	// Watch opens a stream of the changes after options.ResourceVersion, or, with
	// options.SendInitialEvents, a streaming list: first an Added for each object of the
	// collection, then a bookmark with InitialEventsEnd, then the changes. The caller
	// ends it with Stop.
	Watch(ctx context.Context, options metav1.ListOptions) (EventStream[T], error)
}

// Item is one object of a list or a watch, or the error that it has in place of the object.
type Item[T Object] struct {
	// Object is nil if Err is not, and in a bookmark.
	Object T
	// Err names the object that cannot be decoded, and the reason; see
	// DecodeOptions.SkipUndecodable.
	Err *DecodeError
}

// Page is the response to one LIST request: the whole collection, or a part of it
// if Continue is not empty.
type Page[T Object] struct {
	// Items belong to the caller.
	Items []Item[T]
	// ResourceVersion is the version of the collection, the same on every page.
	ResourceVersion string
	// Continue is the token for the request of the next page.
	Continue string
}

// Event is one change that a watch reports, in the order of the server.
type Event[T Object] struct {
	// Type is watch.Added, watch.Modified, watch.Deleted or watch.Bookmark.
	Type watch.EventType
	// Item has the state after the change, and for watch.Deleted the last state. It is
	// empty for a bookmark.
	Item[T]
	// ResourceVersion is the version that the watch has reached with this event.
	ResourceVersion string
	// InitialEventsEnd marks the bookmark that ends the initial events of a
	// streaming list (KEP-3157): the server has sent all objects of the collection.
	InitialEventsEnd bool
}

// EventStream is an open watch.
type EventStream[T Object] interface {
	// Next blocks until there are events and returns all that have arrived,
	// appended to reuse[:0]. It returns io.EOF when the server closed the stream
	// normally, an apierrors.APIStatus for an ERROR event, and otherwise
	// the error of the transport. Events that arrived before an error are returned
	// before it.
	Next(ctx context.Context, reuse []Event[T]) ([]Event[T], error)
	// Stop ends the stream and releases its connection. It may be called twice.
	Stop()
}

// ListWatch is a ListerWatcher of two functions.
type ListWatch[T Object] struct {
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

// TypedClient is the part of a generated typed client that an informer needs.
// L is the list type, such as *v1.FooList.
type TypedClient[L runtime.Object] interface {
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// NewListWatch returns a ListerWatcher of a generated typed client. It recognizes clients of
// fake clientsets, which have no streaming lists:
//
//	cache.NewListWatch[*v1.Foo](clientset.ExampleV1().Foos("team-a"))
func NewListWatch[T Object, L runtime.Object](client TypedClient[L]) ListerWatcher[T] {
	of := sourceOfClient(client)
	return &madeListWatch[T]{of, of.Limits}
}

// sourceOfClient returns the source of a typed client.
func sourceOfClient[L runtime.Object](client TypedClient[L]) *source.Client {
	list := func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return client.List(ctx, options)
	}
	return &source.Client{ListFunc: list, WatchFunc: client.Watch, Limits: source.LimitsOf(client)}
}

// madeSource is a ListerWatcher that this package has made, and madeWatch a watch of one. They are interfaces with names, because
// each package that uses an informer would compile the types behind them, or those of their methods, again.
type madeSource interface {
	erased() (source.Source, source.Limits)
}

type madeWatch interface{ erased() source.Stream }

// madeListWatch is a ListerWatcher that this package has made. An informer reads its source, and only other callers
// its typed objects.
type madeListWatch[T Object] struct {
	source source.Source
	limits source.Limits
}

// IsWatchListSemanticsUnSupported reports whether the client has no streaming lists, like
// client-go's fakes. A Reflector of client-go then lists without a stream.
func (lw *madeListWatch[T]) IsWatchListSemanticsUnSupported() bool { return lw.limits.NoStreams }

func (lw *madeListWatch[T]) erased() (source.Source, source.Limits) { return lw.source, lw.limits }

// List reads one page.
func (lw *madeListWatch[T]) List(ctx context.Context, options metav1.ListOptions) (Page[T], error) {
	page, err := lw.source.List(ctx, options)
	typed := Page[T]{ResourceVersion: page.ResourceVersion, Continue: page.Continue}
	for i := 0; i < len(page.Items) && err == nil; i++ {
		obj, is := page.Items[i].Object.(T)
		if !is {
			return typed, source.UnexpectedType(page.Items[i].Object, reflect.TypeFor[T]())
		}
		typed.Items = append(typed.Items, Item[T]{Object: obj})
	}
	return typed, err
}

// Watch opens a stream.
func (lw *madeListWatch[T]) Watch(ctx context.Context, options metav1.ListOptions) (EventStream[T], error) {
	of, err := lw.source.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	return &madeStream[T]{Stream: of}, nil
}

// madeStream is a watch of a madeListWatch.
type madeStream[T Object] struct {
	source.Stream
	events []wire.Event
	failed error
}

func (s *madeStream[T]) erased() source.Stream { return s.Stream }

// Next returns the events that have arrived.
func (s *madeStream[T]) Next(ctx context.Context, reuse []Event[T]) ([]Event[T], error) {
	typed := reuse[:0]
	if s.failed != nil {
		return typed, s.failed
	}
	var err error
	s.events, err = s.Stream.Next(ctx, s.events)
	for i := range s.events {
		event := &s.events[i]
		next := Event[T]{Type: event.Type, ResourceVersion: event.ResourceVersion, InitialEventsEnd: event.InitialEventsEnd}
		if obj, is := event.Object.(T); is {
			next.Object = obj
		} else if event.Object != nil {
			s.failed = source.UnexpectedType(event.Object, reflect.TypeFor[T]())
			break
		}
		typed = append(typed, next)
	}
	clear(s.events)
	if len(typed) == 0 && err == nil {
		err = s.failed
	}
	return typed, err
}

// OpenFunc sends the request for a collection, a WATCH if options.Watch is set and
// otherwise a LIST, and returns the body of the response. accept is the value of the
// Accept header, the encodings that the informer decodes fastest first. It decodes a body
// in any of them, whatever was asked for. The caller closes the body. Errors of the API
// server are returned unchanged (apierrors.APIStatus). An OpenFunc must not follow a
// redirect to another host, because it would send that host the credentials;
// redirect.Refuse makes such an HTTP client. A generated factory makes an OpenFunc of
// client-go's rest client:
//
//	func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
//		return client.Get().Resource("foos").VersionedParams(&options, metav1.ParameterCodec).
//			SetHeader("Accept", accept).Stream(ctx)
//	}
type OpenFunc func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error)

// DecodeOptions are options of the decoder: which parts of an object it leaves out, how
// large an object may be, which kind it must have, and whether objects that cannot be
// decoded are skipped.
type DecodeOptions = wire.Options

// NewViewListWatch lists and watches a view T of the objects of a typed client of the
// whole kind. It decodes each object twice. It is for clients without response bodies, such
// as fakes; a program with a real client uses an OpenFunc.
//
//	cache.NewViewListWatch[*FooSummary](clientset.ExampleV1().Foos("team-a"))
func NewViewListWatch[T Object, L runtime.Object](client TypedClient[L]) ListerWatcher[T] {
	of := sourceOfClient(client)
	return &madeListWatch[T]{source.NewViews(of, reflect.TypeFor[T]()), of.Limits}
}

// NewUnavailableListWatch returns a ListerWatcher that always fails. Generated code uses it for
// a resource for which a fake clientset has no client. The error names the option that sets
// one.
func NewUnavailableListWatch[T Object](resource schema.GroupVersionResource) ListerWatcher[T] {
	return &madeListWatch[T]{source: source.Failing{Err: errUnavailable(resource, reflect.TypeFor[T]())}}
}

func errUnavailable(resource schema.GroupVersionResource, name reflect.Type) error {
	return fmt.Errorf("cannot list %s as %v: the clientset is a fake and has no client for them; pass cache.WithListerWatcher(func(namespace string) cache.ListerWatcher[%v] { return cache.NewViewListWatch[%v](client) }) to the factory or to cache.InformerFor, where client is a typed or dynamic client of %s",
		resource.GroupResource(), name, name, name, resource.Resource)
}

// erasedSource returns a ListerWatcher as the machine reads it, or nil.
func erasedSource[T Object](of ListerWatcher[T]) (source.Source, source.Limits) {
	if of == nil {
		return nil, source.Limits{}
	}
	if made, is := of.(madeSource); is {
		return made.erased()
	}
	return &typedSource[T]{of}, source.LimitsOf(of)
}

// typedSource is a ListerWatcher as the machine reads it.
type typedSource[T Object] struct{ of ListerWatcher[T] }

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
	if made, is := of.(madeWatch); is { // by a ListerWatcher that has one of ours
		return made.erased(), nil
	}
	return &typedStream[T]{EventStream: of}, nil
}

// typedStream is an EventStream as the machine reads it.
type typedStream[T Object] struct {
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

func erasedItem[T Object](item *Item[T]) wire.Item {
	if item.Err != nil {
		return wire.Item{Err: item.Err}
	}
	return wire.Item{Object: item.Object}
}
