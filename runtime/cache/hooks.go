package cache

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/hook"
)

// WatchErrorHandler is called with the error of each failed list and watch. With
// DecodeOptions.SkipUndecodable it is also called for each state that is skipped, with a
// *DecodeError that is not wrapped.
//
// It may block: the informer does not wait for it, and retries meanwhile. One goroutine
// calls it and the StatusHandler of an informer, in the order in which things happened. At
// most 100 calls wait. If there are more, the oldest errors are dropped, and the handler
// gets a *DroppedErrors with their number instead. Run of the informer, Stop and Shutdown
// return after the last call, so the handler must not call the last two. ctx is that of
// Run, and has its logger. A panic of the handler ends the program, unless
// Settings.HandlerPanicRecovery is set.
type WatchErrorHandler func(ctx context.Context, resource schema.GroupVersionResource, err error)

// StatusHandler is called when the Status of an informer has another Phase or Reason, or an
// error with another text; or one of Scopes has. It is not called for another version, number
// of objects or list of undecodable objects.
//
// It is called as WatchErrorHandler is. While it blocks, changes may be merged: Old is then the
// state of the call before, and New is the last one. So it always gets the last state. With
// several namespaces, changes that follow one another quickly are merged, too. An
// informer that is Stopped from the beginning, because of a mistake in its options or because its
// factory was shut down before, causes no call.
type StatusHandler func(ctx context.Context, change StatusChange)

// StatusChange is a change of the Status of an informer.
type StatusChange struct {
	Resource schema.GroupVersionResource
	// Name is the name of the informer in logs and errors, such as "foos.example.com in
	// namespace team-a".
	Name string
	// Old is the Status of the call before, Pending in the first call. New is the one of the
	// moment of the change, in which the cache may be a batch behind the server.
	Old, New Status
}

// String returns the name and the new status in one line.
func (c StatusChange) String() string { return c.Name + ": " + c.New.String() }

// DroppedErrors is passed to a WatchErrorHandler that had not returned for long, in place
// of the errors that were dropped meanwhile.
type DroppedErrors struct{ Errors int }

// Error returns the number of the errors.
func (e *DroppedErrors) Error() string {
	return plural(e.Errors, "error") + " dropped, because the WatchErrorHandler or StatusHandler had not returned"
}

// newHooks returns the hooks of an informer, whose present status is status(). It returns
// nil if there are none. config does not change any more.
func newHooks[T Object](config *Config[T], status func() Status) *hook.Hooks[Status] {
	if config.WatchErrorHandler == nil && config.StatusHandler == nil {
		return nil
	}
	options := hook.Options[Status]{
		Status:  status,
		IsSlow:  len(config.scopes) > 0, // there may be a thousand
		Same:    isSameState,
		Dropped: func(n int) error { return &DroppedErrors{n} },
		Full: func(ctx context.Context) {
			klog.FromContext(ctx).Error(nil, "The WatchErrorHandler or StatusHandler does not return; further errors are dropped, and changes of the status merged", "resource", config.name())
		},
		Failed: config.hookFailed,
	}
	if handler := config.WatchErrorHandler; handler != nil {
		options.OnError = func(ctx context.Context, err error) { handler(ctx, config.Resource, err) }
	}
	if handler := config.StatusHandler; handler != nil {
		options.OnChange = func(ctx context.Context, before, now Status) {
			handler(ctx, StatusChange{Resource: config.Resource, Name: config.name(), Old: before, New: now})
		}
	}
	return hook.New(options, status())
}

// isSameState reports whether the difference is none for a StatusHandler.
func isSameState(a, b Status) bool {
	sameScope := func(a, b ScopeStatus) bool { return isSameState(a.Status, b.Status) }
	return a.Phase == b.Phase && a.Reason == b.Reason && textOf(a.Err) == textOf(b.Err) && slices.EqualFunc(a.Scopes, b.Scopes, sameScope)
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// hookFailed logs that a hook panicked with a value, or exited if value is nil. A panic
// ends the program then, unless HandlerPanicRecovery is set.
func (c *Config[T]) hookFailed(ctx context.Context, name string, value any) {
	err := &HandlerPanicError{Handler: name, Stack: debug.Stack(), Exited: value == nil}
	message := "A hook called runtime.Goexit"
	if !err.Exited {
		err.Value, message = fmt.Sprint(value), "A hook panicked"
	}
	klog.FromContext(ctx).Error(err, message, "resource", c.name(), "hook", name, "stack", string(err.Stack))
	if !c.HandlerPanicRecovery && !err.Exited {
		panic(err)
	}
}
