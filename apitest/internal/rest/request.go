package rest

import (
	"context"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
	"github.com/typedinformers/informer-gen/apitest/internal/selection"
)

// Request says which object or collection a verb is for.
type Request struct {
	Context context.Context
	// Verb is a verb of RBAC, such as get, list, watch or deletecollection.
	Verb                         string
	Kind                         *kinds.Kind
	Namespace, Name, Subresource string
	// Agent is the field manager of a client that names none.
	Agent string
	// Size is the length of the body, in bytes.
	Size int
	// Whole lets an update write the object with its status, and without a resourceVersion.
	Whole bool
	// Warnings are for the client.
	Warnings []string
}

// main returns the request to update or delete the object itself, as a part of r.
func (r *Request) main() *Request {
	return &Request{Context: r.Context, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name, Agent: r.Agent}
}

// Write has the options that create, update and patch have in common.
type Write struct {
	Manager, Validation string
	DryRun              bool
	// applied reports whether the object comes from a patch, so that its managedFields are up to date.
	applied bool
}

// Key returns the key of the object.
func (r *Request) Key() history.Key {
	return history.Key{GroupResource: r.Kind.GroupResource(), Namespace: r.Namespace, Name: r.Name}
}

// Warn adds a warning once.
func (r *Request) Warn(text string) {
	for _, w := range r.Warnings {
		if w == text {
			return
		}
	}
	r.Warnings = append(r.Warnings, text)
}

// Missing is the error for an object that does not exist.
func (r *Request) Missing() error {
	return apierrors.NewNotFound(r.Kind.GroupResource(), r.Name)
}

// NotAllowed is the error for a method that a resource does not have.
func (r *Request) NotAllowed() error {
	return apierrors.NewMethodNotSupported(r.Kind.GroupResource(), r.Verb)
}

// InvalidOptions is the error for options of a kind of meta.k8s.io that are wrong.
func InvalidOptions(kind string, errs field.ErrorList) error {
	return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", errs)
}

// BodyKind is the kind that a body has to have.
func (r *Request) BodyKind() schema.GroupVersionKind {
	switch {
	case r.Subresource == "scale":
		return kinds.ScaleKind
	case r.Subresource != "" && !r.Kind.Custom():
		gvk, _ := r.Kind.Subresource(r.Subresource)
		return gvk
	}
	return r.Kind.GroupVersionKind
}

// Normalize brings a decoded object of the request's kind into the form in which it is stored.
// unknown has an error for each field that was dropped.
func (r *Request) Normalize(obj *unstructured.Unstructured) (unknown []error, err error) {
	var paths []string
	// An empty list asks for a reset of the managers of a built-in kind. ObjectMeta drops it, as it does
	// in the API server for a custom resource.
	managers, found, _ := unstructured.NestedFieldNoCopy(obj.Object, "metadata", "managedFields")
	list, isList := managers.([]any)
	reset := found && isList && len(list) == 0 && !r.Kind.Custom()
	if r.Subresource == "scale" {
		paths, err = kinds.NormalizeScale(obj)
	} else {
		paths, err = r.Kind.Normalize(obj)
	}
	if metadata, ok := obj.Object["metadata"].(map[string]any); ok && reset && err == nil {
		metadata["managedFields"] = []any{}
	}
	for _, path := range paths {
		unknown = append(unknown, fmt.Errorf("unknown field %q", path))
	}
	return unknown, err
}

// CheckNamespace sets the namespace of an object to that of the URL.
func (r *Request) CheckNamespace(obj *unstructured.Unstructured) error {
	switch obj.GetNamespace() {
	case r.Namespace:
		return nil
	case "":
		obj.SetNamespace(r.Namespace)
		return nil
	}
	if r.Namespace == "" {
		obj.SetNamespace("")
		return nil
	}
	return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
}

// checkName compares the name and the namespace of a body with those of the URL.
func (r *Request) checkName(obj *unstructured.Unstructured) error {
	if err := r.CheckNamespace(obj); err != nil {
		return err
	}
	switch name := obj.GetName(); name {
	case r.Name:
		return nil
	case "":
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", r.Name))
	default:
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", name, r.Name))
	}
}

// PatchedType returns an empty object of the Go type that is patched, or nil.
func (r *Request) PatchedType() runtime.Object {
	if r.Subresource == "scale" {
		return &kinds.ScaleObject{}
	}
	return r.Kind.Type
}

// Reply is the answer of a verb. One of its fields besides Code is set. Objects in it are never written to.
type Reply struct {
	Code   int
	State  *history.State // an object that is stored
	Object map[string]any // an object that is not, such as that of a dry run
	Status *metav1.Status
	List   *List
}

// List is a page of objects.
type List struct {
	Meta  metav1.ListMeta
	Items []*history.State
}

// done is the answer to a request that has created nothing that could be shown.
func done() *Reply {
	return &Reply{Code: http.StatusCreated, Status: &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess, Code: http.StatusCreated,
	}}
}

// Selected returns the selection of the options of list, watch and deletecollection. It sets the defaults of options.
func (r *Request) Selected(options *internalversion.ListOptions) (*selection.Selection, error) {
	if err := selection.Validate(options); err != nil {
		return nil, err
	}
	return selection.New(selection.Kind{
		GroupVersionKind: r.Kind.GroupVersionKind, Resource: r.Kind.GroupResource(),
		Namespaced: r.Kind.Namespaced, BuiltIn: !r.Kind.Custom(), Fields: r.Kind.Selectable(),
	}, r.Namespace, r.Name, options)
}
