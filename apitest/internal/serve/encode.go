package serve

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
	"github.com/typedinformers/informer-gen/apitest/internal/rest"
	"github.com/typedinformers/informer-gen/apitest/internal/watch"
)

// EncodeState encodes an object that is stored. Its JSON is made once.
func (r *Request) EncodeState(state *history.State) ([]byte, error) {
	if r.Accept.Plain() && state.APIVersion == r.Kind.APIVersion() {
		return state.JSON()
	}
	return r.EncodeObject(r.Kind.Present(state))
}

// EncodeObject encodes an object as the client accepts it.
func (r *Request) EncodeObject(obj map[string]any) ([]byte, error) {
	if r.Accept.Form == media.Metadata {
		obj = partial(r.Accept, obj)
	}
	if r.Accept.MediaType == media.Protobuf {
		return r.encodeProtobuf(obj)
	}
	data, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	return r.Accept.Text(data)
}

func VersionOf(obj map[string]any) string {
	metadata, _ := obj["metadata"].(map[string]any)
	version, _ := metadata["resourceVersion"].(string)
	return version
}

// partial is the PartialObjectMetadata of an object, with which it shares the metadata.
func partial(a media.Accepted, obj map[string]any) map[string]any {
	metadata, ok := obj["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
	}
	return map[string]any{"kind": "PartialObjectMetadata", "apiVersion": metav1.GroupName + "/" + a.MetaVersion, "metadata": metadata}
}

// encodeProtobuf encodes an object in protobuf.
func (r *Request) encodeProtobuf(obj map[string]any) ([]byte, error) {
	typed, err := r.typed(obj)
	if err != nil {
		return nil, err
	}
	return media.MarshalProtobuf(typed)
}

// typed converts an object to its Go type.
func (r *Request) typed(obj map[string]any) (runtime.Object, error) {
	var into runtime.Object
	switch kind, _ := obj["kind"].(string); {
	case kind == "PartialObjectMetadata":
		into = &metav1.PartialObjectMetadata{}
	case kind == r.Kind.Kind && r.Kind.Type != nil:
		into = r.Kind.Type.DeepCopyObject()
	default:
		gvk := (&unstructured.Unstructured{Object: obj}).GroupVersionKind()
		if !r.Scheme.Recognizes(gvk) {
			return nil, fmt.Errorf("the server has no Go type of %s, which it needs for protobuf; give it one by WithScheme, or use JSON", kind)
		}
		var err error
		if into, err = r.Scheme.New(gvk); err != nil {
			return nil, err
		}
	}
	return into, runtime.DefaultUnstructuredConverter.FromUnstructured(obj, into)
}

// encoder returns the encoder of the events of a watch.
func (r *Request) encoder() func(watch.Event) ([]byte, error) {
	return func(event watch.Event) ([]byte, error) {
		var content []byte
		var err error
		switch {
		case event.Status != nil:
			content, _ = r.Accept.EncodeStatus(event.Status)
		case event.State != nil:
			content, err = r.EncodeState(event.State)
		default:
			content, err = r.EncodeObject(event.Object)
		}
		if err != nil {
			return nil, err
		}
		return r.Accept.EncodeFrame(string(event.Type), content)
	}
}

// JSONEvent returns the encoder of the events of a watch as JSON.
func JSONEvent(kind *kinds.Kind) func(watch.Event) ([]byte, error) {
	r := &Request{Request: rest.Request{Kind: kind}, Accept: media.Accepted{MediaType: media.JSON, Stream: true}}
	return r.encoder()
}
