package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"
	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/writes"
	"github.com/typedinformers/informer-gen/test/bench/meter"
)

// side is what a controller reads from and writes with. Its functions but start may be called
// from any goroutine.
type side struct {
	// start returns when the cache has synced. Event handlers call enqueue with the name of the
	// database that an event is about. stop returns when the cache has ended.
	start func(ctx context.Context, enqueue func(database string)) (stop func())
	// get returns a copy from the cache, and liveGet from the server.
	get, liveGet func(ctx context.Context, name string) (*datav1.Database, error)
	updateStatus func(ctx context.Context, db *datav1.Database) error
}

// sides are by their names. _consistency.go adds one with the ConsistencyStore of a later client-go.
var sides = map[string]func(*rest.Config) side{
	// informers are ours as they are by default. informer-gen is the same with cache.WithReadYourWrites.
	"informers": func(config *rest.Config) side { return newInformers(config) },
	"informer-gen": func(config *rest.Config) side {
		own := new(writes.Observer)
		config.Wrap(own.Transport)
		return newInformers(config, cache.WithReadYourWrites(own))
	},
	// controller-runtime is a manager. controller-runtime-consistent is the same with EnableReadYourWritesConsistency.
	"controller-runtime": func(config *rest.Config) side { return newManager(config, ctrl.Options{}) },
	"controller-runtime-consistent": func(config *rest.Config) side {
		return newManager(config, ctrl.Options{Client: client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: ptr.To(true)}}})
	},
	// crcache is a manager of controller-runtime over our cache with ReadYourWrites.
	"crcache": func(config *rest.Config) side {
		own := new(writes.Observer)
		config.Wrap(own.Transport)
		return newManager(config, ctrl.Options{NewCache: crcache.NewFunc(crcache.WithReadYourWrites(own))})
	},
}

// newInformers has the generated client and informers.
func newInformers(config *rest.Config, options ...informers.SharedInformerOption) side {
	clients := meter.Must(versioned.NewForConfig(config))
	factory := informers.NewSharedInformerFactory(clients, 0, options...)
	databases, live := factory.Data().V1().Databases(), clients.DataV1().Databases(namespace)
	lister := databases.Lister().Databases(namespace)
	return side{
		start: func(ctx context.Context, enqueue func(string)) (stop func()) {
			meter.Must(databases.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*datav1.Database]{
				AddFunc:    func(db *datav1.Database, _ bool) { enqueue(db.Name) },
				UpdateFunc: func(_, db *datav1.Database) { enqueue(db.Name) },
			}))
			factory.Start(ctx)
			meter.Check(factory.WaitForCacheSync(ctx))
			return factory.Shutdown
		},
		get: func(_ context.Context, name string) (*datav1.Database, error) {
			db, err := lister.Get(name)
			return db.DeepCopy(), err
		},
		liveGet: func(ctx context.Context, name string) (*datav1.Database, error) {
			return live.Get(ctx, name, metav1.GetOptions{})
		},
		updateStatus: func(ctx context.Context, db *datav1.Database) error {
			_, err := live.UpdateStatus(ctx, db, metav1.UpdateOptions{})
			return err
		},
	}
}

// newManager has the client of a manager.
func newManager(config *rest.Config, options ctrl.Options) side {
	options.Scheme = runtime.NewScheme()
	utilruntime.Must(datav1.AddToScheme(options.Scheme))
	options.Metrics = metricsserver.Options{BindAddress: "0"}
	manager := meter.Must(ctrl.NewManager(config, options))
	get := func(from client.Reader) func(context.Context, string) (*datav1.Database, error) {
		return func(ctx context.Context, name string) (*datav1.Database, error) {
			db := new(datav1.Database)
			return db, from.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, db)
		}
	}
	return side{
		start: func(ctx context.Context, enqueue func(string)) (stop func()) {
			meter.Must(meter.Must(manager.GetCache().GetInformer(ctx, new(datav1.Database))).AddEventHandler(toolscache.ResourceEventHandlerFuncs{
				AddFunc:    func(obj any) { enqueue(obj.(*datav1.Database).Name) },
				UpdateFunc: func(_, obj any) { enqueue(obj.(*datav1.Database).Name) },
			}))
			running, cancel := context.WithCancel(ctx)
			ended := make(chan error, 1)
			go func() { ended <- manager.Start(running) }()
			if !manager.GetCache().WaitForCacheSync(ctx) {
				meter.Check(context.Cause(ctx))
			}
			return func() {
				cancel()
				meter.Check(<-ended)
			}
		},
		get: get(manager.GetClient()), liveGet: get(manager.GetAPIReader()),
		updateStatus: func(ctx context.Context, db *datav1.Database) error {
			return manager.GetClient().Status().Update(ctx, db)
		},
	}
}
