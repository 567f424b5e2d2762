package source

import (
	"context"
	"io"
	"reflect"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Open sends a request and returns the body of the response. Package cache documents it as OpenFunc.
type Open = func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error)

// Held has objects that need not be decoded again: an Indexer.
type Held interface {
	Held(namespace, name string) (obj wire.Object, contentHash uint64, ok bool)
}

// Bodies lists and watches by decoding bodies.
type Bodies struct {
	open    Open
	decoder *wire.Decoder
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
	return &Bodies{open: open, decoder: wire.NewDecoder(object, options, cached)}
}

// List reads one page.
func (s *Bodies) List(ctx context.Context, options metav1.ListOptions) (wire.Page, error) {
	options.Watch = false
	body, err := s.open(ctx, options, s.decoder.Accept(false))
	if err != nil {
		return wire.Page{}, err
	}
	return s.decoder.List(ctx, body)
}

// Watch opens a stream.
func (s *Bodies) Watch(ctx context.Context, options metav1.ListOptions) (Stream, error) {
	options.Watch = true
	body, err := s.open(ctx, options, s.decoder.Accept(true))
	if err != nil {
		return nil, err
	}
	return s.decoder.Watch(ctx, body), nil
}

// Decode decodes one object, as those of a list.
func (s *Bodies) Decode(body []byte) (wire.Item, error) { return s.decoder.DecodeItem(body) }
