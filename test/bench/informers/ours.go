package main

import (
	"context"
	"io"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// newOurs makes an informer of this runtime.
func newOurs[T cache.Object](c report.Client, clients *kubernetes.Clientset, events *meter.Counter) (*informer, error) {
	client := clients.CoreV1().RESTClient()
	decode := cache.DecodeOptions{WithoutManagedFields: c.Fields != report.AllFields}
	if c.Fields == report.View {
		decode.WithoutAnnotations = []string{unread}
	}
	i := cache.NewSharedIndexInformer(cache.Config[T]{
		Resource: corev1.SchemeGroupVersion.WithResource("pods"),
		Open: func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
			return client.Get().Resource("pods").VersionedParams(&options, scheme.ParameterCodec).
				SetHeader("Accept", accept).Stream(ctx)
		},
		Settings: cache.Settings{Decode: decode, WithoutStreamingList: c.Mode == report.List},
	})
	_, err := i.AddEventHandler(cache.ResourceEventHandlerFuncs[T]{
		AddFunc:    func(T, bool) { events.Add() },
		UpdateFunc: func(_, after T) { events.Update(after) },
		DeleteFunc: func(T, bool) { events.Delete() },
	})
	return &informer{
		start: func(ctx context.Context) { go i.Run(ctx) },
		stored: func(yield func(metav1.Object) bool) {
			for obj := range i.GetStore().All() {
				if !yield(obj) {
					return
				}
			}
		},
		get: func(namespace, name string) (any, bool) {
			return i.GetStore().Get(cache.ObjectName{Namespace: namespace, Name: name})
		},
	}, err
}
