package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// theirs is an informer of client-go. Whether it asks for a streaming list is
// decided by its feature gate.
type theirs struct {
	factory  informers.SharedInformerFactory
	informer cache.SharedIndexInformer
}

func newTheirs(fields string, clients *kubernetes.Clientset, heard *observer) (informer, error) {
	var options []informers.SharedInformerOption
	if transform := transforms[fields]; transform != nil {
		options = append(options, informers.WithTransform(transform))
	}
	factory := informers.NewSharedInformerFactoryWithOptions(clients, 0, options...)
	i := factory.Core().V1().Pods().Informer()
	_, err := i.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { heard.add() },
		UpdateFunc: func(before, after any) { heard.update(before.(*corev1.Pod), after.(*corev1.Pod)) },
		DeleteFunc: func(any) { heard.delete() },
	})
	return &theirs{factory, i}, err
}

// transforms keep less of each object, as programs do it with client-go.
var transforms = map[string]cache.TransformFunc{
	report.Unmanaged: func(obj any) (any, error) {
		pod, ok := obj.(*corev1.Pod)
		if !ok {
			return nil, fmt.Errorf("%T is no pod", obj)
		}
		pod.ManagedFields = nil
		return pod, nil
	},
	report.View: func(obj any) (any, error) {
		pod, ok := obj.(*corev1.Pod)
		if !ok {
			return nil, fmt.Errorf("%T is no pod", obj)
		}
		pod.ManagedFields, pod.Annotations = nil, nil
		return &corev1.Pod{
			TypeMeta: pod.TypeMeta, ObjectMeta: pod.ObjectMeta, Spec: corev1.PodSpec{NodeName: pod.Spec.NodeName},
			Status: corev1.PodStatus{Phase: pod.Status.Phase, PodIP: pod.Status.PodIP},
		}, nil
	},
}

func (t *theirs) start(ctx context.Context) { t.factory.StartWithContext(ctx) }

func (t *theirs) stored(yield func(metav1.Object)) {
	for _, obj := range t.informer.GetStore().List() {
		yield(obj.(*corev1.Pod))
	}
}

func (t *theirs) get(namespace, name string) (any, bool) {
	obj, exists, err := t.informer.GetStore().GetByKey(namespace + "/" + name)
	return obj, exists && err == nil
}
