package protocol

import (
	"maps"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Backoff is the wait before a retry: Initial after the first failure, doubled after
// each further one, at most Max.
type Backoff struct {
	Initial, Max time.Duration
}

// Backoffs are the waits by reason. The entry under "" is for all reasons without one.
type Backoffs map[string]Backoff

// defaultBackoffs are the waits that no setting replaces. A missing right, a missing CRD or
// an object that does not decode lasts until someone fixes it, so frequent retries do not
// help. An informer recovers from rotated credentials within ten seconds, and from a granted
// right or an installed CRD within thirty.
var defaultBackoffs = Backoffs{
	"":           {800 * time.Millisecond, 30 * time.Second},
	Unauthorized: {2 * time.Second, 8 * time.Second},
	Forbidden:    {2 * time.Second, 24 * time.Second},
	NotFound:     {2 * time.Second, 24 * time.Second},
	Decode:       {2 * time.Second, time.Minute},
	Refused:      {2 * time.Second, time.Minute},
	Redirected:   {2 * time.Second, time.Minute},
}

// idleBackoff is for responses without an error or a result: a watch that makes progress
// and ends at once, or an empty page with a token.
var idleBackoff = Backoff{100 * time.Millisecond, 1200 * time.Millisecond}

// MaxRetryAfter bounds the wait that a server can ask for.
const MaxRetryAfter = 5 * time.Minute

// WithDefaults returns b, with the default for each wait that b does not set.
func (b Backoffs) WithDefaults() Backoffs {
	if len(b) == 0 {
		return defaultBackoffs // which all informers share
	}
	all := maps.Clone(defaultBackoffs)
	for reason, set := range b {
		usual := all.of(reason)
		if set.Initial <= 0 {
			set.Initial = usual.Initial
		}
		if set.Max <= 0 {
			set.Max = usual.Max
		}
		set.Max = max(set.Initial, set.Max)
		all[reason] = set
	}
	return all
}

func (b Backoffs) of(reason string) Backoff {
	if own, ok := b[reason]; ok {
		return own
	}
	return b[""]
}

// After returns the wait after err, which follows that many other failures.
func (b Backoffs) After(err error, failures int) time.Duration {
	wait := b.of(ReasonOf(err)).doubled(failures)
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		asked := MaxRetryAfter
		if int64(seconds) < int64(MaxRetryAfter/time.Second) { // before it can overflow
			asked = time.Duration(seconds) * time.Second
		}
		wait = max(wait, asked)
	}
	return wait
}

// doubled returns b.Initial, doubled that many times, at most b.Max.
func (b Backoff) doubled(times int) time.Duration {
	wait := b.Initial
	for ; times > 0 && wait < b.Max; times-- {
		wait *= 2
	}
	return min(wait, b.Max)
}

// WithJitter adds a random part to a wait.
func WithJitter(wait time.Duration, random func(time.Duration) time.Duration) time.Duration {
	if wait <= 0 {
		return 0
	}
	return wait + random(wait/4+1)
}

// MaxFailed is the number of requests that may fail in any minute, if no setting changes
// the backoffs. Backoffs alone would allow more, as they restart after each success.
const MaxFailed = 10

// FailureBudget limits failed requests to MaxFailed a minute. The zero value is ready
// for use.
type FailureBudget struct {
	times []time.Time // of the last requests that failed, oldest first
	// pages is the number of the last ones that were for the current page. Note drops them
	// when the page succeeds, so that a long list does not wait for its failed pages.
	pages int
}

// Note records a request that began at a time, and what follows it. It returns the wait
// until the next request.
func (f *FailureBudget) Note(began time.Time, in Input, next Action) time.Duration {
	switch {
	case next.Failed != nil:
		f.times = append(f.times, began)
		f.pages++
		if next.Verb != ListPage || next.Restart {
			f.pages = 0
		}
		if extra := len(f.times) - MaxFailed; extra > 0 {
			f.times = append(f.times[:0], f.times[extra:]...)
			f.pages = min(f.pages, MaxFailed)
		}
	case in.Verb == ListPage:
		f.times, f.pages = f.times[:len(f.times)-f.pages], 0
	}
	if len(f.times) < MaxFailed {
		return 0
	}
	return max(0, time.Until(f.times[0].Add(time.Minute)))
}
