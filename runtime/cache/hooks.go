package cache

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/internal/human"
)

// WatchErrorHandler is called with the error of each failed list and watch. With
// WithSkipUndecodable it is also called for each state that is skipped, with a
// *DecodeError that is not wrapped.
//
// It may block: the informer does not wait for it, and retries meanwhile. One goroutine
// calls it and the StatusHandler of an informer, in the order in which things happened. At most 100 calls wait. If there are more, the oldest errors are dropped, and the handler
// gets a *DroppedErrors with their number instead. Run of the informer, Stop and Shutdown
// return after the last call, so the handler must not call the last two. ctx is that of
// Run, and has its logger. A panic of the handler ends the program, unless
// WithHandlerPanicRecovery is set.
type WatchErrorHandler func(ctx context.Context, resource schema.GroupVersionResource, err error)

// StatusHandler is called when the Status of an informer has another Phase or Reason, or an
// error with another text; or one of Scopes has. It is not called for another version, number
// of objects or list of undecodable objects.
//
// It is called as WatchErrorHandler is. While it blocks, changes may be merged: Old is then the
// state of the call before, and New is the last one. So it always gets the last state. With
// several namespaces, changes that follow one another quickly are merged, too. An
// informer that is Stopped from the beginning, because of a mistake in its options or because its
// factory was shut down before, causes no call. Several calls may have the same New.Reason, and the last one is
// that of the stop: compare it with Old.Reason before an action that must happen once.
type StatusHandler func(ctx context.Context, change StatusChange)

// StatusChange is a change of the Status of an informer.
type StatusChange struct {
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
	return human.Plural(e.Errors, "error") + " dropped, because the WatchErrorHandler or StatusHandler had not returned"
}
