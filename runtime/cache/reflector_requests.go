package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/pending"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

const (
	// listTimeout is the timeout of a list in one piece, or of a page, twice that of an API
	// server by default. patientListTimeout is that of a list whose pages have expired.
	// Without them, a connection that broke silently would block forever.
	listTimeout        = 2 * time.Minute
	patientListTimeout = 10 * time.Minute
)

// list reads the collection, or a page of it.
func (r *reflector) list(ctx context.Context, next protocol.Action) protocol.Input {
	in := protocol.Input{Verb: protocol.ListPage, Token: next.Options.Continue}
	timeout := listTimeout
	if next.Patient {
		timeout = patientListTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, protocol.ErrListStalled)
	defer cancel()
	ctx, interrupt := context.WithCancelCause(ctx)
	defer interrupt(nil)
	r.interruptible(interrupt)
	if next.Options.Continue == "" {
		r.own.beginList()
	}
	page, err := r.source.List(ctx, next.Options)
	if err != nil {
		if cause := context.Cause(ctx); cause == protocol.ErrListStalled {
			err = cause
		}
		in.Err = protocol.RequestError(verbList, err)
		return in
	}
	r.traffic.Dropped.Add(uint64(page.Dropped))
	first := page.First
	if first == "" && len(page.Items) > 0 {
		first = nameOf(&page.Items[0]).String()
	}
	if r.config.rule.HasTerms() {
		page.Items = slices.DeleteFunc(page.Items, func(item wire.Item) bool { return r.excludes(&item) })
	}
	for i := range page.Items {
		if in.Err = r.accept(ctx, &page.Items[i]); in.Err != nil {
			return in
		}
	}
	isNew, err := r.partial.trail.Note(page.Continue, first)
	if err != nil {
		in.Err = protocol.RequestError(verbList+" "+r.config.Resource.GroupResource().String(), err)
		return in
	}
	r.partial.listed.AddPage(page.Items)
	in.ResourceVersion, in.ContinueToken = page.ResourceVersion, page.Continue
	in.Idle = !isNew
	return in
}

// request sends a request by the OpenFunc of config, and counts the bytes of the response.
func (r *reflector) request(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
	body, err := r.config.Open(ctx, options, accept)
	if err != nil {
		return nil, err
	}
	return &stats.Body{ReadCloser: body, Bytes: &r.traffic.Bytes}, nil
}

