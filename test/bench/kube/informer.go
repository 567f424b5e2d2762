package main

import (
	"context"
	"fmt"
	"iter"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	clientgo "k8s.io/client-go/tools/cache"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions/internalinterfaces"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// informer is one of either side, with an index by namespace and one handler.
type informer struct {
	// run returns when ctx has ended, and the informer.
	run func(ctx context.Context)
	// stored are all objects.
	stored iter.Seq[cache.Object]
}

// handler receives the events of an informer.
type handler interface {
	Add()
	Update(metav1.Object)
	Delete()
}

// newInformer makes an informer of the side and the mode that c has.
func newInformer(c *client, kind string, config *rest.Config, events handler) (*informer, error) {
	pods, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	databases, err := versioned.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	isOther := c.mode == report.Other
	var options []cache.SharedInformerOption
	var protobuf runtime.Object
	switch {
	case kind == report.Pods:
		protobuf = new(corev1.Pod) // as in a generated factory
		if isOther {
			options = append(options, cache.WithoutStreamingList())
		}
	case isOther:
		options = append(options, cache.WithStreamingList())
	}
	switch {
	case c.side == report.Ours && kind == report.Pods:
		return newOurs[*corev1.Pod](pods.CoreV1().RESTClient(), kind, protobuf, options, events)
	case c.side == report.Ours:
		return newOurs[*datav1.Database](databases.DataV1().RESTClient(), kind, protobuf, options, events)
	case c.side == report.Theirs && kind == report.Pods:
		return newTheirs(informers.NewSharedInformerFactory(pods, 0).Core().V1().Pods().Informer(), events)
	case c.side == report.Theirs:
		return newTheirs(clientgo.NewSharedIndexInformer(databasesOf(databases), &datav1.Database{}, 0,
			clientgo.Indexers{clientgo.NamespaceIndex: clientgo.MetaNamespaceIndexFunc}), events)
	}
	return nil, fmt.Errorf("there is no side %q", c.side)
}

// newOurs opens bodies as a generated factory does.
func newOurs[T cache.Object](client rest.Interface, kind string, protobuf runtime.Object, options []cache.SharedInformerOption, events handler) (*informer, error) {
	resource := kinds[kind].resource
	i, err := cache.Kind[T]{
		Resource: resource,
		Protobuf: protobuf,
		Open:     func(namespace string) cache.OpenFunc { return internalinterfaces.Open(client, resource, namespace) },
	}.NewInformer(options...)
	if err != nil {
		return nil, err
	}
	_, err = i.AddEventHandler(cache.ResourceEventHandlerFuncs[T]{
		AddFunc:    func(T, bool) { events.Add() },
		UpdateFunc: func(_, after T) { events.Update(after) },
		DeleteFunc: func(T, bool) { events.Delete() },
	})
	return &informer{
		run: i.Run,
		stored: func(yield func(cache.Object) bool) {
			for obj := range i.GetStore().All() {
				if !yield(obj) {
					return
				}
			}
		},
	}, err
}

// databasesOf lists and watches with the typed client, as informers of code-generator do.
func databasesOf(client versioned.Interface) clientgo.ListerWatcher {
	databases := client.DataV1().Databases("")
	return clientgo.ToListWatcherWithWatchListSemantics(&clientgo.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return databases.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return databases.Watch(ctx, options)
		},
	}, client)
}

func newTheirs(i clientgo.SharedIndexInformer, events handler) (*informer, error) {
	_, err := i.AddEventHandler(clientgo.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { events.Add() },
		UpdateFunc: func(_, after any) { events.Update(after.(metav1.Object)) },
		DeleteFunc: func(any) { events.Delete() },
	})
	return &informer{
		run: i.RunWithContext,
		stored: func(yield func(cache.Object) bool) {
			for _, obj := range i.GetStore().List() {
				if !yield(obj.(cache.Object)) {
					return
				}
			}
		},
	}, err
}
