package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// newTheirs makes an informer of client-go. Its feature gate decides whether it asks for
// a streaming list.
func newTheirs(c report.Client, clients *kubernetes.Clientset, events *meter.Counter) (*informer, error) {
	var options []informers.SharedInformerOption
	if c.Fields != report.AllFields {
		options = append(options, informers.WithTransform(transform(c.Fields)))
	}
	factory := informers.NewSharedInformerFactoryWithOptions(clients, 0, options...)
	i := factory.Core().V1().Pods().Informer()
	_, err := i.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { events.Add() },
		UpdateFunc: func(_, after any) { events.Update(after.(*corev1.Pod)) },
		DeleteFunc: func(any) { events.Delete() },
	})
	return &informer{
		start: factory.StartWithContext,
		stored: func(yield func(metav1.Object) bool) {
			for _, obj := range i.GetStore().List() {
				if !yield(obj.(*corev1.Pod)) {
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
