package cache

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"unsafe"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/shards"
	"github.com/typedinformers/informer-gen/runtime/internal/safemeta"
	"github.com/typedinformers/informer-gen/runtime/sharding"
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

// Item is one object of a list or a watch, or the error of one that cannot be decoded.
type Item[T Object] = wire.Item[T]

// Page is the response to one LIST request.
type Page[T Object] = wire.Page[T]

// Event is one change that a watch reports, in the order of the server.
type Event[T Object] = wire.Event[T]

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

	client clientKind
}

// List calls ListFunc.
func (lw *ListWatch[T]) List(ctx context.Context, options metav1.ListOptions) (Page[T], error) {
	return lw.ListFunc(ctx, options)
}

// Watch calls WatchFunc.
func (lw *ListWatch[T]) Watch(ctx context.Context, options metav1.ListOptions) (EventStream[T], error) {
	return lw.WatchFunc(ctx, options)
}

// IsWatchListSemanticsUnSupported reports whether the client has no streaming lists, like
// client-go's fakes. A Reflector, also one of client-go, then lists without a stream.
func (lw *ListWatch[T]) IsWatchListSemanticsUnSupported() bool { return lw.client.noStreams }

// clientKind lists the limits of the client of a ListerWatcher.
type clientKind struct {
	// noStreams is set if it has no streaming lists.
	noStreams bool
	// fake is set for client-go's fakes, whose watches ignore their timeout.
	fake bool
}

// clientKindOf returns the kind of a typed client or a ListerWatcher. A typed client of a
// fake clientset has no mark, but only fakes record actions.
func clientKindOf(client any) (kind clientKind) {
	if c, ok := client.(interface{ clientKind() clientKind }); ok {
		return c.clientKind()
	}
	if c, ok := client.(interface{ IsWatchListSemanticsUnSupported() bool }); ok {
		kind.noStreams = c.IsWatchListSemanticsUnSupported()
	}
	if _, records := client.(interface{ ClearActions() }); records {
		kind.noStreams, kind.fake = true, true
	}
	return kind
}

func (lw *ListWatch[T]) clientKind() clientKind { return lw.client }

