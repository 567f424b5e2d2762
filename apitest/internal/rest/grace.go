package rest

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// markDeleting sets the deletionTimestamp, and reports whether it was not set before.
func (s *Store) markDeleting(obj *unstructured.Unstructured) bool {
	if isDeleting(obj.Object) {
		return false
	}
	if generation := obj.GetGeneration(); generation > 0 {
		obj.SetGeneration(generation + 1)
	}
	now, none := metav1.NewTime(s.Now()), int64(0)
	obj.SetDeletionTimestamp(&now)
	obj.SetDeletionGracePeriodSeconds(&none)
	return true
}

// defaultGracePeriod is the time in seconds that a pod has to stop, unless its spec has another one.
const defaultGracePeriod = 30

// gracePeriod returns the time in seconds that a pod has to stop. As in a cluster, a pod without a node, and one
// that has ended, need none.
func gracePeriod(pod map[string]any, options *metav1.DeleteOptions) int64 {
	period := int64(defaultGracePeriod)
	if own, has, _ := unstructured.NestedInt64(pod, "spec", "terminationGracePeriodSeconds"); has {
		period = own
	}
	if asked := options.GracePeriodSeconds; asked != nil {
		period = *asked
	}
	node, _, _ := unstructured.NestedString(pod, "spec", "nodeName")
	phase, _, _ := unstructured.NestedString(pod, "status", "phase")
	switch {
	case node == "", phase == "Failed", phase == "Succeeded":
		return 0
	case period < 0:
		return 1
	}
	return period
}

// stop marks a pod as deleting, or shortens the time that it has to stop. It reports false if the deletion changes
// nothing, because the pod has no more time than that. It follows BeforeDelete of the API server.
func (s *Store) stop(pod *unstructured.Unstructured, options *metav1.DeleteOptions) bool {
	start, period := s.Now(), gracePeriod(pod.Object, options)
	if isDeleting(pod.Object) {
		left := *pod.GetDeletionGracePeriodSeconds()
		if options.GracePeriodSeconds == nil {
			return false
		}
		if period = *options.GracePeriodSeconds; period < 0 {
			period = 1
		}
		if period >= left {
			return false
		}
		start = pod.GetDeletionTimestamp().Add(-time.Duration(left) * time.Second)
		if now := s.Now(); start.Add(time.Duration(period) * time.Second).Before(now) {
			period = min(period, 1) // the kubelet still has to delete the pod, unless it does so now
			start = now.Add(-time.Duration(period) * time.Second)
		}
	}
	s.markDeleting(pod)
	end := metav1.NewTime(start.Add(time.Duration(period) * time.Second))
	pod.SetDeletionTimestamp(&end)
	pod.SetDeletionGracePeriodSeconds(&period)
	return true
}
