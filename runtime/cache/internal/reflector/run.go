package reflector

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/freelist"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/initial"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Run lists and watches until ctx ends.
func (r *Reflector) Run(ctx context.Context) {
	defer r.enter(progress.Stopped)
	defer r.dropMemory()
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
		in := protocol.Input{Began: time.Now()}
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
		if r.relist.interruptible(nil) { // no matter what the request has returned
			next.Wait = protocol.Pause{}
			continue
		}
		r.step(ctx, &state, &next, &in)
	}
}

// step decides what comes after a request. It has a frame of its own, because that of Run is on the stack as long as a watch lasts.
func (r *Reflector) step(ctx context.Context, state *protocol.State, next *protocol.Action, in *protocol.Input) {
	after := next.Verb
	*state, *next = protocol.Step(*state, *in)
	r.conclude(ctx, after, next)
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

// start begins with a list, which drops the pages of another one.
func (r *Reflector) start(state *protocol.State, next *protocol.Action) {
	r.beginList("")
	r.enter(progress.Listing)
	*state, *next = protocol.Start(r.settings.StreamingList && !r.settings.Fake, r.settings.Backoffs)
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

// count counts a request that failed with an error that is reported.
func (r *Reflector) count(verb protocol.Verb, err error) {
	r.settings.Observer.AddFailure(verb.String(), protocol.ReasonOf(err))
	undecodable, tooLarge := (*wire.DecodeError)(nil), (*wire.TooLargeError)(nil)
	if errors.As(err, &undecodable) || errors.As(err, &tooLarge) {
		r.settings.Observer.AddUndecodable()
	}
}

// conclude applies the action after a request, except for its wait and its request.
func (r *Reflector) conclude(ctx context.Context, after protocol.Verb, next *protocol.Action) {
	if next.Failed != nil {
		r.count(after, next.Failed)
	}
	if next.Commit {
		r.commit(next.Options.ResourceVersion)
	}
	switch {
	case next.Verb == protocol.OpenWatch:
		r.partial = nil
	case next.Options.Continue == "":
		r.beginList(protocol.ReasonOf(next.Failed))
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
