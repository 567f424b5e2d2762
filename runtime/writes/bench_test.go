package writes

import (
	"io"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BenchmarkRoundTrip measures what a request costs besides its round trip. The response to a write has
// 4 KB, most of it managedFields.
func BenchmarkRoundTrip(b *testing.B) {
	large := object("ConfigMap", "web", func(meta *metav1.ObjectMeta) {
		meta.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "me", FieldsV1: fieldsV1(`{"f:data":{` + strings.Repeat(`"f:a":{},`, 450) + `"f:b":{}}}`)}}
	})
	for _, test := range []struct {
		name, method, path, contentType string
		body                            []byte
	}{
		{"read", "GET", "configmaps/web", "application/json", inJSON(b, large)},
		{"write of another resource", "PUT", "secrets/web", "application/json", inJSON(b, large)},
		{"write JSON", "PUT", "configmaps/web", "application/json", inJSON(b, large)},
		{"write protobuf", "PUT", "configmaps/web", "application/vnd.kubernetes.protobuf", inProtobuf(b, large)},
	} {
		b.Run(test.name, func(b *testing.B) {
			var own Observer
			own.Subscribe(host, configMaps, informerFunc(func(Write) {}))
			request, err := http.NewRequest(test.method, host+"/api/v1/namespaces/a/"+test.path, nil)
			if err != nil {
				b.Fatal(err)
			}
			reader, response := strings.NewReader(""), respond(200, test.contentType, nil)
			content, body := string(test.body), io.NopCloser(reader)
			client := own.Transport(answering(func(*http.Request) (*http.Response, error) {
				reader.Reset(content)
				response.Body = body
				return response, nil
			}))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := client.RoundTrip(request); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// fieldsV1 returns a FieldsV1 with the given JSON. NewFieldsV1 of apimachinery is new in v0.36.
func fieldsV1(text string) *metav1.FieldsV1 {
	fields := new(metav1.FieldsV1)
	if err := fields.UnmarshalJSON([]byte(text)); err != nil {
		panic(err)
	}
	return fields
}
