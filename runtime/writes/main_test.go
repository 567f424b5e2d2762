package writes

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/internal/leaks"
)

func TestMain(m *testing.M) {
	leaks.Main(m)
}

const host = "https://10.0.0.1:6443"

var (
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	pods        = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	namespaces  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
)

// recorder is an Informer that keeps what it is told.
type recorder struct {
	mu     sync.Mutex // guards writes
	writes []Write
}

func (r *recorder) Wrote(write Write) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writes = append(r.writes, write)
}

// heard returns the writes since the last call, in one line each.
func (r *recorder) heard() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var lines []string
	for _, write := range r.writes {
		lines = append(lines, describe(write))
	}
	r.writes = nil
	return strings.Join(lines, "\n")
}

// describe returns "Kind namespace/name/subresource uid version gone body".
func describe(write Write) string {
	meta := write.Object
	line := fmt.Sprintf("%s %s/%s/%s %s", meta.Kind, meta.Namespace, meta.Name, write.Subresource, meta.UID)
	if meta.ResourceVersion != "" {
		line += " " + meta.ResourceVersion
	}
	if write.Gone {
		line += " gone"
	}
	if write.Body != nil {
		line += " body"
	}
	return strings.TrimSpace(line)
}

// answering is a http.RoundTripper that gives one answer to each request.
type answering func(*http.Request) (*http.Response, error)

func (a answering) RoundTrip(request *http.Request) (*http.Response, error) { return a(request) }

// respond returns a response with a body of unknown length.
func respond(code int, contentType string, body []byte) *http.Response {
	return &http.Response{
		StatusCode:    code,
		Header:        http.Header{"Content-Type": {contentType}},
		ContentLength: -1,
		Body:          io.NopCloser(strings.NewReader(string(body))),
	}
}

// object returns the metadata of an object in namespace "a" with version 7.
func object(kind, name string, change ...func(*metav1.ObjectMeta)) *metav1.PartialObjectMetadata {
	obj := &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: kind},
		ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name, UID: types.UID("uid-" + name), ResourceVersion: "7"},
	}
	for _, change := range change {
		change(&obj.ObjectMeta)
	}
	return obj
}

// deleting marks an object as deleted with a grace period in seconds, or without one if it is
// negative.
func deleting(grace int64, finalizers ...string) func(*metav1.ObjectMeta) {
	return func(meta *metav1.ObjectMeta) {
		now := metav1.Unix(1700000000, 0)
		meta.DeletionTimestamp, meta.Finalizers = &now, finalizers
		if grace >= 0 {
			meta.DeletionGracePeriodSeconds = &grace
		}
	}
}

func inNamespace(namespace string) func(*metav1.ObjectMeta) {
	return func(meta *metav1.ObjectMeta) { meta.Namespace = namespace }
}

// deletedStatus returns the Status with which a server answers a DELETE.
func deletedStatus(details metav1.StatusDetails) *metav1.Status {
	return &metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess, Details: &details}
}

type marshaler interface {
	runtime.Object
	Marshal() ([]byte, error)
}

// inJSON and inProtobuf return an object as a server sends it.
func inJSON(t testing.TB, obj runtime.Object) []byte {
	t.Helper()
	body, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func inProtobuf(t testing.TB, obj marshaler) []byte {
	t.Helper()
	raw, err := obj.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	kind := obj.GetObjectKind().GroupVersionKind()
	envelope := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: kind.GroupVersion().String(), Kind: kind.Kind}, Raw: raw}
	text, err := envelope.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte("k8s\x00"), text...)
}
