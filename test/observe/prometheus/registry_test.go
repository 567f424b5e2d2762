package prometheus

import (
	"context"
	"errors"
	"io"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	informermetrics "github.com/typedinformers/informer-gen/observe/metrics"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// TestControllerRuntime registers a Collector in the registry that managers serve.
func TestControllerRuntime(t *testing.T) {
	factory := cache.NewSharedInformerFactory(0, cache.WithInformerName("main"))
	kind := cache.Kind[*object]{Resource: databases, Open: func(string) bodies.OpenFunc {
		return func(context.Context, metav1.ListOptions, string) (io.ReadCloser, error) {
			return nil, errors.New("there is no server")
		}
	}}
	cache.InformerFor(factory, kind)
	collector := informermetrics.NewCollector(factory)
	metrics.Registry.MustRegister(collector)
	defer metrics.Registry.Unregister(collector)
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == "informer_phase" && len(family.GetMetric()) == 5 {
			return
		}
	}
	t.Errorf("the registry of controller-runtime has no informer_phase with all phases: %v", families)
}
