package cache

import (
	"context"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
)

const (
	// The server ends a watch after 5 to 10 minutes, so that not all watches of
	// all clients come back at one time.
	minWatchTimeout = 5 * time.Minute
	// watchGrace is how long after its time an unresponsive watch is given up: a
	// connection that broke silently would stay open for ever.
	watchGrace = 30 * time.Second
	// answerTimeout is how long the server may take to answer a watch: to send the
	// header of the response.
	answerTimeout = time.Minute
	// resumeGrace is how long Status stays Watching while a watch that ended in good
	// order is resumed, before the server has answered.
	resumeGrace = 2 * time.Second
	// stallTimeout is how long the next of the initial events of a streaming list
	// may take, and their closing bookmark.
	stallTimeout = 10 * time.Second
	// bookmarkTimeout is how long the closing bookmark may take once an event shows
	// that all initial events have been sent.
	bookmarkTimeout = 10 * time.Second
)

// watch follows a watch to its end, or a streaming list and the watch that it
// becomes.
func (r *Reflector[T]) watch(ctx context.Context, request protocol.Action) protocol.Input {
	timeout := minWatchTimeout + r.random(minWatchTimeout)
	seconds := int64(timeout.Seconds())
	request.Options.TimeoutSeconds = &seconds
	if !r.endless {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout+watchGrace, protocol.ErrSilent)
		defer cancel()
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)

	in := protocol.Input{Verb: request.Verb, ResourceVersion: request.Options.ResourceVersion}
	in.Err = r.follow(ctx, request, giveUp, &in)
	if in.Err != io.EOF {
		switch cause := context.Cause(ctx); cause {
		case protocol.ErrNoBookmark, protocol.ErrSilent, protocol.ErrUnanswered:
			in.Err = cause
		}
		in.Err = requestError("watch", in.Err)
	}
	return in
}

// follow opens a watch and forwards its events until its end.
func (r *Reflector[T]) follow(ctx context.Context, request protocol.Action, giveUp context.CancelCauseFunc, in *protocol.Input) error {
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
		defer r.enterWatching(request.Reopened)()
	}
	r.forgetRetry()
	began := time.Now()
	defer func() {
		r.watchEnded = time.Now()
		in.Lasted = r.watchEnded.Sub(began)
		in.MadeProgress = in.MadeProgress || in.Lasted >= protocol.LongWatch
	}()
	for {
		if err := r.next(ctx, stream, in); err != nil {
			return err
		}
	}
}

// open opens a watch. It gives up a server that does not answer.
func (r *Reflector[T]) open(ctx context.Context, request protocol.Action, giveUp context.CancelCauseFunc) (EventStream[T], error) {
	unanswered := time.AfterFunc(answerTimeout, func() { giveUp(protocol.ErrUnanswered) })
	defer unanswered.Stop()
	if request.Resumed {
		entry := r.status.entry()
		late := time.AfterFunc(resumeGrace-time.Since(r.watchEnded), func() { r.status.enterUnlessMoved(entry, Degraded, protocol.ErrUnanswered) })
		defer late.Stop()
	}
	return r.source.Watch(ctx, request.Options)
}

// enterWatching enters Watching when a watch has been answered: at once, or, if it was
// reopened after a failure, when it has lasted for protocol.LongWatch. The caller calls
// stop when the watch ends.
func (r *Reflector[T]) enterWatching(reopened bool) (stop func() bool) {
	if !reopened {
		r.status.enter(Watching, nil)
		return func() bool { return false }
	}
	entry := r.status.enter(Degraded, nil)
	return time.AfterFunc(protocol.LongWatch, func() { r.status.enterUnlessMoved(entry, Watching, nil) }).Stop
}

// next reads and forwards a batch of events.
func (r *Reflector[T]) next(ctx context.Context, stream EventStream[T], in *protocol.Input) (err error) {
	if r.events, err = stream.Next(ctx, r.events); err != nil {
		return err
	}
	return r.forward(ctx, r.events, in)
}

// readInitial reads the initial events of a streaming list, up to their bookmark. A
// server that does not know streaming lists sends none: it stalls when all objects
// have been sent, or, on a busy collection, goes on with changes.
func (r *Reflector[T]) readInitial(ctx context.Context, stream EventStream[T], giveUp context.CancelCauseFunc, in *protocol.Input) error {
	noBookmark := func() { giveUp(protocol.ErrNoBookmark) }
	stall := time.AfterFunc(stallTimeout, noBookmark)
	defer stall.Stop()
	began, start := time.Now(), ""
	for !in.Listed {
		var err error
		if r.events, err = stream.Next(ctx, r.events); err != nil {
			return err
		}
		if !in.Overdue {
			if start == "" && time.Since(began) >= stallTimeout {
				start = r.currentVersion(ctx)
			}
			if in.Overdue = anyChange(r.events, start); in.Overdue {
				overdue := time.AfterFunc(bookmarkTimeout, noBookmark)
				defer overdue.Stop()
			}
		}
		if err := r.forward(ctx, r.events, in); err != nil {
			return err
		}
		stall.Reset(stallTimeout)
	}
	return nil
}

// anyChange reports whether one of the initial events tells of a change after the
// stream began, which was before version start if that is known. A server that
// supports streaming lists sends such changes too, shortly before its bookmark.
func anyChange[T Object](events []Event[T], start string) bool {
	for i := range events {
		switch event := &events[i]; event.Type {
		case watch.Modified, watch.Deleted:
			return true
		case watch.Added:
			if start != "" && isLater(event.ResourceVersion, start) {
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

// currentVersion asks for the collection's version, for a streaming list that takes
// long: an object that is added at a later version is not an initial one. It returns
// an unreachable version if the server does not tell, so that it is asked once.
func (r *Reflector[T]) currentVersion(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, stallTimeout)
	defer cancel()
	page, err := r.source.List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil || page.ResourceVersion == "" {
		return unreachableVersion
	}
	return page.ResourceVersion
}

// unreachableVersion is later than any that a server has.
const unreachableVersion = "99999999999999999999999999999999"