const (
	// minWatchTimeout is half of the longest timeout of a watch, which is random, so that
	// clients do not open all watches at one time.
	minWatchTimeout = 5 * time.Minute
	// watchGrace is added to the timeout of a watch before the Reflector ends it: a
	// connection that broke silently would stay open forever.
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
func (r *reflector) watch(ctx context.Context, request protocol.Action) protocol.Input {
	timeout := minWatchTimeout + r.random(minWatchTimeout)
	seconds := int64(timeout.Seconds())
	request.Options.TimeoutSeconds = &seconds
	if !r.client.fake {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout+watchGrace, protocol.ErrSilent)
		defer cancel()
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	r.interruptible(giveUp)

	in := protocol.Input{Verb: request.Verb, ResourceVersion: request.Options.ResourceVersion}
	in.Err = r.follow(ctx, request, giveUp, &in)
	if in.Err != io.EOF {
		switch cause := context.Cause(ctx); cause {
		case protocol.ErrNoBookmark, protocol.ErrSilent, protocol.ErrUnanswered:
			in.Err = cause
		}
		in.Err = protocol.RequestError(verbWatch, in.Err)
	}
	return in
}

// follow opens a watch and forwards its events until its end.
func (r *reflector) follow(ctx context.Context, request protocol.Action, giveUp context.CancelCauseFunc, in *protocol.Input) error {
	if request.Verb == protocol.OpenStream {
		r.own.beginList()
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
	began := stats.Now()
	defer func() {
		r.watchEnded = stats.Now()
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
func (r *reflector) open(ctx context.Context, request protocol.Action, giveUp context.CancelCauseFunc) (stream, error) {
	unanswered := time.AfterFunc(answerTimeout, func() { giveUp(protocol.ErrUnanswered) })
	defer unanswered.Stop()
	if request.Resumed {
		late := r.status.enterAfter(resumeGrace-stats.Now().Since(r.watchEnded), Degraded, verbWatch, protocol.ErrUnanswered)
		defer late.Stop()
	}
	return r.source.Watch(ctx, request.Options)
}

// enterWatching enters Watching when a watch has been answered: at once, or, if it was
// reopened after a failure, when it has lasted for protocol.ShortWatch: a server may answer each
// watch and end it. The caller calls stop when the watch ends.
func (r *reflector) enterWatching(reopened bool) (stop func() bool) {
	if !reopened {
		r.status.enter(Watching, nil)
		return func() bool { return false }
	}
	r.status.enter(Degraded, nil)
	return r.status.enterAfter(protocol.ShortWatch, Watching, "", nil).Stop
}

// next reads and forwards a batch of events.
func (r *reflector) next(ctx context.Context, stream stream, in *protocol.Input) (err error) {
	if r.events, err = stream.Next(ctx, r.events); err != nil {
		return err
	}
	return r.forward(ctx, r.events, in)
}

// readInitial reads the initial events of a streaming list, up to their bookmark. A
// server that does not know streaming lists sends none: it stalls when all objects
// have been sent, or, on a busy collection, goes on with changes. Other bookmarks bring nothing of the list,
// so a stream that sends only these has stalled.
func (r *reflector) readInitial(ctx context.Context, stream stream, giveUp context.CancelCauseFunc, in *protocol.Input) error {
	noBookmark := func() { giveUp(protocol.ErrNoBookmark) }
	stall := time.AfterFunc(stallTimeout, noBookmark)
	defer stall.Stop()
	asked, start := time.Now(), ""
	for !in.Listed {
		var err error
		if r.events, err = stream.Next(ctx, r.events); err != nil {
			return err
		}
		if !in.Overdue {
			if start == "" && time.Since(asked) >= stallTimeout {
				start, asked = r.currentVersion(ctx), time.Now()
			}
			if in.Overdue = anyChange(r.events, start); in.Overdue {
				overdue := time.AfterFunc(bookmarkTimeout, noBookmark)
				defer overdue.Stop()
			}
		}
		isAlive := bringsInitial(r.events)
		if err := r.forward(ctx, r.events, in); err != nil {
			return err
		}
		if isAlive {
			stall.Reset(stallTimeout)
		}
	}
	return nil
}

// bringsInitial reports whether one of the events of a streaming list is about an object, of this shard or
// another one.
func bringsInitial(events []wire.Event) bool {
	return slices.ContainsFunc(events, func(event wire.Event) bool { return event.Type != watch.Bookmark || event.Dropped > 0 })
}

// anyChange reports whether one of the initial events is a change after the stream began.
// If start is not empty, objects with a later version were added after that. A server that
// supports streaming lists also sends such changes, shortly before its bookmark.
func anyChange(events []wire.Event, start string) bool {
	for i := range events {
		switch event := &events[i]; event.Type {
		case watch.Modified, watch.Deleted:
			return true
		case watch.Added:
			if start != "" && protocol.IsLater(event.ResourceVersion, start) {
				return true
			}
		case watch.Bookmark:
			if event.InitialEventsEnd {
				return false
			}
			if event.Dropped > 0 && start != "" && protocol.IsLater(event.ResourceVersion, start) {
				return true // of another shard
			}
		}
	}
	return false
}

// currentVersion requests the version of the collection, for a streaming list that takes
// long: an object that is added at a later version is not an initial one. It returns "" if that fails.
func (r *reflector) currentVersion(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, stallTimeout)
	defer cancel()
	page, err := r.source.List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return ""
	}
	return page.ResourceVersion
}

// forward pushes a batch of events as deltas, and records the version that the watch has
// reached. If the transform of an object fails, it pushes the events before that object.
func (r *reflector) forward(ctx context.Context, events []wire.Event, in *protocol.Input) (err error) {
	deltas := r.freeDeltas.Take(len(events))
	latest, bookmarked, isBehind := -1, false, false
	var counts stats.Events
	for i := range events {
		event := &events[i]
		change := deltaTypeOf(event.Type)
		if change != 0 && r.config.rule.HasTerms() && r.excludes(&event.Item) {
			change = 0
		}
		if change != 0 {
			if err = r.accept(ctx, &event.Item); err != nil {
				break
			}
		}
		counts.Dropped += uint64(event.Dropped)
		if in.Verb == protocol.OpenStream && !in.Listed {
			if err = r.addInitial(event, change, in); err != nil {
				break
			}
			continue
		}
		countEvent(&counts, event, change)
		if change != 0 {
			listed.Note(&r.status.undecodable, &event.Item, change == deltafifo.Deleted)
			if change == deltafifo.Deleted || event.Err == nil || r.own != nil {
				deltas = append(deltas, deltafifo.Delta{Type: change, Scope: r.id, Item: event.Item})
			}
		}
		if protocol.IsLater(event.ResourceVersion, in.ResourceVersion) {
			if !in.MadeProgress {
				in.MadeProgress = true
				r.status.enter(Watching, nil)
			}
			in.ResourceVersion, latest = event.ResourceVersion, i
		}
		if event.Type == watch.Bookmark && event.Dropped == 0 {
			bookmarked, isBehind = true, protocol.IsEarlier(event.ResourceVersion, in.ResourceVersion)
		}
	}
	if counts.Dropped > 0 {
		r.traffic.Dropped.Add(counts.Dropped)
	}
	isListed := in.Verb != protocol.OpenStream || in.Listed
	if isListed {
		r.traffic.AddEvents(&counts) // before a handler can see one
	}
	if isListed {
		before := r.position.Bookmarks
		r.position.Version = in.ResourceVersion
		if bookmarked {
			r.position.Bookmarks++
		}
		heard := r.queue.Push(deltas, deltafifo.Reached{Scope: r.id, Position: r.position})
		if heard == 0 { // a bookmark
			heard = stats.Now()
		}
		r.frontier.Receive(r.position, heard)
		if latest >= 0 {
			r.claim, r.claimant = pending.Claim{At: heard, Bookmarks: before}, ObjectName{}
			if latest := &events[latest]; deltaTypeOf(latest.Type) != 0 {
				r.claimant = nameOf(&latest.Item)
			}
		}
		if bookmarked {
			r.confirm(in.ResourceVersion, isBehind)
		}
	}
	clear(deltas)
	r.freeDeltas.Give(deltas)
	clear(events) // the next read reuses the memory, which must not keep objects alive
	if cap(r.events) > deltafifo.MaxReuse {
		r.events = nil
	}
	return err
}

// newClaim returns the claim of a version that came now, and not from the watch.
func (r *reflector) newClaim() pending.Claim {
	return pending.Claim{At: stats.Now(), Bookmarks: r.frontier.Received().Bookmarks}
}

// confirm is called after a bookmark. The bookmark of a server is never behind what the same watch has told. If the highest
// version has no bookmark in time, the Reflector lists again: no watch can resume there.
func (r *reflector) confirm(highest string, isBehind bool) {
	switch {
	case !isBehind:
		r.claim.Bookmarks = r.position.Bookmarks
	case r.claim.IsOverdue(r.position.Bookmarks):
		r.status.noteUnconfirmed(UnconfirmedVersion{Object: r.claimant, ResourceVersion: highest})
		r.relist(Unconfirmed)
	}
}

// deltaTypeOf returns the type of the delta of an event, 0 for an event that carries no
// object. It is called for each event, so it uses no map.
func deltaTypeOf(event watch.EventType) deltafifo.Type {
	switch event {
	case watch.Added:
		return deltafifo.Added
	case watch.Modified:
		return deltafifo.Updated
	case watch.Deleted:
		return deltafifo.Deleted
	}
	return 0
}

// countEvent counts an event. change is 0 for one without an object, and for that of another scope.
func countEvent(counts *stats.Events, event *wire.Event, change deltafifo.Type) {
	switch {
	case hasLeft(&event.Item):
		counts.Dropped++
	case change == deltafifo.Updated:
		counts.Updated++
	case change == deltafifo.Added:
		counts.Added++
	case change == deltafifo.Deleted:
		counts.Deleted++
	case event.Type == watch.Bookmark && event.Dropped == 0:
		counts.Bookmarks++
	}
}

// hasLeft reports whether an item is about an object that is not in the shard, or not any more.
func hasLeft(item *wire.Item) bool { return item.Err != nil && item.Err.Err == wire.ErrNotKept }

// excludes reports whether the field selector of the scope leaves out an item. A server may ignore it,
// as fakes do.
func (r *reflector) excludes(item *wire.Item) bool {
	name := nameOf(item)
	return r.config.rule.Excludes(name.Namespace, name.Name)
}

// accept transforms the object of an item. It reports a state that cannot be decoded to
// the error handler, once.
func (r *reflector) accept(ctx context.Context, item *wire.Item) (err error) {
	if r.config.isScope && r.config.Namespace != "" {
		if name := nameOf(item); name.Namespace != r.config.Namespace {
			// No relist of this namespace would remove it from the cache.
			return &ObjectError{Resource: r.config.Resource, Object: name, Err: fmt.Errorf("the server sent the object for namespace %s", r.config.Namespace)}
		}
	}
	switch {
	case item.Err == nil && !item.Held: // a held object is the result of the transform
		item.Object, err = r.transformed(item.Object)
	case item.Err != nil && !hasLeft(item) && !r.status.undecodable.IsKnown(item.Err):
		r.traffic.Undecodable.Add(1)
		r.onError(ctx, r.config.Resource, item.Err)
	}
	return err
}

// addInitial adds one of the initial events of a streaming list. Their versions are those
// of the objects, in no order. Only the bookmark has that of the list.
func (r *reflector) addInitial(event *wire.Event, change deltafifo.Type, in *protocol.Input) error {
	switch {
	case change != 0:
		r.partial.listed.Apply(event.Type, &event.Item)
	case event.InitialEventsEnd && event.ResourceVersion == "":
		return protocol.ErrNoListVersion // a watch from there would miss changes
	case event.InitialEventsEnd:
		in.Listed, in.ResourceVersion = true, event.ResourceVersion
		r.commit(event.ResourceVersion)
		r.status.enter(Watching, nil)
	}
	return nil
}

// transformed returns obj after the transform, without the parts that options leave out. It is the gate of the cache:
// each object that a server or a client has sent comes through here, and only those of the Go type go on.
func (r *reflector) transformed(obj Object) (Object, error) {
	if !r.config.form.Accepts(obj) {
		return nil, &ObjectError{Resource: r.config.Resource, Object: MetaObjectToName(obj), Err: unexpectedType(obj, r.config.form.Type())}
	}
	if r.trim != nil {
		r.trim(obj)
	}
	if r.config.Transform == nil {
		return obj, nil
	}
	name := MetaObjectToName(obj) // before the transform may change it
	result, err := r.config.Transform(obj)
	if err == nil && result == nil {
		err = errors.New("the function returned neither an object nor an error")
	}
	if err == nil && MetaObjectToName(result) != name {
		err = errors.New("the function changed the name or the namespace of the object")
	}
	if err != nil {
		return result, &ObjectError{Resource: r.config.Resource, Object: name, Err: fmt.Errorf("transform: %w", err)}
	}
	return result, nil
}
