package v1

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

type PodInterface interface {
	Get(ctx context.Context, name string, options metav1.GetOptions) (*corev1.Pod, error)
	List(ctx context.Context, options metav1.ListOptions) (*corev1.PodList, error)
	Update(ctx context.Context, pod *corev1.Pod, options metav1.UpdateOptions) (*corev1.Pod, error)
	UpdateStatus(ctx context.Context, pod *corev1.Pod, options metav1.UpdateOptions) (*corev1.Pod, error)
	Patch(ctx context.Context, name string, kind types.PatchType, data []byte, options metav1.PatchOptions) (*corev1.Pod, error)
}
