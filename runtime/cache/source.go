package cache

import (
	"context"
	"fmt"
	"reflect"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/decoded"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/shards"
	"github.com/typedinformers/informer-gen/runtime/sharding"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// source lists and watches a collection.
type source interface {
	List(ctx context.Context, options metav1.ListOptions) (wire.Page, error)
	Watch(ctx context.Context, options metav1.ListOptions) (stream, error)
}

// stream is an open watch; see EventStream.
type stream interface {
	Next(ctx context.Context, reuse []wire.Event) ([]wire.Event, error)
	Stop()
}

// clientSource lists and watches by a typed client, which has decoded the objects.
type clientSource struct {
	list  func(context.Context, metav1.ListOptions) (runtime.Object, error)
	watch func(context.Context, metav1.ListOptions) (watch.Interface, error)
	kind  clientKind
}

// List reads one page.
func (s *clientSource) List(ctx context.Context, options metav1.ListOptions) (wire.Page, error) {
	list, err := s.list(ctx, options)
	if err != nil {
		return wire.Page{}, err
	}
	return decoded.PageOf(list)
}

// Watch opens a stream.
func (s *clientSource) Watch(ctx context.Context, options metav1.ListOptions) (stream, error) {
	w, err := s.watch(ctx, options)
	if err != nil {
		return nil, err
	}
	return decoded.NewStream(w), nil
}

// viewSource lists and watches views of the objects of a typed client.
type viewSource struct {
	*clientSource
	view decoded.Viewer
}

// List reads one page.
func (s *viewSource) List(ctx context.Context, options metav1.ListOptions) (wire.Page, error) {
	page, err := s.clientSource.List(ctx, options)
	for i := 0; i < len(page.Items) && err == nil; i++ {
		page.Items[i].Object, err = s.view.Of(page.Items[i].Object)
	}
	return page, err
}

// Watch opens a stream.
func (s *viewSource) Watch(ctx context.Context, options metav1.ListOptions) (stream, error) {
	w, err := s.watch(ctx, options)
	if err != nil {
		return nil, err
	}
	return decoded.NewViewStream(decoded.NewStream(w), s.view), nil
}

// unexpectedType is the error of an object whose Go type is not that of the cache.
func unexpectedType(got Object, want reflect.Type) error {
	return fmt.Errorf("%w: the client returned a %T instead of a %v", protocol.ErrUnexpectedType, got, want)
}

// bodySource lists and watches by decoding bodies.
type bodySource struct {
	open    OpenFunc
	decoder *wire.Decoder
}

// newBodySource makes a source of open. object is the Go type of the objects. cache may be nil.
func newBodySource(open OpenFunc, object reflect.Type, options DecodeOptions, cache held) *bodySource {
	var cached wire.Cached
	if cache != nil {
		cached = func(namespace, name, resourceVersion []byte, contentHash uint64) (Object, bool) {
			// The strings share memory with the body. Held does not keep them.
			obj, heldHash, ok := cache.Held(unsafe.String(unsafe.SliceData(namespace), len(namespace)), unsafe.String(unsafe.SliceData(name), len(name)))
			return obj, ok && heldHash == contentHash && obj.GetResourceVersion() == string(resourceVersion)
		}
	}
	return &bodySource{open: open, decoder: wire.NewDecoder(object, options, cached)}
}

// List reads one page.
func (s *bodySource) List(ctx context.Context, options metav1.ListOptions) (wire.Page, error) {
	options.Watch = false
	body, err := s.open(ctx, options, s.decoder.Accept(false))
	if err != nil {
		return wire.Page{}, err
	}
	return s.decoder.List(ctx, body)
}

// Watch opens a stream.
func (s *bodySource) Watch(ctx context.Context, options metav1.ListOptions) (stream, error) {
	options.Watch = true
	body, err := s.open(ctx, options, s.decoder.Accept(true))
	if err != nil {
		return nil, err
	}
	return s.decoder.Watch(ctx, body), nil
}

// shardedSource leaves out the objects that are not in a shard, because a server, and a fake, may
// ignore the ShardSelector of a request.
type shardedSource struct {
	source
	shard sharding.Selector
}

// List reads one page.
func (s *shardedSource) List(ctx context.Context, options metav1.ListOptions) (wire.Page, error) {
	page, err := s.source.List(ctx, options)
	if err == nil {
		shards.Page(&page, s.shard)
	}
	return page, err
}

// Watch opens a stream.
func (s *shardedSource) Watch(ctx context.Context, options metav1.ListOptions) (stream, error) {
	of, err := s.source.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	return &shardedStream{of, s.shard}, nil
}

// shardedStream is a watch of a shardedSource.
type shardedStream struct {
	stream
	shard sharding.Selector
}

func (s *shardedStream) Next(ctx context.Context, reuse []wire.Event) ([]wire.Event, error) {
	events, err := s.stream.Next(ctx, reuse)
	for i := range events {
		shards.Event(&events[i], s.shard)
	}
	return events, err
}

// currentSource returns the source of the request under way, or of the next one. SetForm changes
// it.
func (r *reflector) currentSource() source {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source
}

// decoder returns a function that decodes the response to a write as source decodes the objects of
// a list. It returns nil if source does not read bodies.
func (r *reflector) decoder(of source) func(body []byte) (wire.Item, error) {
	bodies, ok := of.(*bodySource)
	if !ok {
		return nil
	}
	return func(body []byte) (item wire.Item, err error) {
		if item, err = bodies.decoder.DecodeItem(body); err == nil {
			item.Object, err = r.transformed(item.Object)
		}
		return item, err
	}
}

// tweakedSource changes the options of every request.
type tweakedSource struct {
	source
	change func(*metav1.ListOptions)
}

// List reads one page.
func (s *tweakedSource) List(ctx context.Context, options metav1.ListOptions) (wire.Page, error) {
	s.change(&options)
	return s.source.List(ctx, options)
}

// Watch opens a stream.
func (s *tweakedSource) Watch(ctx context.Context, options metav1.ListOptions) (stream, error) {
	s.change(&options)
	return s.source.Watch(ctx, options)
}

// failingSource always fails.
type failingSource struct{ err error }

func (s failingSource) List(context.Context, metav1.ListOptions) (wire.Page, error) {
	return wire.Page{}, s.err
}

func (s failingSource) Watch(context.Context, metav1.ListOptions) (stream, error) { return nil, s.err }
