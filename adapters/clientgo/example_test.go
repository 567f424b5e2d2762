package clientgo_test

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/adapters/clientgo"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// In a program, informer is one of a generated factory: factory.Example().V1().Foos().Informer().
func ExampleSharedIndexInformer() {
	kind := cache.Kind[*metav1.PartialObjectMetadata]{
		Resource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "foos"},
		ListWatch: func(string) cache.ListerWatcher[*metav1.PartialObjectMetadata] {
			return clientgo.ListerWatcher[*metav1.PartialObjectMetadata](fakeListWatch())
		},
	}
	informer, err := kind.NewInformer()
	if err != nil {
		fmt.Println(err)
		return
	}

	// From here on, all is client-go.
	var shared toolscache.SharedIndexInformer = clientgo.SharedIndexInformer(informer)
	handle, err := shared.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { fmt.Println("added", obj.(*metav1.PartialObjectMetadata).Name) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		shared.Run(stop)
	}()
	if toolscache.WaitForCacheSync(stop, handle.HasSynced) {
		_, exists, err := shared.GetIndexer().GetByKey("team-a/web")
		fmt.Println(exists, err)
	}
	close(stop)
	<-ended
	// Output:
	// added web
	// true <nil>
}

// In a program, informer is one of a factory that was generated with --informers=client-go.
func ExampleTypedInformer() {
	informer := clientgo.NewInformer(clientgo.Source{
		Object:    &metav1.PartialObjectMetadata{},
		Resource:  schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "foos"},
		ListWatch: fakeListWatch(),
	})

	foos, err := clientgo.TypedInformer[*metav1.PartialObjectMetadata](informer)
	if err != nil {
		fmt.Println(err)
		return
	}
	added, err := foos.AddEventHandler(cache.ResourceEventHandlerFuncs[*metav1.PartialObjectMetadata]{
		AddFunc: func(foo *metav1.PartialObjectMetadata, _ bool) { fmt.Println("added", foo.Name) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		informer.RunWithContext(ctx) // as the factory does
	}()
	if err := cache.WaitForCacheSync(ctx, added); err == nil {
		foo, exists := foos.GetIndexer().Get(cache.ObjectName{Namespace: "team-a", Name: "web"})
		fmt.Println(foo.Namespace, exists, len(informer.GetStore().List()))
	}
	cancel()
	<-ended
	fmt.Println(foos.Status().Phase)
	// Output:
	// added web
	// team-a true 1
	// Stopped
}

func fakeListWatch() *toolscache.ListWatch {
	list := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
	list.Items = []metav1.PartialObjectMetadata{{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "web", ResourceVersion: "1"}}}
	return &toolscache.ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) { return list, nil },
		WatchFuncWithContext: func(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
			if options.SendInitialEvents != nil {
				return nil, fmt.Errorf("no streaming lists")
			}
			return watch.NewFake(), nil
		},
	}
}
