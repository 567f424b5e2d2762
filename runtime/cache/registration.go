package cache

import (
	"errors"
	"fmt"

	"github.com/typedinformers/informer-gen/internal/human"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/monitor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// registration is the only ResourceEventHandlerRegistration.
type registration struct {
	informer *sharedInformer
	*processor.Listener
}

func (r *registration) HasSynced() bool { return r.Lists().Has(r.informer.core.Mark()) }

func (r *registration) Synced() <-chan struct{} {
	return r.Lists().Wait(r.informer.core.Mark())
}

func (r *registration) NotSyncedReason() string {
	_, waiting := r.waitsFor()
	return waiting.Reason
}

// HandlerPanicked is an extension point; see ResourceEventHandler. The panic is logged, and then ends the program, or is
// in Status if WithHandlerPanicRecovery is set.
func (r *registration) HandlerPanicked(obj Object, value any) {
	monitor.HandlerOf(r.Listener).Panicked(obj, value)
}

func (r *registration) waitsFor() (subject, status.NotSynced) {
	if r.HasSynced() || r.Removed() {
		return subject{}, status.NotSynced{}
	}
	about, waiting := r.informer.waitsFor()
	if waiting.Reason != "" {
		return about, waiting
	}
	waiting = r.informer.notSynced() // because of a scope that is not listed, unless the handler has something to return from
	waiting.Handler = r.Name()
	if backlog := r.informer.monitor.Late(r.Listener); backlog > 0 {
		waiting.Reason = "a handler of " + r.informer.name() + " has not returned from its initial list: " + human.Plural(backlog, "event") + " to go"
	}
	return subject{r.informer, r.Listener}, waiting
}

// errForeignRegistration is returned for a registration of another informer.
var errForeignRegistration = errors.New("the registration belongs to another informer")

// addHandler is addEventHandler for the face.
func (s *sharedInformer) addHandler(handler eventHandler, options []HandlerOption) (ResourceEventHandlerRegistration, error) {
	r, err := s.addEventHandler(handler, options)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (s *sharedInformer) addEventHandler(handler eventHandler, options []HandlerOption) (*registration, error) {
	settings := processor.Settings{ResyncPeriod: s.resyncPeriod}
	for _, option := range options {
		option(&settings)
	}
	if settings.Name == "" {
		settings.Name, settings.Unnamed = handler.name, true
	}
	listening := processor.Options{Settings: settings, Deliver: handler.deliver, Resync: s.core.Resync}
	s.monitor.Listen(&listening)
	l := processor.NewListener(listening)
	if !s.core.AddHandler(l) {
		cause := ErrStopped
		if now := s.Status(); now.Reason == status.Misconfigured {
			cause = now.Err
		}
		return nil, fmt.Errorf("cannot add a handler to %s: %w", s.name(), cause)
	}
	return &registration{s, l}, nil
}

// RemoveEventHandler implements machine. SharedIndexInformer documents it.
func (s *sharedInformer) RemoveEventHandler(r ResourceEventHandlerRegistration) error {
	own, ok := r.(*registration)
	if !ok || own.informer != s {
		return fmt.Errorf("cannot remove a handler from %s: %w", s.name(), errForeignRegistration)
	}
	s.core.RemoveHandler(own.Listener)
	if monitor.HandlerOf(own.Listener).HasFailed() {
		s.monitor.Changed() // the Status has its error no longer
	}
	return nil
}

// registrations returns the registered handlers.
func (s *sharedInformer) registrations() []Syncer {
	var all []Syncer
	for _, l := range s.core.Processor.Listeners() {
		all = append(all, &registration{s, l})
	}
	return all
}
