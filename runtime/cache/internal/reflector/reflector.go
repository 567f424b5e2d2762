package reflector

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/freelist"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/initial"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Unconfirmed is the cause of a list because the watch has not confirmed a version.
const Unconfirmed = "Unconfirmed"

// Reflector copies the collection of one scope to a Sink. Only the goroutine of Run uses the fields that have no comment
// about others.
type Reflector struct {
	settings Settings // do not change after Run
	sink     Sink
	gate     gate
	// progress, undecodable and unconfirmed are the State.
	progress    *progress.Tracker
	undecodable listed.Undecodable
	unconfirmed atomic.Pointer[unconfirmed] // nil for none
	relist      relistRequest
	retry       chan struct{} // holds a token after Retry

	source source.Source // do not change after Run
	// committed is set after the first list.
	committed bool
	// partial is nil while the Reflector watches.
	partial *partialList
	// position is how far it has read.
	position frontier.Position
	// claim is that of the highest version that the watch has told, in an event of claimant. That is zero for a
	// bookmark.
	claim    frontier.Claim
	claimant listed.Name
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
	r.gate.Settings = &r.settings
	if settings.Random == nil {
		r.settings.Random = rand.N[time.Duration]
	}
	if settings.Open != nil {
		r.useBodies()
		return r
	}
	r.gate.trim = wire.Trimmer(settings.Decode)
	if r.source = settings.Source; !settings.Rule.Selector().Empty() {
		r.source = &source.Sharded{Source: r.source, Shard: settings.Rule.Selector()}
	}
	return r
}

// useBodies makes the source that decodes bodies.
func (r *Reflector) useBodies() {
	s := &r.settings
	options := *s.Decode
	// Objects of a cache are read-only, but a transform may write to them.
	options.ReadOnly = options.ReadOnly || s.Shared && s.Transform == nil
	if rule := s.Rule; rule != nil && rule.Others != nil {
		others, keep := rule.Others, options.Keep
		options.Keep = func(h wire.Head) bool { return others.HasText(h.Namespace) && (keep == nil || keep(h)) }
	}
	if packing := store.PackingOf(&s.Form); packing != nil && s.Transform == nil { // no text has the result of a transform
		options.Packer = packing
	}
	r.source = source.NewBodies(r.request, s.Form.Type(), source.InShard(options, s.Rule.Selector()), s.Held)
}

// SetTransform replaces Settings.Transform. It is called before Run.
func (r *Reflector) SetTransform(transform Transform) {
	r.settings.Transform = transform
	if r.settings.Open != nil {
		r.useBodies()
	}
}

// Relist makes the Reflector list again.
func (r *Reflector) Relist(cause string) {
	r.relist.set(cause)
	r.Retry()
}

// beginRelist begins a list if Relist was called, and reports whether it was.
func (r *Reflector) beginRelist() bool {
	cause := r.relist.take()
	if cause == "" {
		return false
	}
	r.beginList(cause)
	return true
}

// Bodies returns the decoder of the objects, or nil if a client decodes them. Any goroutine may call it after Run.
func (r *Reflector) Bodies() *source.Bodies {
	bodies, _ := r.source.(*source.Bodies)
	return bodies
}

// Item decodes the response to a write as bodies decodes the objects of a list. Any goroutine may call it.
func (r *Reflector) Item(bodies *source.Bodies, body []byte) (item wire.Item, err error) {
	if item, err = bodies.Decode(body); err == nil {
		if item.Object, err = r.gate.object(item.Object); err == nil {
			r.gate.pack(&item, false)
		}
	}
	return item, err
}

// State is what is known of a Reflector at one moment.
type State struct {
	progress.State
	// Undecodable are the objects whose last state cannot be decoded, sorted.
	Undecodable []*wire.DecodeError
	// Unconfirmed is the number of versions that the watch did not confirm, and LastUnconfirmed the last one.
	Unconfirmed     int
	LastUnconfirmed UnconfirmedVersion
}

// UnconfirmedVersion is a version that the watch did not confirm. Package cache documents it.
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
	if rule := r.settings.Rule; len(s.Undecodable) > 0 && rule.HasTerms() { // a namespace may have been removed since
		s.Undecodable = slices.DeleteFunc(s.Undecodable, func(state *wire.DecodeError) bool {
			return rule.Excludes(state.Namespace, state.Name)
		})
	}
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

// Run lists and watches until ctx ends.
func (r *Reflector) Run(ctx context.Context) {
	defer r.enter(progress.Stopped)
	defer r.dropMemory()
	r.warnOfLimit(ctx)
	var state protocol.State
	var next protocol.Action
	r.start(&state, &next)
	r.joinFirst(ctx)
	defer func() { r.leaveFirst() }()
	for {
		if !r.pause(ctx, next.Wait) {
			return
		}
		if r.beginRelist() {
			r.logUnconfirmed(ctx)
			r.start(&state, &next)
		}
		in := protocol.Input{Verb: next.Verb, Began: time.Now()}
		switch next.Verb {
		case protocol.ListPage:
			r.list(ctx, &next, &in)
		case protocol.OpenWatch, protocol.OpenStream:
			r.watch(ctx, &next, &in)
		}
		in.Ended = time.Now()
		if ctx.Err() != nil {
			return
		}
		if r.relist.interruptible(nil) { // whatever the request has returned
			next.Wait = protocol.Pause{}
			continue
		}
		r.step(ctx, &state, &next, &in)
	}
}

