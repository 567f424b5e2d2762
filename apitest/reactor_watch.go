package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
)

// reactToWatch is react for a watch. A streaming list is a list and a watch.
func (s *Server) reactToWatch(r *request, t *transport, call *Call) (*http.Response, error) {
	streams := call.ListOptions.SendInitialEvents != nil && *call.ListOptions.SendInitialEvents
	var page *list // the initial events, or nil if no reactor has answered the list
	if streams {
		listCall := *call
		listCall.Verb, listCall.ListOptions = "list", metav1.ListOptions{
			LabelSelector: call.ListOptions.LabelSelector, FieldSelector: call.ListOptions.FieldSelector, ResourceVersion: call.ListOptions.ResourceVersion,
		}
		handled, obj, err := t.react(&listCall)
		switch {
		case handled && err != nil:
			return s.refuse(r, err)
		case handled:
			if isNil(obj) {
				obj = &unstructured.Unstructured{Object: map[string]any{}}
			}
			if page, err = s.listOf(r, &listCall, obj); err != nil {
				return s.respond(r, nil, err), nil
			}
		}
		call.ListOptions.SendInitialEvents, call.ListOptions.ResourceVersionMatch = nil, ""
	}
	var w watch.Interface
	if t.Watch != nil {
		handled, answered, err := t.Watch(call)
		switch {
		case handled && err != nil:
			return s.refuse(r, err)
		case handled:
			w = answered
		}
	}
	if w == nil && page == nil {
		return nil, nil
	}
	body, err := s.reactorBody(r, w, page, streams)
	if err != nil {
		if w != nil {
			w.Stop()
		}
		return s.refuse(r, err)
	}
	return s.respond(r, &reply{code: http.StatusOK, stream: body}, nil), nil
}

// reactorBody returns the body of a watch of which a reactor has answered the list, the watch or
// both. The server does the rest.
func (s *Server) reactorBody(r *request, w watch.Interface, page *list, streams bool) (io.ReadCloser, error) {
	var initial []byte
	if streams {
		if page == nil {
			answer, err := s.serve(r.http.Context(), r.part("list", r.selectors()))
			if err != nil {
				return nil, err
			}
			page = answer.list
		}
		var err error
		if initial, err = s.initialEvents(r, page); err != nil {
			return nil, err
		}
	}
	if w != nil {
		return &reactorStream{server: s, request: r, watch: w, pending: initial, closed: make(chan struct{})}, nil
	}
	query := r.selectors()
	query.Set("watch", "true")
	query.Set("resourceVersion", page.meta.ResourceVersion)
	for _, name := range []string{"allowWatchBookmarks", "timeoutSeconds"} {
		if r.query.Has(name) {
			query.Set(name, r.query.Get(name))
		}
	}
	answer, err := s.serve(r.http.Context(), r.part("watch", query))
	if err != nil {
		return nil, err
	}
	return prefixed{io.MultiReader(bytes.NewReader(initial), answer.stream), answer.stream}, nil
}

// prefixed is a body with bytes before it.
type prefixed struct {
	io.Reader
	io.Closer
}

// part returns one of the two requests of a streaming list.
func (r *request) part(verb string, query url.Values) *request {
	part := *r
	part.verb, part.query, part.warnings = verb, query, nil
	return &part
}

// selectors returns the selectors of the query.
func (r *request) selectors() url.Values {
	query := url.Values{}
	for _, name := range []string{"labelSelector", "fieldSelector"} {
		if r.query.Has(name) {
			query.Set(name, r.query.Get(name))
		}
	}
	return query
}

// initialEvents encodes the first events of a streaming list.
func (s *Server) initialEvents(r *request, page *list) ([]byte, error) {
	var frames []byte
	add := func(event watch.EventType, object []byte) error {
		frame, err := r.accept.EncodeFrame(string(event), object)
		frames = append(frames, frame...)
		return err
	}
	for _, state := range page.items {
		object, err := s.encodeState(r, state)
		if err != nil {
			return nil, err
		}
		if err := add(watch.Added, object); err != nil {
			return nil, err
		}
	}
	if !isTrue(r.query, "allowWatchBookmarks") {
		return frames, nil
	}
	bookmark := &unstructured.Unstructured{}
	bookmark.SetGroupVersionKind(r.kind.GroupVersionKind)
	bookmark.SetResourceVersion(page.meta.ResourceVersion)
	bookmark.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	object, err := s.encodeObject(r, bookmark.Object)
	if err != nil {
		return nil, err
	}
	err = add(watch.Bookmark, object)
	return frames, err
}

// reactorStream is the body of a watch with the events of a reactor's watch. It has no goroutine:
// Read waits for an event.
type reactorStream struct {
	server  *Server
	request *request
	watch   watch.Interface
	pending []byte
	once    sync.Once
	closed  chan struct{}
}

// Read returns a part of the next event. It returns an error when the watch, the request or the
// server has ended.
func (b *reactorStream) Read(p []byte) (int, error) {
	for len(b.pending) == 0 {
		event, err := b.next()
		if err == nil {
			b.pending, err = b.encode(event)
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, b.pending)
	b.pending = b.pending[n:]
	return n, nil
}

// next waits for an event.
func (b *reactorStream) next() (event watch.Event, err error) {
	s, ctx := b.server, b.request.http.Context()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return event, io.EOF
	}
	closing := s.closing.Wait()
	s.mu.Unlock()
	defer s.leave(&s.closing, closing)
	select {
	case <-b.closed:
		return event, http.ErrBodyReadAfterClose
	case <-ctx.Done():
		return event, context.Cause(ctx)
	case <-closing:
		return event, io.EOF
	case event, open := <-b.watch.ResultChan():
		if !open {
			return event, io.EOF
		}
		return event, nil
	}
}

// Close stops the watch of the reactor.
func (b *reactorStream) Close() error {
	b.once.Do(func() {
		close(b.closed)
		b.watch.Stop()
	})
	return nil
}

// encode encodes an event as the client accepts it. A Status is JSON in each form.
func (b *reactorStream) encode(event watch.Event) ([]byte, error) {
	r := b.request
	if isNil(event.Object) {
		return nil, fmt.Errorf("the watch of a reactor has an event %s without an object", event.Type)
	}
	if status, ok := event.Object.(*metav1.Status); ok {
		object, err := json.Marshal(media.StatusOf(&apierrors.StatusError{ErrStatus: *status}))
		if err == nil && r.accept.MediaType == media.Protobuf {
			object, err = media.MarshalProtobuf(status)
		}
		if err != nil {
			return nil, err
		}
		return r.accept.EncodeFrame(string(event.Type), object)
	}
	content, err := contentOf(event.Object, r.kind.GroupVersionKind)
	if err != nil {
		return nil, err
	}
	object, err := b.server.encodeState(r, &history.State{Object: content})
	if err != nil {
		return nil, err
	}
	return r.accept.EncodeFrame(string(event.Type), object)
}
