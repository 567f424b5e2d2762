package apply

import (
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/runtime/cache"
	apiv1 "github.com/typedinformers/informer-gen/test/apply/generated/applyconfiguration/api/v1"
	informers "github.com/typedinformers/informer-gen/test/apply/generated/informers/externalversions"
	apiinformers "github.com/typedinformers/informer-gen/test/apply/generated/informers/externalversions/api/v1"
	"github.com/typedinformers/informer-gen/test/progress"
)

// followed is an informer of the proxies of a world.
type followed struct{ apiinformers.ProxyInformer }

// follow starts an informer.
func (w *world) follow(options ...informers.SharedInformerOption) followed {
	w.Helper()
	factory := informers.NewSharedInformerFactory(w.client, 0, append(options, informers.WithNamespace(w.namespace))...)
	proxies := followed{factory.Edge().V1().Proxies()}
	proxies.Informer()
	factory.Start(w.Context())
	w.Cleanup(factory.Shutdown)
	if err := factory.WaitForCacheSync(progress.Context(w)); err != nil {
		w.Fatal(err)
	}
	return proxies
}

// waitFor waits until the cache has a version.
func (f followed) waitFor(w *world, resourceVersion string) {
	w.Helper()
	if err := f.Informer().WaitFor(progress.Context(w), resourceVersion); err != nil {
		w.Fatal(err)
	}
}

// TestExtractFromCache extracts from the object of a lister. All others read that object, so
// neither Extract nor a change of the configuration may write to it.
func TestExtractFromCache(t *testing.T) {
	onEachServer(t, func(w *world) {
		proxies := w.follow()
		applied := w.apply("platform", w.proxy(apiv1.ProxySpec().WithReplicas(2).
			WithDomains("a.example.com").WithWeights(map[string]int32{"blue": 1}).
			WithListeners(apiv1.Listener().WithName("http").WithLabels(map[string]string{"a": "1"}))))
		proxies.waitFor(w, applied.ResourceVersion)
		cached, err := proxies.Lister().Proxies(w.namespace).Get("edge")
		if err != nil {
			w.Fatal(err)
		}
		before := cached.DeepCopy()
		config, err := apiv1.ExtractProxy(cached, "platform")
		if err != nil {
			w.Fatal(err)
		}
		w.wants("the extract of a cached object", config, w.extract("platform"))
		config.Spec.WithWeights(map[string]int32{"blue": 2})
		config.Spec.Listeners[0].WithLabels(map[string]string{"a": "2"})
		config.Spec.Domains[0] = "b.example.com"
		config.WithLabels(map[string]string{"a": "b"})
		w.wants("the cached object", cached, before)

		applied = w.apply("platform", config)
		proxies.waitFor(w, applied.ResourceVersion)
		w.wants("the spec", applied.Spec, `{"replicas": 2, "domains": ["b.example.com"], "weights": {"blue": 2}, "listeners": [{"name": "http", "labels": {"a": "2"}}]}`)
	})
}

// TestExtractWithoutManagedFields has an informer that leaves out managedFields. An extract
// without any field would delete all fields of the manager when it is applied, so there is an
// error.
func TestExtractWithoutManagedFields(t *testing.T) {
	onEachServer(t, func(w *world) {
		proxies := w.follow(cache.WithoutFields("metadata.managedFields"))
		applied := w.apply("platform", w.proxy(apiv1.ProxySpec().WithReplicas(2)))
		proxies.waitFor(w, applied.ResourceVersion)
		cached, err := proxies.Lister().Proxies(w.namespace).Get("edge")
		if err != nil {
			w.Fatal(err)
		}
		config, err := apiv1.ExtractProxy(cached, "platform")
		if err == nil || !strings.Contains(err.Error(), "managedFields") || !strings.Contains(err.Error(), "edge") {
			w.Errorf("the extract is %s, %v; want an error that names the object and managedFields", text(w, config), err)
		}
	})
}
