package apitest

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// metaScheme has the types that each server answers with. Kinds bring their own.
var metaScheme = func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		panic(err)
	}
	return scheme
}()

// protobuf reports whether the kind has a Go type that protobuf can be made of.
func (k *Kind) protobuf() bool {
	_, ok := k.Type.(interface{ Marshal() ([]byte, error) })
	return ok
}

// decodeProtobuf decodes a body in protobuf.
func (s *Server) decodeProtobuf(r *request) (map[string]any, error) {
	into := r.kind.Type
	if r.subresource == "scale" || into == nil {
		return nil, fmt.Errorf("the server has no Go type of %s; give it one by WithScheme, or use JSON", r.bodyKind().Kind)
	}
	into = into.DeepCopyObject()
	if err := decodeProtobufInto(r.body, into); err != nil {
		return nil, err
	}
	obj, err := runtime.DefaultUnstructuredConverter.ToUnstructured(into)
	if err == nil {
		obj["apiVersion"], obj["kind"] = r.kind.apiVersion(), r.kind.Kind
	}
	return obj, err
}

// decodeProtobufInto decodes a body with the envelope of Kubernetes.
func decodeProtobufInto(body []byte, into runtime.Object) error {
	_, _, err := protobuf.NewSerializer(metaScheme, metaScheme).Decode(body, nil, into)
	if runtime.IsNotRegisteredError(err) {
		return nil // into has the content all the same
	}
	return err
}

// encodeProtobuf encodes an object in protobuf.
func (s *Server) encodeProtobuf(r *request, obj map[string]any) ([]byte, error) {
	typed, err := s.typed(r, obj)
	if err != nil {
		return nil, err
	}
	return marshalProtobuf(typed)
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
		return nil, fmt.Errorf("the server has no Go type of %s, which it needs for protobuf; give it one by WithScheme, or use JSON", kind)
	}
	return into, runtime.DefaultUnstructuredConverter.FromUnstructured(obj, into)
}

// marshalProtobuf encodes an object with the envelope of Kubernetes.
func marshalProtobuf(obj runtime.Object) ([]byte, error) {
	var body bytes.Buffer
	err := protobuf.NewSerializer(metaScheme, metaScheme).Encode(obj, &body)
	return body.Bytes(), err
}

// encodeProtobufList encodes a page of objects in protobuf.
func (s *Server) encodeProtobufList(r *request, l *list) ([]byte, error) {
	var into runtime.Object = &metav1.PartialObjectMetadataList{}
	gvk := metav1.SchemeGroupVersion.WithKind("PartialObjectMetadataList")
	if r.accept.form == formObject {
		gvk = r.kind.GroupVersion().WithKind(r.kind.List)
		var err error
		if into, err = s.scheme.New(gvk); err != nil {
			return nil, fmt.Errorf("the server has no Go type of %s, which it needs for protobuf; give it one by WithScheme, or use JSON", r.kind.List)
		}
	}
	items := make([]runtime.Object, len(l.items))
	for i, state := range l.items {
		obj := r.kind.present(state)
		if r.accept.form == formMetadata {
			obj = r.accept.partial(obj)
		}
		var err error
		if items[i], err = s.typed(r, obj); err != nil {
			return nil, err
		}
		if r.accept.form == formObject {
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
	return marshalProtobuf(into)
}

// encodeFrame encodes an event of a watch. object is encoded as the client accepts it. In protobuf,
// the object has the envelope of Kubernetes and the event has only its length before it.
func (a accepted) encodeFrame(event string, object []byte) ([]byte, error) {
	if a.mediaType != protobufType {
		frame := make([]byte, 0, len(object)+len(event)+32)
		frame = append(frame, `{"type":"`...)
		frame = append(frame, event...)
		frame = append(frame, `","object":`...)
		frame = append(frame, bytes.TrimSuffix(object, []byte("\n"))...)
		return append(frame, "}\n"...), nil
	}
	content := metav1.WatchEvent{Type: event, Object: runtime.RawExtension{Raw: object}}
	raw, err := content.Marshal()
	if err != nil {
		return nil, err
	}
	// The events of a stream have no envelope, and the objects in them do.
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(raw))), raw...), nil
}
