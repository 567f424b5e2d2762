package podserver

import (
	"bytes"
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// Kind is what a collection has objects of.
type Kind struct {
	schema.GroupVersionKind
	Resource string
	// make makes object i. Each generation of it differs from the one before.
	make func(i, generation int, version uint64) Object
	// empty makes an object without any field.
	empty func() Object
}

// Object is a pod or a custom resource.
type Object interface {
	metav1.Object
	runtime.Object
}

// Kinds are by the names that the benchmark has for them.
var Kinds = map[string]Kind{
	report.Pods: {
		corev1.SchemeGroupVersion.WithKind("Pod"), "pods",
		func(i, generation int, version uint64) Object { return newPod(i, generation, version) },
		func() Object { return new(corev1.Pod) },
	},
	report.Small: databasesWith(smallDatabase),
	report.Large: databasesWith(largeDatabase),
}

func databasesWith(parts int) Kind {
	return Kind{
		DatabaseVersion.WithKind("Database"), "databases",
		func(i, generation int, version uint64) Object { return newDatabase(i, generation, version, parts) },
		func() Object { return new(Database) },
	}
}

// GroupVersionResource is what clients know the collection as.
func (k Kind) GroupVersionResource() schema.GroupVersionResource {
	return k.GroupVersion().WithResource(k.Resource)
}

// path is that of the collection in all namespaces.
func (k Kind) path() string {
	if k.Group == "" {
		return "/api/" + k.Version + "/" + k.Resource
	}
	return strings.Join([]string{"/apis", k.Group, k.Version, k.Resource}, "/")
}

func (k Kind) render(i, generation int, version uint64) rendered {
	return render(k.make(i, generation, version), k.GroupVersionKind)
}

// rendered is an object as the serializers of apimachinery write it.
type rendered struct {
	// json has no kind, apiVersion and opening brace: objects have a kind in a watch, and
	// none in a list.
	json []byte
	// event is the protobuf of a watch event after its type, and message the part of it
	// that is the object alone. Both are nil for custom resources, which have no protobuf.
	event, message []byte
}

// marshaler is implemented by types with protobuf.
type marshaler interface{ Marshal() ([]byte, error) }

// envelopes and events are the serializers of an object and of a watch event. The API
// server uses the same two.
var (
	envelopes = protobuf.NewSerializer(nil, nil)
	events    = protobuf.NewRawSerializer(nil, nil)
)

// emptyType is the field for the type of a watch event, if the type is empty.
const emptyType = "\x0a\x00"

// render panics if an object cannot be encoded, because it is one of this package.
func render(obj runtime.Object, kind schema.GroupVersionKind) (r rendered) {
	obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	text, err := json.Marshal(obj)
	if err != nil {
		panic(err)
	}
	r.json = text[1:]
	encoder, ok := obj.(marshaler)
	if !ok {
		return r
	}
	var event bytes.Buffer
	err = events.Encode(&metav1.WatchEvent{Object: runtime.RawExtension{Raw: envelope(obj, kind)}}, &event)
	if err != nil {
		panic(err)
	}
	r.event = bytes.TrimPrefix(event.Bytes(), []byte(emptyType))
	message, err := encoder.Marshal()
	if err != nil {
		panic(err)
	}
	at := bytes.Index(r.event, message)
	r.message = r.event[at : at+len(message) : at+len(message)]
	return r
}

// envelope is the protobuf of an object that is not in a list.
func envelope(obj runtime.Object, kind schema.GroupVersionKind) []byte {
	obj.GetObjectKind().SetGroupVersionKind(kind)
	var buffer bytes.Buffer
	if err := envelopes.Encode(obj, &buffer); err != nil {
		panic(err)
	}
	return buffer.Bytes()
}
