package migration

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/test/migration/apis/samplecontroller/v1alpha1"
)

// The reasons of the Events.
const (
	synced            = "Synced"
	errResourceExists = "ErrResourceExists"
)

// Scenario is something that both operators do, seen through the API only.
type Scenario struct {
	Name string
	Run  func(*World)
}

// Scenarios hold on an API server in memory and on a kube-apiserver.
var Scenarios = []Scenario{
	{"creates the Deployment of a new Foo", createsForNew},
	{"creates the Deployment of a Foo from before the start", createsForOld},
	{"follows the replicas of the Foo", followsReplicas},
	{"corrects the replicas of the Deployment", correctsReplicas},
	{"follows the available replicas", followsStatus},
	{"creates a deleted Deployment again", createsDeleted},
	{"reports a Deployment of someone else", reportsForeign},
	{"waits for the name of the Deployment", waitsForName},
	{"creates a second Deployment for another name", followsName},
	{"leaves the Deployment of a deleted Foo alone", leavesOrphan},
	{"leaves other namespaces alone", leavesOtherNamespaces},
}

func createsForNew(w *World) {
	w.Start()
	foo := w.createFoo("web", "web-1", 3)
	w.awaitDeployment(foo, "web-1", 3)
	w.awaitEvent(foo, corev1.EventTypeNormal, synced)
	deployment := w.deployment("web-1")
	owner := metav1.GetControllerOf(deployment)
	if owner.APIVersion != v1alpha1.SchemeGroupVersion.String() || owner.Kind != "Foo" || owner.BlockOwnerDeletion == nil || !*owner.BlockOwnerDeletion {
		w.Errorf("the owner is %v", owner)
	}
	if selector := deployment.Spec.Selector.MatchLabels; len(selector) == 0 || !maps.Equal(selector, deployment.Spec.Template.Labels) {
		w.Errorf("the selector is %v, and the labels of pods are %v", selector, deployment.Spec.Template.Labels)
	}
}

func createsForOld(w *World) {
	foo := w.createFoo("web", "web-1", 2)
	w.Start()
	w.awaitDeployment(foo, "web-1", 2)
	w.awaitEvent(foo, corev1.EventTypeNormal, synced)
}

func followsReplicas(w *World) {
	w.Start()
	foo := w.createFoo("web", "web-1", 3)
	w.awaitDeployment(foo, "web-1", 3)
	w.changeFoo("web", func(spec *v1alpha1.FooSpec) { spec.Replicas = new(int32(0)) })
	w.awaitDeployment(foo, "web-1", 0)
	w.changeFoo("web", func(spec *v1alpha1.FooSpec) { spec.Replicas = new(int32(5)) })
	w.awaitDeployment(foo, "web-1", 5)
}

func correctsReplicas(w *World) {
	w.Start()
	foo := w.createFoo("web", "web-1", 3)
	w.awaitDeployment(foo, "web-1", 3)
	w.changeDeployment("web-1", func(deployment *appsv1.Deployment) { deployment.Spec.Replicas = new(int32(9)) })
	w.awaitDeployment(foo, "web-1", 3)
}

func followsStatus(w *World) {
	w.Start()
	w.awaitDeployment(w.createFoo("web", "web-1", 3), "web-1", 3)
	w.report("web-1", 2)
	w.awaitStatus("web", 2)
	w.report("web-1", 3)
	w.awaitStatus("web", 3)
	w.report("web-1", 0)
	w.awaitStatus("web", 0)
}

func createsDeleted(w *World) {
	w.Start()
	foo := w.createFoo("web", "web-1", 3)
	w.awaitDeployment(foo, "web-1", 3)
	w.report("web-1", 3)
	w.awaitStatus("web", 3)
	w.deleteDeployment("web-1")
	w.awaitDeployment(foo, "web-1", 3)
	w.awaitStatus("web", 0)
}

