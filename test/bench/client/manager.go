package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	ctrlclient "sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// newManager makes a manager with the defaults of controller-runtime, unless the fields are unmanaged, and the cache of newCache
// if that is not nil. Its controller calls the handler for each object that it has read.
func (c *client) newManager(config *rest.Config, newCache ctrlcache.NewCacheFunc, h handler) *informer {
	mapper := meta.NewDefaultRESTMapper(nil) // podserver has no discovery
	mapper.Add(c.kind.GroupVersionKind, meta.RESTScopeNamespace)
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	var object ctrlclient.Object = new(podserver.Database)
	var list ctrlclient.ObjectList = new(podserver.DatabaseList)
	if c.kindName == podserver.Pods {
		object, list = new(corev1.Pod), new(corev1.PodList)
	}
	var options ctrlcache.Options
	if c.fields == "unmanaged" {
		options.ByObject = map[ctrlclient.Object]ctrlcache.ByObject{object: {Transform: ctrlcache.TransformStripManagedFields(), UnsafeDisableDeepCopy: new(true)}}
	}
	manager := meter.Must(ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}, NewCache: newCache, Cache: options,
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return mapper, nil },
	}))
	r := &reconciler{reader: manager.GetClient(), object: object, handler: h, seen: map[ctrlclient.ObjectKey]bool{}}
	meter.Check(ctrl.NewControllerManagedBy(manager).Named("benchmark-" + c.side).For(object).Complete(r))
	return &informer{
		run: func(ctx context.Context) { meter.Check(manager.Start(ctx)) },
		stored: func(yield func(podserver.Object) bool) {
			meter.Check(manager.GetCache().List(context.Background(), list, ctrlclient.UnsafeDisableDeepCopy))
			for _, item := range meter.Must(meta.ExtractList(list)) {
				if !yield(item.(podserver.Object)) {
					return
				}
			}
		},
	}
}

// reconciler gets each object that it is called for, and tells the handler.
type reconciler struct {
	reader ctrlclient.Reader
	object ctrlclient.Object

	mu sync.Mutex // guards the fields below
	// handler counts the first call for an object as an addition, as seen has it.
	handler handler
	seen    map[ctrlclient.ObjectKey]bool
}

func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	obj := r.object.DeepCopyObject().(ctrlclient.Object)
	if err := r.reader.Get(ctx, request.NamespacedName, obj); err != nil {
		return reconcile.Result{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[request.NamespacedName] {
		r.handler.Update(obj)
	} else {
		r.seen[request.NamespacedName] = true
		r.handler.Add()
	}
	return reconcile.Result{}, nil
}

// newRequest makes an informer that throws a list away. It tells the handler of one object at its end.
func (c *client) newRequest(connection *connection, h handler) *informer {
	return &informer{run: func(ctx context.Context) {
		accept, options := apiruntime.ContentTypeJSON, metav1.ListOptions{ResourceVersion: "0"}
		if c.kindName == podserver.Pods && !c.json {
			accept = apiruntime.ContentTypeProtobuf
		}
		streaming := c.mode == "streaming"
		if streaming {
			accept += ";stream=watch"
			options = metav1.ListOptions{Watch: true, SendInitialEvents: &streaming, AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}
		}
		body := meter.Must(openFrom(connection.of(c.kind), c.kind)(ctx, options, accept))
		defer body.Close()
		buffer, end := make([]byte, 64<<10), []byte{}
		for {
			n, err := body.Read(buffer)
			end = append(end[max(0, len(end)-len(metav1.InitialEventsAnnotationKey)):], buffer[:n]...)
			if streaming && bytes.Contains(end, []byte(metav1.InitialEventsAnnotationKey)) || err == io.EOF {
				h.Add()
				return
			}
			meter.Check(err)
		}
	}}
}
