package media

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"sigs.k8s.io/yaml"
)

// EncodeStatus encodes a Status, in protobuf if the client accepts it.
func (a Accepted) EncodeStatus(status *metav1.Status) (body []byte, mediaType string) {
	if a.MediaType == Protobuf {
		if body, err := MarshalProtobuf(status); err == nil {
			return body, Protobuf
		}
	}
	body, err := json.Marshal(status)
	if err != nil {
		panic(err) // a Status has strings and numbers only
	}
	if a.MediaType == YAML {
		if content, err := yaml.JSONToYAML(body); err == nil {
			return content, YAML
		}
	}
	return append(body, '\n'), JSON
}

// Text returns JSON as the client accepts it: itself or YAML.
func (a Accepted) Text(data []byte) ([]byte, error) {
	if a.MediaType == YAML {
		return yaml.JSONToYAML(data)
	}
	return data, nil
}

// EncodeFrame encodes an event of a watch. object is encoded as the client accepts it. In protobuf,
// the object has the envelope of Kubernetes and the event has only its length before it.
func (a Accepted) EncodeFrame(event string, object []byte) ([]byte, error) {
	if a.MediaType != Protobuf {
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

// metaScheme has the types that each server answers with. Kinds bring their own.
var metaScheme = func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		panic(err)
	}
	return scheme
}()

// serializer reads and writes the envelope of Kubernetes around protobuf.
var serializer = protobuf.NewSerializer(metaScheme, metaScheme)

// UnmarshalProtobuf decodes a body with the envelope of Kubernetes to the Go type that its reader expects, and returns the kind in
// the envelope, which may be empty. The reader compares: clients send the options of a request in the group of its resource, so no
// scheme has all of these kinds.
func UnmarshalProtobuf(body []byte, into runtime.Object) (schema.GroupVersionKind, error) {
	var envelope runtime.Unknown
	if _, _, err := serializer.Decode(body, nil, &envelope); err != nil {
		return schema.GroupVersionKind{}, err
	}
	kind := envelope.GroupVersionKind()
	message, ok := into.(interface{ Unmarshal([]byte) error })
	if !ok {
		return kind, fmt.Errorf("a %T cannot be read from protobuf", into)
	}
	return kind, message.Unmarshal(envelope.Raw)
}

// MarshalProtobuf encodes an object with the envelope of Kubernetes.
func MarshalProtobuf(obj runtime.Object) ([]byte, error) {
	var body bytes.Buffer
	err := serializer.Encode(obj, &body)
	return body.Bytes(), err
}
