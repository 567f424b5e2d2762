package unsynced

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func reads(factory informers.SharedInformerFactory, stop chan struct{}) {
	lister := factory.Pods().Lister()
	factory.Start(stop)
	lister.List(labels.Everything()) // want `PodLister.List reads the cache before it is filled, because nothing waits after the start in line 16; call WaitForCacheSync`
}

func waits(factory informers.SharedInformerFactory, stop chan struct{}) {
	lister := factory.Pods().Lister()
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	lister.List(labels.Everything())
}

func waitsElsewhere(factory informers.SharedInformerFactory, stop chan struct{}) {
	lister := factory.Pods().Lister()
	start(factory, stop)
	lister.List(labels.Everything())
}

func start(factory informers.SharedInformerFactory, stop chan struct{}) {
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
}

type controller struct {
	informer cache.SharedIndexInformer
	lister   listers.PodLister
}

func (c *controller) run(stop chan struct{}) {
	go c.informer.Run(stop)
	go wait.Until(c.work, time.Second, stop) // want `this worker reads the cache before it is filled`
	<-stop
}

func (c *controller) runSynced(stop chan struct{}) {
	go c.informer.Run(stop)
	if !cache.WaitForCacheSync(stop, c.informer.HasSynced) {
		return
	}
	go wait.Until(c.work, time.Second, stop)
	<-stop
}

func (c *controller) work() { c.lister.List(labels.Everything()) }

func collects(informer cache.SharedIndexInformer, stop chan struct{}) int {
	names := map[string]bool{}
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) { names[obj.(*corev1.Pod).Name] = true }})
	go informer.Run(stop)
	cache.WaitForCacheSync(stop, informer.HasSynced)
	return len(names) // want `names may lack objects`
}

func collectsSynced(informer cache.SharedIndexInformer, stop chan struct{}) int {
	names := map[string]bool{}
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) { names[obj.(*corev1.Pod).Name] = true }})
	if err != nil {
		return 0
	}
	go informer.Run(stop)
	cache.WaitForCacheSync(stop, registration.HasSynced)
	return len(names)
}

func pageWrong(factory informers.SharedInformerFactory, stop chan struct{}) {
	lister := factory.Pods().Lister()
	factory.Start(stop)
	pods, err := lister.List(labels.Everything()) // want `before it is filled`
	println(pods, err)
}

func pageRight(factory informers.SharedInformerFactory, stop chan struct{}) {
	lister := factory.Pods().Lister()
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	pods, err := lister.List(labels.Everything())
	println(pods, err)
}
