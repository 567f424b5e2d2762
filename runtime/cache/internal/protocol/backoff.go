package protocol

import (
	"errors"
	"maps"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Backoff is the wait before a retry: Initial after the first failure, longer by half after
// each further one, at most Max. A Pause chooses at random between half of it and all of it.
type Backoff struct {
	Initial, Max time.Duration
}

// Backoffs are the waits by reason. The entry under "" is for all reasons without one.
type Backoffs map[string]Backoff

// defaultBackoffs are the waits that no setting replaces. A server that fails gets about ten requests a
// minute, and an informer tries again at most eight seconds after the server has recovered. The waits grow
// slowly: doubled, they are half of a short outage. A missing
// right, a missing CRD or an object that does not decode lasts until someone fixes it, so frequent retries do
// not help. An informer recovers from rotated credentials within ten seconds, and from a granted
// right or an installed CRD within thirty.
var defaultBackoffs = Backoffs{
	"":           {600 * time.Millisecond, 8 * time.Second},
	Unauthorized: {3500 * time.Millisecond, 10 * time.Second},
	Forbidden:    {3500 * time.Millisecond, 30 * time.Second},
	NotFound:     {3500 * time.Millisecond, 30 * time.Second},
	Decode:       {3500 * time.Millisecond, time.Minute},
}

// idleBackoff is for responses without an error or a result: a watch that makes progress
// and ends at once, or an empty page with a token.
var idleBackoff = Backoff{200 * time.Millisecond, 2 * time.Second}

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

// After returns the wait after err, which follows that many other failures, for a request that took some time. That
// counts, except for a wait that the server has asked for.
func (b Backoffs) After(err error, failures int, took time.Duration) Pause {
	reason := ReasonOf(err)
	if reason == Decode && isForeign(err) || apierrors.IsMethodNotSupported(err) {
		reason = ServerError // that of a proxy: it may be gone soon
	}
	own := b.of(reason).pause(failures).without(max(0, took))
	asked := askedBy(err)
	pause := own.atLeast(asked)
	if b.of(reason) != defaultBackoffs.of(reason) { // the program has set it
		return pause
	}
	switch {
	case asked != (Pause{}):
		pause.EarlyMin, pause.EarlyMax = asked.Min, asked.Max
	case errors.As(err, new(noAnswer)):
		pause.EarlyMin, pause.EarlyMax = soon, soonMax
	}
	return pause
}

// isForeign reports whether err is about an answer that is not that of the API server, such as a page of
// HTML from a proxy.
func isForeign(err error) bool {
	var syntax *wire.SyntaxError
	var kind *wire.KindError
	return !isAboutAnObject(err) && (errors.As(err, &syntax) || errors.As(err, &kind))
}

// pause returns b.Initial, grown that many times, at most b.Max.
func (b Backoff) pause(times int) Pause {
	wait := b.Initial
	for ; times > 0 && wait < b.Max; times-- {
		wait += wait / 2
	}
	wait = min(wait, b.Max)
	return Pause{Min: wait / 2, Max: wait}
}

// Pause is a wait of a random length between Min and Max, so that clients that failed together do not return
// together. The zero value is no wait.
type Pause struct {
	Min, Max time.Duration
	// EarlyMin and EarlyMax, if they are not 0, limit a wait that a Pace may give in place of a longer one.
	EarlyMin, EarlyMax time.Duration
}

// askedBy returns the wait that the server has asked for with err, by Retry-After. It has no random part, because the REST client of
// client-go has none, and would be back earlier.
func askedBy(err error) Pause {
	seconds, ok := apierrors.SuggestsClientDelay(err)
	if !ok || seconds <= 0 {
		return Pause{}
	}
	asked := MaxRetryAfter
	if int64(seconds) < int64(MaxRetryAfter/time.Second) { // before it can overflow
		asked = time.Duration(seconds) * time.Second
	}
	return Pause{Min: asked, Max: asked}
}

// atLeast returns the longer one of two waits.
func (p Pause) atLeast(other Pause) Pause {
	return Pause{max(p.Min, other.Min), max(p.Max, other.Max), p.EarlyMin, p.EarlyMax}
}

// without returns the rest of a wait of which some time has passed.
func (p Pause) without(passed time.Duration) Pause {
	return Pause{max(0, p.Min-passed), max(0, p.Max-passed), p.EarlyMin, p.EarlyMax}
}

// Pick returns the length of the wait. random returns a duration below its argument, which is positive.
func (p Pause) Pick(random func(time.Duration) time.Duration) time.Duration {
	return p.Min + random(p.Max-p.Min+1)
}

// PickEarly returns the length of the early wait, or 0 if there is none.
func (p Pause) PickEarly(random func(time.Duration) time.Duration) time.Duration {
	return p.EarlyMin + random(p.EarlyMax-p.EarlyMin+1)
}
