package serve

import (
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typedinformers/informer-gen/apitest/internal/rest"
	"github.com/typedinformers/informer-gen/apitest/internal/watch"
)

// Proceed executes a request. Its errors are about the connection.
func (h *Handler) Proceed(r *Request) (*http.Response, error) {
	if r.Document != nil {
		return documentResponse(r.HTTP, r.Document), nil
	}
	var answer *rest.Reply
	var body *watch.Body
	var err error
	if r.Verb == "watch" {
		body, err = h.Watch(r)
	} else {
		answer, err = h.do(r)
	}
	if ctx := r.HTTP.Context(); errors.Is(err, rest.ErrClosed) || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil, err
	}
	if body != nil {
		return r.Stream(body), nil
	}
	return r.Respond(answer, err), nil
}

// Watch returns the body of a watch.
func (h *Handler) Watch(r *Request) (*watch.Body, error) {
	options, selected, err := r.selected()
	if err != nil {
		return nil, err
	}
	body, err := h.watches.New(r.HTTP.Context(), watch.Options{
		List: options, Selected: selected, Kind: r.Kind, CutAfter: r.CutAfter, Encode: r.encoder(),
	})
	if err != nil {
		return nil, err
	}
	if err := r.Accept.CheckStream(); err != nil { // options that are wrong come first
		_ = body.Close()
		return nil, err
	}
	return body, nil
}

// List returns a page of objects.
func (h *Handler) List(r *Request) (*rest.List, error) {
	answer, err := h.do(r)
	if err != nil {
		return nil, err
	}
	return answer.List, nil
}

// Fail is Refuse, but the Status that ends a watch is its first event, as it is for a version that has expired.
func (h *Handler) Fail(r *Request, err error) (*http.Response, error) {
	var status apierrors.APIStatus
	if errors.As(err, &status) && r.Kind != nil && r.Verb == "watch" {
		if err := error(&apierrors.StatusError{ErrStatus: status.Status()}); apierrors.IsResourceExpired(err) {
			return r.Stream(h.watches.Failed(r.HTTP.Context(), err, r.encoder())), nil
		}
	}
	return r.Refuse(err)
}
