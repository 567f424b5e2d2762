package reactors

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
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
	"github.com/typedinformers/informer-gen/apitest/internal/rest"
	"github.com/typedinformers/informer-gen/apitest/internal/serve"
)

// reactToWatch is react for a watch. A streaming list is a list and a watch.
func (c *Client) reactToWatch(r *serve.Request, call *Call) (*http.Response, error) {
	streams := call.ListOptions.SendInitialEvents != nil && *call.ListOptions.SendInitialEvents
	var page *rest.List // the initial events, or nil if no reactor has answered the list
	if streams {
		listCall := *call
		listCall.Verb, listCall.ListOptions = "list", metav1.ListOptions{
			LabelSelector: call.ListOptions.LabelSelector, FieldSelector: call.ListOptions.FieldSelector, ResourceVersion: call.ListOptions.ResourceVersion,
		}
		handled, obj, err := c.ask(&listCall)
		switch {
		case handled && err != nil:
			return r.Refuse(err)
		case handled:
			if isNil(obj) {
				obj = &unstructured.Unstructured{Object: map[string]any{}}
			}
			if page, err = c.listOf(r, &listCall, obj); err != nil {
				return r.Respond(nil, err), nil
			}
		}
		call.ListOptions.SendInitialEvents, call.ListOptions.ResourceVersionMatch = nil, ""
	}
	var w apiwatch.Interface
	if c.Watch != nil {
		handled, answered, err := c.Watch(call)
		switch {
		case handled && err != nil:
			return r.Refuse(err)
		case handled:
			w = answered
		}
	}
	if w == nil && page == nil {
		return nil, nil
	}
	body, err := c.reactorBody(r, w, page, streams)
	if err != nil {
		if w != nil {
			w.Stop()
		}
		return r.Refuse(err)
	}
	return r.Stream(body), nil
}

// reactorBody returns the body of a watch of which a reactor has answered the list, the watch or
// both. The server does the rest.
func (c *Client) reactorBody(r *serve.Request, w apiwatch.Interface, page *rest.List, streams bool) (io.ReadCloser, error) {
	var initial []byte
	if streams {
		if page == nil {
			var err error
			if page, err = c.handler.List(part(r, "list", selectors(r))); err != nil {
				return nil, err
			}
		}
		var err error
		if initial, err = c.initialEvents(r, page); err != nil {
			return nil, err
		}
	}
	if w != nil {
		return &stream{handler: c.handler, request: r, watch: w, pending: initial, closed: make(chan struct{})}, nil
	}
	query := selectors(r)
	query.Set("watch", "true")
	query.Set("resourceVersion", page.Meta.ResourceVersion)
	for _, name := range []string{"allowWatchBookmarks", "timeoutSeconds"} {
		if r.Query.Has(name) {
			query.Set(name, r.Query.Get(name))
		}
	}
	body, err := c.handler.Watch(part(r, "watch", query))
	if err != nil {
		return nil, err
	}
	return prefixed{io.MultiReader(bytes.NewReader(initial), body), body}, nil
}

// prefixed is a body with bytes before it.
type prefixed struct {
	io.Reader
	io.Closer
}

// part returns one of the two requests of a streaming list.
func part(r *serve.Request, verb string, query url.Values) *serve.Request {
	part := *r
	part.Verb, part.Query, part.Warnings = verb, query, nil
	return &part
}

// selectors returns the selectors of the query.
func selectors(r *serve.Request) url.Values {
	query := url.Values{}
	for _, name := range []string{"labelSelector", "fieldSelector"} {
		if r.Query.Has(name) {
			query.Set(name, r.Query.Get(name))
		}
	}
	return query
}

// initialEvents encodes the first events of a streaming list.
func (c *Client) initialEvents(r *serve.Request, page *rest.List) ([]byte, error) {
	var frames []byte
	add := func(event apiwatch.EventType, object []byte) error {
		frame, err := r.Accept.EncodeFrame(string(event), object)
		frames = append(frames, frame...)
		return err
	}
	for _, state := range page.Items {
		object, err := r.EncodeState(state)
		if err != nil {
			return nil, err
		}
		if err := add(apiwatch.Added, object); err != nil {
			return nil, err
		}
	}
	if !serve.IsTrue(r.Query, "allowWatchBookmarks") {
		return frames, nil
	}
	bookmark := &unstructured.Unstructured{}
	bookmark.SetGroupVersionKind(r.Kind.GroupVersionKind)
	bookmark.SetResourceVersion(page.Meta.ResourceVersion)
	bookmark.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	object, err := r.EncodeObject(bookmark.Object)
	if err != nil {
		return nil, err
	}
	err = add(apiwatch.Bookmark, object)
	return frames, err
}

// stream is the body of a watch with the events of a reactor's watch. It has no goroutine:
// Read waits for an event.
type stream struct {
	handler *serve.Handler
	request *serve.Request
	watch   apiwatch.Interface
	pending []byte
	once    sync.Once
	closed  chan struct{}
}

// Read returns a part of the next event. It returns an error when the watch, the request or the
// server has ended.
func (b *stream) Read(p []byte) (int, error) {
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
func (b *stream) next() (event apiwatch.Event, err error) {
	ctx := b.request.HTTP.Context()
	closing, leave, err := b.handler.Closing()
	if err != nil {
		return event, io.EOF
	}
	defer leave()
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
func (b *stream) Close() error {
	b.once.Do(func() {
		close(b.closed)
		b.watch.Stop()
	})
	return nil
}

// encode encodes an event as the client accepts it. A Status is JSON in each form.
func (b *stream) encode(event apiwatch.Event) ([]byte, error) {
	r := b.request
	if isNil(event.Object) {
		return nil, fmt.Errorf("the watch of a reactor has an event %s without an object", event.Type)
	}
	if status, ok := event.Object.(*metav1.Status); ok {
		object, err := json.Marshal(media.StatusOf(&apierrors.StatusError{ErrStatus: *status}))
		if err == nil && r.Accept.MediaType == media.Protobuf {
			object, err = media.MarshalProtobuf(status)
		}
		if err != nil {
			return nil, err
		}
		return r.Accept.EncodeFrame(string(event.Type), object)
	}
	content, err := kinds.Content(event.Object, r.Kind.GroupVersionKind)
	if err != nil {
		return nil, err
	}
	object, err := r.EncodeState(&history.State{Object: content})
	if err != nil {
		return nil, err
	}
	return r.Accept.EncodeFrame(string(event.Type), object)
}
