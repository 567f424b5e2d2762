package source

import (
	"context"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/internal/safemeta"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// clientStream reads a watch.Interface in batches. It waits for one event, and adds those
// that have arrived.
type clientStream struct {
	watch watch.Interface
	// pending is the error that followed the events of the last batch.
	pending error
}

// MaxBatch is the largest number of events that one Next returns. It bounds the memory
// that an idle Reflector keeps. The queue merges batches.
const MaxBatch = 32

// Next blocks until there are events and returns those that have arrived, appended to reuse[:0].
func (s *clientStream) Next(ctx context.Context, reuse []wire.Event) ([]wire.Event, error) {
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
	for len(batch) < MaxBatch && s.pending == nil {
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

// Stop ends the watch.
func (s *clientStream) Stop() { s.watch.Stop() }

func (s *clientStream) add(batch []wire.Event, event watch.Event, open bool) ([]wire.Event, error) {
	if !open {
		return batch, io.EOF
	}
	if event.Type == watch.Error {
		return batch, apierrors.FromObject(event.Object)
	}
	obj, ok := event.Object.(wire.Object)
	if !ok {
		return batch, errNoMetadata(event.Object)
	}
	if _, err := safemeta.NameOf(obj); err != nil {
		return batch, fmt.Errorf("the object of an event of type %q: %w", event.Type, err)
	}
	e := wire.Event{Type: event.Type, ResourceVersion: obj.GetResourceVersion()}
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
