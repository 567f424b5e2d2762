package testserver_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/testserver"
)

// TestTaintOfNewNodes creates nodes, which are not ready, and removes the taint of one.
func TestTaintOfNewNodes(t *testing.T) {
	t.Parallel()
	nodes := kubeClient(t, testserver.Start(t, testserver.WithBuiltIn(&corev1.Node{}))).CoreV1().Nodes()
	own := corev1.Taint{Key: "example.com/own", Effect: corev1.TaintEffectNoExecute}
	notReady := corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}
	for name, test := range map[string]struct{ given, want []corev1.Taint }{
		"bare":  {nil, []corev1.Taint{notReady}},
		"own":   {[]corev1.Taint{own}, []corev1.Taint{own, notReady}},
		"ready": {[]corev1.Taint{notReady}, []corev1.Taint{notReady}},
	} {
		node, err := nodes.Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Taints: test.given}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(node.Spec.Taints, test.want) {
			t.Errorf("the node %s has the taints %v, want %v", name, node.Spec.Taints, test.want)
		}
		node.Spec.Taints = nil
		if node, err = nodes.Update(t.Context(), node, metav1.UpdateOptions{}); err != nil || len(node.Spec.Taints) != 0 {
			t.Errorf("an update leaves the taints %v, with error %v", node.Spec.Taints, err)
		}
	}
}

// TestStatusOfNewNodes creates a node with a status, as kubelets do, and updates it without the subresource.
func TestStatusOfNewNodes(t *testing.T) {
	t.Parallel()
	nodes := kubeClient(t, testserver.Start(t, testserver.WithBuiltIn(&corev1.Node{}))).CoreV1().Nodes()
	status := func(kubelet string) corev1.NodeStatus {
		return corev1.NodeStatus{NodeInfo: corev1.NodeSystemInfo{KubeletVersion: kubelet}}
	}
	node, err := nodes.Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Status: status("v1")}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := node.Status.NodeInfo.KubeletVersion; got != "v1" {
		t.Errorf("a new node has the kubelet version %q, want v1", got)
	}
	node.Status = status("v2")
	if node, err = nodes.Update(t.Context(), node, metav1.UpdateOptions{}); err != nil || node.Status.NodeInfo.KubeletVersion != "v1" {
		t.Errorf("after an update it has the kubelet version %q, with error %v; want v1", node.Status.NodeInfo.KubeletVersion, err)
	}
}
