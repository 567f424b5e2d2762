package informertrace_test

import (
	"go.opentelemetry.io/otel"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	informertrace "github.com/typedinformers/informer-gen/metrics/otel"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

type foo = metav1.PartialObjectMetadata

// fooKind is generated in a program: examplev1.FooKind(client).
var fooKind = cache.Kind[*foo]{
	Resource:  schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "foos"},
	ListWatch: func(string) cache.ListerWatcher[*foo] { return &cache.ListWatch[*foo]{} },
}

// A program sets the provider of the tracer, and its exporter, by otel.SetTracerProvider.
func ExampleTrace() {
	factory := cache.NewSharedInformerFactory(0,
		cache.WithRelistHandler(informertrace.Trace(otel.Tracer("informers"))))
	cache.InformerFor(factory, fooKind)
	// Output:
}
