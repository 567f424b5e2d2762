package ignore

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func reasons(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		/* want `no reason` */ //informervet:ignore
		_ = obj.(*corev1.Pod)
		//informervet:ignore the program ends here
		_ = obj.(*corev1.Pod)
	}})
}
