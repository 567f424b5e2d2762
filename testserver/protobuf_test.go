package testserver_test

import (
	"bytes"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// TestProtobufOfCustomResources sends a custom resource as a client does that is set to protobuf. All requests
// have answers that clients read, and the next one is served as usual.
func TestProtobufOfCustomResources(t *testing.T) {
	t.Parallel()
	config := shared.Config()
	config.APIPath = "/apis"
	config.GroupVersion = &schema.GroupVersion{Group: "example.com", Version: "v1"}
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	config.ContentType = runtime.ContentTypeProtobuf
	client, err := rest.RESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	body := inProtobuf(t, "widgets")
	for name, request := range map[string]func() *rest.Request{
		"create": client.Post,
		"update": func() *rest.Request { return client.Put().Name("a") },
		"status": func() *rest.Request { return client.Put().Name("a").SubResource("status") },
	} {
		for _, accept := range []string{"application/json", runtime.ContentTypeProtobuf, "*/*"} {
			result := request().Namespace("default").Resource("widgets").
				SetHeader("Content-Type", runtime.ContentTypeProtobuf).SetHeader("Accept", accept).Body(body).Do(t.Context())
			if err := result.Error(); !apierrors.IsUnsupportedMediaType(err) || !strings.Contains(err.Error(), "send application/json") {
				t.Errorf("%s, with an answer as %s, returns %v", name, accept, err)
			}
		}
	}
	patch := client.Patch(types.PatchType(runtime.ContentTypeProtobuf)).Namespace("default").Resource("widgets").Name("a").Body(body)
	if err := patch.Do(t.Context()).Error(); !apierrors.IsUnsupportedMediaType(err) {
		t.Errorf("patch returns %v", err)
	}
	// The options of a delete are no custom resource.
	options := client.Delete().Namespace("default").Resource("widgets").Name("missing").Body(&metav1.DeleteOptions{})
	if err := options.Do(t.Context()).Error(); !apierrors.IsNotFound(err) {
		t.Errorf("delete with options in protobuf returns %v", err)
	}
}

// inProtobuf is an object as a client encodes it.
func inProtobuf(t *testing.T, name string) []byte {
	t.Helper()
	object := &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Widget"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
	}
	var body bytes.Buffer
	if err := protobuf.NewSerializer(nil, nil).Encode(object, &body); err != nil {
		t.Fatal(err)
	}
	return body.Bytes()
}
