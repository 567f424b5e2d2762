// Package source lists and watches a collection: by response bodies, or by a typed client, which has decoded the objects.
//
//	Bodies    bodies ─▶ wire ─▶ pages, events
//	Client    lists and watches of a typed client ─▶ pages, events; and Views of its objects
//	Sharded, Tweaked    change what another source has, or is asked for
//	Failing   always fails
package source

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Source lists and watches a collection.
type Source interface {
	List(ctx context.Context, options metav1.ListOptions) (wire.Page, error)
	Watch(ctx context.Context, options metav1.ListOptions) (Stream, error)
}

// Stream is an open watch. Next blocks until there are events, and returns all that have arrived, appended to reuse[:0]. It
// returns io.EOF when the server closed the stream normally, an apierrors.APIStatus for an ERROR event, and otherwise the
// error of the transport. Events that arrived before an error are returned before it. Stop may be called twice.
type Stream interface {
	Next(ctx context.Context, reuse []wire.Event) ([]wire.Event, error)
	Stop()
}

// Each returns a stream that calls change with each event of another one. If that fails, the stream returns the events before,
// and then the error.
func Each(of Stream, change func(*wire.Event) error) Stream {
	return &changedStream{Stream: of, change: change}
}

type changedStream struct {
	Stream
	change func(*wire.Event) error
	failed error
}

func (s *changedStream) Next(ctx context.Context, reuse []wire.Event) ([]wire.Event, error) {
	if s.failed != nil {
		return reuse[:0], s.failed
	}
	events, err := s.Stream.Next(ctx, reuse)
	for i := range events {
		if s.failed = s.change(&events[i]); s.failed == nil {
			continue
		}
		clear(events[i:]) // so that it keeps no object alive
		if i == 0 {
			err = s.failed
		}
		return events[:i], err
	}
	return events, err
}

// ErrNotDecoded is the error of Decode for a source that does not decode bodies.
var ErrNotDecoded = errors.New("a client decodes the objects")

// Decode decodes one object, such as the response to a write, as the source decodes those of a list. Any goroutine may call it.
func Decode(from Source, body []byte) (wire.Item, error) {
	if decoder, is := from.(interface {
		Decode(body []byte) (wire.Item, error)
	}); is {
		return decoder.Decode(body)
	}
	return wire.Item{}, ErrNotDecoded
}

// Version requests the version of a collection. Sources with a method Unwrap, which change the objects of another one, do not see
// the object that comes with it.
func Version(ctx context.Context, from Source) (string, error) {
	for {
		changed, is := from.(interface{ Unwrap() Source })
		if !is {
			break
		}
		from = changed.Unwrap()
	}
	page, err := from.List(ctx, metav1.ListOptions{Limit: 1})
	return page.ResourceVersion, err
}

// IsFake reports whether a typed client belongs to a fake clientset of client-go, whose watches ignore their timeout and have
// no streaming lists. It has no mark, but only fakes record actions.
func IsFake(client any) bool {
	_, records := client.(interface{ ClearActions() })
	return records
}

// errNoMetadata is the error of an object of the client that cannot be one of a collection.
func errNoMetadata(got runtime.Object) error {
	return fmt.Errorf("%w: the client returned a %T, which has no metadata", protocol.ErrUnexpectedType, got)
}

// UnexpectedType is the error of an object whose Go type is not that of the cache.
func UnexpectedType(got wire.Object, want reflect.Type) error {
	return fmt.Errorf("%w: the client returned a %T instead of a %v", protocol.ErrUnexpectedType, got, want)
}

// Tweaked changes the options of every request.
type Tweaked struct {
	Source
	Change func(*metav1.ListOptions)
}

// List reads one page.
func (s *Tweaked) List(ctx context.Context, options metav1.ListOptions) (wire.Page, error) {
	s.Change(&options)
	return s.Source.List(ctx, options)
}

// Watch opens a stream.
func (s *Tweaked) Watch(ctx context.Context, options metav1.ListOptions) (Stream, error) {
	s.Change(&options)
	return s.Source.Watch(ctx, options)
}

// Failing always fails.
type Failing struct{ Err error }

// List returns the error.
func (s Failing) List(context.Context, metav1.ListOptions) (wire.Page, error) {
	return wire.Page{}, s.Err
}

// Watch returns the error.
func (s Failing) Watch(context.Context, metav1.ListOptions) (Stream, error) { return nil, s.Err }
