package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
)

// react asks the reactors of a client. It returns neither a response nor an error if the server has
// to answer; r then has the object as the reactors have left it. A request that the server refuses
// as malformed does not reach the reactors.
func (s *Server) react(r *request, t *transport) (*http.Response, error) {
	call, kind, ok := s.callOf(r, t)
	if !ok {
		return nil, nil
	}
	if call.Verb == "watch" {
		return s.reactToWatch(r, t, call)
	}
	var original runtime.Object
	if call.Object != nil {
		original = call.Object.DeepCopyObject()
	}
	handled, obj, err := t.react(call)
	switch {
	case handled && err != nil:
		return s.refuse(r, err)
	case handled:
		return s.answer(r, t, call, obj), nil
	case call.Object != nil && !reflect.DeepEqual(call.Object, original):
		return nil, r.rewrite(call.Object, kind)
	}
	if r.unserved {
		return s.refuse(r, r.onlyReactors(call))
	}
	return nil, nil
}

func (t *transport) react(call *Call) (bool, runtime.Object, error) {
	if t.React == nil {
		return false, nil, nil
	}
	return t.React(call)
}

// onlyReactors is the error for a subresource that the server does not have.
func (r *request) onlyReactors(call *Call) error {
	err := apierrors.NewNotFound(r.kind.groupResource(), r.name)
	err.ErrStatus.Message = fmt.Sprintf("the in-memory server does not have the subresource %s of %s; answer it with a reactor for %s of %s/%s",
		r.subresource, r.kind.Resource, call.Verb, r.kind.Resource, r.subresource)
	return err
}

// refuse answers with an error. An error without a status is that of a connection.
func (s *Server) refuse(r *request, err error) (*http.Response, error) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return nil, err
	}
	answer := status.Status()
	return s.respond(r, nil, &apierrors.StatusError{ErrStatus: answer}), nil
}

