package main

import (
	"context"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/consistency"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/test/bench/meter"
)

func init() { sides["consistency-store"] = newConsistencyStore }

// newConsistencyStore has the generated client, an informer of client-go, and client-go's ConsistencyStore. EnsureReady returns an
// error while the informer is behind the last write to the object. A reconciler returns this error, and the next event of the
// object puts it into the queue again. Here the worker waits for that event, so that the time of a read includes the wait. The rate
// limiter of a queue would make it longer. Nothing calls Clear: EnsureReady clears the record, and no object is deleted.
func newConsistencyStore(config *rest.Config) side {
	clients := meter.Must(versioned.NewForConfig(config)).DataV1()
	all, live, resource := clients.Databases(metav1.NamespaceAll), clients.Databases(namespace), datav1.Resource("databases")
	informer := toolscache.NewSharedIndexInformer(&toolscache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return all.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return all.Watch(ctx, options)
		},
	}, new(datav1.Database), 0, toolscache.Indexers{})
	store := consistency.NewConsistencyStore(map[schema.GroupResource]consistency.LastSyncRVGetter{resource: informer.GetStore()})
	ownerOf := func(database string) types.NamespacedName {
		return types.NamespacedName{Namespace: namespace, Name: database}
	}
	var mu sync.Mutex
	events := sync.NewCond(&mu) // after each event, and at the end
	wake := func() {
		mu.Lock()
		defer mu.Unlock()
		events.Broadcast()
	}
	return side{
		start: func(ctx context.Context, enqueue func(string)) (stop func()) {
			changed := func(obj any) {
				wake()
				enqueue(obj.(*datav1.Database).Name)
			}
			meter.Must(informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
				AddFunc:    changed,
				UpdateFunc: func(_, obj any) { changed(obj) },
			}))
			context.AfterFunc(ctx, wake)
			running, cancel := context.WithCancel(ctx)
			var ended sync.WaitGroup
			ended.Go(func() { informer.RunWithContext(running) })
			if !toolscache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
				meter.Check(context.Cause(ctx))
			}
			return func() {
				cancel()
				ended.Wait()
			}
		},
		get: func(ctx context.Context, name string) (*datav1.Database, error) {
			mu.Lock()
			for store.EnsureReady(ownerOf(name)) != nil && ctx.Err() == nil {
				events.Wait()
			}
			mu.Unlock()
			obj, exists, err := informer.GetStore().GetByKey(ownerOf(name).String())
			switch {
			case ctx.Err() != nil:
				return nil, context.Cause(ctx)
			case err != nil:
				return nil, err
			case !exists:
				return nil, apierrors.NewNotFound(resource, name)
			}
			return obj.(*datav1.Database).DeepCopy(), nil
		},
		liveGet: func(ctx context.Context, name string) (*datav1.Database, error) {
			return live.Get(ctx, name, metav1.GetOptions{})
		},
		updateStatus: func(ctx context.Context, db *datav1.Database) error {
			updated, err := live.UpdateStatus(ctx, db, metav1.UpdateOptions{})
			if err == nil {
				store.WroteAt(ownerOf(db.Name), updated.UID, resource, updated.ResourceVersion)
			}
			return err
		},
	}
}
