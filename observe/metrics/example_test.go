package informermetrics_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	informermetrics "github.com/typedinformers/informer-gen/observe/metrics"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

type foo = metav1.PartialObjectMetadata

// fooKind is generated in a program: examplev1.FooKind(client).
var fooKind = cache.Kind[*foo]{
	Resource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "foos"},
	Open:     func(string) bodies.OpenFunc { return open },
}

func open(context.Context, metav1.ListOptions, string) (io.ReadCloser, error) {
	return nil, errors.New("there is no server")
}

func ExampleNewCollector() {
	factory := cache.NewSharedInformerFactory(0, cache.WithInformerName("main"))
	cache.InformerFor(factory, fooKind)

	registry := prometheus.NewRegistry()
	registry.MustRegister(informermetrics.NewCollector(factory))

	response := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for line := range strings.Lines(response.Body.String()) {
		if strings.HasPrefix(line, "informer_phase{") && strings.HasSuffix(line, " 1\n") {
			fmt.Print(line)
		}
	}
	// Output:
	// informer_phase{group="example.com",name="main",phase="Pending",resource="foos",version="v1"} 1
}
