package crcache

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// form is the kind of Go type in which a caller reads objects. Each form of a kind has an informer.
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
	if o, ok := obj.(metav1.ObjectMetaAccessor); ok {
		return o.GetObjectMeta()
	}
	return obj
}
