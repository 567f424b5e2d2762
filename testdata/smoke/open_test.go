package smoke

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	shopv1 "github.com/typedinformers/informer-gen/testdata/apis/shop/v1"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/fake"
)

// clientOf returns a clientset of a server at a path of a host. It prefers protobuf.
func clientOf(t *testing.T, handler http.HandlerFunc) *versioned.Clientset {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	config := &rest.Config{Host: server.URL + "/cluster/7", ContentConfig: rest.ContentConfig{
		AcceptContentTypes: "application/vnd.kubernetes.protobuf,application/json",
		ContentType:        "application/vnd.kubernetes.protobuf",
	}}
	client, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// TestOpen reads the requests for bodies, with the client of a group and with the
// one that views of other groups have.
func TestOpen(t *testing.T) {
	var got *http.Request
	client := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		_, _ = io.WriteString(w, "the body")
	})
	yes, seconds := true, int64(300)
	watch := metav1.ListOptions{
		Watch: true, AllowWatchBookmarks: true, SendInitialEvents: &yes, TimeoutSeconds: &seconds,
		ResourceVersion: "7", ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		LabelSelector: "a=b,c", FieldSelector: "metadata.name=tea",
	}
	ofWatch := url.Values{
		"watch": {"true"}, "allowWatchBookmarks": {"true"}, "sendInitialEvents": {"true"}, "timeoutSeconds": {"300"},
		"resourceVersion": {"7"}, "resourceVersionMatch": {"NotOlderThan"},
		"labelSelector": {"a=b,c"}, "fieldSelector": {"metadata.name=tea"},
	}
	list := metav1.ListOptions{Limit: 500, Continue: "there"}
	ofList := url.Values{"limit": {"500"}, "continue": {"there"}}
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	for _, test := range []struct {
		resource  schema.GroupVersionResource
		namespace string
		options   metav1.ListOptions
		path      string
		query     url.Values
	}{
		{shopv1.SchemeGroupVersion.WithResource("orders"), "east", watch, "/cluster/7/apis/shop.example.com/v1/namespaces/east/orders", ofWatch},
		{shopv1.SchemeGroupVersion.WithResource("orders"), "", list, "/cluster/7/apis/shop.example.com/v1/orders", ofList},
		{pods, "east", list, "/cluster/7/api/v1/namespaces/east/pods", ofList},
		{pods, "", metav1.ListOptions{}, "/cluster/7/api/v1/pods", url.Values{}},
	} {
		for name, restClient := range map[string]rest.Interface{"a group's": client.ShopV1().RESTClient(), "the discovery": client.Discovery().RESTClient()} {
			body, err := bodies.Open(restClient, test.resource, test.namespace)(t.Context(), test.options, "what the informer decodes")
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(body); string(text) != "the body" || err != nil {
				t.Errorf("the body is %q, %v", text, err)
			}
			body.Close()
			query := got.URL.Query()
			if got.Method != http.MethodGet || got.URL.Path != test.path || query.Encode() != test.query.Encode() {
				t.Errorf("%s client asks %s %s?%s, want %s?%s", name, got.Method, got.URL.Path, query.Encode(), test.path, test.query.Encode())
			}
			if accept := got.Header.Values("Accept"); len(accept) != 1 || accept[0] != "what the informer decodes" {
				t.Errorf("%s client accepts %q", name, accept)
			}
		}
	}
}

// TestOpenErrors has the server refuse. What it says comes through, at once.
func TestOpenErrors(t *testing.T) {
	const forbidden = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"not yours","reason":"Forbidden","code":403}`
	for _, test := range []struct {
		name   string
		code   int
		header http.Header
		body   string
		is     func(error) bool
	}{
		{"a status", http.StatusForbidden, http.Header{"Content-Type": {"application/json"}}, forbidden, apierrors.IsForbidden},
		{"a status that is too old", http.StatusGone, http.Header{}, "", apierrors.IsGone},
		{"text with a delay", http.StatusTooManyRequests, http.Header{"Retry-After": {"7"}}, "too many", func(err error) bool {
			seconds, ok := apierrors.SuggestsClientDelay(err)
			return ok && seconds == 7
		}},
		{"a server that is not up", http.StatusServiceUnavailable, http.Header{}, "starting", apierrors.IsServiceUnavailable},
	} {
		t.Run(test.name, func(t *testing.T) {
			requests := 0
			client := clientOf(t, func(w http.ResponseWriter, _ *http.Request) {
				requests++
				for key, values := range test.header {
					w.Header()[key] = values
				}
				w.WriteHeader(test.code)
				_, _ = io.WriteString(w, test.body)
			})
			started := time.Now()
			for _, restClient := range []rest.Interface{client.ShopV1().RESTClient(), client.Discovery().RESTClient()} {
				open := bodies.Open(restClient, shopv1.SchemeGroupVersion.WithResource("orders"), "")
				if body, err := open(t.Context(), metav1.ListOptions{}, ""); body != nil || !test.is(err) {
					t.Errorf("the error is %#v", err)
				}
			}
			if requests != 2 || time.Since(started) > 5*time.Second {
				t.Errorf("there were %d requests in %v, want 2 at once", requests, time.Since(started))
			}
		})
	}
}

// TestOpenOfFake has no server to ask.
func TestOpenOfFake(t *testing.T) {
	client := fake.NewSimpleClientset()
	for _, restClient := range []rest.Interface{nil, (*rest.RESTClient)(nil), client.ShopV1().RESTClient(), client.Discovery().RESTClient()} {
		if bodies.Open(restClient, shopv1.SchemeGroupVersion.WithResource("orders"), "") != nil {
			t.Errorf("a %T of nothing opens bodies", restClient)
		}
	}
}
