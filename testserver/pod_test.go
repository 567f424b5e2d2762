package testserver_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/typedinformers/informer-gen/testserver"
)

// newPod creates a Pod on a node, after changes to its spec. A status is written after that.
func newPod(t *testing.T, pods typedcorev1.PodInterface, name string, change func(*corev1.Pod)) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.PodSpec{NodeName: "node-1", Containers: []corev1.Container{{Name: "web", Image: "registry.example.com/web:1"}}},
	}
	if change != nil {
		change(pod)
	}
	status := pod.Status
	created, err := pods.Create(t.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if created.Status.Phase != corev1.PodPending {
		t.Errorf("a new Pod has the phase %q", created.Status.Phase)
	}
	if status.Phase != "" {
		created.Status = status
		if created, err = pods.UpdateStatus(t.Context(), created, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return created
}

func seconds(n int64) metav1.DeleteOptions { return metav1.DeleteOptions{GracePeriodSeconds: &n} }

// TestPodDeletion deletes Pods several times. TestPodDeletion of test/kubetest compares this with a kube-apiserver.
func TestPodDeletion(t *testing.T) {
	t.Parallel()
	pods := kubeClient(t, testserver.Start(t, testserver.WithBuiltIn(&corev1.Pod{}))).CoreV1().Pods("default")
	const gone = -1
	phase := func(phase corev1.PodPhase) func(*corev1.Pod) {
		return func(pod *corev1.Pod) { pod.Status.Phase = phase }
	}
	grace := func(n int64) func(*corev1.Pod) {
		return func(pod *corev1.Pod) { pod.Spec.TerminationGracePeriodSeconds = &n }
	}
	held := func(pod *corev1.Pod) { pod.Finalizers = []string{"example.com/held"} }
	plain := metav1.DeleteOptions{}
	for i, test := range []struct {
		name    string
		change  func(*corev1.Pod)
		deletes []metav1.DeleteOptions
		want    []int64 // the grace period after each deletion
	}{
		{"on a node", nil, []metav1.DeleteOptions{plain, plain, seconds(0)}, []int64{30, 30, gone}},
		{"without a node", func(pod *corev1.Pod) { pod.Spec.NodeName = "" }, []metav1.DeleteOptions{seconds(5)}, []int64{gone}},
		{"succeeded", phase(corev1.PodSucceeded), []metav1.DeleteOptions{plain}, []int64{gone}},
		{"failed", phase(corev1.PodFailed), []metav1.DeleteOptions{plain}, []int64{gone}},
		{"running", phase(corev1.PodRunning), []metav1.DeleteOptions{plain, seconds(0)}, []int64{30, gone}},
		{"its own period", grace(7), []metav1.DeleteOptions{plain, seconds(0)}, []int64{7, gone}},
		{"its own period is 0", grace(0), []metav1.DeleteOptions{plain}, []int64{gone}},
		{"a negative period", nil, []metav1.DeleteOptions{seconds(-5), seconds(0)}, []int64{1, gone}},
		{"at once", nil, []metav1.DeleteOptions{seconds(0)}, []int64{gone}},
		{"shorter, and not longer", nil, []metav1.DeleteOptions{seconds(20), seconds(5), seconds(60), seconds(0)}, []int64{20, 5, 5, gone}},
		{"a finalizer", held, []metav1.DeleteOptions{plain, seconds(0)}, []int64{30, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := newPod(t, pods, fmt.Sprintf("pod-%d", i), test.change)
			for n, options := range test.deletes {
				if err := pods.Delete(t.Context(), pod.Name, options); err != nil {
					t.Fatal(err)
				}
				left, err := pods.Get(t.Context(), pod.Name, metav1.GetOptions{})
				if test.want[n] == gone {
					if !apierrors.IsNotFound(err) {
						t.Errorf("after deletion %d the Pod is %v, %v", n, left, err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if left.DeletionTimestamp == nil || *left.DeletionGracePeriodSeconds != test.want[n] {
					t.Errorf("after deletion %d the Pod has the grace period %v, want %d", n, left.DeletionGracePeriodSeconds, test.want[n])
				}
			}
		})
	}
}

// TestDeletedNamespaceTakesPods deletes a namespace with a Pod on a node, whose kubelet does not exist.
func TestDeletedNamespaceTakesPods(t *testing.T) {
	t.Parallel()
	client := kubeClient(t, testserver.Start(t, testserver.WithBuiltIn(&corev1.Pod{})))
	namespace, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "pods"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pods := client.CoreV1().Pods(namespace.Name)
	newPod(t, pods, "running", nil)
	newPod(t, pods, "terminating", nil)
	if err := pods.Delete(t.Context(), "terminating", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	watcher, err := client.CoreV1().Namespaces().Watch(t.Context(), metav1.ListOptions{ResourceVersion: namespace.ResourceVersion, FieldSelector: "metadata.name=pods"})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	began := time.Now()
	if err := client.CoreV1().Namespaces().Delete(t.Context(), namespace.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	await(t, watcher, watch.Deleted)
	if took := time.Since(began); took > defaultGrace/2 {
		t.Errorf("deleting the namespace takes %v", took)
	}
}

const defaultGrace = corev1.DefaultTerminationGracePeriodSeconds * time.Second
