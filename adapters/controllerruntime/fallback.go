package crcache

import (
	"context"
	"fmt"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// fallback keeps a form that cannot be decoded from stopping the forms that can: a list fails if
// one object does not fit the Go type. The informer then goes back to the forms that were read
// before, and tries the new one again from time to time. The lock of the entry guards it.
type fallback struct {
	// failed has the error of each form that the informer does not decode for.
	failed [numForms]error
	// failedSince is when the informer gave up the first of them.
	failedSince time.Time
	// retried is closed when these are tried again. It is nil if there are none.
	retried  chan struct{}
	timer    *time.Timer
	attempts int
}

const (
	// firstRetry is how long it takes until a form is tried again, which lists twice if it
	// fails. It is doubled each time, up to lastRetry.
	firstRetry = time.Minute
	lastRetry  = time.Hour
)

// onStatus gives up new forms if their first list cannot be decoded, and others could be.
func (e *entry) onStatus(context.Context, cache.StatusChange) {
	status := e.informer.Status() // which may have changed again
	if status.Reason == cache.Decode && e.giveUp(status.Err) {
		e.apply() // as before
	}
}

// giveUp gives up the new forms for an error, if others are synced. It reports whether it has.
func (e *entry) giveUp(err error) bool {
	e.applying.Lock() // so that applied is that of the last form
	defer e.applying.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	if isClosed(e.applied) {
		return false // no form is new
	}
	var added []*informer
	healthy := false
	for f, i := range e.forms {
		switch {
		case i == nil || e.failed[f] != nil:
		case isClosed(i.ready):
			healthy = true
		default:
			added = append(added, i)
		}
	}
	if !healthy || len(added) == 0 {
		return false
	}
	if e.retried == nil {
		e.retried, e.failedSince = make(chan struct{}), time.Now()
	}
	for _, i := range added {
		e.failed[i.form] = err
		logger.Error(err, "Objects cannot be decoded in a new form; the others go on without it", "kind", e.gvk.Kind, "form", i.form.String())
	}
	wait := min(firstRetry<<min(e.attempts, 10), lastRetry)
	e.attempts++
	e.stopTimer()
	e.timer = time.AfterFunc(wait, e.retryForms)
	return true
}

// retryForms tries the forms again that failed.
func (e *entry) retryForms() {
	e.applying.Lock()
	defer e.applying.Unlock()
	if e.hasEnded {
		return
	}
	e.mu.Lock()
	if e.retried != nil {
		e.forgetFailures()
	}
	e.mu.Unlock()
	e.lockApplied()
	e.mu.Unlock()
}

// forgetFailures lets apply decode for all forms again.
func (e *entry) forgetFailures() {
	e.stopTimer()
	e.failed = [numForms]error{}
	close(e.retried)
	e.retried = nil
}

// forget forgets the failure of a form that is no longer in use. If no form is left that can be
// decoded, the others are tried again.
func (e *entry) forget(f form) {
	e.failed[f] = nil
	if e.retried != nil && e.decodable() == (decoding{}) || e.failed == [numForms]error{} && e.retried != nil {
		e.forgetFailures()
		e.attempts = 0
	}
}

// end stops the timer, and waits for retryForms.
func (e *entry) end() {
	e.applying.Lock()
	defer e.applying.Unlock()
	e.hasEnded = true
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopTimer()
}

func (e *entry) stopTimer() {
	if e.timer != nil {
		e.timer.Stop()
	}
}

// decodable returns the forms in use without those that failed.
func (e *entry) decodable() decoding {
	used := e.used()
	for f, err := range e.failed {
		used[f] = used[f] && err == nil
	}
	return used
}

// failure returns why the informer does not decode for a form, or nil.
func (e *entry) failure(f form) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.failed[f]
}

// reason returns why readers wait.
func (i *informer) reason() string {
	e := i.entry
	if reason := e.informer.NotSyncedReason(); reason != "" {
		return reason
	}
	if err := e.failure(i.form); err != nil {
		return fmt.Sprintf("%s: the objects cannot be decoded as %s, which is tried again from time to time: %v", e.resource, i.form, err)
	}
	status := e.informer.Status()
	if status.Phase == cache.Stopped {
		return fmt.Sprintf("%s: %v", e.resource, status)
	}
	return fmt.Sprintf("%s: the objects are being listed again, in another form: %v", e.resource, status)
}
