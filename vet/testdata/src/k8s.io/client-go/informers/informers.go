package informers

import (
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

type SharedInformerFactory interface {
	Start(stop <-chan struct{})
	WaitForCacheSync(stop <-chan struct{}) map[string]bool
	Pods() PodInformer
}

type PodInformer interface {
	Informer() cache.SharedIndexInformer
	Lister() listers.PodLister
}
