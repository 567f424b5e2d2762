package cache

import (
	"cmp"
	"context"
	"fmt"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// Syncer becomes complete once and stays so: an informer whose cache holds the first
// list, or a handler that has returned from it. SetScopes makes both incomplete until the lists of the
// new scopes are there, which is never if one of these is forbidden. Stats.WasSynced stays true.
type Syncer interface {
	// HasSynced reports whether it is complete: for all scopes that are there at the call.
	HasSynced() bool
	// Synced is closed when it is complete, for all scopes that are there at the call.
	Synced() <-chan struct{}
	// Ended is closed when it stops or is removed. If it is not synced then, it never
	// will be.
	Ended() <-chan struct{}
	// NotSyncedReason returns why it is not synced. It is empty when it is synced, and
	// when no one needs to wait for it any more.
	NotSyncedReason() string
}

// AlwaysSynced returns a Syncer that is synced. Tests of code that waits for informers pass it in place of one.
func AlwaysSynced() Syncer { return alwaysSynced{} }

type alwaysSynced struct{}

func (alwaysSynced) HasSynced() bool { return true }

func (alwaysSynced) Synced() <-chan struct{} {
	synced := make(chan struct{})
	close(synced)
	return synced
}

func (alwaysSynced) Ended() <-chan struct{} { return nil }

func (alwaysSynced) NotSyncedReason() string { return "" }

// WaitForCacheSync blocks until all of syncers are synced, and returns nil. If ctx ends
// first, or one of them stops before it is synced, it returns a *NotSyncedError, which
// names each that is not synced, with the reason. It does not wait for a handler that
// is removed meanwhile. An informer is synced when all scopes that it has at the call are listed. So
// call it once, before the program begins to work: a later call may wait for a scope that is forbidden.
func WaitForCacheSync(ctx context.Context, syncers ...Syncer) error {
	for _, s := range syncers {
		select {
		case <-s.Synced():
		case <-s.Ended():
			if !s.HasSynced() && s.NotSyncedReason() != "" {
				return notSynced(cmp.Or(context.Cause(ctx), ErrStopped), syncers)
			}
		case <-ctx.Done():
			return notSynced(context.Cause(ctx), syncers)
		}
	}
	return nil
}

// waiter is a Syncer of this package.
type waiter interface {
	// waitsFor describes the part that is not synced; its Reason is empty if all are.
	waitsFor() (subject, status.NotSynced)
}

// subject identifies an informer, or a handler of it if handler is not nil.
type subject struct{ informer, handler any }

// notSynced describes each of syncers that is not synced. A handler whose informer is
// not synced waits for the informer, which gets one entry, even if its phase changes
// meanwhile.
func notSynced(cause error, syncers []Syncer) error {
	err := &NotSyncedError{Cause: cause}
	named := map[subject]bool{}
	for _, s := range syncers {
		var about subject
		var waiting status.NotSynced
		if face, is := s.(interface{ itsMachine() Syncer }); is {
			s = face.itsMachine()
		}
		if w, ok := s.(waiter); ok {
			about, waiting = w.waitsFor()
		} else {
			waiting.Reason = s.NotSyncedReason()
			about.informer = waiting.Reason
		}
		if waiting.Reason == "" || named[about] || named[subject{informer: about.informer}] {
			continue
		}
		named[about] = true
		err.Waiting = append(err.Waiting, waiting)
	}
	if len(err.Waiting) == 0 {
		return nil // the last one was synced meanwhile
	}
	return err
}

// NotSyncedError is returned by WaitForCacheSync when its context ended first, or
// when something that it waited for stopped.
type NotSyncedError struct {
	// Waiting has an entry for each informer and each handler that is not synced. A
	// handler whose informer is not synced has none.
	Waiting []status.NotSynced
	// Cause is the reason why the wait ended: context.Cause of the context, or ErrStopped.
	Cause error
}

// Error returns a line for each entry of Waiting, with its Reason.
func (e *NotSyncedError) Error() string {
	text := fmt.Sprintf("not synced (%v):", e.Cause)
	for _, w := range e.Waiting {
		text += "\n\t" + w.Reason
	}
	return text
}

// Unwrap returns Cause.
func (e *NotSyncedError) Unwrap() error { return e.Cause }

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
