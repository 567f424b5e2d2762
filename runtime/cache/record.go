package cache

import (
	"context"
	"slices"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/hook"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/outage"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/reflector"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// audience is who hears what the Reflectors of an informer do, or a Reflector alone does: the hooks of the program, the log of
// outages, and observers.
type audience struct {
	hooks     *hook.Hooks[Status]
	outages   outage.Log
	observers hook.Observers
}

// changed is called when a Status has changed, without a lock.
func (a *audience) changed() {
	a.hooks.Changed()
	a.observers.Changed()
}

// record is what is known of a Reflector, and tells the audience. It is the half that all Sinks share.
type record struct {
	reflector *reflector.Reflector
	config    *config // does not change after Run
	frontier  *frontier.Frontier
	audience  *audience
	outage    outage.Part
	skips     listed.SkipLog
}

// begin makes the Reflector of a Sink that has the record.
func (r *record) begin(config *config, settings reflector.Settings, sink reflector.Sink, audience *audience, known *frontier.Frontier) {
	r.config, r.audience, r.frontier = config, audience, known
	r.reflector = reflector.New(settings, sink)
	r.outage = outage.Part{Log: &audience.outages, Reflector: r.reflector.Progress()}
}

// run runs the Reflector. Each line that it logs has the name of the collection.
func (r *record) run(ctx context.Context) {
	logger := klog.FromContext(ctx).WithValues("resource", r.config.name())
	ctx = klog.NewContext(ctx, logger)
	defer func() { r.skips.Flush(logger) }()
	r.config.warnOfLimit(logger)
	r.reflector.Run(ctx)
}

// Changed is that of reflector.Sink.
func (r *record) Changed() {
	r.outage.Note()
	r.audience.changed()
}

// Failed is that of reflector.Sink. Without a WatchErrorHandler it logs. One failure says little, so it is logged only at
// a higher verbosity: the log of outages has those that last. A watch that has to restart is normal.
func (r *record) Failed(ctx context.Context, err error) {
	if r.audience.hooks.HearErrors() {
		r.audience.hooks.Error(ctx, err)
		return
	}
	logger := klog.FromContext(ctx)
	if state, skipped := err.(*wire.DecodeError); skipped {
		r.skips.Log(logger, state)
		return
	}
	switch reason := reasonOf(err); reason {
	case Expired, ClosedEarly, NoBookmark:
		logger.V(4).Info("Watch has to restart", "reason", reason, "err", err)
	default:
		logger.V(2).Info("A list or a watch has failed and will be retried", "reason", reason, "err", err)
	}
}

// Status returns the state of the Reflector, without Objects.
func (r *record) Status() Status {
	state := r.reflector.State()
	all := statusOf(state.State)
	all.Resource = r.config.Resource
	all.ResourceVersion = r.frontier.Received().Version
	all.Undecodable = state.Undecodable
	if rule := r.config.rule; len(all.Undecodable) > 0 && rule.HasTerms() { // a namespace may have been removed since
		all.Undecodable = slices.DeleteFunc(all.Undecodable, func(state *DecodeError) bool {
			return rule.Excludes(state.Namespace, state.Name)
		})
	}
	last := &state.LastUnconfirmed
	all.Unconfirmed = state.Unconfirmed
	all.LastUnconfirmed = status.UnconfirmedVersion{
		Namespace: last.Object.Namespace, Name: last.Object.Name, ResourceVersion: last.ResourceVersion, At: last.At,
	}
	return all
}

// newHooks returns the hooks of an informer, whose present status is now(). It returns
// nil if there are none. config does not change any more.
func newHooks(config *config, name func() string, now func() Status) *hook.Hooks[Status] {
	if config.WatchErrorHandler == nil && config.StatusHandler == nil {
		return nil
	}
	options := hook.Options[Status]{
		Status:  now,
		IsSlow:  len(config.scopes) > 0 || config.scopesLater, // there may be a thousand
		Same:    status.SameState,
		Dropped: func(n int) error { return &DroppedErrors{n} },
		Full: func(ctx context.Context) {
			klog.FromContext(ctx).Error(nil, "The WatchErrorHandler or StatusHandler does not return; further errors are dropped, and changes of the status merged", "resource", name())
		},
		Failed: config.hookFailed,
	}
	if handler := config.WatchErrorHandler; handler != nil {
		options.OnError = func(ctx context.Context, err error) { handler(ctx, config.Resource, err) }
	}
	if handler := config.StatusHandler; handler != nil {
		options.OnChange = func(ctx context.Context, before, now Status) {
			handler(ctx, StatusChange{Name: name(), Old: before, New: now})
		}
	}
	return hook.New(options, now())
}

// hookFailed logs that a hook panicked with a value, or exited if value is nil.
func (c *config) hookFailed(ctx context.Context, name string, value any) {
	logPanic(klog.FromContext(ctx), c.name(), "hook", &HandlerPanicError{Handler: name}, value, c.HandlerPanicRecovery)
}
