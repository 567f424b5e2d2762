package cache

import (
	"cmp"
	"context"
	"strconv"
)

// Syncer is something that becomes complete once and stays so: an informer
// whose cache holds the first list, or a handler that has heard it.
type Syncer interface {
	// HasSynced says whether it is complete.
	HasSynced() bool
	// Synced is closed when HasSynced becomes true.
	Synced() <-chan struct{}
	// Ended is closed when it stops or is removed: if it is not synced by then, it
	// never will be.
	Ended() <-chan struct{}
	// NotSyncedReason says what is still waited for, and why. It is empty when it is
	// synced, and when nobody needs to wait any more.
	NotSyncedReason() string
}

// WaitForCacheSync blocks until all of syncers are synced, and returns nil. If
// ctx ends first, or one of them stops before it is synced, it returns a
// *NotSyncedError that names each that is not, with the reason. A handler that is
// removed meanwhile is not waited for.
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

// waiter is a Syncer of this package, which knows what its reason is about.
type waiter interface {
	// waitsFor returns the reason of NotSyncedReason, and what it is about.
	waitsFor() (subject, string)
}

// subject is an informer, or a handler of it if handler is not nil.
type subject struct{ informer, handler any }

// notSynced names what is not synced. A handler waits first for what its informer
// waits for, which is said once, even if the informer's phase changes meanwhile.
func notSynced(cause error, syncers []Syncer) error {
	err := &NotSyncedError{Cause: cause}
	named := map[subject]bool{}
	for _, s := range syncers {
		about, reason := subject{}, ""
		if w, ok := s.(waiter); ok {
			about, reason = w.waitsFor()
		} else {
			reason = s.NotSyncedReason()
			about.informer = reason
		}
		if reason == "" || named[about] || named[subject{informer: about.informer}] {
			continue
		}
		named[about] = true
		err.Waiting = append(err.Waiting, reason)
	}
	if len(err.Waiting) == 0 {
		return nil // the last one came in at the last moment
	}
	return err
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
