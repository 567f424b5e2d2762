package migration

import (
	"context"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"github.com/typedinformers/informer-gen/test/migration/apis/samplecontroller/v1alpha1"
)

// FooClient is what the generated clients of both sides have in common.
type FooClient interface {
	Create(context.Context, *v1alpha1.Foo, metav1.CreateOptions) (*v1alpha1.Foo, error)
	Update(context.Context, *v1alpha1.Foo, metav1.UpdateOptions) (*v1alpha1.Foo, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
	Get(context.Context, string, metav1.GetOptions) (*v1alpha1.Foo, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
}

// World is a cluster with one of the two operators. Its methods fail the test if a request
// fails.
type World struct {
	testing.TB
	Kube kubernetes.Interface
	Foos func(namespace string) FooClient
	// Namespace is the only one that the operator serves.
	Namespace string
	// Start starts the operator, which ends with the test.
	Start func()
	// Await returns when condition returns nil. It fails the test with the last error of
	// condition if nothing happens any more.
	Await func(condition func(context.Context) error)
}

// createFoo creates a Foo that asks for a Deployment.
func (w *World) createFoo(name, deployment string, replicas int32) *v1alpha1.Foo {
	w.Helper()
	foo := &v1alpha1.Foo{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1alpha1.FooSpec{DeploymentName: deployment, Replicas: new(replicas)},
	}
	return w.must(w.Foos(w.Namespace).Create(w.Context(), foo, metav1.CreateOptions{}))
}

// must returns foo unless there is an error.
func (w *World) must(foo *v1alpha1.Foo, err error) *v1alpha1.Foo {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
	return foo
}

// changeFoo changes the spec of a Foo.
func (w *World) changeFoo(name string, change func(*v1alpha1.FooSpec)) {
	w.Helper()
	// The operator writes the status meanwhile, so a conflict is repeated.
	w.Await(func(ctx context.Context) error {
		foo, err := w.Foos(w.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(&foo.Spec)
		_, err = w.Foos(w.Namespace).Update(ctx, foo, metav1.UpdateOptions{})
		return err
	})
}

func (w *World) deployment(name string) *appsv1.Deployment {
	w.Helper()
	deployment, err := w.Kube.AppsV1().Deployments(w.Namespace).Get(w.Context(), name, metav1.GetOptions{})
	if err != nil {
		w.Fatal(err)
	}
	return deployment
}

// createDeployment creates a Deployment as someone else would, with or without an owner.
func (w *World) createDeployment(name string, replicas int32, owner *metav1.OwnerReference) {
	w.Helper()
	labels := map[string]string{"app": name}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.Namespace},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(replicas),
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "other", Image: "registry.example.com/other:1"}}},
			},
		},
	}
	if owner != nil {
		deployment.OwnerReferences = []metav1.OwnerReference{*owner}
	}
	if _, err := w.Kube.AppsV1().Deployments(w.Namespace).Create(w.Context(), deployment, metav1.CreateOptions{}); err != nil {
		w.Fatal(err)
	}
}

// changeDeployment changes the spec or metadata of a Deployment.
func (w *World) changeDeployment(name string, change func(*appsv1.Deployment)) {
	w.Helper()
	deployment := w.deployment(name)
	change(deployment)
	if _, err := w.Kube.AppsV1().Deployments(w.Namespace).Update(w.Context(), deployment, metav1.UpdateOptions{}); err != nil {
		w.Fatal(err)
	}
}

func (w *World) deleteDeployment(name string) {
	w.Helper()
	if err := w.Kube.AppsV1().Deployments(w.Namespace).Delete(w.Context(), name, metav1.DeleteOptions{}); err != nil {
		w.Fatal(err)
	}
}

// report writes the status of a Deployment, as its controller would.
func (w *World) report(name string, available int32) {
	w.Helper()
	deployment := w.deployment(name)
	deployment.Status.Replicas, deployment.Status.ReadyReplicas, deployment.Status.AvailableReplicas = available, available, available
	if _, err := w.Kube.AppsV1().Deployments(w.Namespace).UpdateStatus(w.Context(), deployment, metav1.UpdateOptions{}); err != nil {
		w.Fatal(err)
	}
}

// awaitDeployment waits until foo owns a Deployment with these replicas.
func (w *World) awaitDeployment(foo *v1alpha1.Foo, name string, replicas int32) {
	w.Helper()
	w.Await(func(ctx context.Context) error {
		deployment, err := w.Kube.AppsV1().Deployments(w.Namespace).Get(ctx, name, metav1.GetOptions{})
		switch {
		case err != nil:
			return err
		case !metav1.IsControlledBy(deployment, foo):
			return fmt.Errorf("%s does not own %s: %v", foo.Name, name, deployment.OwnerReferences)
		case *deployment.Spec.Replicas != replicas:
			return fmt.Errorf("%s has %d replicas, want %d", name, *deployment.Spec.Replicas, replicas)
		}
		return nil
	})
}

// awaitStatus waits until the status of a Foo has these available replicas.
func (w *World) awaitStatus(name string, available int32) {
	w.Helper()
	w.Await(func(ctx context.Context) error {
		foo, err := w.Foos(w.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err == nil && foo.Status.AvailableReplicas != available {
			err = fmt.Errorf("the status of %s has %d replicas, want %d", name, foo.Status.AvailableReplicas, available)
		}
		return err
	})
}

// awaitEvent waits for an Event about a Foo.
func (w *World) awaitEvent(foo *v1alpha1.Foo, eventType, reason string) {
	w.Helper()
	w.Await(func(ctx context.Context) error {
		events, err := w.Kube.CoreV1().Events(w.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, event := range events.Items {
			about := event.InvolvedObject
			if event.Reason == reason && event.Type == eventType && about.Kind == "Foo" && about.Name == foo.Name && about.UID == foo.UID {
				return nil
			}
		}
		return fmt.Errorf("none of %d events is %s %s about %s", len(events.Items), eventType, reason, foo.Name)
	})
}

// awaitTurn waits until the operator has served a Foo that is created now. What happened
// before has reached it too.
func (w *World) awaitTurn() {
	w.Helper()
	foo := w.createFoo("last", "last", 1)
	w.awaitDeployment(foo, "last", 1)
	w.report("last", 1)
	w.awaitStatus("last", 1)
}
