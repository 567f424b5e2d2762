package clientgo

import (
	"context"
	"maps"
	"reflect"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// Source says what an informer of code that was generated with --informers=client-go lists and watches.
type Source struct {
	Resource schema.GroupVersionResource
	// Kind, Object and Protobuf are the fields of these names of a [cache.Kind].
	Kind     string
	Object   runtime.Object
	Protobuf runtime.Object
	// Namespace is empty for all namespaces, and for cluster-scoped kinds.
	Namespace string
	// Client sends the requests of Clientset. A fake of client-go has no such client; its objects come from ListWatch.
	Clientset any
	Client    rest.Interface
	ListWatch toolscache.ListerWatcher

	// TweakListOptions may be nil.
	TweakListOptions func(*metav1.ListOptions)
	ResyncPeriod     time.Duration
	Indexers         toolscache.Indexers
}

// NewInformer returns an informer of this repository as client-go's. [TypedInformer] returns its typed form. Like client-go's
// functions, NewInformer panics on indexers that AddIndexers refuses, and on a negative period.
func NewInformer(source Source) toolscache.SharedIndexInformer {
	kind := cache.Kind[cache.Object]{
		Resource: source.Resource, Kind: source.Kind, Object: source.Object, Protobuf: source.Protobuf,
		Namespaced: true, // it may be: an empty Namespace does not tell
		Open:       func(namespace string) bodies.OpenFunc { return bodies.Open(source.Client, source.Resource, namespace) },
		ListWatch:  func(string) cache.ListerWatcher[cache.Object] { return listWatch(source.ListWatch, source.Clientset) },
	}
	options := []cache.SharedInformerOption{cache.WithResync(source.ResyncPeriod)}
	if source.Namespace != "" {
		options = append(options, cache.WithNamespace(source.Namespace))
	}
	if source.TweakListOptions != nil {
		options = append(options, cache.WithTweakListOptions(source.TweakListOptions))
	}
	informer, err := kind.NewInformer(options...)
	if err != nil {
		panic(err)
	}
	return newOwnInformer(informer, source.Object, toolscache.SharedIndexInformerOptions{ResyncPeriod: source.ResyncPeriod, Indexers: source.Indexers})
}

// listWatch returns a ListerWatcher of a clientset.
func listWatch(lw toolscache.ListerWatcher, clientset any) cache.ListerWatcher[cache.Object] {
	if of, fake := clientset.(recording); fake {
		return cache.NewListWatch[cache.Object](struct {
			source
			recording
		}{source{toolscache.ToListerWatcherWithContext(lw)}, of})
	}
	return ListerWatcher[cache.Object](lw)
}

// recording has the method by which cache.NewListWatch recognizes a fake.
type recording interface{ ClearActions() }

// Factory shares informers by the Go type of their objects. The factories of code that was generated with --informers=client-go
// embed it. Its fields are set before the first call. All methods may be called from any goroutine.
type Factory struct {
	// Resync is the resync period of informers without one of their own.
	Resync    time.Duration
	Transform toolscache.TransformFunc

	mu        sync.Mutex // guards the fields below
	resyncs   map[reflect.Type]time.Duration
	informers map[reflect.Type]toolscache.SharedIndexInformer
	started   map[reflect.Type]bool
	ending    bool
	running   sync.WaitGroup
}

// SetResyncs sets the resync period of informers by the type of their objects.
func (f *Factory) SetResyncs(periods map[metav1.Object]time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.resyncs == nil {
		f.resyncs = map[reflect.Type]time.Duration{}
	}
	for obj, period := range periods {
		f.resyncs[reflect.TypeOf(obj)] = period
	}
}

// InformerFor returns the informer of objects of the type of obj. create makes it at the first call. It must not call the factory.
func (f *Factory) InformerFor(obj runtime.Object, create func(resync time.Duration) toolscache.SharedIndexInformer) toolscache.SharedIndexInformer {
	f.mu.Lock()
	defer f.mu.Unlock()
	of := reflect.TypeOf(obj)
	if informer := f.informers[of]; informer != nil {
		return informer
	}
	resync, ok := f.resyncs[of]
	if !ok {
		resync = f.Resync
	}
	informer := create(resync)
	if f.Transform != nil {
		// It fails only for an informer that was started, and this one is new.
		_ = informer.SetTransform(f.Transform)
	}
	if f.informers == nil {
		f.informers, f.started = map[reflect.Type]toolscache.SharedIndexInformer{}, map[reflect.Type]bool{}
	}
	f.informers[of] = informer
	return informer
}

// Start starts the informers that exist and are not started yet. They run until stopCh is closed.
func (f *Factory) Start(stopCh <-chan struct{}) { f.StartWithContext(wait.ContextForChannel(stopCh)) }

// StartWithContext is Start for a context.
func (f *Factory) StartWithContext(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ending {
		return
	}
	for of, informer := range f.informers {
		if !f.started[of] {
			f.started[of] = true
			f.running.Go(func() { informer.RunWithContext(ctx) })
		}
	}
}

// Shutdown returns when all goroutines of the informers have ended, which their context or channel has to stop.
func (f *Factory) Shutdown() {
	f.mu.Lock()
	f.ending = true
	f.mu.Unlock()
	f.running.Wait()
}

// WaitForCacheSync blocks until all started informers have their first list, or stopCh is closed. The result tells which
// informers have it.
func (f *Factory) WaitForCacheSync(stopCh <-chan struct{}) map[reflect.Type]bool {
	synced, _ := f.WaitForSync(wait.ContextForChannel(stopCh))
	return synced
}

// WaitForSync is WaitForCacheSync for a context. The error is the cause of its end, or nil if all informers have their first list.
func (f *Factory) WaitForSync(ctx context.Context) (map[reflect.Type]bool, error) {
	f.mu.Lock()
	informers := maps.Clone(f.informers)
	maps.DeleteFunc(informers, func(of reflect.Type, _ toolscache.SharedIndexInformer) bool { return !f.started[of] })
	f.mu.Unlock()
	result := make(map[reflect.Type]bool, len(informers))
	var err error
	for of, informer := range informers {
		if ours, ok := informer.(checked); ok {
			select {
			case <-ours.synced().Done():
			case <-ctx.Done():
			}
		} else {
			toolscache.WaitForCacheSync(ctx.Done(), informer.HasSynced) // it is one of the caller's
		}
		if result[of] = informer.HasSynced(); !result[of] {
			err = context.Cause(ctx)
		}
	}
	return result, err
}
