package reflector

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/freelist"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Unconfirmed is the cause of a list because the watch has not confirmed a version.
const Unconfirmed = "Unconfirmed"

// Reflector copies the collection of one scope to a Sink. Only the goroutine of Run uses the fields that have no comment
// about others.
type Reflector struct {
	settings Settings // which do not change
	sink     Sink
	// progress, undecodable and unconfirmed are the State.
	progress    *progress.Tracker
	undecodable listed.Undecodable
	unconfirmed atomic.Pointer[unconfirmed] // nil for none
	relist      relistRequest
	retry       chan struct{} // holds a token after Retry

	// committed is set after the first list.
	committed bool
	// partial is nil while the Reflector watches.
	partial *partialList
	// position is how far it has read.
	position frontier.Position
	// claim is the highest version that the watch has reported, in an event of claimedBy. That is zero for a
	// bookmark.
	claim     frontier.Claim
	claimedBy listed.Name
	// watchEnded is when the last watch ended.
	watchEnded clock.Stamp
	// leaveFirst releases the tokens of settings.FirstLists.
	leaveFirst func()
	events     []wire.Event
	// freeDeltas is memory for the deltas of a batch.
	freeDeltas freelist.List[deltafifo.Delta]
}

// New returns a Reflector, which does nothing until Run.
func New(settings Settings, sink Sink) *Reflector {
	r := &Reflector{
		settings: settings,
		sink:     sink,
		progress: progress.New(sink.Changed),
		retry:    make(chan struct{}, 1),
	}
	if settings.Random == nil {
		r.settings.Random = rand.N[time.Duration]
	}
	return r
}

// Relist makes the Reflector list again.
func (r *Reflector) Relist(cause string) {
	r.relist.set(cause)
	r.Retry()
}

// Retry ends the wait after a failed list or watch. If a request is under way and fails,
// Retry skips the wait after it. Any goroutine may call it. It never blocks.
func (r *Reflector) Retry() {
	select {
	case r.retry <- struct{}{}:
	default:
	}
}

// forgetRetry drops a call of Retry that came when nothing had failed.
func (r *Reflector) forgetRetry() {
	select {
	case <-r.retry:
	default:
	}
}

// Decode decodes the response to a write as the source decodes the objects of a list. The error is source.ErrNotDecoded if a
// client decodes these. Any goroutine may call it.
func (r *Reflector) Decode(body []byte) (wire.Item, error) {
	return source.Decode(r.settings.Source, body)
}

// State is the state of a Reflector at one moment.
type State struct {
	progress.State
	// Undecodable are the objects whose last state cannot be decoded, sorted.
	Undecodable []*wire.DecodeError
	// Unconfirmed is the number of versions that the watch did not confirm, and LastUnconfirmed the last one.
	Unconfirmed     int
	LastUnconfirmed UnconfirmedVersion
}

// UnconfirmedVersion is a version that the watch did not confirm. Package status documents it.
type UnconfirmedVersion struct {
	Object          listed.Name
	ResourceVersion string
	At              time.Time
}

// unconfirmed are such versions. It does not change.
type unconfirmed struct {
	n    int
	last UnconfirmedVersion
}

// NoteUnconfirmed notes a version that the watch did not confirm. Any goroutine may call it.
func (r *Reflector) NoteUnconfirmed(name listed.Name, resourceVersion string) {
	for {
		last, next := r.unconfirmed.Load(), &unconfirmed{1, UnconfirmedVersion{name, resourceVersion, time.Now()}}
		if last != nil {
			next.n = last.n + 1
		}
		if r.unconfirmed.CompareAndSwap(last, next) {
			return
		}
	}
}

// State returns the present state. Any goroutine may call it.
func (r *Reflector) State() State {
	s := State{State: r.progress.State(), Undecodable: r.undecodable.Sorted()}
	if u := r.unconfirmed.Load(); u != nil {
		s.Unconfirmed, s.LastUnconfirmed = u.n, u.last
	}
	return s
}

// Progress returns the phase as it changes.
func (r *Reflector) Progress() *progress.Tracker { return r.progress }

// enter enters a phase that is not due to a failure.
func (r *Reflector) enter(phase string) { r.progress.Enter(phase, progress.Failure{}) }

// failureOf returns the failure of a request.
func failureOf(verb protocol.Verb, err error) progress.Failure {
	return progress.Failure{Verb: verb.String(), Reason: protocol.ReasonOf(err), Err: err}
}
