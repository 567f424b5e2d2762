package reflector

import (
	"context"
	"io"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

const (
	// minWatchTimeout is half of the longest timeout of a watch, which is random, so that
	// clients do not open all watches at one time.
	minWatchTimeout = 5 * time.Minute
	// watchGrace is added to the timeout of a watch before the Reflector ends it: a
	// connection that broke silently would stay open forever.
	watchGrace = 30 * time.Second
	// AnswerTimeout is how long the server may take to answer a watch: to send the
	// header of the response.
	AnswerTimeout = time.Minute
	// ResumeGrace is how long the phase stays Watching while a watch that ended in good
	// order is resumed, before the server has answered.
	ResumeGrace = 2 * time.Second
	// StallTimeout is how long the next of the initial events of a streaming list
	// may take, and their closing bookmark.
	StallTimeout = 10 * time.Second
	// BookmarkTimeout is how long the closing bookmark may take once an event shows
	// that all initial events have been sent.
	BookmarkTimeout = 10 * time.Second
)

// watch follows a watch to its end, or a streaming list and the watch that it
// becomes.
func (r *Reflector) watch(ctx context.Context, request *protocol.Action, in *protocol.Input) {
	timeout := minWatchTimeout + r.settings.Random(minWatchTimeout)
	seconds := int64(timeout.Seconds())
	request.Options.TimeoutSeconds = &seconds
	if !r.settings.Fake {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout+watchGrace, protocol.ErrSilent)
		defer cancel()
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	r.relist.interruptible(giveUp)

	in.ResourceVersion = request.Options.ResourceVersion
	in.Err = r.follow(ctx, request, giveUp, in)
	if in.Err != io.EOF {
		switch cause := context.Cause(ctx); cause {
		case protocol.ErrNoBookmark, protocol.ErrSilent, protocol.ErrUnanswered:
			in.Err = cause
		}
		in.Err = protocol.RequestError(request.Verb.String(), in.Err)
	}
}

// follow opens a watch and forwards its events until its end.
func (r *Reflector) follow(ctx context.Context, request *protocol.Action, giveUp context.CancelCauseFunc, in *protocol.Input) error {
	if request.Verb == protocol.OpenStream {
		r.partial.began = r.settings.Changes.Load()
	}
	stream, err := r.open(ctx, request, giveUp)
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // there was no watch that could have ended
		}
		return err
	}
	defer stream.Stop()
	if request.Verb == protocol.OpenStream {
		if err := r.readInitial(ctx, stream, giveUp, in); err != nil {
			return err
		}
	} else {
		defer r.enterWatching(request.WatchFailed)()
	}
	r.forgetRetry()
	began := clock.Now()
	defer func() {
		r.watchEnded = clock.Now()
		in.Lasted = r.watchEnded.Since(began)
		in.MadeProgress = in.MadeProgress || in.Lasted >= protocol.LongWatch
	}()
	for {
		if err := r.next(ctx, stream, in); err != nil {
			return err
		}
	}
}

// open opens a watch. It gives up a server that does not answer.
func (r *Reflector) open(ctx context.Context, request *protocol.Action, giveUp context.CancelCauseFunc) (source.Stream, error) {
	unanswered := time.AfterFunc(AnswerTimeout, func() { giveUp(protocol.ErrUnanswered) })
	defer unanswered.Stop()
	if request.Resumed {
		late := r.progress.EnterAfter(ResumeGrace-clock.Now().Since(r.watchEnded), progress.Degraded, failureOf(protocol.OpenWatch, protocol.ErrUnanswered))
		defer late.Stop()
	}
	return r.settings.Source.Watch(ctx, request.Options)
}

// enterWatching enters Watching when a watch has been answered: at once, or, if it was
// reopened after a failure, when it has lasted for protocol.ShortWatch: a server may answer each
// watch and end it. The caller calls stop when the watch ends.
func (r *Reflector) enterWatching(reopened bool) (stop func() bool) {
	if !reopened {
		r.enter(progress.Watching)
		return func() bool { return false }
	}
	r.enter(progress.Degraded)
	return r.progress.EnterAfter(protocol.ShortWatch, progress.Watching, progress.Failure{}).Stop
}

