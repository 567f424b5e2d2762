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
	"github.com/typedinformers/informer-gen/runtime/packed"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// newOurs makes an informer of this runtime, as a generated factory does.
func newOurs[T cache.Object](c *client, handlers []handler) (*informer, error) {
	var set []cache.SharedInformerOption
	if c.Fields != report.AllFields {
		set = append(set, cache.WithoutManagedFields())
	}
	if c.JSON {
		set = append(set, cache.WithoutProtobuf())
	}
	if c.Fields == report.View {
		set = append(set, cache.WithoutAnnotations(unread))
	}
	switch c.Mode {
	case report.Streaming:
		set = append(set, cache.WithStreamingList())
	case report.List:
		set = append(set, cache.WithoutStreamingList())
	}
	if c.Packed {
		set = append(set, packed.WithPackedObjects())
	}
	var requests rest.Interface = c.databases
	resource := podserver.Kinds[c.Kind].GroupVersionResource()
	if c.Kind == report.Pods {
		requests = c.clientset.CoreV1().RESTClient()
	}
	open := func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
		return requests.Get().Resource(resource.Resource).SpecificallyVersionedParams(&options, metav1.ParameterCodec, schema.GroupVersion{Version: "v1"}).
			SetHeader("Accept", accept).Stream(ctx)
	}
	kind := cache.Kind[T]{Resource: resource, Open: func(string) cache.OpenFunc { return open }}
	if c.Kind == report.Pods {
		kind.Protobuf = new(corev1.Pod)
	}
	i, err := kind.NewInformer(set...)
	if err != nil {
		return nil, err
	}
	var options []cache.HandlerOption
	if c.Scenario == report.SlowLimited {
		options = append(options, cache.WithBacklogLimit(backlogLimit))
	}
	for _, h := range handlers {
		if c.Names {
			_, failed := i.AddEventHandler(cache.ObjectNameHandler[T](func(cache.ObjectName) { h.Add() }), options...)
			err = errors.Join(err, failed)
			continue
		}
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
