// Package other has functions that change their arguments, and that read caches.
package other

import (
	corev1 "k8s.io/api/core/v1"
	listers "k8s.io/client-go/listers/core/v1"
)

func Label(pod *corev1.Pod) { // want Label:"uses objects of a cache"
	pod.Labels["a"] = "b"
}

func LabelCopy(pod *corev1.Pod) *corev1.Pod { // want LabelCopy:"uses objects of a cache"
	copied := pod.DeepCopy()
	copied.Labels["a"] = "b"
	if copied.Name == "" {
		return pod
	}
	return copied
}

func Find(lister listers.PodLister) (*corev1.Pod, error) { // want Find:"uses objects of a cache"
	return lister.Pods("a").Get("b")
}

func FindCopy(lister listers.PodLister) (*corev1.Pod, error) {
	pod, err := lister.Pods("a").Get("b")
	return pod.DeepCopy(), err
}
