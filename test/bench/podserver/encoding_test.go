package podserver

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// written returns what write writes.
func written(write func(*bufio.Writer)) []byte {
	var buffer bytes.Buffer
	out := bufio.NewWriterSize(&buffer, 64)
	write(out)
	out.Flush()
	return buffer.Bytes()
}

// serializers are those of the API server for a content type. It makes them of the same
// factory.
func serializers(t *testing.T, contentType string) runtime.SerializerInfo {
	t.Helper()
	factory := serializer.NewCodecFactory(scheme.Scheme, serializer.WithStreamingCollectionEncodingToJSON(), serializer.WithStreamingCollectionEncodingToProtobuf())
	info, ok := runtime.SerializerInfoForMediaType(factory.SupportedMediaTypes(), contentType)
	if !ok {
		t.Fatal(contentType)
	}
	return info
}

// TestBytes compares lists with what the serializers of the API server write, and events
// with what its watch handler does with them.
func TestBytes(t *testing.T) {
	pods := Kinds[report.Pods]
	remaining := int64(7)
	for _, meta := range []metav1.ListMeta{{ResourceVersion: "5"}, {ResourceVersion: "5", Continue: "4-2", RemainingItemCount: &remaining}} {
		list := &corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}, ListMeta: meta}
		var items []rendered
		for i := range 3 {
			items = append(items, pods.render(i, 1, uint64(i)))
			list.Items = append(list.Items, *newPod(i, 1, uint64(i)))
		}
		for _, e := range []encoding{jsonEncoding{pods}, protobufEncoding{pods}} {
			var want bytes.Buffer
			if err := serializers(t, e.contentType()).Serializer.Encode(list, &want); err != nil {
				t.Fatal(err)
			}
			if got := written(func(w *bufio.Writer) { e.list(w, meta, items) }); !bytes.Equal(got, want.Bytes()) {
				t.Errorf("%s: a list is\n%q\nand not\n%q", e.contentType(), got, want.Bytes())
			}
		}
	}
	expired := apierrors.NewResourceExpired("too old").Status()
	for _, e := range []encoding{jsonEncoding{pods}, protobufEncoding{pods}} {
		for kind, obj := range map[watch.EventType]runtime.Object{watch.Added: newPod(1, 1, 1), watch.Modified: newPod(2, 3, 4), watch.Error: &expired} {
			of := pods.GroupVersionKind
			if kind == watch.Error {
				of = statusKind
			}
			got := written(func(w *bufio.Writer) { e.event(w, kind, of, render(obj, of)) })
			obj.GetObjectKind().SetGroupVersionKind(of)
			if want := event(t, serializers(t, e.contentType()), kind, obj); !bytes.Equal(got, want) {
				t.Errorf("%s: an event is\n%q\nand not\n%q", e.contentType(), got, want)
			}
		}
	}
}

// event encodes the object, the event around it and the frame, one in the other.
func event(t *testing.T, info runtime.SerializerInfo, kind watch.EventType, obj runtime.Object) []byte {
	t.Helper()
	var embedded, whole, framed bytes.Buffer
	err := info.Serializer.Encode(obj, &embedded)
	if err == nil {
		err = info.StreamSerializer.Encode(&metav1.WatchEvent{Type: string(kind), Object: runtime.RawExtension{Raw: embedded.Bytes()}}, &whole)
	}
	if err == nil {
		_, err = info.StreamSerializer.NewFrameWriter(&framed).Write(whole.Bytes())
	}
	if err != nil {
		t.Fatal(err)
	}
	return framed.Bytes()
}

func TestNegotiate(t *testing.T) {
	const binary, text, metadata = runtime.ContentTypeProtobuf, runtime.ContentTypeJSON, ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	for _, test := range []struct{ kind, accept, want string }{
		{report.Pods, "", text},
		{report.Pods, "*/*", text},
		{report.Pods, text, text},
		{report.Pods, binary + "," + text, binary},
		{report.Pods, binary + ";stream=watch," + text + ";stream=watch", binary},
		{report.Pods, text + ", " + binary, text},
		{report.Pods, text + ";q=0.5, " + binary, binary},
		{report.Pods, binary + ";drop=metadata.managedFields," + text, binary},
		{report.Pods, binary + metadata + "," + text, text},
		{report.Pods, binary + metadata + "," + text + metadata, ""},
		{report.Pods, binary + ";stream=tail", ""},
		{report.Pods, "application/cbor", ""},
		{report.Small, binary + "," + text, text},
		{report.Small, binary, ""},
	} {
		got := ""
		if e := Kinds[test.kind].negotiate(test.accept); e != nil {
			got = e.contentType()
		}
		if got != test.want {
			t.Errorf("%s, %q gets %q", test.kind, test.accept, got)
		}
	}
}

