package source

import (
	"context"
	"io"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/internal/fieldmarks"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Open sends a request and returns the body of the response. Package bodies documents it as OpenFunc.
type Open = func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error)

// Held has objects that need not be decoded again: an Indexer.
type Held interface {
	Held(namespace, name string) (obj wire.Object, contentHash uint64, ok bool)
}

// Bodies lists and watches by decoding bodies.
type Bodies struct {
	open    Open
	decoder atomic.Pointer[wire.Decoder]
	// marking returns the decoder for bodies whose server asks for wire.Options.MarkFields.
	marking func() *wire.Decoder
}

// NewBodies makes a source of open. object is the Go type of the objects. cache may be nil.
func NewBodies(open Open, object reflect.Type, options wire.Options, cache Held) *Bodies {
	var cached wire.Cached
	if cache != nil {
		cached = func(namespace, name, resourceVersion []byte, contentHash uint64) (wire.Object, bool) {
			// The strings share memory with the body. Held does not keep them.
			obj, heldHash, ok := cache.Held(unsafe.String(unsafe.SliceData(namespace), len(namespace)), unsafe.String(unsafe.SliceData(name), len(name)))
			return obj, ok && heldHash == contentHash && obj.GetResourceVersion() == string(resourceVersion)
		}
	}
	s := &Bodies{open: open}
	s.decoder.Store(wire.NewDecoder(object, options, cached))
	s.marking = sync.OnceValue(func() *wire.Decoder {
		options.MarkFields = true
		return wire.NewDecoder(object, options, cached)
	})
	return s
}

// List reads one page.
func (s *Bodies) List(ctx context.Context, options metav1.ListOptions) (wire.Page, error) {
	options.Watch = false
	body, err := s.open(ctx, options, s.decoder.Load().Accept(false))
	if err != nil {
		return wire.Page{}, err
	}
	return s.decoderOf(body).List(ctx, body)
}

// Watch opens a stream.
func (s *Bodies) Watch(ctx context.Context, options metav1.ListOptions) (Stream, error) {
	options.Watch = true
	body, err := s.open(ctx, options, s.decoder.Load().Accept(true))
	if err != nil {
		return nil, err
	}
	return s.decoderOf(body).Watch(ctx, body), nil
}

// decoderOf returns the decoder of a body, and of what Decode gets after it. A program has one server, so it changes at most once, before
// there is an object.
func (s *Bodies) decoderOf(body io.Reader) *wire.Decoder {
	if fieldmarks.AreIn(body) {
		s.decoder.Store(s.marking())
	}
	return s.decoder.Load()
}

// Decode decodes one object, as those of a list.
func (s *Bodies) Decode(body []byte) (wire.Item, error) { return s.decoder.Load().DecodeItem(body) }
