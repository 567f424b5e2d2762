package watch

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
	"github.com/typedinformers/informer-gen/apitest/internal/rest"
	"github.com/typedinformers/informer-gen/apitest/internal/selection"
)

const (
	// watchTimeout ends a watch without timeoutSeconds. A kube-apiserver chooses between 30 and 60
	// minutes by chance.
	watchTimeout = 45 * time.Minute
	// bookmarkInterval is the time from bookmark to bookmark.
	bookmarkInterval = time.Minute
	// lastBookmark is how long before its timeout a watch gets another bookmark.
	lastBookmark = 2 * time.Second
)

// Options are the options of a watch.
type Options struct {
	// Resource version, timeout and bookmarks are in List.
	List     *internalversion.ListOptions
	Selected *selection.Selection
	Kind     *kinds.Kind
	// CutAfter, if not nil, is the number of events after which the connection breaks.
	CutAfter *int
	// Encode encodes an event as the client accepts it.
	Encode func(Event) ([]byte, error)
}

// Event is an event to be sent. It has a state, an object or a status.
type Event struct {
	Type   apiwatch.EventType
	State  *history.State
	Object map[string]any
	Status *metav1.Status
}

// New returns the body of a watch. Some errors become its first and only event.
func (ws *Watches) New(ctx context.Context, options Options) (*Body, error) {
	list := options.List
	version, err := selection.ParseVersion(list.ResourceVersion)
	if err != nil {
		return nil, err
	}
	timeout := watchTimeout
	if seconds := list.TimeoutSeconds; seconds != nil && *seconds != 0 {
		timeout = time.Duration(*seconds) * time.Second
	}
	ws.store.Lock()
	defer ws.store.Unlock()
	if ws.store.Closed() {
		return nil, rest.ErrClosed
	}
	w := &Body{
		watches: ws, Options: options, ctx: ctx, cuts: len(ws.cuts), bookmarks: list.AllowWatchBookmarks,
		deadline: time.Now().Add(timeout), closed: make(chan struct{}),
	}
	if timeout < 0 {
		w.end = io.EOF
		return w, nil
	}
	if w.bookmarks {
		w.schedule(time.Now())
	}
	oldest := max(ws.store.History.Oldest(w.Selected.Resource()), ws.oldest)
	switch current := ws.store.History.Version(); {
	case list.SendInitialEvents == nil && version == 0, list.SendInitialEvents != nil && *list.SendInitialEvents:
		if version > current {
			w.fail(selection.TooLarge(version, current))
			break
		}
		w.begin(list.SendInitialEvents != nil && list.AllowWatchBookmarks)
	case version == 0:
		w.resume(current)
	case version < oldest:
		w.fail(apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", version, oldest)))
	default:
		w.resume(version)
	}
	return w, nil
}

// Failed returns the body of a watch whose only event is an error.
func (ws *Watches) Failed(ctx context.Context, err error, encode func(Event) ([]byte, error)) *Body {
	w := &Body{watches: ws, Options: Options{Encode: encode}, ctx: ctx, closed: make(chan struct{})}
	w.fail(err)
	return w
}

// Body is the body of a watch. It has no goroutine: Read looks for events, encodes them and
// waits for more. So a watch that no one reads costs only the events that it has not shown yet.
type Body struct {
	Options
	watches *Watches
	ctx     context.Context
	// cuts is the number of cuts that this watch has survived. The lock of the Store guards it.
	cuts int
	// deadline is when the server ends the watch.
	deadline time.Time

	// bookmarks reports whether the client takes them. The next one is due at bookmarkAt, if that is
	// not zero, and sent if the version is then above bookmarkAfter.
	bookmarks     bool
	bookmarkAt    time.Time
	bookmarkAfter uint64

	// changed is the signal that there may be events. The lock of the Store guards it.
	changed *history.Signal
	// after is the version up to which events are in the queue or were sent.
	after uint64
	// initial are objects that come before the queue, as ADDED.
	initial []*history.State
	queue   []Event
	// buffer is encoded and not read yet.
	buffer []byte
	// end is the error that Read returns after all that, or nil while the watch goes on.
	end error

	closeOnce sync.Once
	closed    chan struct{}
}

// begin starts with the present objects. The caller holds the lock.
func (w *Body) begin(bookmark bool) {
	version := w.watches.store.History.Version()
	w.initial, _ = w.Selected.Objects(w.watches.store.History, 0) // the present never expires
	w.after, w.bookmarkAfter = version, version
	if bookmark {
		w.queue = append(w.queue, w.bookmark(version, true))
	}
}

// resume starts after a version. The caller holds the lock.
func (w *Body) resume(version uint64) {
	w.after, w.bookmarkAfter = version, version
	events, _ := w.watches.store.History.Events(w.Selected.Resource(), version) // look finds the error
	for _, event := range events {
		if _, _, ok := w.Selected.Event(event); ok {
			w.bookmarkAfter = event.State.Version
		}
	}
}

// fail makes the watch an error and nothing else.
func (w *Body) fail(err error) {
	w.queue = append(w.queue, Event{Type: apiwatch.Error, Status: media.StatusOf(err)})
	w.end = io.EOF
}

// schedule sets when the next bookmark is due: in a minute, or two seconds before the deadline.
func (w *Body) schedule(now time.Time) {
	w.bookmarkAt = now.Add(bookmarkInterval)
	if last := w.deadline.Add(-lastBookmark); last.Before(w.bookmarkAt) {
		w.bookmarkAt = last
	}
	if !w.bookmarkAt.After(now) {
		w.bookmarkAt = time.Time{}
	}
}

// bookmark returns the event that all before a version has been sent. initial marks the one after
// the initial events.
func (w *Body) bookmark(version uint64, initial bool) Event {
	object := w.Kind.Empty()
	metadata := map[string]any{"resourceVersion": strconv.FormatUint(version, 10)}
	if initial {
		metadata["annotations"] = map[string]any{metav1.InitialEventsAnnotationKey: "true"}
	}
	object["metadata"] = metadata
	return Event{Type: apiwatch.Bookmark, Object: object}
}

// Read returns events, and waits until there is one. It fails with the error of the request's
// context, with io.EOF if the server ends the watch, and with io.ErrUnexpectedEOF if a fault cuts it.
func (w *Body) Read(p []byte) (int, error) {
	for {
		if err := w.stopped(); err != nil {
			return 0, err
		}
		if err := w.fill(len(p)); err != nil {
			return 0, err
		}
		if len(w.buffer) > 0 || len(p) == 0 {
			n := copy(p, w.buffer)
			w.buffer = w.buffer[n:]
			return n, nil
		}
		if w.end != nil {
			return 0, w.end
		}
		if changed, again := w.look(); changed != nil {
			w.wait(changed, again)
		}
	}
}

// Close ends the watch, also while Read waits.
func (w *Body) Close() error {
	w.closeOnce.Do(func() { close(w.closed) })
	return nil
}

// stopped returns the error of a watch that its client has ended.
func (w *Body) stopped() error {
	select {
	case <-w.closed:
		return http.ErrBodyReadAfterClose
	default:
		return w.ctx.Err()
	}
}

// fill encodes events until the buffer has size bytes or no event is left.
func (w *Body) fill(size int) error {
	for len(w.buffer) < size {
		if left := w.CutAfter; left != nil && *left <= 0 {
			w.initial, w.queue, w.end = nil, nil, io.ErrUnexpectedEOF
			return nil
		}
		var next Event
		switch {
		case len(w.initial) > 0:
			next = Event{Type: apiwatch.Added, State: w.initial[0]}
			w.initial = w.initial[1:]
		case len(w.queue) > 0:
			next = w.queue[0]
			w.queue = w.queue[1:]
		default:
			return nil
		}
		encoded, err := w.Encode(next)
		if err != nil {
			return err
		}
		if w.CutAfter != nil {
			*w.CutAfter--
		}
		if len(w.buffer) == 0 {
			w.buffer = encoded
		} else {
			w.buffer = append(w.buffer, encoded...)
		}
	}
	return nil
}

// look puts new events into the queue. If there are none, it returns a channel: the watch has
// to look again when that is closed or the time has come.
func (w *Body) look() (changed <-chan struct{}, again time.Time) {
	ws, now := w.watches, time.Now()
	ws.store.Lock()
	defer ws.store.Unlock()
	if ws.cutSince(&w.cuts, w.Kind) {
		w.end = io.ErrUnexpectedEOF
		return nil, again
	}
	events, err := ws.store.History.Events(w.Selected.Resource(), w.after)
	if err != nil {
		// The client has read too slowly. A kube-apiserver ends such a watch without an error event,
		// and answers 410 when the client continues at its version.
		w.end = io.EOF
		return nil, again
	}
	version := ws.store.History.Version()
	for _, event := range events {
		var held bool
		if held, again = ws.holds(event, w.Kind, now); held {
			version = event.State.Version - 1
			break
		}
		if kind, state, ok := w.Selected.Event(event); ok {
			w.queue = append(w.queue, Event{Type: kind, State: state})
		}
	}
	w.after = max(w.after, version)
	if !w.bookmarkAt.IsZero() && !now.Before(w.bookmarkAt) {
		if version > w.bookmarkAfter {
			w.queue = append(w.queue, w.bookmark(version, false))
		}
		w.schedule(now)
	}
	if ws.store.Closed() || !now.Before(w.deadline) {
		w.end = io.EOF
	}
	if len(w.queue) > 0 || w.end != nil {
		return nil, again
	}
	w.changed = ws.store.History.Changed(w.Selected.Resource())
	return w.changed.Wait(), earliest(w.deadline, w.bookmarkAt, again)
}

// earliest returns the first of some times. The zero time is never.
func earliest(first time.Time, others ...time.Time) time.Time {
	for _, other := range others {
		if !other.IsZero() && other.Before(first) {
			first = other
		}
	}
	return first
}

// wait returns when the watch has to look again or its client has ended it.
func (w *Body) wait(changed <-chan struct{}, again time.Time) {
	defer w.watches.store.Leave(w.changed, changed)
	timer := time.NewTimer(time.Until(again))
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-w.closed:
	case <-w.ctx.Done():
	}
}
