package apply

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applyautoscalingv1 "k8s.io/client-go/applyconfigurations/autoscaling/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"

	v1 "github.com/typedinformers/informer-gen/test/apply/api/v1"
	apiv1 "github.com/typedinformers/informer-gen/test/apply/generated/applyconfiguration/api/v1"
)

// TestExtractModifyApply is how a controller changes what it has applied: it extracts, changes
// and applies. All else is as other managers have written it, by apply, update or patch.
func TestExtractModifyApply(t *testing.T) {
	onEachServer(t, func(w *world) {
		w.apply("platform", w.proxy(apiv1.ProxySpec().WithReplicas(2).
			WithDomains("a.example.com").
			WithWeights(map[string]int32{"blue": 1, "green": 2}).
			WithListeners(apiv1.Listener().WithName("http").WithHostname("a.example.com"))).
			WithLabels(map[string]string{"team": "platform"}).WithFinalizers("example.com/platform"))
		w.apply("tenant", w.proxy(apiv1.ProxySpec().WithClassName("small").
			WithListeners(apiv1.Listener().WithName("grpc"))).
			WithLabels(map[string]string{"tenant": "orders"}))
		patch := []byte(`{"metadata": {"annotations": {"note": "by hand"}}, "spec": {"paused": true}}`)
		if _, err := w.proxies.Patch(w.Context(), "edge", types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "kubectl-patch"}); err != nil {
			w.Fatal(err)
		}

		config := w.extract("platform")
		w.wants("the extract", config, fmt.Sprintf(`{"apiVersion": "edge.example.com/v1", "kind": "Proxy",
			"metadata": {"name": "edge", "namespace": %q, "labels": {"team": "platform"}, "finalizers": ["example.com/platform"]},
			"spec": {"replicas": 2, "domains": ["a.example.com"], "weights": {"blue": 1, "green": 2},
				"listeners": [{"name": "http", "hostname": "a.example.com"}]}}`, w.namespace))
		// Each way to change a configuration: set a field, add to a list, remove from a list, change
		// an element, remove a key of a map, remove a field.
		config.Spec.WithReplicas(3).WithDomains("b.example.com").WithListeners(apiv1.Listener().WithName("https"))
		config.Spec.Listeners[0].WithHostname("c.example.com")
		delete(config.Spec.Weights, "blue")
		config.Finalizers = nil
		applied := w.apply("platform", config)
		w.wants("the spec", applied.Spec, `{"replicas": 3, "className": "small", "paused": true,
			"domains": ["a.example.com", "b.example.com"], "weights": {"green": 2},
			"listeners": [{"name": "http", "hostname": "c.example.com"}, {"name": "grpc"}, {"name": "https"}]}`)
		w.wants("the labels", applied.Labels, `{"team": "platform", "tenant": "orders"}`)
		w.wants("the annotations", applied.Annotations, `{"note": "by hand"}`)
		w.wants("the finalizers", applied.Finalizers, `null`)

		// The rights of a manager end with what it no longer applies.
		w.apply("platform", apiv1.Proxy("edge", w.namespace))
		w.wants("the spec without the platform", w.get().Spec, `{"className": "small", "paused": true, "listeners": [{"name": "grpc"}]}`)
		w.wants("the extract of a manager that has applied nothing", w.extract("platform"), apiv1.Proxy("edge", w.namespace))
		w.wants("the extract of an unknown manager", w.extract("stranger"), apiv1.Proxy("edge", w.namespace))
	})
}

// TestExtractIsOfApply has no extract of what a manager of the same name has updated: only fields
// that were applied are removed by leaving them out.
func TestExtractIsOfApply(t *testing.T) {
	onEachServer(t, func(w *world) {
		w.apply("platform", w.proxy(apiv1.ProxySpec().WithReplicas(2)))
		proxy := w.get()
		proxy.Spec.ClassName = "small"
		if _, err := w.proxies.Update(w.Context(), proxy, metav1.UpdateOptions{FieldManager: "platform"}); err != nil {
			w.Fatal(err)
		}
		w.wants("the extract", w.extract("platform").Spec, `{"replicas": 2}`)
		w.apply("platform", w.extract("platform"))
		w.wants("the spec", w.get().Spec, `{"replicas": 2, "className": "small"}`)
	})
}

