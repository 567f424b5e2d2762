package controller

import (
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/typedinformers/informer-gen/runtime/cache"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	viewsv1 "github.com/typedinformers/informer-gen/examples/operator/api/views/v1"
)

// addHandlers lets the events of the informers fill the queue. The names of the handlers are in
// logs, metrics and the debug page.
func (c *Controller) addHandlers(namespaces cache.SharedInformer[*corev1.Namespace]) error {
	data := c.factory.Data().V1()
	if err := addHandler(c, data.Databases().Informer(), cache.ResourceEventHandlerFuncs[*datav1.Database]{
		AddFunc:    func(db *datav1.Database, _ bool) { c.enqueue(db) },
		UpdateFunc: func(_, db *datav1.Database) { c.enqueue(db) },
		DeleteFunc: func(db *datav1.Database, _ bool) { c.enqueue(db) },
	}, cache.WithHandlerName("enqueue")); err != nil {
		return fmt.Errorf("cannot listen to databases: %w", err)
	}
	if err := addHandler(c, data.DatabaseServers().Informer(), cache.ResourceEventHandlerFuncs[*datav1.DatabaseServer]{
		AddFunc: func(server *datav1.DatabaseServer, _ bool) { c.enqueueOwnerOf(server) },
		UpdateFunc: func(old, server *datav1.DatabaseServer) {
			c.enqueueOwnerOf(old) // the owner may be another one, or none, now
			c.enqueueOwnerOf(server)
		},
		DeleteFunc: func(server *datav1.DatabaseServer, _ bool) { c.enqueueOwnerOf(server) },
	}, cache.WithHandlerName("enqueue-owner")); err != nil {
		return fmt.Errorf("cannot listen to database servers: %w", err)
	}
	if _, err := c.factory.Views().V1().DatabaseClassSummaries().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*viewsv1.DatabaseClassSummary]{
		AddFunc: func(class *viewsv1.DatabaseClassSummary, _ bool) { c.enqueueUsersOf(class) },
		UpdateFunc: func(old, class *viewsv1.DatabaseClassSummary) {
			if old.Spec != class.Spec {
				c.enqueueUsersOf(class)
			}
		},
		DeleteFunc: func(class *viewsv1.DatabaseClassSummary, _ bool) { c.enqueueUsersOf(class) },
	}, cache.WithHandlerName("enqueue-users")); err != nil {
		return fmt.Errorf("cannot listen to database classes: %w", err)
	}
	if _, err := namespaces.AddEventHandler(cache.ResourceEventHandlerFuncs[*corev1.Namespace]{
		AddFunc: func(namespace *corev1.Namespace, _ bool) { c.enqueueAllIn(namespace) },
		UpdateFunc: func(old, namespace *corev1.Namespace) {
			if isTerminating(old) != isTerminating(namespace) {
				c.enqueueAllIn(namespace)
			}
		},
	}, cache.WithHandlerName("enqueue-all")); err != nil {
		return fmt.Errorf("cannot listen to namespaces: %w", err)
	}
	return nil
}

func (c *Controller) enqueue(db *datav1.Database) {
	c.queue.Add(cache.MetaObjectToName(db))
}

// enqueueOwnerOf enqueues the Database that controls server. It also enqueues the Database
// that needs a server of this name: it is another one if there is a conflict.
func (c *Controller) enqueueOwnerOf(server *datav1.DatabaseServer) {
	if owner := metav1.GetControllerOf(server); owner != nil && owner.APIVersion == datav1.SchemeGroupVersion.String() && owner.Kind == "Database" {
		c.queue.Add(cache.ObjectName{Namespace: server.Namespace, Name: owner.Name})
	}
	if dash := strings.LastIndexByte(server.Name, '-'); dash > 0 {
		if _, err := strconv.Atoi(server.Name[dash+1:]); err == nil {
			c.queue.Add(cache.ObjectName{Namespace: server.Namespace, Name: server.Name[:dash]})
		}
	}
}

// enqueueUsersOf enqueues each Database that names class. Databases that are not cached
// yet are enqueued when they are.
func (c *Controller) enqueueUsersOf(class *viewsv1.DatabaseClassSummary) {
	users, err := c.databases.ByClass(class.Name)
	if err != nil {
		panic(err) // the informer has the index from the marker on Database
	}
	for _, db := range users {
		c.enqueue(db)
	}
}

func (c *Controller) enqueueAllIn(namespace *corev1.Namespace) {
	databases, err := c.databases.Databases(namespace.Name).List(labels.Everything())
	if err != nil {
		panic(err) // the informer always has the index by namespace
	}
	for _, db := range databases {
		c.enqueue(db)
	}
}

func isTerminating(namespace *corev1.Namespace) bool {
	return namespace.DeletionTimestamp != nil || namespace.Status.Phase == corev1.NamespaceTerminating
}
