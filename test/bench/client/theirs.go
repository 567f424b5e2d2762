package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/gentype"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// theirPods are those of a factory. The feature gate of client-go decides whether it asks
// for a streaming list.
func theirPods(connection *connection) cache.SharedIndexInformer {
	return informers.NewSharedInformerFactory(connection.clientset, 0).Core().V1().Pods().Informer()
}

// theirMetadata returns the informer of a metadata factory.
func (c *client) theirMetadata(config *rest.Config) cache.SharedIndexInformer {
	requests := meter.Must(metadata.NewForConfig(config))
	return metadatainformer.NewSharedInformerFactory(requests, 0).ForResource(c.kind.GroupVersionResource()).Informer()
}

// typedDatabases is what client-gen writes for a custom resource.
func typedDatabases(c *connection) *gentype.ClientWithList[*podserver.Database, *podserver.DatabaseList] {
	return gentype.NewClientWithList[*podserver.Database, *podserver.DatabaseList]("databases", c.databases, runtime.NewParameterCodec(scheme), "",
		func() *podserver.Database { return new(podserver.Database) }, func() *podserver.DatabaseList { return new(podserver.DatabaseList) })
}

// theirDatabases are what informer-gen writes for a custom resource.
func theirDatabases(c *connection) cache.SharedIndexInformer {
	requests := typedDatabases(c)
	source := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return requests.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return requests.Watch(ctx, options)
		},
	}, c.databases)
	return cache.NewSharedIndexInformer(source, new(podserver.Database), 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
}

// newTheirs adds handlers of T.
func newTheirs[T metav1.Object](c *client, i cache.SharedIndexInformer, handlers []handler) *informer {
	if c.fields == "unmanaged" || c.fields == "view" {
		meter.Check(i.SetTransform(transform(c.fields)))
	}
	for _, h := range handlers {
		meter.Must(i.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { h.Add() },
			UpdateFunc: func(_, after any) { h.Update(after.(T)) },
			DeleteFunc: func(any) { h.Delete() },
		}))
	}
	return &informer{
		run: i.RunWithContext,
		stored: func(yield func(podserver.Object) bool) {
			for _, obj := range i.GetStore().List() {
				if !yield(obj.(podserver.Object)) {
					return
				}
			}
		},
	}
}

// transform keeps fewer fields of each object, as programs do with client-go.
func transform(fields string) cache.TransformFunc {
	return func(obj any) (any, error) {
		object, ok := obj.(podserver.Object)
		if !ok {
			return nil, fmt.Errorf("%T is no object", obj)
		}
		object.SetManagedFields(nil)
		pod, ok := obj.(*corev1.Pod)
		if !ok || fields == "unmanaged" {
			return object, nil
		}
		pod.Annotations = nil
		return &corev1.Pod{
			TypeMeta: pod.TypeMeta, ObjectMeta: pod.ObjectMeta, Spec: corev1.PodSpec{NodeName: pod.Spec.NodeName},
			Status: corev1.PodStatus{Phase: pod.Status.Phase, PodIP: pod.Status.PodIP},
		}, nil
	}
}
