// Package helpers passes functions on to informers.
package helpers

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func All(handle func(obj any)) cache.ResourceEventHandler { // want All:"registers its arguments as handlers"
	return cache.ResourceEventHandlerFuncs{AddFunc: handle, DeleteFunc: handle}
}

func Name(obj any) string { // want Name:"asserts the type of an argument"
	return obj.(*corev1.Pod).Name
}
