package testserver_test

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	applyappsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/restmapper"

	"github.com/typedinformers/informer-gen/testserver"
)

// TestDeployments writes a Deployment as an operator does.
func TestDeployments(t *testing.T) {
	t.Parallel()
	server := testserver.Start(t, testserver.WithBuiltIn(&appsv1.Deployment{}, &corev1.ConfigMap{}))
	client := kubeClient(t, server)
	deployments := client.AppsV1().Deployments("default")
	apply := func(manager, image string, ports ...int32) *appsv1.Deployment {
		t.Helper()
		container := applycorev1.Container().WithName("main").WithImage(image)
		for _, port := range ports {
			container.WithPorts(applycorev1.ContainerPort().WithContainerPort(port))
		}
		spec := applyappsv1.DeploymentSpec().WithReplicas(2).
			WithSelector(applymetav1.LabelSelector().WithMatchLabels(map[string]string{"app": "web"})).
			WithTemplate(applycorev1.PodTemplateSpec().WithLabels(map[string]string{"app": "web"}).
				WithSpec(applycorev1.PodSpec().WithContainers(container)))
		applied, err := deployments.Apply(t.Context(), applyappsv1.Deployment("web", "default").WithSpec(spec), metav1.ApplyOptions{FieldManager: manager, Force: true})
		if err != nil {
			t.Fatal(err)
		}
		return applied
	}
	if created := apply("a", "web:1", 80); created.Generation != 1 {
		t.Errorf("a new Deployment has the generation %d", created.Generation)
	}
	if same := apply("a", "web:1", 80); same.Generation != 1 {
		t.Errorf("an apply without a change makes the generation %d", same.Generation)
	}
	// Containers and ports are merged by their keys.
	changed := apply("b", "web:2", 81)
	containers := changed.Spec.Template.Spec.Containers
	if len(containers) != 1 || containers[0].Image != "web:2" || len(containers[0].Ports) != 2 || changed.Generation != 2 {
		t.Errorf("after the apply of another manager the Deployment is %+v", changed)
	}
	changed.Spec.Replicas = nil
	changed.Status = appsv1.DeploymentStatus{ObservedGeneration: 2, ReadyReplicas: 1}
	ready, err := deployments.UpdateStatus(t.Context(), changed, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if ready.Status.ReadyReplicas != 1 || *ready.Spec.Replicas != 2 || ready.Generation != 2 {
		t.Errorf("after an update of the status the Deployment is %+v", ready)
	}
	ready.Labels = map[string]string{"tier": "front"}
	ready.Status.ReadyReplicas = 9
	labeled, err := deployments.Update(t.Context(), ready, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if labeled.Status.ReadyReplicas != 1 || labeled.Generation != 2 || labeled.Labels["tier"] != "front" {
		t.Errorf("after an update the Deployment is %+v", labeled)
	}
	if _, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Data: map[string]string{"a": "b"}}, metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
}

// TestAllBuiltIns serves all kinds of k8s.io/api that are stored, and writes an object of each.
func TestAllBuiltIns(t *testing.T) {
	t.Parallel()
	var all []runtime.Object
	versions := scheme.Scheme.PrioritizedVersionsAllGroups()
	slices.SortFunc(versions, func(a, b schema.GroupVersion) int {
		return version.CompareKubeAwareVersionStrings(b.Version, a.Version)
	})
	for _, version := range versions {
		for kind := range scheme.Scheme.KnownTypes(version) {
			gvk := version.WithKind(kind)
			object, err := scheme.Scheme.New(gvk)
			if err != nil {
				t.Fatal(err)
			}
			_, metaErr := meta.Accessor(object)
			given := slices.ContainsFunc(all, func(other runtime.Object) bool {
				gvks, _, err := scheme.Scheme.ObjectKinds(other)
				return err == nil && gvks[0].GroupKind() == gvk.GroupKind()
			})
			if scheme.Scheme.Recognizes(version.WithKind(kind+"List")) && metaErr == nil && !given {
				all = append(all, object)
			}
		}
	}
	server := testserver.Start(t, testserver.WithBuiltIn(all...))
	resources, err := restmapper.GetAPIGroupResources(kubeClient(t, server).Discovery())
	if err != nil {
		t.Fatal(err)
	}
	mapper := restmapper.NewDiscoveryRESTMapper(resources)
	client, err := dynamic.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range all {
		gvks, _, _ := scheme.Scheme.ObjectKinds(object)
		if err := write(t, client, mapper, gvks[0]); err != nil {
			t.Errorf("%v: %v", gvks[0], err)
		}
	}
	t.Logf("%d kinds", len(all))
}

// write creates an object and applies a label to it.
func write(t *testing.T, client dynamic.Interface, mapper meta.RESTMapper, gvk schema.GroupVersionKind) error {
	mapping, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return err
	}
	var objects dynamic.ResourceInterface = client.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		objects = client.Resource(mapping.Resource).Namespace("default")
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(gvk)
	object.SetName(strings.ToLower(gvk.GroupKind().String()))
	if _, err := objects.Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
		return err
	}
	object.SetLabels(map[string]string{"a": "b"})
	_, err = objects.Apply(t.Context(), object.GetName(), object, metav1.ApplyOptions{FieldManager: "test"})
	return err
}
