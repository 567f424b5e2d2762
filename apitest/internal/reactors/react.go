// Package reactors asks the reactors of a client, which are functions of a test, before the server answers.
//
//	Answer ─▶ Call ─▶ reactors ─▶ a response
//	             └──▶ not handled: the server goes on with what they left of the object
package reactors

import (
	"fmt"
	"net/http"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
	"github.com/typedinformers/informer-gen/apitest/internal/rest"
	"github.com/typedinformers/informer-gen/apitest/internal/serve"
)

// Answer asks the reactors of a client. It returns neither a response nor an error if the server has
// to answer; r then has the object as the reactors have left it. A request that the server refuses
// as malformed does not reach the reactors.
func (c *Client) Answer(r *serve.Request) (*http.Response, error) {
	call, kind, ok := c.callOf(r)
	if !ok {
		return nil, nil
	}
	if call.Verb == "watch" {
		return c.reactToWatch(r, call)
	}
	var original runtime.Object
	if call.Object != nil {
		original = call.Object.DeepCopyObject()
	}
	handled, obj, err := c.ask(call)
	switch {
	case handled && err != nil:
		return r.Refuse(err)
	case handled:
		return c.respond(r, call, obj), nil
	case call.Object != nil && !reflect.DeepEqual(call.Object, original):
		return nil, rewrite(r, call.Object, kind)
	}
	if r.Unserved {
		return r.Refuse(onlyReactors(r, call))
	}
	return nil, nil
}

// onlyReactors is the error for a subresource that the server does not have.
func onlyReactors(r *serve.Request, call *Call) error {
	err := apierrors.NewNotFound(r.Kind.GroupResource(), r.Name)
	err.ErrStatus.Message = fmt.Sprintf("the in-memory server does not have the subresource %s of %s; answer it with a reactor for %s of %s/%s",
		r.Subresource, r.Kind.Resource, call.Verb, r.Kind.Resource, r.Subresource)
	return err
}

// respond returns the response with the object of a reactor, which may be nil.
func (c *Client) respond(r *serve.Request, call *Call, obj runtime.Object) *http.Response {
	code := http.StatusOK
	if r.Verb == "create" {
		code = http.StatusCreated
	}
	isNil := isNil(obj)
	if isNil {
		obj = &unstructured.Unstructured{Object: map[string]any{}}
	}
	switch {
	case isNil && (r.Verb == "delete" || r.Verb == "deletecollection"):
		return r.Respond(&rest.Reply{Code: code, Status: &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess}}, nil)
	case call.Verb == "list" && r.Subresource == "" && r.Accept.Plain():
		// The items need not name their kind, as those of a fake client.
		content, err := c.filtered(r, call, obj)
		return r.Respond(&rest.Reply{Code: code, Object: content}, err)
	case call.Verb == "list" && r.Subresource == "":
		page, err := c.listOf(r, call, obj)
		return r.Respond(&rest.Reply{Code: code, List: page}, err)
	case r.Kind.IsOf(obj, c.Scheme) && (r.Subresource == "" || r.Subresource == "status"):
		content, err := kinds.Content(obj, r.Kind.GroupVersionKind)
		return r.Respond(&rest.Reply{Code: code, Object: content}, err)
	}
	// The object is of another kind, which the server cannot encode in another form.
	r.Accept = media.Accepted{MediaType: media.JSON}
	content, err := kinds.Content(obj, schema.GroupVersionKind{})
	return r.Respond(&rest.Reply{Code: code, Object: content}, err)
}
