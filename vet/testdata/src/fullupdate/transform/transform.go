package transform // want package:"transforms or updates objects"

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func Set(informer cache.SharedIndexInformer) error {
	return informer.SetTransform(func(obj any) (any, error) {
		if pod, is := obj.(*corev1.Pod); is {
			pod.ManagedFields = nil
			pod.Spec.Containers = nil
		}
		if secret, is := obj.(*corev1.Secret); is {
			secret.ManagedFields = nil // the server keeps those that it has
		}
		return obj, nil
	})
}