// step decides what comes after a request.
func (r *Reflector) step(ctx context.Context, state *protocol.State, next *protocol.Action, in *protocol.Input) {
	*state, *next = protocol.Step(*state, *in)
	r.conclude(ctx, in.Verb, next, state)
}

// joinFirst waits until the first list may be read.
func (r *Reflector) joinFirst(ctx context.Context) {
	r.leaveFirst = stay
	for _, limit := range r.settings.FirstLists {
		if limit == nil {
			continue
		}
		leave, before := initial.Join(ctx, limit), r.leaveFirst
		r.leaveFirst = func() {
			leave()
			before()
			r.leaveFirst = stay
		}
	}
}

func stay() {}

// logUnconfirmed logs why the list under way is necessary, if a version was not confirmed.
func (r *Reflector) logUnconfirmed(ctx context.Context) {
	if r.partial.cause == Unconfirmed {
		last := r.State().LastUnconfirmed
		klog.FromContext(ctx).Info("The watch has not confirmed a version in two minutes, so the collection is listed again; the version may be forged, or of another server",
			"object", printable.Text(last.Object.String()), "version", printable.Version(last.ResourceVersion))
	}
}

// start begins with a list, which drops what was read of another one.
func (r *Reflector) start(state *protocol.State, next *protocol.Action) {
	s := &r.settings
	r.beginList("")
	r.enter(progress.Listing)
	*state, *next = protocol.Start(s.StreamingList && !s.Fake, s.Backoffs)
}

// dropMemory releases the objects of a Reflector that has ended: a caller may keep it.
func (r *Reflector) dropMemory() {
	r.partial = nil
	r.events, r.freeDeltas = nil, freelist.List[deltafifo.Delta]{}
}

// pause waits before a request, or until Retry is called. The State has the time of the
// request meanwhile. It reports whether ctx is still alive.
func (r *Reflector) pause(ctx context.Context, length protocol.Pause) bool {
	if length == (protocol.Pause{}) {
		return ctx.Err() == nil
	}
	wait := r.settings.Pace.Shorten(time.Now(), length.Pick(r.settings.Random), length.PickEarly(r.settings.Random))
	return r.progress.Await(ctx, wait, r.retry)
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

// warnOfLimit logs a warning if the server accepts objects above the limit.
func (r *Reflector) warnOfLimit(ctx context.Context) {
	if limit := r.settings.Decode.MaxObjectBytes; r.settings.Open != nil && limit > 0 && limit < wire.EtcdRequestBytes {
		klog.FromContext(ctx).Info("MaxObjectBytes is below etcd's default limit for a request; the server may store objects that the informer fails on or skips",
			"limit", limit, "etcd", wire.EtcdRequestBytes)
	}
}

// count counts a request that failed with an error that is reported.
func (r *Reflector) count(verb protocol.Verb, err error) {
	r.settings.Traffic.Fail(verb.String(), protocol.ReasonOf(err))
	undecodable, tooLarge := (*wire.DecodeError)(nil), (*wire.TooLargeError)(nil)
	if errors.As(err, &undecodable) || errors.As(err, &tooLarge) {
		r.settings.Traffic.Undecodable.Add(1)
	}
}

// conclude applies the action after a request, except for its wait and its request.
func (r *Reflector) conclude(ctx context.Context, after protocol.Verb, next *protocol.Action, state *protocol.State) {
	if next.Failed != nil {
		r.count(after, next.Failed)
	}
	if next.Commit {
		r.commit(state.ResourceVersion)
	}
	switch {
	case next.Restart:
		r.beginList(protocol.ReasonOf(next.Failed))
	case next.Verb == protocol.OpenWatch:
		r.partial = nil
	}
	switch {
	case next.WatchFailed && after == protocol.ListPage: // the State still has why
	case next.Failed != nil:
		r.progress.Enter(progress.Degraded, failureOf(after, next.Failed))
	case next.Verb == protocol.ListPage && next.Wait != (protocol.Pause{}): // after an empty page, which is no progress
	case next.Resumed: // it stays Watching until the server is late to answer
	case next.Verb != protocol.OpenWatch || next.Commit:
		r.enter(progress.Listing)
	}
	if next.Failed != nil {
		if next.Wait != (protocol.Pause{}) { // a list instead of a stream follows at once
			r.leaveFirst()
		}
		failed := next.Failed
		if r.settings.Title != "" { // all scopes have the same handler
			failed = fmt.Errorf("%s: %w", r.settings.Title, failed)
		}
		r.sink.Failed(ctx, failed)
	}
}