// next reads and forwards a batch of events.
func (r *Reflector) next(ctx context.Context, stream source.Stream, in *protocol.Input) (err error) {
	if r.events, err = stream.Next(ctx, r.events); err != nil {
		return err
	}
	r.forward(ctx, r.events, in)
	r.releaseEvents()
	return nil
}

// releaseEvents drops the objects of a batch, whose memory the next one reuses.
func (r *Reflector) releaseEvents() {
	clear(r.events)
	if cap(r.events) > deltafifo.MaxReuse {
		r.events = nil
	}
}

// readInitial reads the initial events of a streaming list, up to their bookmark. A
// server that does not know streaming lists sends none: it stalls when all objects
// have been sent, or, on a busy collection, goes on with changes. Other bookmarks bring nothing of the list,
// so a stream that sends only these has stalled.
func (r *Reflector) readInitial(ctx context.Context, stream source.Stream, giveUp context.CancelCauseFunc, in *protocol.Input) error {
	noBookmark := func() { giveUp(protocol.ErrNoBookmark) }
	stall := time.AfterFunc(StallTimeout, noBookmark)
	defer stall.Stop()
	asked, start := time.Now(), ""
	for !in.Listed {
		var err error
		if r.events, err = stream.Next(ctx, r.events); err != nil {
			return err
		}
		if !in.Overdue {
			if start == "" && time.Since(asked) >= StallTimeout {
				start, asked = r.currentVersion(ctx), time.Now()
			}
			if in.Overdue = anyChange(r.events, start); in.Overdue {
				overdue := time.AfterFunc(BookmarkTimeout, noBookmark)
				defer overdue.Stop()
			}
		}
		isAlive := bringsInitial(r.events)
		err = r.addInitial(ctx, r.events, in)
		r.releaseEvents()
		if err != nil {
			return err
		}
		if isAlive {
			stall.Reset(StallTimeout)
		}
	}
	return nil
}

// addInitial adds initial events of a streaming list. They come in no order of versions. Only the bookmark
// after them has that of the list. It forwards the events after the bookmark.
func (r *Reflector) addInitial(ctx context.Context, events []wire.Event, in *protocol.Input) error {
	for i := range events {
		event := &events[i]
		r.settings.Observer.AddDropped(int(event.Dropped))
		switch {
		case deltaTypeOf(event.Type) != 0:
			r.noteEvent(ctx, event)
			r.partial.listed.Apply(event.Type, &event.Item)
		case event.InitialEventsEnd && event.ResourceVersion == "":
			return protocol.ErrNoListVersion // a watch from there would miss changes
		case event.InitialEventsEnd:
			in.Listed, in.ResourceVersion = true, event.ResourceVersion
			r.commit(event.ResourceVersion)
			r.enter(progress.Watching)
			if i+1 < len(events) {
				r.forward(ctx, events[i+1:], in)
			}
			return nil
		}
	}
	return nil
}

// bringsInitial reports whether one of the events of a streaming list is about an object, of this shard or
// another one.
func bringsInitial(events []wire.Event) bool {
	return slices.ContainsFunc(events, func(event wire.Event) bool { return event.Type != watch.Bookmark })
}

// anyChange reports whether one of the initial events is a change after the stream began.
// If start is not empty, objects with a later version were added after that. A server that
// supports streaming lists also sends such changes, shortly before its bookmark.
func anyChange(events []wire.Event, start string) bool {
	for i := range events {
		switch event := &events[i]; event.Type {
		case watch.Modified, watch.Deleted, wire.NoLongerKept:
			return true
		case watch.Added, wire.LeftOut: // of another shard
			if start != "" && protocol.IsLater(event.ResourceVersion, start) {
				return true
			}
		case watch.Bookmark:
			if event.InitialEventsEnd {
				return false
			}
		}
	}
	return false
}

// currentVersion requests the version of the collection, for a streaming list that takes
// long: an object that is added at a later version is not an initial one. It returns "" if that fails.
func (r *Reflector) currentVersion(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, StallTimeout)
	defer cancel()
	version, err := source.Version(ctx, r.settings.Source)
	if err != nil {
		return ""
	}
	return version
}
