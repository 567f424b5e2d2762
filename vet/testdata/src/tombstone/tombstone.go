package tombstone

import (
	typed "github.com/typedinformers/informer-gen/runtime/cache"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"tombstone/helpers"
)

type controller struct{ deleted []string }

func literal(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { println(obj.(*corev1.Pod).Name) },
		DeleteFunc: func(obj any) {
			println(obj.(*corev1.Pod).Name) // want `if the watch has missed a deletion, this assertion of \*v1.Pod panics, which ends the process; check for cache.DeletedFinalStateUnknown, and use its Obj`
		},
	})
}

func (c *controller) method(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.onDelete})
}

func (c *controller) onDelete(obj any) { c.drop(obj) }

func (c *controller) drop(obj any) {
	object := obj.(metav1.Object) // want `this assertion of v1.Object panics`
	c.deleted = append(c.deleted, object.GetName())
}

type implementation struct{}

func (implementation) OnAdd(obj any, isInInitialList bool) {}
func (implementation) OnUpdate(oldObj, newObj any)         {}
func (implementation) OnDelete(obj any) { // want OnDelete:`asserts the type of an argument`
	_ = obj.(*corev1.Pod) // want `this assertion of \*v1.Pod panics`
}

func implemented(informer cache.SharedIndexInformer) { informer.AddEventHandler(implementation{}) }

func filtered(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			return obj.(*corev1.Pod).Name != "" // want `this assertion of \*v1.Pod panics`
		},
		Handler: cache.ResourceEventHandlerFuncs{},
	})
}

func filteredRight(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool { // no tombstone passes it
			_, is := obj.(*corev1.Pod)
			return is
		},
		Handler: cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) { println(obj.(*corev1.Pod).Name) }},
	})
}

func filteredWrong(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			switch obj.(type) {
			case *corev1.Pod, cache.DeletedFinalStateUnknown:
				return true
			}
			return false
		},
		Handler: cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
			println(obj.(*corev1.Pod).Name) // want `panics`
		}},
	})
}

func returned() func(obj any) {
	return func(obj any) {
		_ = obj.(*corev1.Pod) // want `this assertion of \*v1.Pod panics`
	}
}

func more(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: returned()})
	informer.AddEventHandler(helpers.All(func(obj any) {
		println(helpers.Name(obj)) // want `in Name, this assertion of \*v1.Pod panics`
	}))
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		key, err := cache.MetaNamespaceKeyFunc(obj) // want `MetaNamespaceKeyFunc returns an error, and the deletion is lost; call DeletionHandlingMetaNamespaceKeyFunc`
		println(key, err)
	}})
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		tombstone, is := obj.(*cache.DeletedFinalStateUnknown) // want `never a pointer to one`
		println(tombstone, is)
	}})
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		pod := obj.(*corev1.Pod) // want `this assertion of \*v1.Pod panics`
		if tombstone, is := obj.(cache.DeletedFinalStateUnknown); is {
			pod = tombstone.Obj.(*corev1.Pod)
		}
		println(pod)
	}})
}

type generic[T any] struct{ names []string }

func (g *generic[T]) register(informer cache.SharedIndexInformer, name func(t T) string) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		g.names = append(g.names, name(obj.(T))) // want `this assertion of T panics`
	}})
}

func isPod(obj any) bool { _, is := obj.(*corev1.Pod); return is }

func right(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		if tombstone, is := obj.(cache.DeletedFinalStateUnknown); is {
			obj = tombstone.Obj
		}
		println(obj.(*corev1.Pod).Name)
	}})
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		switch t := obj.(type) {
		case *corev1.Pod:
			println(t.Name)
		case cache.DeletedFinalStateUnknown:
			println(t.Obj.(*corev1.Pod).Name)
		}
	}})
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		if isPod(obj) {
			println(obj.(*corev1.Pod).Name)
		}
	}})
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(oldObj, newObj any) { println(newObj.(*corev1.Pod).Name) },
		DeleteFunc: func(obj any) {
			key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
			println(key, err)
		},
	})
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		println(obj.(*corev1.Pod).Name) //informervet:ignore the server of the test loses no watch
	}})
}

func typedHandlers(informer *typed.SharedIndexInformer[*corev1.Pod]) {
	informer.AddEventHandler(typed.ResourceEventHandlerFuncs[*corev1.Pod]{DeleteFunc: func(pod *corev1.Pod, finalStateUnknown bool) { println(pod.Name) }})
}

func pageWrong(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		pod := obj.(*corev1.Pod) // want `panics`
		println(pod.Name)
	}})
}

func pageRight(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		if tombstone, is := obj.(cache.DeletedFinalStateUnknown); is {
			obj = tombstone.Obj
		}
		pod := obj.(*corev1.Pod)
		println(pod.Name)
	}})
}
