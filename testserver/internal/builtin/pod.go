package builtin

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// podStrategy deletes Pods as a cluster does: a Pod on a node stays for its grace period, until its kubelet
// confirms by a deletion without one.
type podStrategy struct{ strategy }

// defaultGracePeriod is the time in seconds that a Pod has to stop, unless its spec or the request says another.
const defaultGracePeriod = corev1.DefaultTerminationGracePeriodSeconds

// CheckGracefulDelete sets the grace period in the options. It is 0 for a Pod that no kubelet runs. The registry
// does the rest: a second request can shorten the period and not lengthen it.
func (podStrategy) CheckGracefulDelete(_ context.Context, object runtime.Object, options *metav1.DeleteOptions) bool {
	pod, ok := object.(*corev1.Pod)
	if !ok || options == nil {
		return false
	}
	period := int64(defaultGracePeriod)
	ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	switch {
	case pod.Spec.NodeName == "" || ended:
		period = 0
	case options.GracePeriodSeconds != nil: // the registry has replaced a negative one by 1
		period = *options.GracePeriodSeconds
	case pod.Spec.TerminationGracePeriodSeconds != nil:
		period = *pod.Spec.TerminationGracePeriodSeconds
	}
	if period < 0 {
		period = 1
	}
	options.GracePeriodSeconds = &period
	return true
}
