package prometheus

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/metrics"

	informermetrics "github.com/typedinformers/informer-gen/metrics/prometheus"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// TestControllerRuntime registers a Collector next to the metrics of controller-runtime.
func TestControllerRuntime(t *testing.T) {
	// The types of metrics of controller-runtime, of client-go and of Go are there already.
	factory := cache.NewSharedInformerFactory(0, cache.WithInformerName("main"))
	kind := cache.Kind[*object]{Resource: databases, ListWatch: func(string) cache.ListerWatcher[*object] { return &cache.ListWatch[*object]{} }}
	cache.InformerFor(factory, kind)
	collector := informermetrics.NewCollector(factory)
	metrics.Registry.MustRegister(collector)
	defer metrics.Registry.Unregister(collector)
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, family := range families {
		found[family.GetName()] = true
	}
	for _, name := range []string{"informer_phase", "go_goroutines"} {
		if !found[name] {
			t.Errorf("the registry of controller-runtime has no %s", name)
		}
	}
}
