package fullupdate // want package:"transforms or updates objects"

import (
	"context"

	"fullupdate/transform"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func update(ctx context.Context, informer cache.SharedIndexInformer, lister listers.PodNamespaceLister, pods typed.PodInterface) error {
	if err := transform.Set(informer); err != nil {
		return err
	}
	pod, err := lister.Get("a")
	if err != nil {
		return err
	}
	pod = pod.DeepCopy()
	pod.Labels["a"] = "b"
	if _, err := pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{}); err != nil {
		return err
	}
	_, err = pods.Update(ctx, pod, metav1.UpdateOptions{}) // want `this Update removes Spec.Containers of the v1.Pod on the server: a transform drops it from the cache, in transform.go:12`
	return err
}

func secrets(ctx context.Context, c client.Client) error {
	var secret corev1.Secret
	if err := c.Get(ctx, client.ObjectKey{}, &secret); err != nil {
		return err
	}
	return c.Update(ctx, &secret)
}

func patch(ctx context.Context, lister listers.PodNamespaceLister, pods typed.PodInterface, patch []byte) error {
	pod, err := lister.Get("a")
	if err != nil {
		return err
	}
	_, err = pods.Patch(ctx, pod.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}
