package main

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/gentype"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// theirInformer is an informer of client-go, and what starts it.
type theirInformer struct {
	cache.SharedIndexInformer
	start func(context.Context)
}

// theirPods are those of a factory. The feature gate of client-go decides whether it asks
// for a streaming list.
func (c *client) theirPods() theirInformer {
	var options []informers.SharedInformerOption
	if c.Fields != report.AllFields {
		options = append(options, informers.WithTransform(transform(c.Fields)))
	}
	factory := informers.NewSharedInformerFactoryWithOptions(c.clientset, 0, options...)
	return theirInformer{factory.Core().V1().Pods().Informer(), factory.StartWithContext}
}

// theirDatabases are what client-gen and informer-gen write for a custom resource.
func (c *client) theirDatabases() theirInformer {
	requests := gentype.NewClientWithList[*podserver.Database, *podserver.DatabaseList]("databases", c.databases, runtime.NewParameterCodec(databaseScheme), "",
		func() *podserver.Database { return new(podserver.Database) }, func() *podserver.DatabaseList { return new(podserver.DatabaseList) })
	source := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return requests.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return requests.Watch(ctx, options)
		},
	}, c.databases)
	i := cache.NewSharedIndexInformer(source, new(podserver.Database), 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	return theirInformer{i, func(ctx context.Context) { go i.RunWithContext(ctx) }}
}

// newTheirs adds handlers of T.
func newTheirs[T metav1.Object](i theirInformer, handlers []handler) (*informer, error) {
	var err error
	for _, h := range handlers {
		_, failed := i.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { h.Add() },
			UpdateFunc: func(_, after any) { h.Update(after.(T)) },
			DeleteFunc: func(any) { h.Delete() },
		})
		err = errors.Join(err, failed)
	}
	return &informer{
		start: i.start,
		stored: func(yield func(metav1.Object) bool) {
			for _, obj := range i.GetStore().List() {
				if !yield(obj.(T)) {
					return
				}
			}
		},
		get: func(namespace, name string) (any, bool) {
			obj, exists, err := i.GetStore().GetByKey(namespace + "/" + name)
			return obj, exists && err == nil
		},
	}, err
}

// transform keeps fewer fields of each object, as programs do with client-go.
func transform(fields string) cache.TransformFunc {
	return func(obj any) (any, error) {
		pod, ok := obj.(*corev1.Pod)
		if !ok {
			return nil, fmt.Errorf("%T is no pod", obj)
		}
		pod.ManagedFields = nil
		if fields == report.Unmanaged {
			return pod, nil
		}
		pod.Annotations = nil
		return &corev1.Pod{
			TypeMeta: pod.TypeMeta, ObjectMeta: pod.ObjectMeta, Spec: corev1.PodSpec{NodeName: pod.Spec.NodeName},
			Status: corev1.PodStatus{Phase: pod.Status.Phase, PodIP: pod.Status.PodIP},
		}, nil
	}
}