// TestErrors are in the encoding of the request.
func TestErrors(t *testing.T) {
	server, err := New(Options{Kind: Kinds[report.Pods], Objects: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		accept, path, contentType string
		code                      int
	}{
		{runtime.ContentTypeProtobuf, "?continue=x", runtime.ContentTypeProtobuf, http.StatusBadRequest},
		{runtime.ContentTypeJSON, "?watch=1&sendInitialEvents=1", runtime.ContentTypeJSON, http.StatusBadRequest},
		{"application/cbor", "", runtime.ContentTypeJSON, http.StatusNotAcceptable},
	} {
		answer, request := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/api/v1/pods"+test.path, nil)
		request.Header.Set("Accept", test.accept)
		server.ServeHTTP(answer, request)
		var status metav1.Status
		if _, _, err := serializers(t, test.contentType).Serializer.Decode(answer.Body.Bytes(), nil, &status); err != nil {
			t.Fatal(err)
		}
		if answer.Code != test.code || status.Code != int32(test.code) || answer.Header().Get("Content-Type") != test.contentType {
			t.Errorf("%+v: %d, %+v", test, answer.Code, status)
		}
	}
}

// TestLargeProtobuf has messages whose lengths take several bytes.
func TestLargeProtobuf(t *testing.T) {
	obj := newPod(1, 1, 1)
	obj.Annotations["long"] = strings.Repeat("x", 3<<20)
	r := render(obj, Kinds[report.Pods].GroupVersionKind)
	var got corev1.Pod
	if err := got.Unmarshal(r.message); err != nil {
		t.Fatal(err)
	}
	obj.TypeMeta = metav1.TypeMeta{}
	if !equality.Semantic.DeepEqual(&got, obj) {
		t.Error("the message is not that of the object")
	}
	frame := written(func(w *bufio.Writer) {
		protobufEncoding{}.event(w, watch.Added, Kinds[report.Pods].GroupVersionKind, r)
	})
	reader := protobuf.LengthDelimitedFramer.NewFrameReader(nopCloser{bytes.NewReader(frame)})
	whole := make([]byte, len(frame))
	if n, err := reader.Read(whole); err != nil || n != len(frame)-4 {
		t.Errorf("%d of %d bytes, %v", n, len(frame), err)
	}
}

type nopCloser struct{ *bytes.Reader }

func (nopCloser) Close() error { return nil }

// TestDatabases compares their size with the documentation, and copies with originals.
func TestDatabases(t *testing.T) {
	for kind, sizes := range map[string][2]int{report.Small: {1900, 2200}, report.Large: {19_000, 22_000}} {
		obj := Kinds[kind].make(1234, 1, 1).(*Database)
		text, err := json.Marshal(obj)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("a database of %s has %d bytes of JSON", kind, len(text))
		if len(text) < sizes[0] || len(text) > sizes[1] {
			t.Errorf("a database of %s has %d bytes of JSON", kind, len(text))
		}
		list := &DatabaseList{Items: []Database{*obj}}
		same := list.DeepCopyObject().(*DatabaseList)
		if !equality.Semantic.DeepEqual(list, same) {
			t.Error("a copy differs")
		}
		copied := same.Items[0]
		copied.Spec.Parameters["new"], copied.Spec.Users[0].Roles[0], copied.Status.Members[0].Labels["zone"] = "x", "x", "x"
		*copied.Spec.Replicas, *copied.Spec.Users[0].Limit, copied.Status.Conditions[0].Reason, copied.Labels["app"] = -1, -1, "x", "x"
		if again := Kinds[kind].make(1234, 1, 1); !equality.Semantic.DeepEqual(obj, again) {
			t.Error("a change of a copy has changed the original")
		}
	}
}

// TestGzip compresses long lists, and all streaming lists, but no other watches.
func TestGzip(t *testing.T) {
	server, err := New(Options{Kind: Kinds[report.Small], Objects: 200, Gzip: true})
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"": "gzip", "?limit=5": "", "?watch=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan": "gzip", "?watch=1&resourceVersion=48000200": "",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // a watch ends after its initial events
		answer, request := httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, server.Kind.path()+query, nil)
		request.Header.Set("Accept-Encoding", "br, gzip")
		server.ServeHTTP(answer, request)
		if got := answer.Header().Get("Content-Encoding"); got != want || answer.Code != http.StatusOK {
			t.Errorf("%q: %d, %q", query, answer.Code, got)
		}
		if want == "" {
			continue
		}
		body, err := gzip.NewReader(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(body); err != nil || len(text) < 200*1900 {
			t.Errorf("%q: %d bytes, %v", query, len(text), err)
		}
	}
}
