package cache

import (
	"context"
	"maps"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Backoff is how long an informer waits before it tries a failed list or watch
// again: Initial after the first failure, twice as long after each further one, and
// never longer than Max. Up to a quarter of the wait is added at random, so that
// clients that failed together do not come back together. A Retry-After header
// that asks for more is honored up to five minutes.
type Backoff struct {
	Initial, Max time.Duration
}

// defaultBackoffs are the waits that Settings.Backoffs does not set. A missing right, a
// missing CRD or an object that does not decode is fixed by people or by an
// installer: asking often would not help. Rotated credentials work again within ten
// seconds, and a granted right or an installed CRD within thirty.
var defaultBackoffs = backoffs{
	"":           {800 * time.Millisecond, 30 * time.Second},
	Unauthorized: {2 * time.Second, 8 * time.Second},
	Forbidden:    {2 * time.Second, 24 * time.Second},
	NotFound:     {2 * time.Second, 24 * time.Second},
	Decode:       {2 * time.Second, time.Minute},
	Refused:      {2 * time.Second, time.Minute},
	Redirected:   {2 * time.Second, time.Minute},
}

// maxRetryAfter bounds the wait that a server can ask for.
const maxRetryAfter = 5 * time.Minute

// idleBackoff is for a server that answers without an error and without effect: a watch
// that brings something and ends at once, an empty page with a token.
var idleBackoff = Backoff{100 * time.Millisecond, 1200 * time.Millisecond}

// backoffs are the waits by reason.
type backoffs map[Reason]Backoff

// withDefaults completes what a Config sets.
func withDefaults(set map[Reason]Backoff) backoffs {
	if len(set) == 0 {
		return defaultBackoffs // which all informers share
	}
	all := maps.Clone(defaultBackoffs)
	for reason, b := range set {
		usual := all.of(reason)
		if b.Initial <= 0 {
			b.Initial = usual.Initial
		}
		if b.Max <= 0 {
			b.Max = usual.Max
		}
		b.Max = max(b.Initial, b.Max)
		all[reason] = b
	}
	return all
}

func (b backoffs) of(reason Reason) Backoff {
	if own, ok := b[reason]; ok {
		return own
	}
	return b[""]
}

// after returns the wait after err, the latest of so many failures before it.
func (b backoffs) after(err error, failures int) time.Duration {
	wait := doubled(b.of(reasonOf(err)), failures)
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		asked := maxRetryAfter
		if int64(seconds) < int64(maxRetryAfter/time.Second) { // before it can overflow
			asked = time.Duration(seconds) * time.Second
		}
		wait = max(wait, asked)
	}
	return wait
}

// doubled returns b.Initial, doubled times times, at most b.Max.
func doubled(b Backoff, times int) time.Duration {
	wait := b.Initial
	for ; times > 0 && wait < b.Max; times-- {
		wait *= 2
	}
	return min(wait, b.Max)
}

// withJitter adds a random part to a wait.
func withJitter(wait time.Duration, random func(time.Duration) time.Duration) time.Duration {
	if wait <= 0 {
		return 0
	}
	return wait + random(wait/4+1)
}

// maxFailed is how many requests may fail in any minute, without backoffs of the
// Config: waits that begin to grow again after each success would allow more.
const maxFailed = 10

// failedRequests are the times of the last requests that failed, oldest first.
type failedRequests struct {
	times []time.Time
	// pages is how many of the last ones were for the page that is being read. They are
	// forgotten when it comes: a long list need not wait for its refused pages.
	pages int
}

// note takes a request that began at a time, and what follows it. It returns the wait
// until the next one.
func (f *failedRequests) note(began time.Time, in input, next action) time.Duration {
	switch {
	case next.failed != nil:
		f.times = append(f.times, began)
		f.pages++
		if next.verb != listPage || next.restart {
			f.pages = 0
		}
		if extra := len(f.times) - maxFailed; extra > 0 {
			f.times = append(f.times[:0], f.times[extra:]...)
			f.pages = min(f.pages, maxFailed)
		}
	case in.verb == listPage:
		f.times, f.pages = f.times[:len(f.times)-f.pages], 0
	}
	if len(f.times) < maxFailed {
		return 0
	}
	return max(0, time.Until(f.times[0].Add(time.Minute)))
}

// pause waits before a request, until Retry at the latest. Status has the time of the
// request meanwhile. It reports whether ctx is still alive.
func (r *Reflector[T]) pause(ctx context.Context, wait time.Duration) bool {
	if wait = withJitter(wait, r.random); wait <= 0 {
		return ctx.Err() == nil
	}
	r.status.awaitAttempt(time.Now().Add(wait))
	defer r.status.awaitAttempt(time.Time{})
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-r.retry:
	case <-timer.C:
	}
	return true
}

// Retry tries a failed list or watch again at once, instead of after its wait. If a
// request is under way, the wait after its failure is skipped. It may be called from
// any goroutine, and never blocks: for example when credentials were rotated, or by
// a watch of CRDs when one is established.
func (r *Reflector[T]) Retry() {
	select {
	case r.retry <- struct{}{}:
	default:
	}
}

// forgetRetry drops a Retry that came when nothing had failed.
func (r *Reflector[T]) forgetRetry() {
	select {
	case <-r.retry:
	default:
	}
}
