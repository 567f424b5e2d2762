package cache

import (
	"context"
	"io"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// OpenFunc sends the request for a collection, a WATCH if options.Watch is set and
// otherwise a LIST, and returns the body of the response: JSON, as it comes. Errors
// of the API server are returned as they came (apierrors.APIStatus). The caller
// closes the body. It must not follow a redirect to another host, which would be sent
// the credentials: the HTTP client is one of redirect.Refuse. A generated factory makes
// one of client-go's rest client:
//
//	func(ctx context.Context, options metav1.ListOptions) (io.ReadCloser, error) {
//		return client.Get().Resource("foos").VersionedParams(&options, metav1.ParameterCodec).
//			SetHeader("Accept", "application/json").Stream(ctx)
//	}
type OpenFunc func(ctx context.Context, options metav1.ListOptions) (io.ReadCloser, error)

// DecodeOptions say how objects are decoded: which parts of them are left out, how
// large they may be, of which kind they have to be, and what becomes of those that
// cannot be decoded.
type DecodeOptions = wire.Options

// bodySource lists and watches by decoding bodies.
type bodySource[T Object] struct {
	open    OpenFunc
	decoder *wire.Decoder[T]
}

// newBodySource makes a ListerWatcher of open. held, which may be nil, returns what
// the cache holds.
func newBodySource[T Object](open OpenFunc, options DecodeOptions, held heldFunc[T]) *bodySource[T] {
	var cached wire.Cached[T]
	if held != nil {
		cached = func(namespace, name, resourceVersion []byte, contentHash uint64) (T, bool) {
			// The strings are for the search only, which keeps nothing.
			obj, heldHash, ok := held(ObjectName{unsafe.String(unsafe.SliceData(namespace), len(namespace)), unsafe.String(unsafe.SliceData(name), len(name))})
			return obj, ok && heldHash == contentHash && obj.GetResourceVersion() == string(resourceVersion)
		}
	}
	return &bodySource[T]{open: open, decoder: wire.NewDecoder(options, cached)}
}

// List reads one page.
func (s *bodySource[T]) List(ctx context.Context, options metav1.ListOptions) (Page[T], error) {
	options.Watch = false
	body, err := s.open(ctx, options)
	if err != nil {
		return Page[T]{}, err
	}
	return s.decoder.List(ctx, body)
}

// Watch opens a stream.
func (s *bodySource[T]) Watch(ctx context.Context, options metav1.ListOptions) (EventStream[T], error) {
	options.Watch = true
	body, err := s.open(ctx, options)
	if err != nil {
		return nil, err
	}
	return s.decoder.Watch(ctx, body), nil
}
