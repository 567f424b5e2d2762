package apitest

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// protobuf reports whether the kind has a Go type that protobuf can be made of.
func (k *Kind) protobuf() bool {
	if k.Type == nil {
		return false
	}
	_, ok := k.Type.(interface{ Marshal() ([]byte, error) })
	return ok
}

// decodeProtobuf decodes a body in protobuf.
func (s *Server) decodeProtobuf(r *request) (map[string]any, error) {
	if !r.kind.protobuf() {
		return nil, fmt.Errorf("the server has no Go type of %s; set WithScheme, or use JSON", r.kind.Kind)
	}
	typed := r.kind.Type.DeepCopyObject()
	if err := decodeProtobufInto(r.body, typed); err != nil {
		return nil, err
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
}

// decodeProtobufInto decodes a body with the envelope of Kubernetes.
func decodeProtobufInto(body []byte, into runtime.Object) error {
	_, _, err := protobuf.NewSerializer(emptyScheme, emptyScheme).Decode(body, nil, into)
	return err
}

// emptyScheme serves decoding into objects that the caller has.
var emptyScheme = runtime.NewScheme()

// encodeProtobuf encodes an object in protobuf.
func (s *Server) encodeProtobuf(r *request, obj map[string]any) ([]byte, error) {
	return nil, fmt.Errorf("protobuf of %s", r.kind.Kind)
}

// encodeProtobufList encodes a page of objects in protobuf.
func (s *Server) encodeProtobufList(r *request, l *list) ([]byte, error) {
	return nil, fmt.Errorf("protobuf of %s", r.kind.List)
}
