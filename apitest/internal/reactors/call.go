package reactors

import (
	"bytes"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apifields "k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	kyaml "k8s.io/apimachinery/pkg/util/yaml"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
	"github.com/typedinformers/informer-gen/apitest/internal/serve"
)

// Call is apitest.Call, which documents the fields.
type Call struct {
	Verb                         string
	Resource                     schema.GroupVersionResource
	Kind                         schema.GroupVersionKind
	Subresource, Namespace, Name string
	Object                       runtime.Object
	PatchType                    types.PatchType
	Patch                        []byte

	GetOptions    metav1.GetOptions
	ListOptions   metav1.ListOptions
	CreateOptions metav1.CreateOptions
	UpdateOptions metav1.UpdateOptions
	PatchOptions  metav1.PatchOptions
	DeleteOptions metav1.DeleteOptions
}

// Method is a request of a client whose body or answer is not that of the verb and the kind.
type Method struct {
	serve.Selector
	// Verb is the verb of the client.
	Verb string
	// Input is an empty object of the Go type of the body, or nil.
	Input runtime.Object
}

// Reactors answer requests of one client. Each of the functions may be nil.
type Reactors struct {
	Scheme  *runtime.Scheme
	Methods []Method
	React   func(*Call) (handled bool, obj runtime.Object, err error)
	Watch   func(*Call) (handled bool, w apiwatch.Interface, err error)
}

// callOf describes a request. It also returns the kind of the body. It reports false for a request
// that cannot be decoded.
func (c *Client) callOf(r *serve.Request) (*Call, schema.GroupVersionKind, bool) {
	call := &Call{
		Verb: r.Verb, Resource: r.Kind.GVR(), Kind: r.Kind.GroupVersionKind,
		Subresource: r.Subresource, Namespace: r.Namespace, Name: r.Name,
	}
	method := c.method(r)
	if method.Verb != "" {
		call.Verb = method.Verb
	}
	var kind schema.GroupVersionKind
	var err error
	switch call.Verb {
	case "get":
		err = r.Options(&call.GetOptions)
	case "list", "watch":
		err = decodeSelection(r, &call.ListOptions)
	case "create", "update":
		if call.Verb == "create" {
			err = r.Options(&call.CreateOptions)
		} else {
			err = r.Options(&call.UpdateOptions)
		}
		if err == nil {
			call.Object, kind, err = c.typedBody(r, method)
		}
	case "patch":
		call.PatchType, call.Patch = types.PatchType(r.HTTP.Header.Get("Content-Type")), bytes.Clone(r.Body)
		err = r.Options(&call.PatchOptions)
	case "delete", "deletecollection":
		var options *metav1.DeleteOptions
		if options, err = r.DeleteOptions(); err == nil {
			call.DeleteOptions = *options
		}
		if err == nil && call.Verb == "deletecollection" {
			err = decodeSelection(r, &call.ListOptions)
		}
	}
	for _, options := range []runtime.Object{&call.GetOptions, &call.ListOptions, &call.CreateOptions, &call.UpdateOptions, &call.PatchOptions, &call.DeleteOptions} {
		options.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return call, kind, err == nil
}

// decodeSelection decodes the query of a list, and checks the selectors, because reactors rely on them.
func decodeSelection(r *serve.Request, options *metav1.ListOptions) error {
	if err := r.Options(options); err != nil {
		return err
	}
	_, err := labels.Parse(options.LabelSelector)
	if err == nil {
		_, err = apifields.ParseSelector(options.FieldSelector)
	}
	return err
}

// typedBody decodes the body of a request into its Go type. The kind is from the body, which the
// object does not have, as objects that a client is given.
func (c *Client) typedBody(r *serve.Request, method Method) (runtime.Object, schema.GroupVersionKind, error) {
	var none schema.GroupVersionKind
	mediaType, err := r.ContentType()
	if err != nil {
		return nil, none, err
	}
	var obj runtime.Object
	switch {
	case method.Input != nil && !(method.Subresource == "" && namesKind(r.Body, r.Kind.Kind)):
		obj = method.Input.DeepCopyObject()
	case r.Subresource == "" || r.Subresource == "status":
		obj = r.Kind.NewObject(c.Scheme)
	}
	data := r.Body
	switch {
	case mediaType == media.Protobuf && obj != nil:
		_, err := media.UnmarshalProtobuf(data, obj)
		return obj, r.Kind.GroupVersionKind, err
	case mediaType == media.YAML:
		if data, err = kyaml.ToJSON(data); err != nil {
			return nil, none, err
		}
	}
	if obj == nil {
		generic := &unstructured.Unstructured{}
		err := utiljson.Unmarshal(data, &generic.Object)
		return generic, generic.GroupVersionKind(), err
	}
	if err := json.Unmarshal(data, obj); err != nil {
		return nil, none, err
	}
	kind := obj.GetObjectKind().GroupVersionKind()
	obj.GetObjectKind().SetGroupVersionKind(none)
	return obj, kind, nil
}

// namesKind reports whether a body is JSON of a kind. The verb of the kind and a [Method] without a
// subresource are the same request otherwise.
func namesKind(body []byte, kind string) bool {
	var named metav1.TypeMeta
	return json.Unmarshal(body, &named) == nil && named.Kind == kind
}

// rewrite replaces the body of a request by an object that a reactor has changed.
func rewrite(r *serve.Request, obj runtime.Object, kind schema.GroupVersionKind) error {
	content, err := kinds.Content(obj, kind)
	if err != nil {
		return err
	}
	if r.Body, err = json.Marshal(content); err != nil {
		return err
	}
	changed := *r.HTTP
	changed.Header = r.HTTP.Header.Clone()
	changed.Header.Set("Content-Type", media.JSON)
	r.HTTP = &changed
	return nil
}

// Client is a client with reactors.
type Client struct {
	Reactors
	handler *serve.Handler
}

// New returns a Client of a server.
func New(handler *serve.Handler, reactors Reactors) *Client { return &Client{reactors, handler} }

func (c *Client) ask(call *Call) (bool, runtime.Object, error) {
	if c.React == nil {
		return false, nil, nil
	}
	return c.React(call)
}

// method returns the Method of a request, which may be empty. A streaming list is none.
func (c *Client) method(r *serve.Request) Method {
	for _, m := range c.Methods {
		if m.Selector.Verb == r.Verb && m.Matches(r) {
			return m
		}
	}
	return Method{}
}
