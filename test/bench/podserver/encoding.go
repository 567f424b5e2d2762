package podserver

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/watch"
)

// Encoding makes bodies. It panics if an object cannot be encoded, because it is one of a benchmark.
type Encoding interface {
	ContentType() string
	// Item is an object in a list.
	Item(obj Object) []byte
	// List is the body of a list with these items.
	List(kind schema.GroupVersionKind, version string, items [][]byte) []byte
	// Event is an event of a watch, in a frame.
	Event(of watch.EventType, obj runtime.Object, kind schema.GroupVersionKind) []byte
}

// EncodingOf returns that of protobuf, or that of JSON.
func EncodingOf(protobuf bool) Encoding {
	if protobuf {
		return protobufEncoding{}
	}
	return jsonEncoding{}
}

type jsonEncoding struct{}

func (jsonEncoding) ContentType() string { return runtime.ContentTypeJSON }

func (jsonEncoding) Item(obj Object) []byte { return must(json.Marshal(obj)) }

func (jsonEncoding) List(kind schema.GroupVersionKind, version string, items [][]byte) []byte {
	head := fmt.Appendf(nil, `{"kind":"%sList","apiVersion":%q,"metadata":{"resourceVersion":%q},"items":[`, kind.Kind, kind.GroupVersion(), version)
	return bytes.Join([][]byte{head, bytes.Join(items, []byte(",")), []byte("]}\n")}, nil)
}

func (jsonEncoding) Event(of watch.EventType, obj runtime.Object, kind schema.GroupVersionKind) []byte {
	obj.GetObjectKind().SetGroupVersionKind(kind)
	return fmt.Appendf(nil, "{\"type\":%q,\"object\":%s}\n", of, must(json.Marshal(obj)))
}

type protobufEncoding struct{}

func (protobufEncoding) ContentType() string { return runtime.ContentTypeProtobuf }

// marshaler is implemented by types with protobuf.
type marshaler interface{ Marshal() ([]byte, error) }

func (protobufEncoding) Item(obj Object) []byte { return must(obj.(marshaler).Marshal()) }

func (protobufEncoding) List(kind schema.GroupVersionKind, version string, items [][]byte) []byte {
	const metadataField, itemsField = 1<<3 | 2, 2<<3 | 2 // their values have a length
	meta := metav1.ListMeta{ResourceVersion: version}
	raw := appendField(nil, metadataField, must(meta.Marshal()))
	for _, item := range items {
		raw = appendField(raw, itemsField, item)
	}
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: kind.GroupVersion().String(), Kind: kind.Kind + "List"}, Raw: raw}
	return append([]byte("k8s\x00"), must(unknown.Marshal())...)
}

func appendField(to []byte, field byte, value []byte) []byte {
	return append(binary.AppendUvarint(append(to, field), uint64(len(value))), value...)
}

// objects and events are the serializers of an object and of a watch event. The API server uses the same two.
var (
	objects = protobuf.NewSerializer(nil, nil)
	events  = protobuf.NewRawSerializer(nil, nil)
)

func (protobufEncoding) Event(of watch.EventType, obj runtime.Object, kind schema.GroupVersionKind) []byte {
	obj.GetObjectKind().SetGroupVersionKind(kind)
	var embedded, whole, framed bytes.Buffer
	must(0, objects.Encode(obj, &embedded))
	must(0, events.Encode(&metav1.WatchEvent{Type: string(of), Object: runtime.RawExtension{Raw: embedded.Bytes()}}, &whole))
	must(protobuf.LengthDelimitedFramer.NewFrameWriter(&framed).Write(whole.Bytes()))
	return framed.Bytes()
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
