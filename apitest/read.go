package apitest

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
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

// watch answers a watch. Errors after the options are read become its first and only event.
func (s *Server) watch(ctx context.Context, r *request) (*reply, error) {
	options, selected, err := r.selected()
	if err != nil {
		return nil, err
	}
	version, err := selection.ParseVersion(options.ResourceVersion)
	if err != nil {
		return nil, err
	}
	timeout := watchTimeout
	if seconds := options.TimeoutSeconds; seconds != nil && *seconds != 0 {
		timeout = time.Duration(*seconds) * time.Second
	}
	w := &watchBody{
		server: s, request: r, ctx: ctx, selected: selected,
		cuts: s.cuts(r.kind), bookmarks: options.AllowWatchBookmarks,
		deadline: time.Now().Add(timeout), closed: make(chan struct{}),
	}
	if timeout < 0 {
		w.end = io.EOF
		return &reply{code: http.StatusOK, stream: w}, nil
	}
	if w.bookmarks {
		w.schedule(time.Now())
	}
	oldest := max(s.history.Oldest(selected.Resource()), s.outages.oldestWatch)
	switch current := s.history.Version(); {
	case options.SendInitialEvents == nil && version == 0, options.SendInitialEvents != nil && *options.SendInitialEvents:
		if version > current {
			w.fail(selection.TooLarge(version, current))
			break
		}
		w.begin(options.SendInitialEvents != nil && options.AllowWatchBookmarks)
	case version == 0:
		w.resume(current)
	case version < oldest:
		w.fail(apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", version, oldest)))
	default:
		w.resume(version)
	}
	return &reply{code: http.StatusOK, stream: w}, nil
}

// failedWatch is a watch whose only event is an error.
func (s *Server) failedWatch(r *request, err error) *reply {
	w := &watchBody{server: s, request: r, ctx: r.http.Context(), closed: make(chan struct{})}
	w.fail(err)
	return &reply{code: http.StatusOK, stream: w}
}

// watchBody is the body of a watch. It has no goroutine: Read looks for events, encodes them and
// waits for more. So a watch that no one reads costs nothing but what it has not shown yet.
type watchBody struct {
	server   *Server
	request  *request
	ctx      context.Context
	selected *selection.Selection
	// cuts is the count of Server.cuts at the start.
	cuts uint64
	// deadline is when the server ends the watch.
	deadline time.Time

	// bookmarks reports whether the client takes them. The next one is due at bookmarkAt, if that is
	// not zero, and sent if the version is then above bookmarkAfter.
	bookmarks     bool
	bookmarkAt    time.Time
	bookmarkAfter uint64

	// changed is the signal that there may be events. Server.mu guards it.
	changed *history.Signal
	// after is the version up to which events are in the queue or were sent.
	after uint64
	// initial are objects that come before the queue, as ADDED.
	initial []*history.State
	queue   []frame
	// buffer is encoded and not read yet.
	buffer []byte
	// end is what Read returns after all that, or nil while the watch goes on.
	end error

	closeOnce sync.Once
	closed    chan struct{}
}

// frame is an event to be sent. It has a state, an object or a status.
type frame struct {
	kind   apiwatch.EventType
	state  *history.State
	object map[string]any
	status *metav1.Status
}

// begin starts with the present objects. The caller holds Server.mu.
func (w *watchBody) begin(bookmark bool) {
	version := w.server.history.Version()
	w.initial, _ = w.selected.Objects(w.server.history, 0) // the present never expires
	w.after, w.bookmarkAfter = version, version
	if bookmark {
		w.queue = append(w.queue, w.bookmark(version, true))
	}
}

// resume starts after a version. The caller holds Server.mu.
func (w *watchBody) resume(version uint64) {
	w.after, w.bookmarkAfter = version, version
	events, _ := w.server.history.Events(w.selected.Resource(), version) // look finds the error
	for _, event := range events {
		if _, _, ok := w.selected.Event(event); ok {
			w.bookmarkAfter = event.State.Version
		}
	}
}

// fail makes the watch an error and nothing else.
func (w *watchBody) fail(err error) {
	w.queue = append(w.queue, frame{kind: apiwatch.Error, status: media.StatusOf(err)})
	w.end = io.EOF
}

// schedule sets when the next bookmark is due: in a minute, or two seconds before the deadline.
func (w *watchBody) schedule(now time.Time) {
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
func (w *watchBody) bookmark(version uint64, initial bool) frame {
	object := w.request.kind.empty()
	metadata := map[string]any{"resourceVersion": strconv.FormatUint(version, 10)}
	if initial {
		metadata["annotations"] = map[string]any{metav1.InitialEventsAnnotationKey: "true"}
	}
	object["metadata"] = metadata
	return frame{kind: apiwatch.Bookmark, object: object}
}

// empty returns an object without content, which has what the Go type of a built-in kind encodes of
// empty fields.
func (k *Kind) empty() map[string]any {
	object := map[string]any{}
	if k.Type != nil && !k.custom() {
		if fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(k.Type.DeepCopyObject()); err == nil {
			object = fields
		}
	}
	object["apiVersion"], object["kind"] = k.apiVersion(), k.Kind
	return object
}

// Read returns events, and waits until there is one. It fails with the error of the request's
// context, with io.EOF if the server ends the watch, and with io.ErrUnexpectedEOF if a fault cuts it.
func (w *watchBody) Read(p []byte) (int, error) {
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
func (w *watchBody) Close() error {
	w.closeOnce.Do(func() { close(w.closed) })
	return nil
}

// stopped returns the error of a watch that its client has ended.
func (w *watchBody) stopped() error {
	select {
	case <-w.closed:
		return http.ErrBodyReadAfterClose
	default:
		return w.ctx.Err()
	}
}

// fill encodes events until the buffer has size bytes or no event is left.
func (w *watchBody) fill(size int) error {
	for len(w.buffer) < size {
		if left := w.request.cutAfter; left != nil && *left <= 0 {
			w.initial, w.queue, w.end = nil, nil, io.ErrUnexpectedEOF
			return nil
		}
		var next frame
		switch {
		case len(w.initial) > 0:
			next = frame{kind: apiwatch.Added, state: w.initial[0]}
			w.initial = w.initial[1:]
		case len(w.queue) > 0:
			next = w.queue[0]
			w.queue = w.queue[1:]
		default:
			return nil
		}
		encoded, err := w.encode(next)
		if err != nil {
			return err
		}
		if w.request.cutAfter != nil {
			*w.request.cutAfter--
		}
		if len(w.buffer) == 0 {
			w.buffer = encoded
		} else {
			w.buffer = append(w.buffer, encoded...)
		}
	}
	return nil
}

func (w *watchBody) encode(f frame) ([]byte, error) {
	var content []byte
	var err error
	switch {
	case f.status != nil:
		content, _ = w.request.accept.EncodeStatus(f.status)
	case f.state != nil:
		content, err = w.server.encodeState(w.request, f.state)
	default:
		content, err = w.server.encodeObject(w.request, f.object)
	}
	if err != nil {
		return nil, err
	}
	return w.request.accept.EncodeFrame(string(f.kind), content)
}

// look puts into the queue what has happened. If that is nothing, it returns a channel: the watch has
// to look again when that is closed or the time has come.
func (w *watchBody) look() (changed <-chan struct{}, again time.Time) {
	s, now := w.server, time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	version, again := s.visible(w.request.kind)
	if w.cuts != s.cuts(w.request.kind) {
		w.end = io.ErrUnexpectedEOF
		return nil, again
	}
	events, err := s.history.Events(w.selected.Resource(), w.after)
	if err != nil {
		// The client has read too slowly. A kube-apiserver ends such a watch without an error event,
		// and answers 410 when the client continues at its version.
		w.end = io.EOF
		return nil, again
	}
	for _, event := range events {
		if event.State.Version > version {
			break
		}
		if kind, state, ok := w.selected.Event(event); ok {
			w.queue = append(w.queue, frame{kind: kind, state: state})
		}
	}
	w.after = max(w.after, version)
	if !w.bookmarkAt.IsZero() && !now.Before(w.bookmarkAt) {
		if version > w.bookmarkAfter {
			w.queue = append(w.queue, w.bookmark(version, false))
		}
		w.schedule(now)
	}
	if s.closed || !now.Before(w.deadline) {
		w.end = io.EOF
	}
	if len(w.queue) > 0 || w.end != nil {
		return nil, again
	}
	w.changed = s.history.Changed(w.selected.Resource())
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
func (w *watchBody) wait(changed <-chan struct{}, again time.Time) {
	defer w.server.leave(w.changed, changed)
	timer := time.NewTimer(time.Until(again))
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-w.closed:
	case <-w.ctx.Done():
	}
}

// list answers GET of a collection.
func (s *Server) list(r *request) (*reply, error) {
	options, selected, err := r.selected()
	if err != nil {
		return nil, err
	}
	meta, items, err := selected.List(s.history, options)
	if err != nil {
		return nil, err
	}
	return &reply{code: http.StatusOK, list: &list{meta: meta, items: items}}, nil
}

// selected returns the options of list, watch and deletecollection, and what they select.
func (r *request) selected() (*internalversion.ListOptions, *selection.Selection, error) {
	options, err := r.listOptions()
	if err != nil {
		return nil, nil, err
	}
	if err := selection.Validate(options); err != nil {
		return nil, nil, err
	}
	kind := selection.Kind{
		GroupVersionKind: r.kind.GroupVersionKind, Resource: r.kind.groupResource(),
		Namespaced: r.kind.Namespaced, BuiltIn: !r.kind.custom(), Fields: r.kind.selectable(),
	}
	selected, err := selection.New(kind, r.namespace, r.name, options)
	return options, selected, err
}

// deleteCollection answers DELETE of a collection. It answers with the objects as they were before.
// If one cannot be deleted, those before it are gone. It lists all objects at once, where a
// kube-apiserver deletes 10,000 of them between two lists: nothing else is written meanwhile, and the
// deletions would expire the version of the first list.
func (s *Server) deleteCollection(r *request) (*reply, error) {
	options, selected, err := r.selected()
	if err != nil {
		return nil, err
	}
	deletion, err := r.deleteOptions()
	if err != nil {
		return nil, err
	}
	if options.Limit == 0 {
		options.Limit = math.MaxInt32 // a list with a limit takes resourceVersion as exact
	}
	meta, items, err := selected.List(s.history, options)
	if err != nil {
		return nil, err
	}
	if err := s.deleteAll(r, items, deletion); err != nil {
		return nil, err
	}
	return &reply{code: http.StatusOK, list: &list{meta: meta, items: items}}, nil
}

// deleteAll deletes objects that are still there.
func (s *Server) deleteAll(r *request, items []*history.State, options *metav1.DeleteOptions) error {
	for _, item := range items {
		live := s.history.Get(item.Key)
		if live == nil {
			continue
		}
		if _, err := s.remove(r, live, options); err != nil {
			return err
		}
	}
	return nil
}

// get answers GET of one object or subresource.
func (s *Server) get(r *request) (*reply, error) {
	var options metav1.GetOptions
	if err := r.options(&options); err != nil {
		return nil, err
	}
	if err := selection.CheckMinimum(s.history, options.ResourceVersion); err != nil {
		return nil, err
	}
	live := s.history.Get(r.key())
	if live == nil {
		return nil, r.missing()
	}
	if r.subresource == "scale" {
		return r.kind.getScale(r.kind.present(live))
	}
	return &reply{code: http.StatusOK, state: live}, nil
}