// callOf describes a request. It also returns the kind of the body. It reports false for a request
// that cannot be decoded.
func (s *Server) callOf(r *request, t *transport) (*Call, schema.GroupVersionKind, bool) {
	call := &Call{
		Verb: r.verb, Resource: r.kind.gvr(), Kind: r.kind.GroupVersionKind,
		Subresource: r.subresource, Namespace: r.namespace, Name: r.name,
	}
	method := t.method(r)
	if method.Verb != "" {
		call.Verb = method.Verb
	}
	var kind schema.GroupVersionKind
	var err error
	switch call.Verb {
	case "get":
		err = r.options(&call.GetOptions)
	case "list", "watch":
		err = r.selection(&call.ListOptions)
	case "create", "update":
		if call.Verb == "create" {
			err = r.options(&call.CreateOptions)
		} else {
			err = r.options(&call.UpdateOptions)
		}
		if err == nil {
			call.Object, kind, err = r.typedBody(t, method)
		}
	case "patch":
		call.PatchType, call.Patch = types.PatchType(r.http.Header.Get("Content-Type")), bytes.Clone(r.body)
		err = r.options(&call.PatchOptions)
	case "delete", "deletecollection":
		var options *metav1.DeleteOptions
		if options, err = r.deleteOptions(); err == nil {
			call.DeleteOptions = *options
		}
		if err == nil && call.Verb == "deletecollection" {
			err = r.selection(&call.ListOptions)
		}
	}
	for _, options := range []runtime.Object{&call.GetOptions, &call.ListOptions, &call.CreateOptions, &call.UpdateOptions, &call.PatchOptions, &call.DeleteOptions} {
		options.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return call, kind, err == nil
}

// selection decodes the query of a list, and checks the selectors, because reactors rely on them.
func (r *request) selection(options *metav1.ListOptions) error {
	if err := r.options(options); err != nil {
		return err
	}
	_, err := labels.Parse(options.LabelSelector)
	if err == nil {
		_, err = fields.ParseSelector(options.FieldSelector)
	}
	return err
}

// typedBody decodes the body of a request into its Go type. The kind is that of the body, which the
// object does not have, as objects that a client is given.
func (r *request) typedBody(t *transport, method Method) (runtime.Object, schema.GroupVersionKind, error) {
	var none schema.GroupVersionKind
	mediaType, err := r.contentType()
	if err != nil {
		return nil, none, err
	}
	var obj runtime.Object
	switch {
	case method.Input != nil && !(method.Subresource == "" && namesKind(r.body, r.kind.Kind)):
		obj = method.Input.DeepCopyObject()
	case r.subresource == "" || r.subresource == "status":
		obj = r.kind.newObject(t.Scheme)
	}
	data := r.body
	switch {
	case mediaType == media.Protobuf && obj != nil:
		err := media.UnmarshalProtobuf(data, obj)
		return obj, r.kind.GroupVersionKind, err
	case mediaType == media.YAML:
		if data, err = yaml.ToJSON(data); err != nil {
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

// newObject returns an empty object of the Go type in a scheme, which may be nil, or else of the type
// that the server knows. It returns nil if there is no type.
func (k *Kind) newObject(scheme *runtime.Scheme) runtime.Object {
	if scheme != nil {
		if obj, err := scheme.New(k.GroupVersionKind); err == nil {
			return obj
		}
	}
	if k.Type != nil {
		return k.Type.DeepCopyObject()
	}
	return nil
}

// rewrite replaces the body of a request by an object that a reactor has changed.
func (r *request) rewrite(obj runtime.Object, kind schema.GroupVersionKind) error {
	content, err := contentOf(obj, kind)
	if err != nil {
		return err
	}
	if r.body, err = json.Marshal(content); err != nil {
		return err
	}
	changed := *r.http
	changed.Header = r.http.Header.Clone()
	changed.Header.Set("Content-Type", media.JSON)
	r.http = &changed
	return nil
}

// contentOf converts an object, which may be of any Go type, by its JSON. The content names kind, unless that
// is empty. Only an object of a generic type may name another one.
func contentOf(obj runtime.Object, kind schema.GroupVersionKind) (map[string]any, error) {
	data, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	var content map[string]any
	if err := utiljson.Unmarshal(data, &content); err != nil {
		return nil, fmt.Errorf("the JSON of a %T is no object: %w", obj, err)
	}
	if kind.Empty() {
		return content, nil
	}
	_, generic := obj.(runtime.Unstructured)
	for name, value := range map[string]string{"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind} {
		if has, _ := content[name].(string); has == "" || !generic {
			content[name] = value
		}
	}
	return content, nil
}

// answer is the response with the object of a reactor, which may be nil.
func (s *Server) answer(r *request, t *transport, call *Call, obj runtime.Object) *http.Response {
	code := http.StatusOK
	if r.verb == "create" {
		code = http.StatusCreated
	}
	isNil := isNil(obj)
	if isNil {
		obj = &unstructured.Unstructured{Object: map[string]any{}}
	}
	switch {
	case isNil && (r.verb == "delete" || r.verb == "deletecollection"):
		return s.respond(r, &reply{code: code, status: &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess}}, nil)
	case call.Verb == "list" && r.subresource == "" && r.accept.Plain():
		// The items need not name their kind, as those of a fake client.
		content, err := s.filtered(r, call, obj)
		return s.respond(r, &reply{code: code, object: content}, err)
	case call.Verb == "list" && r.subresource == "":
		page, err := s.listOf(r, call, obj)
		return s.respond(r, &reply{code: code, list: page}, err)
	case r.kind.isOf(obj, t.Scheme) && (r.subresource == "" || r.subresource == "status"):
		content, err := contentOf(obj, r.kind.GroupVersionKind)
		return s.respond(r, &reply{code: code, object: content}, err)
	}
	// The object is of another kind, which the server cannot encode in another form.
	r.accept = media.Accepted{MediaType: media.JSON}
	content, err := contentOf(obj, schema.GroupVersionKind{})
	return s.respond(r, &reply{code: code, object: content}, err)
}

// isOf reports whether an object may be of the kind.
func (k *Kind) isOf(obj runtime.Object, scheme *runtime.Scheme) bool {
	if _, generic := obj.(runtime.Unstructured); generic {
		return true
	}
	empty := k.newObject(scheme)
	return empty == nil || reflect.TypeOf(obj) == reflect.TypeOf(empty)
}

// isNil reports whether obj is nil or a nil pointer.
func isNil(obj runtime.Object) bool {
	value := reflect.ValueOf(obj)
	return obj == nil || value.Kind() == reflect.Pointer && value.IsNil()
}

// filtered returns the content of the list of a reactor, without the objects that the client does
// not select by their labels. A list without a version, as tests write them, has that of the server.
func (s *Server) filtered(r *request, call *Call, obj runtime.Object) (map[string]any, error) {
	content, err := contentOf(obj, r.kind.GroupVersion().WithKind(r.kind.List))
	if err != nil {
		return nil, err
	}
	selector, err := labels.Parse(call.ListOptions.LabelSelector)
	if err != nil {
		return nil, err
	}
	_, generic := obj.(runtime.Unstructured)
	items, _ := content["items"].([]any)
	kept := items[:0]
	for _, item := range items {
		fields, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("the list of a reactor, which is a %T, has an item that is no object", obj)
		}
		if !generic { // the Go type tells the kind, so what an item says of it need not be right
			delete(fields, "apiVersion")
			delete(fields, "kind")
		}
		if selector.Matches(labels.Set((&unstructured.Unstructured{Object: fields}).GetLabels())) {
			kept = append(kept, item)
		}
	}
	if items != nil {
		content["items"] = kept
	}
	if versionOf(content) == "" {
		s.mu.Lock()
		version := strconv.FormatUint(s.history.Version(), 10)
		s.mu.Unlock()
		if err := unstructured.SetNestedField(content, version, "metadata", "resourceVersion"); err != nil {
			return nil, fmt.Errorf("the metadata of the list of a reactor: %w", err)
		}
	}
	return content, nil
}

// listOf converts the list of a reactor.
func (s *Server) listOf(r *request, call *Call, obj runtime.Object) (*list, error) {
	content, err := s.filtered(r, call, obj)
	if err != nil {
		return nil, err
	}
	page := &list{}
	if err := convert(content["metadata"], &page.meta); err != nil {
		return nil, fmt.Errorf("the metadata of the list of a reactor: %w", err)
	}
	items, _ := content["items"].([]any)
	for _, item := range items {
		one := &unstructured.Unstructured{Object: item.(map[string]any)}
		if one.GetKind() == "" {
			one.SetGroupVersionKind(r.kind.GroupVersionKind)
		}
		key := history.Key{GroupResource: r.kind.groupResource(), Namespace: one.GetNamespace(), Name: one.GetName()}
		page.items = append(page.items, &history.State{Key: key, Object: one.Object})
	}
	return page, nil
}

// convert decodes the JSON of one value into another.
func convert(from, into any) error {
	data, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// Call is a request to a resource, as a [Reactor] sees it.
type Call struct {
	// Verb is get, list, watch, create, update, patch, delete or deletecollection.
	Verb     string
	Resource schema.GroupVersionResource
	// Kind is the kind of the objects of the resource, also for a subresource and for a list.
	Kind schema.GroupVersionKind
	// Subresource, Namespace and Name are those of the URL. They may be empty.
	Subresource, Namespace, Name string
	// Object is the body of create and update, or nil. It has the Go type of the kind, or that of
	// the [Method], with an empty TypeMeta. Without such a type it is an
	// *unstructured.Unstructured. What a reactor changes in it is what the server receives, if no
	// reactor answers the call.
	Object runtime.Object
	// PatchType and Patch are the body of patch.
	PatchType types.PatchType
	Patch     []byte

	// The options are those of the verb. ListOptions belong to list, watch and deletecollection,
	// and DeleteOptions to delete and deletecollection.
	GetOptions    metav1.GetOptions
	ListOptions   metav1.ListOptions
	CreateOptions metav1.CreateOptions
	UpdateOptions metav1.UpdateOptions
	PatchOptions  metav1.PatchOptions
	DeleteOptions metav1.DeleteOptions
}

// Reactor may answer a call in place of the server: it returns true, and an object or an error. An
// error that is no apierrors.APIStatus fails the request without a response, so that [errors.Is]
// still finds it. Without an object and an error, the answer is an empty object. If Reactor returns
// false, the server answers.
//
// Reactor is called without a lock, by the goroutine that sends the request.
type Reactor func(*Call) (handled bool, obj runtime.Object, err error)

// WatchReactor may answer a watch in place of the server: it returns true, and a watch whose events
// the client receives, or an error. The watch is stopped when the client ends it, and not when its
// timeoutSeconds are over.
type WatchReactor func(*Call) (handled bool, w watch.Interface, err error)

// Method is a request of a client whose body or answer is not that of the verb and the kind.
type Method struct {
	Resource schema.GroupVersionResource
	// Verb is that of the client. It differs from that of the request for the list of a
	// subresource, which is a GET of a name.
	Verb        string
	Subresource string
	// Input is an empty object of the Go type of the body, or nil.
	Input runtime.Object
}

// Reactors answer requests of one client. Each of the functions may be nil.
type Reactors struct {
	// Scheme has the Go types of the client. It may be nil.
	Scheme  *runtime.Scheme
	Methods []Method
	React   Reactor
	Watch   WatchReactor
}

// Transport returns a transport for one client, whose requests reactors see before the server does.
// A client without reactors uses the Server itself as its transport.
//
// A streaming list, which is a watch with sendInitialEvents, is a list and then a watch for
// reactors, as if the client had sent two requests. So they need not know streaming lists.
func (s *Server) Transport(reactors Reactors) http.RoundTripper {
	return &transport{reactors, s}
}

type transport struct {
	Reactors
	server *Server
}

// RoundTrip answers a request, like [Server.RoundTrip].
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	return t.server.roundTrip(req, t)
}

// method returns the Method of a request, which may be empty.
func (t *transport) method(r *request) Method {
	for _, m := range t.Methods {
		verb := m.Verb
		if verb == "list" && r.name != "" {
			verb = "get"
		}
		if verb == r.verb && m.Subresource == r.subresource && m.Resource == r.kind.gvr() {
			return m
		}
	}
	return Method{}
}