// TestApplyIsWhole applies an object that was deleted meanwhile, and one that another manager
// has created meanwhile.
func TestApplyIsWhole(t *testing.T) {
	onEachServer(t, func(w *world) {
		first := w.apply("platform", w.proxy(apiv1.ProxySpec().WithReplicas(2)))
		config := w.extract("platform").WithUID(first.UID)
		if err := w.proxies.Delete(w.Context(), "edge", metav1.DeleteOptions{}); err != nil {
			w.Fatal(err)
		}
		if _, err := w.proxies.Apply(w.Context(), config, metav1.ApplyOptions{FieldManager: "platform"}); !apierrors.IsConflict(err) {
			w.Errorf("an object of a UID that is gone: %v, want a conflict", err)
		}
		config.UID = nil
		second := w.apply("platform", config)
		if second.UID == first.UID {
			w.Error("the object is not a new one")
		}
		stale := w.extract("platform").WithResourceVersion(second.ResourceVersion)
		w.apply("tenant", w.proxy(apiv1.ProxySpec().WithClassName("small")))
		stale.Spec.WithReplicas(3)
		if _, err := w.proxies.Apply(w.Context(), stale, metav1.ApplyOptions{FieldManager: "platform"}); !apierrors.IsConflict(err) {
			w.Errorf("an object of an old version: %v, want a conflict", err)
		}
	})
}

// TestApplyStatus has two controllers with conditions of their own. The status and the rest are
// applied apart, and extracted apart.
func TestApplyStatus(t *testing.T) {
	onEachServer(t, func(w *world) {
		w.apply("platform", w.proxy(apiv1.ProxySpec().WithReplicas(2)).WithStatus(apiv1.ProxyStatus().WithReplicas(9)))
		w.wants("the status of Apply", w.get().Status, `{}`)
		now := metav1.Now().Rfc3339Copy()
		condition := func(kind string, status metav1.ConditionStatus) *applymetav1.ConditionApplyConfiguration {
			return applymetav1.Condition().WithType(kind).WithStatus(status).WithReason("Tested").WithMessage("").WithLastTransitionTime(now)
		}
		status := func(manager string, status *apiv1.ProxyStatusApplyConfiguration) *v1.Proxy {
			w.Helper()
			applied, err := w.proxies.ApplyStatus(w.Context(), w.proxy(apiv1.ProxySpec().WithReplicas(7)).WithStatus(status), metav1.ApplyOptions{FieldManager: manager})
			if err != nil {
				w.Fatal(err)
			}
			return applied
		}
		status("prober", apiv1.ProxyStatus().WithConditions(condition("Reachable", metav1.ConditionTrue)).WithAddresses("10.0.0.1"))
		applied := status("platform", apiv1.ProxyStatus().WithConditions(condition("Ready", metav1.ConditionFalse)).
			WithReplicas(1).WithObservedGeneration(1).WithAddresses("10.0.0.2"))
		if len(applied.Status.Conditions) != 2 || !slices.Equal(applied.Status.Addresses, []string{"10.0.0.1", "10.0.0.2"}) {
			w.Errorf("the status of both is %s", text(w, applied.Status))
		}
		if *applied.Spec.Replicas != 2 {
			w.Errorf("ApplyStatus has set the replicas to %d", *applied.Spec.Replicas)
		}

		w.wants("the extract of the spec", w.extract("platform"), w.proxy(apiv1.ProxySpec().WithReplicas(2)))
		config, err := apiv1.ExtractProxyStatus(w.get(), "platform")
		if err != nil {
			w.Fatal(err)
		}
		w.wants("the extract of the status", config, apiv1.Proxy("edge", w.namespace).WithStatus(
			apiv1.ProxyStatus().WithConditions(condition("Ready", metav1.ConditionFalse)).
				WithReplicas(1).WithObservedGeneration(1).WithAddresses("10.0.0.2")))
		config.Status.Conditions[0].WithStatus(metav1.ConditionTrue)
		if _, err := w.proxies.ApplyStatus(w.Context(), config, metav1.ApplyOptions{FieldManager: "platform"}); err != nil {
			w.Fatal(err)
		}
		proxy := w.get()
		for _, c := range proxy.Status.Conditions {
			if c.Status != metav1.ConditionTrue {
				w.Errorf("the condition is %+v", c)
			}
		}
		if len(proxy.Status.Conditions) != 2 || proxy.Status.Replicas != 1 {
			w.Errorf("the status is %s", text(w, proxy.Status))
		}
	})
}

