package cache

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/decoded"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/queue"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/shards"
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
			return decoded.PageOf[T](list)
		},
		WatchFunc: func(ctx context.Context, options metav1.ListOptions) (EventStream[T], error) {
			w, err := client.Watch(ctx, options)
			if err != nil {
				return nil, err
			}
			return decoded.NewStream[T](w), nil
		},
		client: clientKindOf(client),
	}
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
	view := decoded.NewViewer[T]()
	return &ListWatch[T]{
		ListFunc: func(ctx context.Context, options metav1.ListOptions) (Page[T], error) {
			list, err := whole.List(ctx, options)
			page := Page[T]{ResourceVersion: list.ResourceVersion, Continue: list.Continue}
			for i := 0; i < len(list.Items) && err == nil; i++ {
				var item Item[T]
				item.Object, err = view.Of(list.Items[i].Object)
				page.Items = append(page.Items, item)
			}
			return page, err
		},
		WatchFunc: func(ctx context.Context, options metav1.ListOptions) (EventStream[T], error) {
			stream, err := whole.Watch(ctx, options)
			if err != nil {
				return nil, err
			}
			return decoded.NewViewStream(stream, view), nil
		},
		client: whole.client,
	}
}

// NewUnavailableListWatch returns a ListWatch that always fails. Generated code uses it for
// a resource for which a fake clientset has no client. The error names the option that sets
// one.
func NewUnavailableListWatch[T Object](resource schema.GroupVersionResource) *ListWatch[T] {
	name := reflect.TypeFor[T]()
	err := fmt.Errorf("cannot list %s as %v: the clientset is a fake and has no client for them; pass cache.WithListerWatcher(func(namespace string) cache.ListerWatcher[%v] { return cache.NewViewListWatch[%v](client) }) to the factory or to cache.InformerFor, where client is a typed or dynamic client of %s",
		resource.GroupResource(), name, name, name, resource.Resource)
	return newFailingListWatch[T](err)
}

// newFailingListWatch returns a ListWatch that always fails with err.
func newFailingListWatch[T Object](err error) *ListWatch[T] {
	return &ListWatch[T]{
		ListFunc:  func(context.Context, metav1.ListOptions) (Page[T], error) { return Page[T]{}, err },
		WatchFunc: func(context.Context, metav1.ListOptions) (EventStream[T], error) { return nil, err },
	}
}

// DeltaType is the kind of a change of an object, or of the collection.
type DeltaType uint8

const (
	// Added: the watch reported a new object.
	Added DeltaType = iota + 1
	// Updated: the watch reported a new state of an object.
	Updated
	// Deleted: the watch reported the end of an object.
	Deleted
	// Replaced: the collection was listed again; Delta.Collection is all of it.
	Replaced
	// Sync: a resync, which updates every cached object for handlers. It has no object.
	Sync
)

var deltaNames = [...]string{"DeltaType(?)", "Added", "Updated", "Deleted", "Replaced", "Sync"}

// String returns the name of the constant.
func (t DeltaType) String() string {
	if int(t) < len(deltaNames) {
		return deltaNames[t]
	}
	return deltaNames[0]
}

// Delta is one step in the history of a collection.
type Delta[T Object] struct {
	Type DeltaType
	// scope is the one that the delta is from: 0 for the first scope of an informer.
	scope scopeID
	// Item is the state that Added, Updated and Deleted have. A Deleted has an Err instead
	// of an Object if its last state cannot be decoded; see DecodeOptions.SkipUndecodable. So has
	// an Added or Updated, if the informer has ReadYourWrites: the object exists.
	Item[T]
	// Collection is the whole collection of a Replaced.
	Collection *Collection[T]
}

// Collection is the result of a list.
type Collection[T Object] struct {
	// Items may have several states of one object. The last one is used. For an item with
	// an Err, the cache keeps the object that it holds. Without
	// DecodeOptions.SkipUndecodable no item has an Err.
	Items []Item[T]

	// isFirst is set for the first list of a Reflector.
	isFirst bool
	// version is that of the list.
	version string
	// part is what was listed; nil for everything.
	part *part
	// began is how many own writes were answered before the list was requested.
	began uint64
	// applied are called when the collection is in the cache.
	applied []func()
}

// isState reports whether the delta has a new state of an object.
func (d *Delta[T]) isState() bool { return (d.Type == Added || d.Type == Updated) && d.Err == nil }

// areStates reports whether deltas are new states of objects.
func areStates[T Object](deltas Deltas[T]) bool {
	for i := range deltas {
		if d := &deltas[i]; d.Type != Added && d.Type != Updated {
			return false
		}
	}
	return len(deltas) > 0
}

// versionOf returns the version of an event.
func versionOf[T Object](d *Delta[T]) string {
	if d.Err != nil {
		return d.Err.ResourceVersion
	}
	return d.Object.GetResourceVersion()
}

// Deltas is a part of the history of a collection, oldest first.
type Deltas[T Object] []Delta[T]

// DeltaFIFO keeps deltas in the order in which they arrived, across all objects. It
// merges none of them. One goroutine pushes and one pops. The zero value is ready for use.
// Pop returns the deltas that have arrived, so batches grow under load, and a single delta
// never waits for another one.
type DeltaFIFO[T Object] struct{ queue queue.Queue[Delta[T]] }

// Push appends copies of deltas. It never blocks. It drops deltas after Close.
func (f *DeltaFIFO[T]) Push(deltas ...Delta[T]) { f.queue.Push(deltas) }

// Pop blocks until there are deltas and returns the oldest batch. The caller owns the
// result, and may pass it as reuse to a later call, which then owns its memory. When the
// queue is closed, Pop returns the remaining deltas, then ErrClosed. If ctx ends while the
// queue is empty, it returns the error of ctx.
func (f *DeltaFIFO[T]) Pop(ctx context.Context, reuse Deltas[T]) (Deltas[T], error) {
	return f.queue.Pop(ctx, reuse)
}

// Close ends the queue. The deltas in it can still be popped. Close may be called twice.
func (f *DeltaFIFO[T]) Close() { f.queue.Close() }

// Len returns the number of deltas in the queue.
func (f *DeltaFIFO[T]) Len() int { return f.queue.Len() }

// currentSource returns the source of the request under way, or of the next one. SetForm changes
// it.
func (r *Reflector[T]) currentSource() ListerWatcher[T] {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source
}

// decoder returns a function that decodes the response to a write as source decodes the objects of
// a list. It returns nil if source does not read bodies.
func (r *Reflector[T]) decoder(source ListerWatcher[T]) func(body []byte) (Item[T], error) {
	bodies, ok := source.(*bodySource[T])
	if !ok {
		return nil
	}
	return func(body []byte) (item Item[T], err error) {
		if item, err = bodies.decoder.DecodeItem(body); err == nil {
			item.Object, err = r.transformed(item.Object)
		}
		return item, err
	}
}
