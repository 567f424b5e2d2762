package kubetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/testserver"
)

// TestPodDeletion deletes pods on a kube-apiserver, the server of fakes and the test server. All answer the same, keep the
// same, and tell watches the same. Deletions in the foreground are left out: a kube-apiserver alone has no garbage collector.
func TestPodDeletion(t *testing.T) {
	fake := apitest.Start(t, apitest.WithScheme(clientgoscheme.Scheme))
	sides := map[string]kubernetes.Interface{
		"kube-apiserver": clientFor(t, configOf(shared)),
		"apitest":        clientOfFake(t, fake),
		"testserver":     clientFor(t, testserver.Start(t, testserver.WithBuiltIn(&corev1.Pod{})).Config()),
	}
	seconds := func(n int64) metav1.DeleteOptions { return metav1.DeleteOptions{GracePeriodSeconds: &n} }
	onNode := func(pod *corev1.Pod) { pod.Spec.NodeName = "node-1" }
	graceOf := func(n int64) func(*corev1.Pod) {
		return func(pod *corev1.Pod) { pod.Spec.TerminationGracePeriodSeconds = &n }
	}
	phase := func(phase corev1.PodPhase) func(*corev1.Pod) {
		return func(pod *corev1.Pod) { pod.Status.Phase = phase }
	}
	held := func(pod *corev1.Pod) { pod.Finalizers = []string{"example.com/held"} }
	none := metav1.DeleteOptions{}
	for i, test := range []struct {
		name    string
		pod     []func(*corev1.Pod)
		deletes []metav1.DeleteOptions
	}{
		{"on a node", []func(*corev1.Pod){onNode}, []metav1.DeleteOptions{none, none, seconds(0)}},
		{"without a node", nil, []metav1.DeleteOptions{none}},
		{"without a node, with a time", nil, []metav1.DeleteOptions{seconds(5)}},
		{"failed", []func(*corev1.Pod){onNode, phase(corev1.PodFailed)}, []metav1.DeleteOptions{none}},
		{"succeeded", []func(*corev1.Pod){onNode, phase(corev1.PodSucceeded)}, []metav1.DeleteOptions{none}},
		{"running", []func(*corev1.Pod){onNode, phase(corev1.PodRunning)}, []metav1.DeleteOptions{none, seconds(0)}},
		{"its own time", []func(*corev1.Pod){onNode, graceOf(7)}, []metav1.DeleteOptions{none, seconds(0)}},
		{"its own time is none", []func(*corev1.Pod){onNode, graceOf(0)}, []metav1.DeleteOptions{none}},
		{"a negative time", []func(*corev1.Pod){onNode}, []metav1.DeleteOptions{seconds(-5), seconds(0)}},
		{"at once", []func(*corev1.Pod){onNode}, []metav1.DeleteOptions{seconds(0)}},
		{"shorter, and not longer", []func(*corev1.Pod){onNode}, []metav1.DeleteOptions{none, seconds(5), seconds(20), seconds(0)}},
		{"a finalizer", []func(*corev1.Pod){onNode, held}, []metav1.DeleteOptions{none, seconds(0), none}},
		{"a finalizer, without a node", []func(*corev1.Pod){held}, []metav1.DeleteOptions{none, none}},
		{"dry run", []func(*corev1.Pod){onNode}, []metav1.DeleteOptions{{DryRun: []string{metav1.DryRunAll}}, seconds(0)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines := map[string][]string{}
			for side, client := range sides {
				p := pod(fmt.Sprintf("deleted-%d", i))
				for _, change := range test.pod {
					change(p)
				}
				lines[side] = deletePod(t, client, p, test.deletes)
			}
			want := lines["kube-apiserver"]
			for side, got := range lines {
				if !slices.Equal(want, got) {
					t.Errorf("a kube-apiserver says\n\t%s\nand %s says\n\t%s", strings.Join(want, "\n\t"), side, strings.Join(got, "\n\t"))
				}
			}
		})
	}
}

func clientOfFake(t *testing.T, server *apitest.Server) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL(), Transport: server, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// deletePod creates a pod and deletes it several times. It returns what the server has after each deletion, and what a watch
// has heard.
func deletePod(t *testing.T, client kubernetes.Interface, p *corev1.Pod, deletes []metav1.DeleteOptions) (lines []string) {
	t.Helper()
	ctx, pods := within(t), client.CoreV1().Pods(metav1.NamespaceDefault)
	status := p.Status
	created, err := pods.Create(ctx, p, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if status.Phase != "" {
		created.Status.Phase = status.Phase
		if created, err = pods.UpdateStatus(ctx, created, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	watcher, err := pods.Watch(ctx, metav1.ListOptions{ResourceVersion: created.ResourceVersion, FieldSelector: "metadata.name=" + p.Name})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	for _, options := range deletes {
		began := time.Now()
		err := pods.Delete(ctx, p.Name, options)
		line := fmt.Sprintf("delete: %v", apierrors.ReasonForError(err))
		switch left, err := pods.Get(ctx, p.Name, metav1.GetOptions{}); {
		case apierrors.IsNotFound(err):
			line += ", gone"
		case err != nil:
			t.Fatal(err)
		default:
			line += ", " + deletionOf(left, began)
		}
		lines = append(lines, line)
	}
	// A last change, which ends the watch.
	if left, err := pods.Get(ctx, p.Name, metav1.GetOptions{}); err == nil {
		left.Finalizers = nil
		left.Labels = map[string]string{"last": "yes"}
		if _, err := pods.Update(ctx, left, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		_ = pods.Delete(ctx, p.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}) // it may be gone
	}
	for {
		select {
		case event := <-watcher.ResultChan():
			heard, ok := event.Object.(*corev1.Pod)
			if !ok {
				t.Fatalf("the watch has heard %v", event)
			}
			lines = append(lines, fmt.Sprintf("%s %s", event.Type, deletionOf(heard, time.Now())))
			if event.Type == "DELETED" {
				return lines
			}
		case <-ctx.Done():
			t.Fatalf("the watch has heard %q and no deletion", lines)
		}
	}
}

// deletionOf returns how far the deletion of a pod is.
func deletionOf(p *corev1.Pod, now time.Time) string {
	if p.DeletionTimestamp == nil {
		return "stays"
	}
	text := "terminating"
	if p.DeletionGracePeriodSeconds != nil {
		text += fmt.Sprintf(" within %d s", *p.DeletionGracePeriodSeconds)
	}
	if p.DeletionTimestamp.Sub(now) > time.Second {
		text += ", later"
	}
	return text
}
