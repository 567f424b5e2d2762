package cache

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// WatchErrorHandler is called with the error of each failed list and watch. With
// WithSkipUndecodable it is also called for each state that is skipped, with a
// *wire.DecodeError that is not wrapped.
//
// It may block: the informer does not wait for it, and retries meanwhile. One goroutine
// calls it and the StatusHandler of an informer, in the order in which things happened. At most 100 calls wait. If there are more, the oldest errors are dropped, and the handler
// gets a *status.DroppedErrors with their number instead. Run of the informer, Stop and Shutdown
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
type StatusHandler func(ctx context.Context, change status.Change)
