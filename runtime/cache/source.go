package cache

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

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
	err := fmt.Errorf("cannot list %s as %v: the clientset is a fake and has no client for them; create the factory with cache.WithListerWatcher(func(namespace string) cache.ListerWatcher[%v] { return cache.NewViewListWatch[%v](client) }), where client is a typed or dynamic client of %s",
		resource.GroupResource(), name, name, name, resource.Resource)
	return &ListWatch[T]{
		ListFunc:  func(context.Context, metav1.ListOptions) (Page[T], error) { return Page[T]{}, err },
		WatchFunc: func(context.Context, metav1.ListOptions) (EventStream[T], error) { return nil, err },
	}
}
