package cache

import (
	"github.com/typedinformers/informer-gen/internal/human"
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
	r.informer.panics.report(r.Listener, &processor.Notification{Obj: obj}, value)
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
	if backlog := r.informer.late(r.Listener); backlog > 0 {
		waiting.Reason = "a handler of " + r.informer.name() + " has not returned from its initial list: " + human.Plural(backlog, "event") + " to go"
	}
	return subject{r.informer, r.Listener}, waiting
}

// late returns the backlog of a handler that has not returned from its initial list. It is 0 if the handler waits for that list,
// as for that of a scope that the server refuses.
func (s *sharedInformer) late(l *processor.Listener) int {
	if l.Lists().Has(s.core.Mark()) {
		return 0
	}
	return l.Backlog()
}
