package main

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	datalisters "github.com/typedinformers/informer-gen/examples/operator/generated/listers/api/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// controller gives each Database one server, and reports its state. It is the least that shows the parts:
// examples/operator has what a cluster needs.
type controller struct {
	client    versioned.Interface
	classes   datalisters.DatabaseClassLister
	databases datalisters.DatabaseLister
	servers   datalisters.DatabaseServerLister
	queue     workqueue.TypedRateLimitingInterface[cache.ObjectName]
}

func newController(client versioned.Interface, factory informers.SharedInformerFactory) (*controller, error) {
	data := factory.Data().V1()
	c := &controller{
		client:  client,
		classes: data.DatabaseClasses().Lister(), databases: data.Databases().Lister(), servers: data.DatabaseServers().Lister(),
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]()),
	}
	enqueue := cache.WithHandlerName("enqueue")
	if _, err := data.DatabaseClasses().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*datav1.DatabaseClass]{
		AddFunc:    func(class *datav1.DatabaseClass, _ bool) { c.enqueueUsers(class) },
		UpdateFunc: func(_, class *datav1.DatabaseClass) { c.enqueueUsers(class) },
		DeleteFunc: func(class *datav1.DatabaseClass, _ bool) { c.enqueueUsers(class) },
	}, enqueue); err != nil {
		return nil, err
	}
	if _, err := data.Databases().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*datav1.Database]{
		AddFunc:    func(db *datav1.Database, _ bool) { c.queue.Add(cache.MetaObjectToName(db)) },
		UpdateFunc: func(_, db *datav1.Database) { c.queue.Add(cache.MetaObjectToName(db)) },
	}, enqueue); err != nil {
		return nil, err
	}
	_, err := data.DatabaseServers().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*datav1.DatabaseServer]{
		AddFunc:    func(server *datav1.DatabaseServer, _ bool) { c.enqueueOwner(server) },
		UpdateFunc: func(_, server *datav1.DatabaseServer) { c.enqueueOwner(server) },
		DeleteFunc: func(server *datav1.DatabaseServer, _ bool) { c.enqueueOwner(server) },
	}, enqueue)
	return c, err
}

func (c *controller) enqueueOwner(server *datav1.DatabaseServer) {
	c.queue.Add(cache.ObjectName{Namespace: server.Namespace, Name: server.Spec.DatabaseName})
}

// enqueueUsers enqueues the Databases of a class. Their informer has an index by class, because a marker of the type asks for it.
func (c *controller) enqueueUsers(class *datav1.DatabaseClass) {
	users, err := c.databases.ByClass(class.Name)
	if err != nil {
		panic(err) // the informer has the index
	}
	for _, db := range users {
		c.queue.Add(cache.MetaObjectToName(db))
	}
}

// run reconciles Databases until ctx ends. The caches are filled before.
func (c *controller) run(ctx context.Context) {
	defer context.AfterFunc(ctx, c.queue.ShutDown)()
	for {
		name, isShutDown := c.queue.Get()
		if isShutDown {
			return
		}
		if err := c.reconcile(ctx, name); err != nil && ctx.Err() == nil {
			klog.ErrorS(err, "Cannot reconcile the database, will try again", "database", name)
			c.queue.AddRateLimited(name)
		} else {
			c.queue.Forget(name)
		}
		c.queue.Done(name)
	}
}

// reconcile does what is missing for one Database: the finalizer, its server, its status. What it writes comes back as an
// event, which enqueues the name again.
func (c *controller) reconcile(ctx context.Context, name cache.ObjectName) error {
	cached, err := c.databases.Databases(name.Namespace).Get(name.Name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	db := cached.DeepCopy() // objects of a cache are shared
	server, err := c.servers.DatabaseServers(name.Namespace).Get(serverName(db))
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	switch {
	case db.DeletionTimestamp != nil:
		return c.finalize(ctx, db, server)
	case !slices.Contains(db.Finalizers, datav1.Finalizer):
		db.Finalizers = append(db.Finalizers, datav1.Finalizer)
		_, err = c.client.DataV1().Databases(db.Namespace).Update(ctx, db, metav1.UpdateOptions{})
		return err
	}
	class, err := c.classes.Get(db.Spec.ClassName)
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	if server == nil && class != nil && db.Spec.StorageGi <= class.Spec.MaxStorageGi {
		if err := c.createServer(ctx, db, class); err != nil {
			return err
		}
	}
	setStatus(db, class, server)
	if equality.Semantic.DeepEqual(db.Status, cached.Status) {
		return nil
	}
	_, err = c.client.DataV1().Databases(db.Namespace).UpdateStatus(ctx, db, metav1.UpdateOptions{})
	return err
}

// finalize deletes the server of a Database, and lets the Database go when the server is gone.
func (c *controller) finalize(ctx context.Context, db *datav1.Database, server *datav1.DatabaseServer) error {
	if server != nil {
		err := c.client.DataV1().DatabaseServers(db.Namespace).Delete(ctx, server.Name, *metav1.NewPreconditionDeleteOptions(string(server.UID)))
		if apierrors.IsNotFound(err) {
			return nil // the event enqueues the Database again
		}
		return err
	}
	db.Finalizers = slices.DeleteFunc(db.Finalizers, func(f string) bool { return f == datav1.Finalizer })
	_, err := c.client.DataV1().Databases(db.Namespace).Update(ctx, db, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func (c *controller) createServer(ctx context.Context, db *datav1.Database, class *datav1.DatabaseClass) error {
	server := &datav1.DatabaseServer{
		ObjectMeta: metav1.ObjectMeta{
			Name:            serverName(db),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(db, datav1.SchemeGroupVersion.WithKind("Database"))},
		},
		Spec: datav1.DatabaseServerSpec{DatabaseName: db.Name, StorageGi: db.Spec.StorageGi, Port: class.Spec.Port},
	}
	_, err := c.client.DataV1().DatabaseServers(db.Namespace).Create(ctx, server, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil // the cache does not have it yet
	}
	return err
}

// setStatus sets the status that db should have.
func setStatus(db *datav1.Database, class *datav1.DatabaseClass, server *datav1.DatabaseServer) {
	ready := metav1.Condition{Type: datav1.ConditionReady, Status: metav1.ConditionFalse, ObservedGeneration: db.Generation}
	db.Status.ObservedGeneration, db.Status.ReadyReplicas, db.Status.Endpoint = db.Generation, 0, ""
	switch {
	case class == nil:
		db.Status.Phase, ready.Reason = datav1.DatabasePending, datav1.ReasonClassNotFound
	case db.Spec.StorageGi > class.Spec.MaxStorageGi:
		db.Status.Phase, ready.Reason = datav1.DatabaseFailed, datav1.ReasonTooLarge
		ready.Message = fmt.Sprintf("%d Gi are requested, and class %s has at most %d Gi", db.Spec.StorageGi, class.Name, class.Spec.MaxStorageGi)
	case server == nil || !server.Status.Ready:
		db.Status.Phase, ready.Reason = datav1.DatabasePending, datav1.ReasonServersNotReady
	default:
		db.Status.Phase, ready.Reason, ready.Status = datav1.DatabaseReady, datav1.ReasonProvisioned, metav1.ConditionTrue
		db.Status.ReadyReplicas = 1
		db.Status.Endpoint = fmt.Sprintf("%s.%s.%s:%d", db.Name, db.Namespace, class.Spec.Domain, class.Spec.Port)
	}
	meta.SetStatusCondition(&db.Status.Conditions, ready)
}

func serverName(db *datav1.Database) string { return db.Name + "-0" }
