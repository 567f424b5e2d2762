package main

import (
	"context"
	"errors"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// accept is what a generated informer asks for: acceptBuiltin for the kinds of k8s.io/api.
const (
	accept        = runtime.ContentTypeJSON
	acceptBuiltin = runtime.ContentTypeJSON
)

// newOurs makes an informer of this runtime, as a generated factory does.
func newOurs[T cache.Object](c *client, handlers []handler) (*informer, error) {
	decode := cache.DecodeOptions{WithoutManagedFields: c.Fields != report.AllFields}
	if c.Fields == report.View {
		decode.WithoutAnnotations = []string{unread}
	}
	var requests rest.Interface = c.databases
	resource, asks := podserver.Kinds[c.Kind].GroupVersionResource(), accept
	if c.Kind == report.Pods {
		requests = c.clientset.CoreV1().RESTClient()
		if !c.JSON {
			asks = acceptBuiltin
		}
	}
	i := cache.NewSharedIndexInformer(cache.Config[T]{
		Resource: resource,
		Open: func(ctx context.Context, options metav1.ListOptions) (io.ReadCloser, error) {
			return requests.Get().Resource(resource.Resource).SpecificallyVersionedParams(&options, metav1.ParameterCodec, schema.GroupVersion{Version: "v1"}).
				SetHeader("Accept", asks).Stream(ctx)
		},
		Settings: cache.Settings{Decode: decode, WithoutStreamingList: c.Mode == report.List},
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
