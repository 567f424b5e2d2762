package main

import (
	"context"
	"errors"
	"io"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// newOurs makes an informer of this runtime, as a generated factory does.
func newOurs[T cache.Object](c *client, handlers []handler) (*informer, error) {
	decode := cache.DecodeOptions{WithoutManagedFields: c.Fields != report.AllFields, WithoutProtobuf: c.JSON}
	if c.Kind == report.Pods {
		decode.Protobuf = new(corev1.Pod)
	}
	if c.Fields == report.View {
		decode.WithoutAnnotations = []string{unread}
	}
	var requests rest.Interface = c.databases
	resource := podserver.Kinds[c.Kind].GroupVersionResource()
	if c.Kind == report.Pods {
		requests = c.clientset.CoreV1().RESTClient()
	}
	i := cache.NewSharedIndexInformer(cache.Config[T]{
		Resource: resource,
		Open: func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
			return requests.Get().Resource(resource.Resource).SpecificallyVersionedParams(&options, metav1.ParameterCodec, schema.GroupVersion{Version: "v1"}).
				SetHeader("Accept", accept).Stream(ctx)
		},
		Settings: cache.Settings{Decode: decode, StreamingList: c.Mode == report.Streaming, WithoutStreamingList: c.Mode == report.List},
	})
	var options []cache.HandlerOption
	if c.Scenario == report.SlowLimited {
		options = append(options, cache.WithBacklogLimit(backlogLimit))
	}
	var err error
	for _, h := range handlers {
		_, failed := i.AddEventHandler(cache.ResourceEventHandlerFuncs[T]{
			AddFunc:    func(T, bool) { h.Add() },
			UpdateFunc: func(_, after T) { h.Update(after) },
			DeleteFunc: func(T, bool) { h.Delete() },
		}, options...)
		err = errors.Join(err, failed)
	}
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
