package kubetest

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// deleteWithQuery deletes with options in the query.
func (w *ownWrites) deleteWithQuery(t *testing.T, namespace string) {
	t.Helper()
	all := &writer[*corev1.ConfigMap]{w, w.client.CoreV1().ConfigMaps(namespace), freshConfigMap}
	all.create(t, "six")
	request := func() *rest.Request {
		return w.client.CoreV1().RESTClient().Delete().Namespace(namespace).Resource("configmaps").Name("six")
	}
	all.after(t, "delete with dryRun in the query", "six", nothing, request().Param("dryRun", metav1.DryRunAll).Do(within(t)).Error())
	all.after(t, "delete without options", "six", gone, request().Do(within(t)).Error())
}

// subresources writes the status and the scale of a Deployment.
func (w *ownWrites) subresources(t *testing.T, namespace string) {
	defer w.subscribe(appsv1.SchemeGroupVersion.WithResource("deployments"))()
	ctx, deployments := within(t), w.client.AppsV1().Deployments(namespace)
	labels := map[string]string{"app": "web"}
	web, err := deployments.Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod("web").Spec},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.check(t, "create", state, web, nil)
	web.Status.ObservedGeneration = 1
	if web, err = deployments.UpdateStatus(ctx, web, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.check(t, "status", state, web, nil)
	scale, err := deployments.GetScale(ctx, "web", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	scale.Spec.Replicas = 2
	if _, err := deployments.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if web, err = deployments.Get(ctx, "web", metav1.GetOptions{}); err != nil {
		t.Fatal(err)
	}
	w.check(t, "scale", state, web, nil)
}

func freshPod(name string, finalizers ...string) *corev1.Pod {
	created := pod(name)
	created.Finalizers = finalizers
	return created
}

// pods deletes Pods, which need a grace period if they have a node.
func (w *writer[T]) pods(t *testing.T, client kubernetes.Interface, namespace string) {
	ctx := within(t)
	now, soon := int64(0), int64(30)
	bind := func(name string) {
		t.Helper()
		w.after(t, "bind "+name, name, nothing, client.CoreV1().Pods(namespace).Bind(ctx, &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Target:     corev1.ObjectReference{Kind: "Node", Name: "node-1"},
		}, metav1.CreateOptions{}))
	}
	w.create(t, "pending")
	w.remove(t, "delete without a node", "pending", gone, metav1.DeleteOptions{})

	w.create(t, "evicted")
	w.after(t, "evict", "evicted", nothing, client.PolicyV1().Evictions(namespace).Evict(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "evicted"}}))

	w.create(t, "running")
	bind("running")
	w.remove(t, "delete with the default grace period", "running", state, metav1.DeleteOptions{})
	w.remove(t, "delete again", "running", state, metav1.DeleteOptions{})
	w.remove(t, "delete with the same grace period", "running", state, metav1.DeleteOptions{GracePeriodSeconds: &soon})
	w.patch(t, "label a deleted pod", "running", state, `{"metadata":{"labels":{"a":"b"}}}`)
	w.remove(t, "delete without a grace period, as a dry run", "running", nothing, metav1.DeleteOptions{GracePeriodSeconds: &now, DryRun: []string{metav1.DryRunAll}})
	w.remove(t, "delete without a grace period", "running", gone, metav1.DeleteOptions{GracePeriodSeconds: &now})

	w.create(t, "forced")
	bind("forced")
	w.remove(t, "delete without a grace period at once", "forced", gone, metav1.DeleteOptions{GracePeriodSeconds: &now})

	const finalizer = "example.com/wait"
	w.create(t, "final", finalizer)
	bind("final")
	w.remove(t, "delete with a finalizer, without a grace period", "final", state, metav1.DeleteOptions{GracePeriodSeconds: &now})
	w.patch(t, "remove the last finalizer", "final", gone, withoutFinalizers)

	w.create(t, "graceful", finalizer)
	bind("graceful")
	w.remove(t, "delete with a finalizer and a grace period", "graceful", state, metav1.DeleteOptions{GracePeriodSeconds: &soon})
	w.patch(t, "remove the last finalizer in the grace period", "graceful", state, withoutFinalizers)
	w.remove(t, "delete without a grace period", "graceful", gone, metav1.DeleteOptions{GracePeriodSeconds: &now})
}

// namespaces deletes namespaces, which have finalizers in their spec too, so that a response does
// not prove that one is gone.
func (w *writer[T]) namespaces(t *testing.T, client kubernetes.Interface, prefix string) {
	finalize := func(name string, want meaning) {
		t.Helper()
		obj, err := client.CoreV1().Namespaces().Get(within(t), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		obj.Spec.Finalizers = nil
		_, err = client.CoreV1().Namespaces().Finalize(within(t), obj, metav1.UpdateOptions{})
		w.after(t, "finalize "+name, name, want, err)
	}
	exists := func(name string, want bool) {
		t.Helper()
		if _, err := w.api.Get(within(t), name, metav1.GetOptions{}); err != nil && !apierrors.IsNotFound(err) || (err == nil) != want {
			t.Errorf("%s: %v, want it to exist: %v", name, err, want)
		}
	}
	one, two := prefix+"-one", prefix+"-two"
	w.create(t, one)
	w.patch(t, "patch", one, state, `{"metadata":{"labels":{"a":"b"}}}`)
	w.remove(t, "delete", one, nothing, metav1.DeleteOptions{})
	exists(one, true)
	w.remove(t, "delete again", one, nothing, metav1.DeleteOptions{})
	exists(one, true)
	finalize(one, nothing)
	exists(one, false)

	w.create(t, two, "example.com/wait")
	w.remove(t, "delete with a finalizer", two, state, metav1.DeleteOptions{})
	finalize(two, state)
	w.remove(t, "delete after the namespace is empty", two, state, metav1.DeleteOptions{})
	w.patch(t, "remove the last finalizer", two, nothing, withoutFinalizers)
	exists(two, false)
}
