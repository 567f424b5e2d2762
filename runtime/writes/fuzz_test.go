package writes

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// FuzzAnswer sends a body of any server. The caller gets the same bytes and the same error, and
// what an informer is told agrees with the URL and with the body.
func FuzzAnswer(f *testing.F) {
	methods := []string{"POST", "PUT", "PATCH", "DELETE"}
	codes := []int{200, 201, 202, 204, 409}
	types := []string{"application/json", "application/vnd.kubernetes.protobuf", "application/json;stream=watch", ""}
	paths := []string{
		"/api/v1/namespaces/a/configmaps", "/api/v1/namespaces/a/configmaps/web", "/api/v1/namespaces/a/configmaps/web/status",
		"/api/v1/namespaces/web", "/api/v1/namespaces/web/finalize", "/api/v1/configmaps/web",
	}
	for _, sent := range []marshaler{
		object("ConfigMap", "web"), object("ConfigMap", "web", deleting(0)), object("ConfigMap", "web", deleting(30, "x")),
		object("Namespace", "web", inNamespace(""), deleting(0)), object("List", ""),
		deletedStatus(metav1.StatusDetails{Name: "web", Kind: "configmaps", UID: "uid-web"}),
	} {
		for _, text := range [][]byte{inJSON(f, sent), inProtobuf(f, sent)} {
			for method := range methods {
				f.Add(text, uint8(method), uint8(0), uint8(0), uint8(1), uint8(0))
			}
			f.Add(text[:len(text)-2], uint8(3), uint8(0), uint8(1), uint8(1), uint8(3))
		}
	}
	f.Fuzz(func(t *testing.T, sent []byte, method, code, contentType, path, cut uint8) {
		failure := errors.New("connection reset")
		answer := func() *http.Response {
			response := respond(codes[int(code)%len(codes)], types[int(contentType)%len(types)], nil)
			response.Body = io.NopCloser(bytes.NewReader(sent))
			if cut%4 == 3 {
				response.Body = io.NopCloser(io.MultiReader(bytes.NewReader(sent), &failing{failure}))
			}
			return response
		}
		var own Observer
		told := &recorder{}
		own.Subscribe(host, configMaps, told)
		own.Subscribe(host, namespaces, told)
		request, err := http.NewRequest(methods[int(method)%len(methods)], host+paths[int(path)%len(paths)], nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := own.Transport(answering(func(*http.Request) (*http.Response, error) { return answer(), nil })).RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := bodyOf(response), bodyOf(answer()); got != want {
			t.Errorf("the caller reads %v, want %v", got, want)
		}
		if len(told.writes) > 1 || len(told.writes) > 0 && (cut%4 == 3 || response.StatusCode > 202) {
			t.Fatalf("told of %v", told.writes)
		}
		for _, write := range told.writes {
			checkWrite(t, write, request, sent)
		}
	})
}

// checkWrite checks a Write against the request and the body of the response, in its own way.
func checkWrite(t *testing.T, write Write, request *http.Request, sent []byte) {
	t.Helper()
	of, ok := parseTarget(request.URL.Path)
	meta := &write.Object
	if !ok || meta.UID == "" || meta.Name == "" || meta.Namespace != of.namespace || of.name != "" && meta.Name != of.name || write.Subresource != of.subresource {
		t.Errorf("%s is told as %+v", request.URL, write)
	}
	if write.Body == nil {
		if !write.Gone || request.Method != "DELETE" || !bytes.Contains(sent, []byte("Success")) {
			t.Errorf("%q is told as %+v", sent, write)
		}
		return
	}
	if !bytes.Equal(write.Body, sent) {
		t.Errorf("told of %q, want %q", write.Body, sent)
	}
	if meta.Kind == "" || write.Gone && (len(meta.Finalizers) > 0 || meta.DeletionTimestamp != nil && (meta.DeletionGracePeriodSeconds == nil || of.resource == namespaces)) {
		t.Errorf("told of %+v", write)
	}
	// What is told of protobuf is what apimachinery reads of it.
	if text, isProtobuf := bytes.CutPrefix(sent, []byte("k8s\x00")); isProtobuf {
		var envelope runtime.Unknown
		if err := envelope.Unmarshal(text); err != nil || envelope.Kind != meta.Kind {
			t.Errorf("told of the kind %q, want %q, %v", meta.Kind, envelope.Kind, err)
		}
	}
}
