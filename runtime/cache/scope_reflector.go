package cache

import (
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/gate"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scopes"
)

// scopeReflector is the Reflector of one scope of an informer, and its Sink: what it reads goes to the queue of the informer.
type scopeReflector struct {
	record
	scopes.Wanted
	gate *gate.Gate // of its source
}

// newReflector returns the Reflector of a scope. It is opened later.
func (s *sharedInformer) newReflector(config *config, id frontier.ID) *scopeReflector {
	r := &scopeReflector{}
	r.Scope = s.core.Open(id)
	r.Scope.Namespace, r.Scope.Rule = config.Namespace, config.rule
	if own := config.ReadYourWrites; own != nil {
		r.Scope.Selects = own.selects
	}
	r.Region = config.scope.region(config.isNamespaced)
	if config.scope.OtherNamespaces {
		r.LeaveOut = config.rule.Others.LeaveOut
	}
	r.gate = config.gate(&s.shared, s.core.Indexer)
	settings := config.reflector(id, &s.shared, r.gate)
	settings.Changes = &s.core.Changes
	r.begin(config, settings, r, &s.audience, &r.Scope.Frontier)
	r.Scope.Reflector, r.Scope.Run = r.reflector, r.run
	return r
}

// Status returns the state of the scope, without Objects.
func (r *scopeReflector) Status() Status {
	status := r.record.Status()
	if status.Phase == Watching && r.IsHeld.Load() {
		status.Phase = Listing // the cache does not have the list yet
	}
	return status
}
