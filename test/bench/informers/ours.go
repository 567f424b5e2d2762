package main

import (
	"context"
	"io"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// ours is an informer of this runtime.
type ours[T cache.Object] struct {
	*cache.SharedIndexInformer[T]
}

func newOurs[T cache.Object](mode, fields string, clients *kubernetes.Clientset, heard *observer) (informer, error) {
	client := clients.CoreV1().RESTClient()
	decode := cache.DecodeOptions{WithoutManagedFields: fields != report.AllFields}
	if fields == report.View {
		decode.WithoutAnnotations = []string{unread}
	}
	i := cache.NewSharedIndexInformer(cache.Config[T]{
		Resource: corev1.SchemeGroupVersion.WithResource("pods"),
		Open: func(ctx context.Context, options metav1.ListOptions) (io.ReadCloser, error) {
			return client.Get().Resource("pods").VersionedParams(&options, scheme.ParameterCodec).
				SetHeader("Accept", "application/json").Stream(ctx)
		},
		Settings: cache.Settings{Decode: decode, WithoutStreamingList: mode == report.List},
	})
	_, err := i.AddEventHandler(cache.ResourceEventHandlerFuncs[T]{
		AddFunc:    func(T, bool) { heard.add() },
		UpdateFunc: func(before, after T) { heard.update(before, after) },
		DeleteFunc: func(T, bool) { heard.delete() },
	})
	return ours[T]{i}, err
}

func (o ours[T]) start(ctx context.Context) { go o.Run(ctx) }

func (o ours[T]) stored(yield func(metav1.Object)) {
	for obj := range o.GetStore().All() {
		yield(obj)
	}
}

func (o ours[T]) get(namespace, name string) (any, bool) {
	return o.GetStore().Get(cache.ObjectName{Namespace: namespace, Name: name})
}
