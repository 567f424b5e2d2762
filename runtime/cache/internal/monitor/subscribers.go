package monitor

import (
	"github.com/typedinformers/informer-gen/runtime/cache/internal/hook"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/outage"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// subscribers hear of each change of the Status: the hooks of the program, the log of outages, and observers.
type subscribers struct {
	hooks     *hook.Hooks[status.Status]
	outages   outage.Log
	observers hook.Observers
}

// changed is called when a Status has changed, without a lock.
func (s *subscribers) changed() {
	s.hooks.Changed()
	s.observers.Changed()
}
