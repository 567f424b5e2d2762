package blocking

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
)

type queue interface{ Add(key string) }

type controller struct {
	queue    queue
	pods     typed.PodInterface
	changes  chan string
	buffered chan string
}

func newController() *controller {
	return &controller{changes: make(chan string), buffered: make(chan string, 100)}
}

func (c *controller) register(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			c.pods.Get(context.Background(), "a", metav1.GetOptions{}) // want `this Get waits for the API server, in the add handler of blocking.go:28, whose next events wait in memory meanwhile`
			c.update(obj.(*corev1.Pod))
		},
		UpdateFunc: func(oldObj, newObj any) {
			time.Sleep(time.Second) // want `this sleep holds up the update handler of blocking.go:32, whose next events wait in memory meanwhile`
			c.changes <- "a"        // want `this send waits for a receiver, in the update handler of blocking.go:32, whose next events`
		},
		DeleteFunc: c.right,
	})
}

func (c *controller) update(pod *corev1.Pod) {
	c.pods.Update(context.Background(), pod, metav1.UpdateOptions{}) // want `this Update waits for the API server`
}

func (c *controller) right(obj any) {
	go c.update(nil)
	c.buffered <- "a"
	select {
	case c.changes <- "a":
	default:
	}
}

func (c *controller) page(ctx context.Context, informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			pod := obj.(*corev1.Pod)
			c.pods.Update(ctx, pod, metav1.UpdateOptions{}) // want `this Update waits for the API server`
			defer func() {
				c.pods.Update(ctx, pod, metav1.UpdateOptions{}) // want `this Update waits for the API server`
			}()
		},
		DeleteFunc: func(obj any) {
			pod := obj.(*corev1.Pod)
			c.queue.Add(pod.Name)
		},
	})
}

func local(informer cache.SharedIndexInformer) {
	changes, many := make(chan any), make(chan any, 10)
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			changes <- obj // want `this send waits for a receiver`
			many <- obj
		},
	})
	<-changes
}
