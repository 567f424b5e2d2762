package testserver_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applyappsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/typedinformers/informer-gen/testserver"
)

// TestDefaults writes a Deployment in all ways. TestDefaults of test/kubetest compares the defaults of all kinds with
// those of a kube-apiserver.
func TestDefaults(t *testing.T) {
	t.Parallel()
	deployments := kubeClient(t, testserver.Start(t, testserver.WithBuiltIn(&appsv1.Deployment{}))).AppsV1().Deployments("default")
	check := func(step string, generation int64, deployment *appsv1.Deployment, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(step, err)
		}
		spec := deployment.Spec
		if *spec.Replicas != 1 || spec.Strategy.Type != appsv1.RollingUpdateDeploymentStrategyType || spec.Strategy.RollingUpdate.MaxSurge.StrVal != "25%" {
			t.Errorf("%s: the Deployment is %+v", step, spec)
		}
		for _, container := range spec.Template.Spec.Containers {
			if container.ImagePullPolicy != corev1.PullAlways || container.TerminationMessagePath != corev1.TerminationMessagePathDefault {
				t.Errorf("%s: a container is %+v", step, container)
			}
		}
		// What the server has set is no change of the client's next write.
		if deployment.Generation != generation {
			t.Errorf("%s: the generation is %d, want %d", step, deployment.Generation, generation)
		}
	}
	labels := map[string]string{"app": "web"}
	apply := applyappsv1.Deployment("web", "default").WithSpec(applyappsv1.DeploymentSpec().
		WithSelector(applymetav1.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(applycorev1.PodTemplateSpec().WithLabels(labels).
			WithSpec(applycorev1.PodSpec().WithContainers(applycorev1.Container().WithName("web").WithImage("web")))))
	for range 2 {
		applied, err := deployments.Apply(t.Context(), apply, metav1.ApplyOptions{FieldManager: "test"})
		check("apply", 1, applied, err)
	}
	got, err := deployments.Get(t.Context(), "web", metav1.GetOptions{})
	check("get", 1, got, err)

	sparse := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web"}}},
		},
	}}
	updated, err := deployments.Update(t.Context(), sparse, metav1.UpdateOptions{})
	check("update", 1, updated, err)
	for n, patch := range []struct {
		kind types.PatchType
		body string
	}{
		{types.StrategicMergePatchType, `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side"}]}}}}`},
		{types.MergePatchType, `{"spec":{"replicas":null,"template":{"spec":{"containers":[{"name":"web","image":"other"}]}}}}`},
		{types.JSONPatchType, `[{"op":"replace","path":"/spec/template/spec/containers","value":[{"name":"web","image":"third:latest"}]}]`},
	} {
		patched, err := deployments.Patch(t.Context(), "web", patch.kind, []byte(patch.body), metav1.PatchOptions{})
		check(string(patch.kind), int64(n+2), patched, err)
	}
}

// TestWithoutDefaults writes a Deployment, which is stored as it is sent.
func TestWithoutDefaults(t *testing.T) {
	t.Parallel()
	deployments := kubeClient(t, testserver.Start(t, testserver.WithBuiltIn(&appsv1.Deployment{}), testserver.WithoutDefaults())).AppsV1().Deployments("default")
	created, err := deployments.Create(t.Context(), &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if created.Spec.Replicas != nil || created.Spec.Strategy.Type != "" {
		t.Errorf("the Deployment is %+v", created.Spec)
	}
}
