package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
)

// manager is a program of controller-runtime.
type manager struct {
	ctrl.Manager
	client client.Client
	live   client.Reader
}

// newManager has the defaults of controller-runtime.
func newManager(config *rest.Config) (program, error) { return makeManager(config, ctrl.Options{}) }

// newConsistentManager waits in each read until the cache has the writes before it.
func newConsistentManager(config *rest.Config) (program, error) {
	return makeManager(config, ctrl.Options{Client: client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: ptr.To(true)}}})
}

func makeManager(config *rest.Config, options ctrl.Options) (*manager, error) {
	options.Scheme = runtime.NewScheme()
	utilruntime.Must(datav1.AddToScheme(options.Scheme))
	options.Metrics = metricsserver.Options{BindAddress: "0"}
	m, err := ctrl.NewManager(config, options)
	if err != nil {
		return nil, err
	}
	return &manager{m, m.GetClient(), m.GetAPIReader()}, nil
}

func (m *manager) start(ctx context.Context, enqueue func(string)) (stop func(), err error) {
	for _, of := range []struct {
		object client.Object
		name   func(any) string
	}{
		{new(datav1.Database), func(obj any) string { return obj.(*datav1.Database).Name }},
		{new(datav1.DatabaseServer), func(obj any) string { return obj.(*datav1.DatabaseServer).Labels[ownerLabel] }},
	} {
		informer, err := m.GetCache().GetInformer(ctx, of.object)
		if err != nil {
			return nil, err
		}
		_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc:    func(obj any) { enqueue(of.name(obj)) },
			UpdateFunc: func(_, obj any) { enqueue(of.name(obj)) },
		})
		if err != nil {
			return nil, err
		}
	}
	running, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- m.Manager.Start(running) }()
	stop = func() {
		cancel()
		<-ended
	}
	if !m.GetCache().WaitForCacheSync(ctx) {
		stop()
		return nil, fmt.Errorf("the cache has not synced: %w", context.Cause(ctx))
	}
	return stop, nil
}

func (m *manager) database(ctx context.Context, name string) (*datav1.Database, error) {
	return get(ctx, m.client, name)
}

func (m *manager) liveDatabase(ctx context.Context, name string) (*datav1.Database, error) {
	return get(ctx, m.live, name)
}

func get(ctx context.Context, reader client.Reader, name string) (*datav1.Database, error) {
	db := new(datav1.Database)
	return db, reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, db)
}

func (m *manager) updateStatus(ctx context.Context, db *datav1.Database) error {
	return m.client.Status().Update(ctx, db)
}

func (m *manager) servers(ctx context.Context, database string) (servers []*datav1.DatabaseServer, err error) {
	var list datav1.DatabaseServerList
	if err := m.client.List(ctx, &list, client.InNamespace(namespace), client.MatchingLabels{ownerLabel: database}); err != nil {
		return nil, err
	}
	for i := range list.Items {
		servers = append(servers, &list.Items[i])
	}
	return servers, nil
}

func (m *manager) create(ctx context.Context, server *datav1.DatabaseServer) error {
	return m.client.Create(ctx, server)
}