// TestClusterScoped applies and extracts an object without a namespace.
func TestClusterScoped(t *testing.T) {
	onEachServer(t, func(w *world) {
		classes, name := w.client.EdgeV1().ProxyClasses(), "class-"+w.namespace
		for manager, feature := range map[string]string{"first": "tls", "second": "http3"} {
			config := apiv1.ProxyClass(name).WithSpec(apiv1.ProxyClassSpec().WithFeatures(feature))
			if _, err := classes.Apply(w.Context(), config, metav1.ApplyOptions{FieldManager: manager}); err != nil {
				w.Fatal(err)
			}
		}
		class, err := classes.Get(w.Context(), name, metav1.GetOptions{})
		if err != nil {
			w.Fatal(err)
		}
		slices.Sort(class.Spec.Features)
		w.wants("the features", class.Spec.Features, `["http3", "tls"]`)
		config, err := apiv1.ExtractProxyClass(class, "first")
		if err != nil {
			w.Fatal(err)
		}
		w.wants("the extract", config, apiv1.ProxyClass(name).WithSpec(apiv1.ProxyClassSpec().WithFeatures("tls")))
	})
}

// TestManyManagers has managers that extract, change and apply the same object at once, each its
// own part. Applying needs no retries, and no part is lost.
func TestManyManagers(t *testing.T) {
	const managers, rounds = 8, 5
	onEachServer(t, func(w *world) {
		w.apply("platform", w.proxy(apiv1.ProxySpec().WithReplicas(2)))
		var group sync.WaitGroup
		errs := make([]error, managers)
		for n := range managers {
			group.Go(func() { errs[n] = w.work(fmt.Sprintf("manager-%d", n), rounds) })
		}
		group.Wait()
		for _, err := range errs {
			if err != nil {
				w.Fatal(err)
			}
		}
		proxy := w.get()
		if len(proxy.Spec.Listeners) != managers || len(proxy.Spec.Weights) != managers || len(proxy.Spec.Domains) != managers*rounds || *proxy.Spec.Replicas != 2 {
			w.Errorf("%d managers have left %s", managers, text(w, proxy.Spec))
		}
		for name, weight := range proxy.Spec.Weights {
			if weight != rounds {
				w.Errorf("%s is at %d, want %d", name, weight, rounds)
			}
		}
	})
}

// work counts a weight up, and adds a domain each time.
func (w *world) work(manager string, rounds int32) error {
	for n := range rounds {
		proxy, err := w.proxies.Get(w.Context(), "edge", metav1.GetOptions{})
		if err != nil {
			return err
		}
		config, err := apiv1.ExtractProxy(proxy, manager)
		if err != nil {
			return err
		}
		if config.Spec == nil {
			config.WithSpec(apiv1.ProxySpec().WithListeners(apiv1.Listener().WithName(manager)))
		}
		if got := config.Spec.Weights[manager]; got != n {
			return fmt.Errorf("%s has counted to %d and extracts %d", manager, n, got)
		}
		config.Spec.WithWeights(map[string]int32{manager: n + 1}).WithDomains(fmt.Sprintf("%d.%s.example.com", n, manager))
		if _, err := w.proxies.Apply(w.Context(), config, metav1.ApplyOptions{FieldManager: manager}); err != nil {
			return err
		}
	}
	return nil
}

