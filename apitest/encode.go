package apitest

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/apitest/internal/media"
)

// partial is the PartialObjectMetadata of an object, with which it shares the metadata.
func partial(a media.Accepted, obj map[string]any) map[string]any {
	metadata, ok := obj["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
	}
	return map[string]any{"kind": "PartialObjectMetadata", "apiVersion": metav1.GroupName + "/" + a.MetaVersion, "metadata": metadata}
}

// protobuf reports whether the kind has a Go type that protobuf can be made of.
func (k *Kind) protobuf() bool {
	_, ok := k.Type.(interface{ Marshal() ([]byte, error) })
	return ok
}

// decodeProtobuf decodes a body in protobuf.
func (s *Server) decodeProtobuf(r *request) (map[string]any, error) {
	gvk := r.bodyKind()
	var into runtime.Object
	switch {
	case gvk == r.kind.GroupVersionKind && r.kind.Type != nil:
		into = r.kind.Type.DeepCopyObject()
	case s.scheme.Recognizes(gvk):
		var err error
		if into, err = s.scheme.New(gvk); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("the server has no Go type of %s; give it one by WithScheme, or use JSON", gvk.Kind)
	}
	if err := media.UnmarshalProtobuf(r.body, into); err != nil {
		return nil, err
	}
	obj, err := runtime.DefaultUnstructuredConverter.ToUnstructured(into)
	if err == nil {
		obj["apiVersion"], obj["kind"] = gvk.GroupVersion().String(), gvk.Kind
	}
	return obj, err
}

// encodeProtobuf encodes an object in protobuf.
func (s *Server) encodeProtobuf(r *request, obj map[string]any) ([]byte, error) {
	typed, err := s.typed(r, obj)
	if err != nil {
		return nil, err
	}
	return media.MarshalProtobuf(typed)
}

// typed converts an object to its Go type.
func (s *Server) typed(r *request, obj map[string]any) (runtime.Object, error) {
	var into runtime.Object
	switch kind, _ := obj["kind"].(string); {
	case kind == "PartialObjectMetadata":
		into = &metav1.PartialObjectMetadata{}
	case kind == r.kind.Kind && r.kind.Type != nil:
		into = r.kind.Type.DeepCopyObject()
	default:
		gvk := (&unstructured.Unstructured{Object: obj}).GroupVersionKind()
		if !s.scheme.Recognizes(gvk) {
			return nil, fmt.Errorf("the server has no Go type of %s, which it needs for protobuf; give it one by WithScheme, or use JSON", kind)
		}
		var err error
		if into, err = s.scheme.New(gvk); err != nil {
			return nil, err
		}
	}
	return into, runtime.DefaultUnstructuredConverter.FromUnstructured(obj, into)
}

// encodeProtobufList encodes a page of objects in protobuf.
func (s *Server) encodeProtobufList(r *request, l *list) ([]byte, error) {
	var into runtime.Object = &metav1.PartialObjectMetadataList{}
	gvk := metav1.SchemeGroupVersion.WithKind("PartialObjectMetadataList")
	if r.accept.Form == media.Object {
		gvk = r.kind.GroupVersion().WithKind(r.kind.List)
		var err error
		if into, err = s.scheme.New(gvk); err != nil {
			return nil, fmt.Errorf("the server has no Go type of %s, which it needs for protobuf; give it one by WithScheme, or use JSON", r.kind.List)
		}
	}
	items := make([]runtime.Object, len(l.items))
	for i, state := range l.items {
		obj := r.kind.present(state)
		if r.accept.Form == media.Metadata {
			obj = partial(r.accept, obj)
		}
		var err error
		if items[i], err = s.typed(r, obj); err != nil {
			return nil, err
		}
		if r.accept.Form == media.Object {
			items[i].GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		}
	}
	if err := meta.SetList(into, items); err != nil {
		return nil, err
	}
	into.GetObjectKind().SetGroupVersionKind(gvk)
	accessor, err := meta.ListAccessor(into)
	if err != nil {
		return nil, err
	}
	accessor.SetResourceVersion(l.meta.ResourceVersion)
	accessor.SetContinue(l.meta.Continue)
	accessor.SetRemainingItemCount(l.meta.RemainingItemCount)
	return media.MarshalProtobuf(into)
}
