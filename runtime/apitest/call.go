package apitest

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

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
