package cache

import (
	"cmp"
	"context"
	"strconv"
)

// Syncer becomes complete once and stays so: an informer whose cache holds the first
// list, or a handler that has returned from it.
type Syncer interface {
	// HasSynced reports whether it is complete.
	HasSynced() bool
	// Synced is closed when HasSynced becomes true.
	Synced() <-chan struct{}
	// Ended is closed when it stops or is removed. If it is not synced then, it never
	// will be.
	Ended() <-chan struct{}
	// NotSyncedReason returns why it is not synced. It is empty when it is synced, and
	// when no one needs to wait for it any more.
	NotSyncedReason() string
}

// WaitForCacheSync blocks until all of syncers are synced, and returns nil. If ctx ends
// first, or one of them stops before it is synced, it returns a *NotSyncedError, which
// names each that is not synced, with the reason. It does not wait for a handler that
// is removed meanwhile.
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
	// waitsFor describes what is not synced; its Reason is empty if nothing is.
	waitsFor() (subject, NotSynced)
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
		var waiting NotSynced
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
