package cache

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// WatchErrorHandler is called with the error of each failed list and watch. With
// WithSkipUndecodable it is also called for each state that is skipped, with a
// *wire.DecodeError that is not wrapped.
//
// It may block: the informer does not wait for it, and retries meanwhile. One goroutine
// calls it and the function of WithStatusHandler, in the order in which things happened. At most 100 calls wait. If there are more, the oldest errors are dropped, and the handler
// gets a *status.DroppedErrors with their number instead. Run of the informer, Stop and Shutdown
// return after the last call, so the handler must not call the last two. ctx is that of
// Run, and has its logger. A panic of the handler ends the program, unless
// WithHandlerPanicRecovery is set.
type WatchErrorHandler func(ctx context.Context, resource schema.GroupVersionResource, err error)
