package cache

import (
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/gate"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/informer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/monitor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scopes"
)

// scopeReflector is the Reflector of one scope of an informer, with its settings, its Sink and its state.
type scopeReflector struct {
	*monitor.Scope
	config *config // does not change after Run
	wanted scopes.Wanted
	gate   *gate.Gate // of its source
}

// newReflector returns the Reflector of a scope of an informer. It is opened later.
func newReflector(core *informer.Informer, heard *monitor.Monitor, pace *protocol.Pace, config *config, id frontier.ID) *scopeReflector {
	scope := core.Open(id)
	scope.Namespace, scope.Rule = config.Namespace, config.rule
	if own := config.ReadYourWrites; own != nil {
		scope.Selects = own.selects
	}
	r := &scopeReflector{config: config, gate: config.gate(&heard.Traffic, core.Indexer)}
	r.wanted.Scope, r.wanted.Region = scope, config.scope.region(config.isNamespaced)
	if config.scope.OtherNamespaces {
		r.wanted.LeaveOut = config.rule.Others.LeaveOut
	}
	settings := config.reflector(id, pace, r.gate)
	settings.Changes = &core.Changes
	of := config.monitored(&scope.Frontier)
	of.IsHeld = &r.wanted.IsHeld
	if config.mayBeForbidden {
		of.Forbidden = func() { core.Excuse(scope) }
	}
	r.Scope = heard.NewScope(settings, scope, of)
	scope.Reflector, scope.Run = r.Reflector, r.Run
	return r
}
