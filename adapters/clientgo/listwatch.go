package clientgo

import (
	"context"
	"errors"
	"io"
	"net"
	"reflect"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/features"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// ListerWatcher returns a ListerWatcher of client-go as one of an informer of T. The methods with
// a context are called if lw has them.
func ListerWatcher[T cache.Object](lw toolscache.ListerWatcher) cache.ListerWatcher[T] {
	return cache.NewListWatch[T](source{toolscache.ToListerWatcherWithContext(lw)})
}

// source is a ListerWatcher of client-go with the methods of a typed client.
type source struct {
	client toolscache.ListerWatcherWithContext
}

func (s source) List(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	return s.client.ListWithContext(ctx, options)
}

func (s source) Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	w, err := s.client.WatchWithContext(ctx, options)
	if err != nil && options.SendInitialEvents != nil && isOwn(err) {
		// The informer lists without a stream then, as client-go does.
		return nil, apierrors.NewBadRequest("the client refuses a streaming list: " + err.Error())
	}
	return w, err
}

// isOwn reports whether err is one of the ListerWatcher itself, rather than of a server or the
// connection to it.
func isOwn(err error) bool {
	var status apierrors.APIStatus
	var network net.Error
	switch {
	case errors.As(err, &status), errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return false
	}
	return true
}

// NewSharedIndexInformer returns an informer of this repository. It has the signature of
// client-go's function of that name, and can replace it, for example as Options.NewInformer of
// controller-runtime's cache. The objects are what lw returns. exampleObject names their type.
// A program that can name the type at compile time gets more of the informer from
// cache.Kind.NewInformer.
//
// It reads streaming lists if client-go's feature WatchListClient is enabled, unless lw states by
// IsWatchListSemanticsUnSupported that it has none. Like client-go's function, it panics on indexers that AddIndexers refuses,
// and on a negative period.
func NewSharedIndexInformer(lw toolscache.ListerWatcher, exampleObject runtime.Object, resyncPeriod time.Duration, indexers toolscache.Indexers) toolscache.SharedIndexInformer {
	return NewSharedIndexInformerWithOptions(lw, exampleObject, toolscache.SharedIndexInformerOptions{ResyncPeriod: resyncPeriod, Indexers: indexers})
}

// NewSharedIndexInformerWithOptions is NewSharedIndexInformer with the options of client-go's function of that name. A
// ShardSelector, which client-go has from v0.38 on, limits the informer to a shard. Identifier and InformerMetricsProvider have
// no effect; see status.Stats.
func NewSharedIndexInformerWithOptions(lw toolscache.ListerWatcher, exampleObject runtime.Object, options toolscache.SharedIndexInformerOptions) toolscache.SharedIndexInformer {
	kind := cache.Kind[cache.Object]{
		Resource:   resourceOf(exampleObject),
		ListWatch:  func(string) cache.ListerWatcher[cache.Object] { return ListerWatcher[cache.Object](lw) },
		Namespaced: true, // it may be: a ListerWatcher does not tell
	}
	set := []cache.SharedInformerOption{cache.WithResync(options.ResyncPeriod)}
	unsupported, states := lw.(interface{ IsWatchListSemanticsUnSupported() bool })
	if features.FeatureGates().Enabled(features.WatchListClient) && !(states && unsupported.IsWatchListSemanticsUnSupported()) {
		set = append(set, cache.WithStreamingList())
	}
	informer, err := kind.NewInformer(set...)
	if err != nil {
		panic(err)
	}
	return newOwnInformer(informer, exampleObject, options)
}

// resourceOf returns the resource of an object for logs: by its kind, or else by its Go type.
func resourceOf(obj runtime.Object) schema.GroupVersionResource {
	if obj == nil {
		return schema.GroupVersionResource{}
	}
	kind := obj.GetObjectKind().GroupVersionKind()
	if kind.Kind == "" {
		_, name, _ := strings.Cut(reflect.TypeOf(obj).String(), ".")
		kind = schema.GroupVersionKind{Kind: name}
	}
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	return resource
}
