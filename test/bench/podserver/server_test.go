package podserver

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

// TestBytes compares lists with what the serializers of the API server write, and events
// with what its watch handler does with them.
func TestBytes(t *testing.T) {
	pods := Kinds[Pods]
	list := &corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}, ListMeta: metav1.ListMeta{ResourceVersion: "48000003"}}
	for i := range 3 {
		list.Items = append(list.Items, *newPod(i, 1, firstVersion+uint64(i)))
	}
	factory := serializer.NewCodecFactory(scheme.Scheme, serializer.WithStreamingCollectionEncodingToJSON(), serializer.WithStreamingCollectionEncodingToProtobuf())
	for _, isProtobuf := range []bool{false, true} {
		s := New(Options{Kind: pods, Objects: 3, Protobuf: isProtobuf})
		info, ok := runtime.SerializerInfoForMediaType(factory.SupportedMediaTypes(), s.encoding.ContentType())
		if !ok {
			t.Fatal(s.encoding.ContentType())
		}
		var want bytes.Buffer
		if err := info.Serializer.Encode(list, &want); err != nil {
			t.Fatal(err)
		}
		if got := s.body(false); !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s: a list is\n%q\nand not\n%q", s.encoding.ContentType(), got, want.Bytes())
		}
		var embedded, whole, framed bytes.Buffer
		pod := newPod(1, 1, firstVersion+1)
		pod.SetGroupVersionKind(pods.GroupVersionKind)
		err := info.Serializer.Encode(pod, &embedded)
		if err == nil {
			err = info.StreamSerializer.Encode(&metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: embedded.Bytes()}}, &whole)
		}
		if err == nil {
			_, err = info.StreamSerializer.NewFrameWriter(&framed).Write(whole.Bytes())
		}
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(s.added[1], framed.Bytes()) {
			t.Errorf("%s: an event is\n%q\nand not\n%q", s.encoding.ContentType(), s.added[1], framed.Bytes())
		}
	}
}

// TestDatabases compares their size with the documentation, and copies with originals.
func TestDatabases(t *testing.T) {
	for kind, sizes := range map[string][2]int{Small: {1900, 2200}, Large: {19_000, 22_000}} {
		obj := Kinds[kind].make(1234, 1, 1).(*Database)
		text, err := json.Marshal(obj)
		if err != nil {
			t.Fatal(err)
		}
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

// TestServer lists and watches with client-go, in both encodings.
func TestServer(t *testing.T) {
	for contentType, isProtobuf := range map[string]bool{"application/json": false, "": true} {
		t.Run(fmt.Sprintf("protobuf=%v", isProtobuf), func(t *testing.T) { testServer(t, contentType, isProtobuf) })
	}
}

func testServer(t *testing.T, contentType string, isProtobuf bool) {
	const objects = 100
	web := httptest.NewServer(New(Options{Kind: Kinds[Pods], Objects: objects, Protobuf: isProtobuf}))
	t.Cleanup(web.Close)
	core, err := corev1client.NewForConfig(&rest.Config{Host: web.URL, ContentConfig: rest.ContentConfig{ContentType: contentType}})
	if err != nil {
		t.Fatal(err)
	}
	open := func(options metav1.ListOptions) watch.Interface {
		t.Helper()
		w, err := core.Pods("").Watch(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Stop)
		return w
	}
	changed := func(pods []corev1.Pod) (count int) {
		names := map[string]bool{}
		for _, pod := range pods {
			names[pod.Namespace+"/"+pod.Name] = true
			if pod.Labels["revision"] != "1" {
				count++
			}
		}
		if len(names) != objects {
			t.Errorf("%d of %d pods are listed", len(names), objects)
		}
		return count
	}
	pods, err := core.Pods("").List(t.Context(), metav1.ListOptions{})
	if err != nil || changed(pods.Items) != 0 {
		t.Fatalf("%v, %d pods", err, len(pods.Items))
	}
	old := open(metav1.ListOptions{ResourceVersion: pods.ResourceVersion})
	control(t, web, "change?count=7")
	control(t, web, "send")
	for range 7 {
		if event := <-old.ResultChan(); event.Type != watch.Modified || event.Object.(*corev1.Pod).Labels["revision"] != "2" {
			t.Fatalf("%v", event)
		}
	}
	expired := <-open(metav1.ListOptions{ResourceVersion: pods.ResourceVersion}).ResultChan()
	if !apierrors.IsResourceExpired(apierrors.FromObject(expired.Object)) {
		t.Errorf("a watch at an old version gets %v", expired)
	}
	if pods, err = core.Pods("").List(t.Context(), metav1.ListOptions{}); err != nil || changed(pods.Items) != 7 {
		t.Errorf("%v, %d pods have changed", err, changed(pods.Items))
	}
	yes := true
	stream := open(metav1.ListOptions{SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true})
	var items []corev1.Pod
	for event := range stream.ResultChan() {
		if event.Type == watch.Bookmark {
			if bookmark := event.Object.(*corev1.Pod); bookmark.Annotations[metav1.InitialEventsAnnotationKey] != "true" || bookmark.ResourceVersion != pods.ResourceVersion {
				t.Errorf("the bookmark is %v", bookmark.ObjectMeta)
			}
			break
		}
		items = append(items, *event.Object.(*corev1.Pod))
	}
	if !equality.Semantic.DeepEqual(items, pods.Items) {
		t.Error("a streaming list has other pods than a list")
	}
}

// TestHistory resumes watches from versions that the server remembers, and from one that it has forgotten.
func TestHistory(t *testing.T) {
	const objects, history = 10, 2
	s := New(Options{Kind: Kinds[Pods], Objects: objects, History: history})
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	for range 3 {
		control(t, web, "change?count=2")
		control(t, web, "send")
	}
	control(t, web, "change?count=2") // is not sent
	for _, test := range []struct {
		before uint64 // versions before the last one
		events int    // -1 for 410
	}{{0, 0}, {2, 0}, {4, 2}, {6, 4}, {7, -1}, {8, -1}} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("%s%s?watch=true&timeoutSeconds=0&resourceVersion=%d", web.URL, Kinds[Pods].Path(), LastVersion(objects)+8-test.before), nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if n := strings.Count(string(text), `"MODIFIED"`); err != nil || n != max(test.events, 0) || strings.Contains(string(text), "too old") != (test.events < 0) {
			t.Errorf("%d versions before the last one: %d events, %v: %.200s", test.before, n, err, text)
		}
	}
}

// control makes a server do something.
func control(t *testing.T, web *httptest.Server, what string) {
	t.Helper()
	response, err := http.Post(web.URL+"/control/"+what, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatal(response.Status)
	}
}
