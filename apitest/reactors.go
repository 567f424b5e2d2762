package apitest

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/apitest/internal/reactors"
	"github.com/typedinformers/informer-gen/apitest/internal/serve"
)

// Call is a request to a resource, as a [Reactor] sees it.
type Call struct {
	// Verb is get, list, watch, create, update, patch, delete or deletecollection.
	Verb     string
	Resource schema.GroupVersionResource
	// Kind is the kind of the objects of the resource, also for a subresource and for a list.
	Kind schema.GroupVersionKind
	// Subresource, Namespace and Name are from the URL. They may be empty.
	Subresource, Namespace, Name string
	// Object is the body of create and update, or nil. It has the Go type of the kind, or that of
	// the [Method], with an empty TypeMeta. Without such a type it is an
	// *unstructured.Unstructured. If a reactor changes it, the server receives the change, if no
	// reactor answers the call.
	Object runtime.Object
	// PatchType and Patch are the body of patch.
	PatchType types.PatchType
	Patch     []byte

	// The options are for the verb. ListOptions belong to list, watch and deletecollection,
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
type WatchReactor func(*Call) (handled bool, w apiwatch.Interface, err error)

// Method is a request of a client whose body or answer is not that of the verb and the kind.
type Method struct {
	Resource schema.GroupVersionResource
	// Verb is the verb of the client. It differs from the one of the request for the list of a
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

// internal returns the reactors as the rooms of the server know them.
func (r Reactors) internal() reactors.Reactors {
	internal := reactors.Reactors{Scheme: r.Scheme}
	for _, m := range r.Methods {
		selector := serve.Selector{Verb: m.Verb, Group: m.Resource.Group, Version: m.Resource.Version, Resource: m.Resource.Resource, Subresource: m.Subresource}
		if m.Verb == "list" && m.Subresource != "" {
			selector.Verb = "get" // of a name
		}
		internal.Methods = append(internal.Methods, reactors.Method{Selector: selector, Verb: m.Verb, Input: m.Input})
	}
	if r.React != nil {
		internal.React = func(c *reactors.Call) (bool, runtime.Object, error) { return r.React((*Call)(c)) }
	}
	if r.Watch != nil {
		internal.Watch = func(c *reactors.Call) (bool, apiwatch.Interface, error) { return r.Watch((*Call)(c)) }
	}
	return internal
}
