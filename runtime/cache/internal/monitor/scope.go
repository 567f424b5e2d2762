package monitor

import (
	"context"
	"slices"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/outage"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/reflector"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// ScopeOptions describe a Scope.
type ScopeOptions struct {
	// Collection names the collection of the scope in logs. Name names the scope in errors, and Text is the text of its selectors.
	// OtherNamespaces is set for one of all namespaces that no other scope names.
	Collection, Name, Namespace, Text string
	OtherNamespaces                   bool
	Rule                              *scoping.Rule
	Frontier                          *frontier.Frontier
	// IsHeld, unless it is nil, is set while the cache does not have the objects that the scope has listed.
	IsHeld *atomic.Bool
	// Began is called when the Reflector begins, and Forbidden each time that the right for a request is missing, unless they are nil.
	Began     func(klog.Logger)
	Forbidden func()
}

// Scope has the state of one Reflector.
type Scope struct {
	ScopeOptions
	Reflector *reflector.Reflector
	resource  schema.GroupVersionResource
	heard     *subscribers
	outage    outage.Part
	skips     listed.SkipLog
}

// Receiver gets the objects that a Reflector reads.
type Receiver interface {
	Listed(list *deltafifo.Collection, at frontier.Position)
	Events(deltas []deltafifo.Delta, at frontier.Position) (received clock.Stamp)
}

// sink is the Sink of a Reflector.
type sink struct {
	Receiver
	*Scope
}

// read returns a Scope with a Reflector, which reports to it.
func read(settings reflector.Settings, to Receiver, of ScopeOptions, resource schema.GroupVersionResource, heard *subscribers) *Scope {
	s := &Scope{ScopeOptions: of, resource: resource, heard: heard}
	s.Reflector = reflector.New(settings, sink{to, s})
	s.outage = outage.Part{Log: &heard.outages, Reflector: s.Reflector.Progress()}
	return s
}

// Run runs the Reflector until ctx ends. Each line that it logs has the name of the collection.
func (s *Scope) Run(ctx context.Context) {
	logger := klog.FromContext(ctx).WithValues("resource", s.Collection)
	defer func() { s.skips.Flush(logger) }()
	if s.Began != nil {
		s.Began(logger)
	}
	s.Reflector.Run(klog.NewContext(ctx, logger))
}

// Changed implements reflector.Sink.
func (s *Scope) Changed() {
	s.outage.Note()
	s.heard.changed()
}

// Failed implements reflector.Sink. Without a hook for errors it logs. One failure says little, so it is logged only at
// a higher verbosity: the log of outages has those that last. A watch that has to restart is normal.
func (s *Scope) Failed(ctx context.Context, err error) {
	if s.Forbidden != nil && protocol.ReasonOf(err) == protocol.Forbidden {
		s.Forbidden()
	}
	if s.heard.hooks.HearErrors() {
		s.heard.hooks.Error(ctx, err)
		return
	}
	logger := klog.FromContext(ctx)
	if state, skipped := err.(*wire.DecodeError); skipped {
		s.skips.Log(logger, state)
		return
	}
	switch reason := protocol.ReasonOf(err); reason {
	case protocol.Expired, protocol.ClosedEarly, protocol.NoBookmark:
		logger.V(4).Info("Watch has to restart", "reason", reason, "err", err)
	default:
		logger.V(2).Info("A list or a watch has failed and will be retried", "reason", reason, "err", err)
	}
}

// Status returns the state of the scope, without Objects.
func (s *Scope) Status() status.Status {
	state := s.Reflector.State()
	all := statusOf(state.State)
	if all.Phase == status.Watching && s.IsHeld != nil && s.IsHeld.Load() {
		all.Phase = status.Listing // the cache does not have the list yet
	}
	all.Resource = s.resource
	all.ResourceVersion = s.Frontier.Received().Version
	all.Undecodable = state.Undecodable
	if len(all.Undecodable) > 0 && s.Rule.HasTerms() { // a namespace may have been removed since
		all.Undecodable = slices.DeleteFunc(all.Undecodable, func(state *wire.DecodeError) bool {
			return s.Rule.Excludes(state.Namespace, state.Name)
		})
	}
	last := &state.LastUnconfirmed
	all.Unconfirmed = state.Unconfirmed
	all.LastUnconfirmed = status.UnconfirmedVersion{
		Namespace: last.Object.Namespace, Name: last.Object.Name, ResourceVersion: last.ResourceVersion, At: last.At,
	}
	return all
}

// statusOf returns the Status of a state of progress.
func statusOf(s progress.State) status.Status {
	return status.Status{
		Phase: status.Phase(s.Phase), Since: s.Since, NextAttempt: s.NextAttempt,
		Err: s.Err, Reason: status.Reason(s.Reason), Verb: s.Verb,
	}
}
