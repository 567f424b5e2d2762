package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	apilisters "github.com/typedinformers/informer-gen/examples/operator/generated/listers/api/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// factory is a program of the generated client and informers.
type factory struct {
	client    *versioned.Clientset
	informers informers.SharedInformerFactory
	databases apilisters.DatabaseNamespaceLister
	children  apilisters.DatabaseServerNamespaceLister
}

func newInformers(config *rest.Config) (program, error) { return newFactory(config) }

func newFactory(config *rest.Config, options ...informers.SharedInformerOption) (*factory, error) {
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	f := &factory{client: client, informers: informers.NewSharedInformerFactory(client, 0, options...)}
	f.databases = f.informers.Data().V1().Databases().Lister().Databases(namespace)
	f.children = f.informers.Data().V1().DatabaseServers().Lister().DatabaseServers(namespace)
	return f, nil
}

func (f *factory) start(ctx context.Context, enqueue func(string)) (stop func(), err error) {
	data := f.informers.Data().V1()
	_, err = data.Databases().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*datav1.Database]{
		AddFunc:    func(db *datav1.Database, _ bool) { enqueue(db.Name) },
		UpdateFunc: func(_, db *datav1.Database) { enqueue(db.Name) },
	})
	if err != nil {
		return nil, err
	}
	_, err = data.DatabaseServers().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*datav1.DatabaseServer]{
		AddFunc: func(server *datav1.DatabaseServer, _ bool) { enqueue(server.Labels[ownerLabel]) },
	})
	if err != nil {
		return nil, err
	}
	f.informers.Start(ctx)
	return f.informers.Shutdown, f.informers.WaitForCacheSync(ctx)
}

func (f *factory) database(_ context.Context, name string) (*datav1.Database, error) {
	db, err := f.databases.Get(name)
	return db.DeepCopy(), err
}

func (f *factory) liveDatabase(ctx context.Context, name string) (*datav1.Database, error) {
	return f.client.DataV1().Databases(namespace).Get(ctx, name, metav1.GetOptions{})
}

func (f *factory) updateStatus(ctx context.Context, db *datav1.Database) error {
	_, err := f.client.DataV1().Databases(namespace).UpdateStatus(ctx, db, metav1.UpdateOptions{})
	return err
}

func (f *factory) servers(_ context.Context, database string) ([]*datav1.DatabaseServer, error) {
	return f.children.List(labels.SelectorFromSet(labels.Set{ownerLabel: database}))
}

func (f *factory) create(ctx context.Context, server *datav1.DatabaseServer) error {
	_, err := f.client.DataV1().DatabaseServers(namespace).Create(ctx, server, metav1.CreateOptions{})
	return err
}