// TypedClient is the part of a generated typed client that an informer needs.
// L is the list type, such as *v1.FooList.
type TypedClient[L runtime.Object] interface {
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// NewListWatch returns a ListWatch of a generated typed client. It recognizes clients of
// fake clientsets, which have no streaming lists:
//
//	cache.NewListWatch[*v1.Foo](clientset.ExampleV1().Foos("team-a"))
func NewListWatch[T Object, L runtime.Object](client TypedClient[L]) *ListWatch[T] {
	return &ListWatch[T]{
		ListFunc: func(ctx context.Context, options metav1.ListOptions) (Page[T], error) {
			list, err := client.List(ctx, options)
			if err != nil {
				return Page[T]{}, err
			}
			return pageOf[T](list)
		},
		WatchFunc: func(ctx context.Context, options metav1.ListOptions) (EventStream[T], error) {
			w, err := client.Watch(ctx, options)
			if err != nil {
				return nil, err
			}
			return &watchStream[T]{watch: w}, nil
		},
		client: clientKindOf(client),
	}
}

// pageOf returns the items of a typed list. It copies each out of the list's array, so
// that one long-lived object does not keep the whole page alive.
func pageOf[T Object](list runtime.Object) (Page[T], error) {
	listMeta, err := meta.ListAccessor(list)
	if err != nil {
		return Page[T]{}, fmt.Errorf("the client returned a list of type %T without ListMeta: %w", list, err)
	}
	page := Page[T]{
		Items:           make([]Item[T], 0, meta.LenList(list)),
		ResourceVersion: listMeta.GetResourceVersion(),
		Continue:        listMeta.GetContinue(),
	}
	err = meta.EachListItemWithAlloc(list, func(item runtime.Object) error {
		obj, ok := item.(T)
		if !ok {
			return unexpectedType[T](item)
		}
		if _, err := safemeta.NameOf(obj); err != nil {
			return fmt.Errorf("item %d of the client's list: %w", len(page.Items), err)
		}
		page.Items = append(page.Items, Item[T]{Object: obj})
		return nil
	})
	return page, err
}

// watchStream reads a watch.Interface in batches. It waits for one event, and adds those
// that have arrived.
type watchStream[T Object] struct {
	watch watch.Interface
	// pending is the error that followed the events of the last batch.
	pending error
}

// maxBatch is the largest number of events that one Next returns. It bounds the memory
// that an idle Reflector keeps. The queue merges batches.
const maxBatch = 32

func (s *watchStream[T]) Next(ctx context.Context, reuse []Event[T]) ([]Event[T], error) {
	batch := reuse[:0]
	if s.pending != nil {
		return batch, s.pending
	}
	select {
	case <-ctx.Done():
		return batch, ctx.Err()
	case event, open := <-s.watch.ResultChan():
		batch, s.pending = s.add(batch, event, open)
	}
	for len(batch) < maxBatch && s.pending == nil {
		select {
		case event, open := <-s.watch.ResultChan():
			batch, s.pending = s.add(batch, event, open)
		default:
			return batch, nil
		}
	}
	if len(batch) == 0 {
		return batch, s.pending
	}
	return batch, nil
}

func (s *watchStream[T]) Stop() { s.watch.Stop() }

func (s *watchStream[T]) add(batch []Event[T], event watch.Event, open bool) ([]Event[T], error) {
	if !open {
		return batch, io.EOF
	}
	if event.Type == watch.Error {
		return batch, apierrors.FromObject(event.Object)
	}
	obj, ok := event.Object.(T)
	if !ok {
		return batch, unexpectedType[T](event.Object)
	}
	if _, err := safemeta.NameOf(obj); err != nil {
		return batch, fmt.Errorf("the object of an event of type %q: %w", event.Type, err)
	}
	e := Event[T]{Type: event.Type, ResourceVersion: obj.GetResourceVersion()}
	switch event.Type {
	case watch.Added, watch.Modified, watch.Deleted:
		e.Object = obj
	case watch.Bookmark:
		e.InitialEventsEnd = obj.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true"
	default:
		return batch, fmt.Errorf("the watch sent an event of the unknown type %q", event.Type)
	}
	return append(batch, e), nil
}

func unexpectedType[T Object](got runtime.Object) error {
	var want T
	return fmt.Errorf("%w: the client returned a %T instead of a %T", protocol.ErrUnexpectedType, got, want)
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

// bodySource lists and watches by decoding bodies.
type bodySource[T Object] struct {
	open    OpenFunc
	decoder *wire.Decoder[T]
}

// newBodySource makes a ListerWatcher of open. cache may be nil.
func newBodySource[T Object](open OpenFunc, options DecodeOptions, cache *Indexer[T]) *bodySource[T] {
	var cached wire.Cached[T]
	if cache != nil {
		cached = func(namespace, name, resourceVersion []byte, contentHash uint64) (T, bool) {
			// The strings share memory with the body. Held does not keep them.
			obj, heldHash, ok := cache.store.Held(unsafe.String(unsafe.SliceData(namespace), len(namespace)), unsafe.String(unsafe.SliceData(name), len(name)))
			return obj, ok && heldHash == contentHash && obj.GetResourceVersion() == string(resourceVersion)
		}
	}
	return &bodySource[T]{open: open, decoder: wire.NewDecoder(options, cached)}
}

// List reads one page.
func (s *bodySource[T]) List(ctx context.Context, options metav1.ListOptions) (Page[T], error) {
	options.Watch = false
	body, err := s.open(ctx, options, s.decoder.Accept(false))
	if err != nil {
		return Page[T]{}, err
	}
	return s.decoder.List(ctx, body)
}

// Watch opens a stream.
func (s *bodySource[T]) Watch(ctx context.Context, options metav1.ListOptions) (EventStream[T], error) {
	options.Watch = true
	body, err := s.open(ctx, options, s.decoder.Accept(true))
	if err != nil {
		return nil, err
	}
	return s.decoder.Watch(ctx, body), nil
}

// shardedSource leaves out the objects that are not in a shard, because a server, and a fake, may
// ignore the ShardSelector of a request.
type shardedSource[T Object] struct {
	ListerWatcher[T]
	shard sharding.Selector
}

// List reads one page.
func (s *shardedSource[T]) List(ctx context.Context, options metav1.ListOptions) (Page[T], error) {
	page, err := s.ListerWatcher.List(ctx, options)
	if err == nil {
		shards.Page(&page, s.shard)
	}
	return page, err
}

// Watch opens a stream.
func (s *shardedSource[T]) Watch(ctx context.Context, options metav1.ListOptions) (EventStream[T], error) {
	stream, err := s.ListerWatcher.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	return &shardedStream[T]{stream, s.shard}, nil
}

// shardedStream is a watch of a shardedSource.
type shardedStream[T Object] struct {
	EventStream[T]
	shard sharding.Selector
}

func (s *shardedStream[T]) Next(ctx context.Context, reuse []Event[T]) ([]Event[T], error) {
	events, err := s.EventStream.Next(ctx, reuse)
	for i := range events {
		shards.Event(&events[i], s.shard)
	}
	return events, err
}

// NewViewListWatch lists and watches a view T of the objects of a typed client of the
// whole kind. It decodes each object twice. It is for clients without response bodies, such
// as fakes; a program with a real client uses an OpenFunc.
//
//	cache.NewViewListWatch[*FooSummary](clientset.ExampleV1().Foos("team-a"))
func NewViewListWatch[T Object, L runtime.Object](client TypedClient[L]) *ListWatch[T] {
	whole := NewListWatch[GenericObject](client)
	view := viewer[T]{wire.NewDecoder[T](wire.Options{}, nil)}
	return &ListWatch[T]{
		ListFunc: func(ctx context.Context, options metav1.ListOptions) (Page[T], error) {
			list, err := whole.List(ctx, options)
			page := Page[T]{ResourceVersion: list.ResourceVersion, Continue: list.Continue}
			for i := 0; i < len(list.Items) && err == nil; i++ {
				var item Item[T]
				item.Object, err = view.of(list.Items[i].Object)
				page.Items = append(page.Items, item)
			}
			return page, err
		},
		WatchFunc: func(ctx context.Context, options metav1.ListOptions) (EventStream[T], error) {
			stream, err := whole.Watch(ctx, options)
			if err != nil {
				return nil, err
			}
			return &viewStream[T]{whole: stream, view: view}, nil
		},
		client: whole.client,
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

// viewStream is a watch of whole objects that returns views.
type viewStream[T Object] struct {
	whole EventStream[GenericObject]
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
	defer func() { clear(s.read) }() // so that it keeps no object alive
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

// NewUnavailableListWatch returns a ListWatch that always fails. Generated code uses it for
// a resource for which a fake clientset has no client. The error names the option that sets
// one.
func NewUnavailableListWatch[T Object](resource schema.GroupVersionResource) *ListWatch[T] {
	name := reflect.TypeFor[T]()
	err := fmt.Errorf("cannot list %s as %v: the clientset is a fake and has no client for them; pass cache.WithListerWatcher(func(namespace string) cache.ListerWatcher[%v] { return cache.NewViewListWatch[%v](client) }) to the factory or to cache.InformerFor, where client is a typed or dynamic client of %s",
		resource.GroupResource(), name, name, name, resource.Resource)
	return &ListWatch[T]{
		ListFunc:  func(context.Context, metav1.ListOptions) (Page[T], error) { return Page[T]{}, err },
		WatchFunc: func(context.Context, metav1.ListOptions) (EventStream[T], error) { return nil, err },
	}
}