func reportsForeign(w *World) {
	w.createDeployment("web-1", 7, nil)
	w.Start()
	foo := w.createFoo("web", "web-1", 3)
	w.awaitEvent(foo, corev1.EventTypeWarning, errResourceExists)
	w.awaitTurn()
	if deployment := w.deployment("web-1"); len(deployment.OwnerReferences) > 0 || *deployment.Spec.Replicas != 7 {
		w.Errorf("the operator has changed a Deployment that no Foo owns: %v", deployment)
	}
	// No event of a Deployment without an owner concerns a Foo, so this is a retry.
	w.deleteDeployment("web-1")
	w.awaitDeployment(foo, "web-1", 3)
	w.awaitEvent(foo, corev1.EventTypeNormal, synced)
}

func waitsForName(w *World) {
	w.Start()
	foo := w.createFoo("web", "", 3)
	w.awaitTurn()
	list, err := w.Kube.AppsV1().Deployments(w.Namespace).List(w.Context(), metav1.ListOptions{})
	if err != nil {
		w.Fatal(err)
	}
	if len(list.Items) != 1 {
		w.Errorf("there are %d Deployments, want only the other one", len(list.Items))
	}
	w.changeFoo("web", func(spec *v1alpha1.FooSpec) { spec.DeploymentName = "web-1" })
	w.awaitDeployment(foo, "web-1", 3)
}

func followsName(w *World) {
	w.Start()
	foo := w.createFoo("web", "web-1", 3)
	w.awaitDeployment(foo, "web-1", 3)
	w.report("web-1", 3)
	w.awaitStatus("web", 3)
	w.changeFoo("web", func(spec *v1alpha1.FooSpec) { spec.DeploymentName = "web-2" })
	w.awaitDeployment(foo, "web-2", 3)
	w.awaitStatus("web", 0)
	w.awaitDeployment(foo, "web-1", 3)
}

// leavesOrphan has no garbage collector, so the Deployment stays.
func leavesOrphan(w *World) {
	w.Start()
	foo := w.createFoo("web", "web-1", 3)
	w.awaitDeployment(foo, "web-1", 3)
	w.createDeployment("job", 7, &metav1.OwnerReference{
		APIVersion: "example.com/v1", Kind: "Job", Name: "web", UID: "another", Controller: new(true),
	})
	if err := w.Foos(w.Namespace).Delete(w.Context(), "web", metav1.DeleteOptions{}); err != nil {
		w.Fatal(err)
	}
	w.awaitTurn()
	for _, name := range []string{"web-1", "job"} {
		w.changeDeployment(name, func(deployment *appsv1.Deployment) { deployment.Spec.Replicas = new(int32(9)) })
	}
	w.deleteDeployment("job")
	w.report("last", 0)
	w.awaitStatus("last", 0)
	if replicas := *w.deployment("web-1").Spec.Replicas; replicas != 9 {
		w.Errorf("the Deployment of a Foo that is gone has %d replicas, want 9", replicas)
	}
	w.deleteDeployment("web-1")
	w.report("last", 1)
	w.awaitStatus("last", 1)
	for _, name := range []string{"web-1", "job"} {
		if _, err := w.Kube.AppsV1().Deployments(w.Namespace).Get(w.Context(), name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			w.Errorf("%s is there again: %v", name, err)
		}
	}
}

func leavesOtherNamespaces(w *World) {
	other := w.Namespace + "-other"
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: other}}
	if _, err := w.Kube.CoreV1().Namespaces().Create(w.Context(), namespace, metav1.CreateOptions{}); err != nil {
		w.Fatal(err)
	}
	foo := &v1alpha1.Foo{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: v1alpha1.FooSpec{DeploymentName: "web-1", Replicas: new(int32(1))}}
	w.must(w.Foos(other).Create(w.Context(), foo, metav1.CreateOptions{}))
	w.Start()
	w.awaitTurn()
	list, err := w.Kube.AppsV1().Deployments(other).List(w.Context(), metav1.ListOptions{})
	if err != nil {
		w.Fatal(err)
	}
	if len(list.Items) > 0 {
		w.Errorf("the operator has created %s in a namespace that it does not serve", list.Items[0].Name)
	}
}
