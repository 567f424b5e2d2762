package crcache

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/runtime/bodies"
)

// roundTripper is a transport of one function.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestServerOfEachKind compares the server of the informers with the URLs of the requests of a
// client that was made from the same rest.Config.
func TestServerOfEachKind(t *testing.T) {
	for _, test := range []struct {
		name   string
		config rest.Config
		want   string
	}{
		{"no host", rest.Config{}, "http://localhost"},
		{"host and port", rest.Config{Host: "api.example.com:8080"}, "http://api.example.com:8080"},
		{"TLS by default", rest.Config{Host: "api.example.com", TLSClientConfig: rest.TLSClientConfig{CertData: []byte("x")}}, "https://api.example.com"},
		{"a slash at the end", rest.Config{Host: "https://10.0.0.1:443/"}, "https://10.0.0.1:443"},
		{"a prefix", rest.Config{Host: "https://rancher.example.com/k8s/clusters/c-1"}, "https://rancher.example.com/k8s/clusters/c-1"},
		{"a prefix and a slash", rest.Config{Host: "https://rancher.example.com/k8s/clusters/c-1/"}, "https://rancher.example.com/k8s/clusters/c-1"},
		{"IPv6", rest.Config{Host: "https://[::1]:6443"}, "https://[::1]:6443"},
		{"a path and a version", rest.Config{Host: "https://api.example.com", APIPath: "/apis", ContentConfig: rest.ContentConfig{GroupVersion: &schema.GroupVersion{Group: "other", Version: "v2"}}}, "https://api.example.com"},
		{"limits", rest.Config{Host: "https://api.example.com", QPS: 1, Burst: 1}, "https://api.example.com"},
		{"a limiter", rest.Config{Host: "https://api.example.com", RateLimiter: flowcontrol.NewFakeAlwaysRateLimiter()}, "https://api.example.com"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var urls []string
			closed := errors.New("the server is closed")
			httpClient := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				urls = append(urls, r.URL.String())
				return nil, closed
			})}
			c, err := New(&test.config, ctrlcache.Options{Scheme: testScheme(), Mapper: testMapper(), HTTPClient: httpClient})
			if err != nil {
				t.Fatal(err)
			}
			writer, err := client.New(&test.config, client.Options{Scheme: testScheme(), Mapper: testMapper(), HTTPClient: httpClient})
			if err != nil {
				t.Fatal(err)
			}
			meta := metav1.ObjectMeta{Namespace: "a", Name: "one"}
			untyped, partial := untypedWidget(), partialWidget()
			untyped.SetNamespace("a")
			partial.ObjectMeta = meta
			patch := client.RawPatch("application/merge-patch+json", []byte("{}"))
			for _, write := range []struct {
				path string
				do   func() error
			}{
				{"/api/v1/namespaces/a/configmaps", func() error { return writer.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: meta}) }},
				{"/apis/example.com/v1/namespaces/a/widgets", func() error { return writer.Create(t.Context(), &widget{ObjectMeta: meta}) }},
				{"/apis/example.com/v1/namespaces/a/widgets", func() error { return writer.Create(t.Context(), untyped) }},
				{"/apis/example.com/v1/namespaces/a/widgets/one", func() error { return writer.Patch(t.Context(), partial, patch) }},
			} {
				urls = nil
				if err := write.do(); !errors.Is(err, closed) {
					t.Fatal(err)
				}
				if len(urls) != 1 || strings.SplitN(urls[0], "?", 2)[0] != test.want+write.path {
					t.Errorf("the client has requested %q, want %s%s", urls, test.want, write.path)
				}
			}
			for _, gvk := range []schema.GroupVersionKind{corev1.SchemeGroupVersion.WithKind("ConfigMap"), corev1.SchemeGroupVersion.WithKind("Node"), widgetKind} {
				mapping, err := testMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
				if err != nil {
					t.Fatal(err)
				}
				reader, err := c.(*Cache).restClient(mapping)
				if err != nil {
					t.Fatal(err)
				}
				if got := bodies.Server(reader).String(); got != test.want {
					t.Errorf("the server of %s is %q, want %q", gvk.Kind, got, test.want)
				}
				if got := c.(*Cache).server; got != test.want {
					t.Errorf("the server of all kinds is %q, want %q", got, test.want)
				}
			}
		})
	}
}
