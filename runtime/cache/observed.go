package cache

import (
	"context"
	"fmt"
	"iter"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/informer"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// Status implements machine. SharedIndexInformer documents it.
func (s *sharedInformer) Status() Status { return s.monitor.Status() }

// NotSyncedReason implements machine. SharedIndexInformer documents it.
func (s *sharedInformer) NotSyncedReason() string {
	_, waiting := s.waitsFor()
	return waiting.Reason
}

func (s *sharedInformer) waitsFor() (subject, status.NotSynced) {
	if s.HasSynced() {
		return subject{}, status.NotSynced{}
	}
	return subject{informer: s}, s.notSynced()
}

// notSynced returns the state of the informer as the reason why something is not synced.
func (s *sharedInformer) notSynced() status.NotSynced {
	now := s.Status()
	return status.NotSynced{Reason: s.name() + ": " + now.String(), Status: now}
}

// WaitFor implements machine. SharedIndexInformer documents it.
func (s *sharedInformer) WaitFor(ctx context.Context, resourceVersion string) error {
	version, ok := frontier.Parse(resourceVersion)
	if !ok {
		return fmt.Errorf("cannot wait until %s has version %q: it is not a number above 0; pass the resourceVersion of an object or a list", s.name(), resourceVersion)
	}
	err := s.core.Wait(ctx, version)
	if err == informer.ErrEnded {
		err = ErrStopped
	}
	if err != nil {
		return fmt.Errorf("%s has not reached version %d: %w; it is %s", s.name(), version, err, s.Status())
	}
	return nil
}

// Statuses implements machine. SharedIndexInformer documents it.
func (s *sharedInformer) Statuses() iter.Seq[status.Informer] {
	return func(yield func(status.Informer) bool) { yield(s.observed()) }
}

// observed returns the state and the counters of the informer. Only a factory knows the Server.
func (s *sharedInformer) observed() status.Informer {
	return status.Informer{
		ID:       s.id,
		Name:     s.config.InformerName,
		Resource: s.config.Resource,
		Kind:     s.config.Decode.Kind.Kind,
		Object:   s.config.form.Type().String(),
		Status:   s.Status(),
		Stats:    s.monitor.Stats(),

		ReferenceDecoder: s.config.Decode.Reference,

		Namespaces: s.set.namespaces(),
	}
}
