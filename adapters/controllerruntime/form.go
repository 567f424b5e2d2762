package crcache

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// form is the kind of Go type in which a caller reads objects. One store serves all forms of a
// kind.
type form uint8

const (
	// typed is the Go type that the scheme has for the kind.
	typed form = iota
	// untyped is *unstructured.Unstructured.
	untyped
	// metadata is *metav1.PartialObjectMetadata.
	metadata

	numForms = 3
)

// String returns the form as it is in texts and in the names of indexes.
func (f form) String() string {
	return [numForms]string{"typed", "unstructured", "metadata"}[f]
}

// example returns an object of the Go type of the form. object is of that of the typed form.
func (f form) example(object runtime.Object) runtime.Object {
	switch f {
	case untyped:
		return &unstructured.Unstructured{}
	case metadata:
		return &metav1.PartialObjectMetadata{}
	}
	return object
}

// formOf returns the form of an object or a list.
func formOf(obj runtime.Object) form {
	switch obj.(type) {
	case runtime.Unstructured:
		return untyped
	case *metav1.PartialObjectMetadata, *metav1.PartialObjectMetadataList:
		return metadata
	}
	return typed
}

// typedOf returns a stored object in its Go type, or nil if it is not stored in it.
func typedOf(obj cache.Object) cache.Object {
	switch o := obj.(type) {
	case *wire.Dual:
		return o.Object
	case *unstructured.Unstructured, *metav1.PartialObjectMetadata:
		return nil
	}
	return obj
}

// untypedOf returns a stored object as unstructured, or nil if it is not stored so. A typed
// object is never converted, because it lacks the fields that the Go type does not have.
func untypedOf(obj cache.Object) *unstructured.Unstructured {
	switch o := obj.(type) {
	case *wire.Dual:
		return o.Unstructured
	case *unstructured.Unstructured:
		return o
	}
	return nil
}

// metadataOf returns the metadata of a stored object. The result shares memory with it.
func metadataOf(obj cache.Object, gvk schema.GroupVersionKind) *metav1.PartialObjectMetadata {
	var partial *metav1.PartialObjectMetadata
	if o, ok := obj.(*metav1.PartialObjectMetadata); ok {
		partial = &metav1.PartialObjectMetadata{ObjectMeta: o.ObjectMeta}
	} else {
		partial = meta.AsPartialObjectMetadata(metaOf(obj))
	}
	partial.SetGroupVersionKind(gvk)
	return partial
}

// metaOf returns the *metav1.ObjectMeta of an object if there is one.
func metaOf(obj cache.Object) metav1.Object {
	if dual, ok := obj.(*wire.Dual); ok {
		obj = dual.Object
	}
	if o, ok := obj.(metav1.ObjectMetaAccessor); ok {
		return o.GetObjectMeta()
	}
	return obj
}

// decoding is the set of forms that objects are decoded for.
type decoding [numForms]bool

// options returns the least form that serves all others: an object of its Go type, and whether
// to decode to unstructured too. object has the Go type of the kind.
func (d decoding) options(object runtime.Object) (runtime.Object, bool) {
	switch {
	case d[typed]:
		return object, d[untyped]
	case d[untyped]:
		return untyped.example(nil), false
	}
	return metadata.example(nil), false
}

// essence returns the set without the forms that are made from others.
func (d decoding) essence() decoding {
	d[metadata] = d[metadata] && !d[typed] && !d[untyped]
	return d
}
