package cache

import (
	"context"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/hook"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/monitor"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// monitored returns the description of a scope for the Monitor.
func (c *config) monitored(known *frontier.Frontier) monitor.ScopeOptions {
	return monitor.ScopeOptions{
		Collection: c.name(), Name: c.scope.name(), Namespace: c.Namespace, Text: c.scope.String(), OtherNamespaces: c.scope.OtherNamespaces,
		Rule: c.rule, Frontier: known, Began: c.warnOfLimit,
	}
}

// hooks returns the functions that a program has set for an informer. config does not change any more.
func (c *config) hooks(name func() string) hook.Options[Status] {
	options := hook.Options[Status]{
		IsSlow:  len(c.scopes) > 0 || c.scopesLater, // there may be a thousand
		Dropped: func(n int) error { return &status.DroppedErrors{Errors: n} },
		Full: func(ctx context.Context) {
			klog.FromContext(ctx).Error(nil, "The WatchErrorHandler or StatusHandler does not return; further errors are dropped, and changes of the status merged", "resource", name())
		},
		Failed: c.hookFailed,
	}
	if handler := c.WatchErrorHandler; handler != nil {
		options.OnError = func(ctx context.Context, err error) { handler(ctx, c.Resource, err) }
	}
	if handler := c.StatusHandler; handler != nil {
		options.OnChange = func(ctx context.Context, before, now Status) {
			handler(ctx, status.Change{Name: name(), Old: before, New: now})
		}
	}
	return options
}

// hookFailed logs that a hook panicked with a value, or exited if value is nil.
func (c *config) hookFailed(ctx context.Context, name string, value any) {
	monitor.LogPanic(klog.FromContext(ctx), c.name(), "hook", &status.HandlerPanicError{Handler: name}, value, c.HandlerPanicRecovery)
}
