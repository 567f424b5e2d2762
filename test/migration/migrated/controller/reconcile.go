package controller

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/migration/apis/samplecontroller/v1alpha1"
)

// The reasons of Events.
const (
	Synced            = "Synced"
	ErrResourceExists = "ErrResourceExists"
)

// reconcile creates or corrects the Deployment of one Foo, and writes its status.
func (c *Controller) reconcile(ctx context.Context, name cache.ObjectName) error {
	foo, err := c.foos.Foos(name.Namespace).Get(name.Name)
	if apierrors.IsNotFound(err) {
		return nil // the garbage collector deletes the Deployment
	}
	if err != nil {
		return err
	}
	if foo.Spec.DeploymentName == "" {
		// Only another spec helps, and it is an event.
		utilruntime.HandleErrorWithContext(ctx, nil, "The foo has no spec.deploymentName", "foo", name)
		return nil
	}
	deployment, err := c.ensureDeployment(ctx, foo)
	if err != nil {
		return err
	}
	if err := c.updateStatus(ctx, foo, deployment); err != nil {
		return fmt.Errorf("cannot update the status: %w", err)
	}
	c.recorder.Eventf(foo, corev1.EventTypeNormal, Synced, "Deployment %s is as the Foo asks for", deployment.Name)
	return nil
}

// ensureDeployment returns the Deployment of foo with the replicas that foo asks for.
func (c *Controller) ensureDeployment(ctx context.Context, foo *v1alpha1.Foo) (*appsv1.Deployment, error) {
	deployment, err := c.deployments.Deployments(foo.Namespace).Get(foo.Spec.DeploymentName)
	if apierrors.IsNotFound(err) {
		return c.kubeClient.AppsV1().Deployments(foo.Namespace).Create(ctx, newDeployment(foo), metav1.CreateOptions{FieldManager: name})
	}
	if err != nil {
		return nil, err
	}
	if !metav1.IsControlledBy(deployment, foo) {
		c.recorder.Eventf(foo, corev1.EventTypeWarning, ErrResourceExists, "Deployment %s exists, and the Foo does not own it", deployment.Name)
		return nil, fmt.Errorf("deployment %s exists, and the foo does not own it", deployment.Name)
	}
	if want, got := foo.Spec.Replicas, deployment.Spec.Replicas; want == nil || got != nil && *want == *got {
		return deployment, nil
	}
	deployment = deployment.DeepCopy() // the cache's own must not change
	deployment.Spec.Replicas = foo.Spec.Replicas
	return c.kubeClient.AppsV1().Deployments(foo.Namespace).Update(ctx, deployment, metav1.UpdateOptions{FieldManager: name})
}

// updateStatus writes the status of foo if it is out of date.
func (c *Controller) updateStatus(ctx context.Context, foo *v1alpha1.Foo, deployment *appsv1.Deployment) error {
	if foo.Status.AvailableReplicas == deployment.Status.AvailableReplicas {
		return nil
	}
	foo = foo.DeepCopy()
	foo.Status.AvailableReplicas = deployment.Status.AvailableReplicas
	_, err := c.fooClient.SamplecontrollerV1alpha1().Foos(foo.Namespace).UpdateStatus(ctx, foo, metav1.UpdateOptions{FieldManager: name})
	return err
}

// newDeployment returns the Deployment that foo asks for. Its owner reference lets the
// informer of Deployments find foo, and the garbage collector delete the Deployment.
func newDeployment(foo *v1alpha1.Foo) *appsv1.Deployment {
	labels := map[string]string{"app": "foo", "controller": foo.Name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{
			Name:            foo.Spec.DeploymentName,
			Namespace:       foo.Namespace,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(foo, v1alpha1.SchemeGroupVersion.WithKind("Foo"))},
		},
		Spec: appsv1.DeploymentSpec{
			Replicas: foo.Spec.Replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					Containers: []corev1.Container{{Name: "web", Image: "registry.example.com/web:1"}},
				},
			},
		},
	}
}