// TestApplyWithoutManager has the errors of a server and of the client.
func TestApplyWithoutManager(t *testing.T) {
	onEachServer(t, func(w *world) {
		config := w.proxy(apiv1.ProxySpec().WithReplicas(2))
		if _, err := w.proxies.Apply(w.Context(), config, metav1.ApplyOptions{}); !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err) {
			w.Errorf("without a manager: %v", err)
		}
		if _, err := w.proxies.Apply(w.Context(), &apiv1.ProxyApplyConfiguration{}, metav1.ApplyOptions{FieldManager: "me"}); err == nil || !strings.Contains(err.Error(), "Name must be provided") {
			w.Errorf("without a name: %v", err)
		}
		if _, err := w.proxies.Apply(w.Context(), nil, metav1.ApplyOptions{FieldManager: "me"}); err == nil || !strings.Contains(err.Error(), "nil") {
			w.Errorf("without a configuration: %v", err)
		}
	})
}

// TestScale has an autoscaler that takes the replicas from the manager that has applied them. From
// then on, that manager leaves them out, because Extract does.
func TestScale(t *testing.T) {
	onEachServer(t, func(w *world) {
		w.apply("platform", w.proxy(apiv1.ProxySpec().WithReplicas(2).WithClassName("small")))
		scale, err := w.proxies.GetScale(w.Context(), "edge", metav1.GetOptions{})
		if err != nil {
			w.Fatal(err)
		}
		scale.Spec.Replicas = 5
		// Without them the API server does not find out who owns the replicas.
		scale.Kind, scale.APIVersion = "Scale", "autoscaling/v1"
		if _, err := w.proxies.UpdateScale(w.Context(), "edge", scale, metav1.UpdateOptions{FieldManager: "autoscaler"}); err != nil {
			w.Fatal(err)
		}
		config := w.extract("platform")
		w.wants("the extract", config, w.proxy(apiv1.ProxySpec().WithClassName("small")))
		config.Spec.WithPaused(true)
		w.wants("the spec", w.apply("platform", config).Spec, `{"replicas": 5, "className": "small", "paused": true}`)
		config.Spec.WithReplicas(2)
		_, err = w.proxies.Apply(w.Context(), config, metav1.ApplyOptions{FieldManager: "platform"})
		if !apierrors.IsConflict(err) || !slices.Equal(conflicts(err), []string{".spec.replicas"}) {
			w.Errorf("the platform gets %v, want a conflict over .spec.replicas", err)
		}
	})
}

// TestApplyScale applies to the scale of a custom resource. The API server reports the conflicts,
// but it cannot convert the result: see docs/applying.md.
func TestApplyScale(t *testing.T) {
	onEachServer(t, func(w *world) {
		w.apply("platform", w.proxy(apiv1.ProxySpec().WithReplicas(2).WithClassName("small")))
		scale := applyautoscalingv1.Scale().WithName("edge").WithNamespace(w.namespace).WithSpec(applyautoscalingv1.ScaleSpec().WithReplicas(5))
		_, err := w.proxies.ApplyScale(w.Context(), "edge", scale, metav1.ApplyOptions{FieldManager: "autoscaler"})
		if !apierrors.IsConflict(err) || !slices.Equal(conflicts(err), []string{".spec.replicas"}) {
			w.Errorf("the autoscaler gets %v, want a conflict over .spec.replicas", err)
		}
		_, err = w.proxies.ApplyScale(w.Context(), "edge", scale, metav1.ApplyOptions{FieldManager: "autoscaler", Force: true})
		if !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), "invalid group/version: autoscaling/v1") {
			w.Errorf("the autoscaler gets %v; if the API server can do this now, correct docs/applying.md", err)
		}
	})
}
