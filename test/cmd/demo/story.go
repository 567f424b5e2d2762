package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// event is what a typed handler heard.
type event struct {
	what     string // add, update or delete
	class    *datav1.DatabaseClass
	database *datav1.Database
}

// String tells the event to a person.
func (e event) String() string {
	if class := e.class; class != nil {
		return fmt.Sprintf("%-6s %T %s: up to %d GiB at %s:%d", e.what, class, class.Name, class.Spec.MaxStorageGi, class.Spec.Domain, class.Spec.Port)
	}
	db := e.database
	text := fmt.Sprintf("%-6s %T %s/%s: %d GiB, %s", e.what, db, db.Namespace, db.Name, db.Spec.StorageGi, phase(db))
	if db.Status.Endpoint != "" {
		text += " at " + db.Status.Endpoint
	}
	return text
}

func phase(db *datav1.Database) string {
	if db.Status.Phase == "" {
		return "no status yet"
	}
	return string(db.Status.Phase)
}

// startInformers listens to both kinds through the generated factory.
func (s *stage) startInformers(ctx context.Context) error {
	s.factory = informers.NewSharedInformerFactory(s.client, 0)
	classes, databases := s.factory.Data().V1().DatabaseClasses(), s.factory.Data().V1().Databases()
	_, err := classes.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*datav1.DatabaseClass]{
		AddFunc:    func(class *datav1.DatabaseClass, _ bool) { s.events <- event{what: "add", class: class} },
		UpdateFunc: func(_, class *datav1.DatabaseClass) { s.events <- event{what: "update", class: class} },
		DeleteFunc: func(class *datav1.DatabaseClass, _ bool) { s.events <- event{what: "delete", class: class} },
	})
	if err != nil {
		return err
	}
	_, err = databases.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*datav1.Database]{
		AddFunc:    func(db *datav1.Database, _ bool) { s.events <- event{what: "add", database: db} },
		UpdateFunc: func(_, db *datav1.Database) { s.events <- event{what: "update", database: db} },
		DeleteFunc: func(db *datav1.Database, _ bool) { s.events <- event{what: "delete", database: db} },
	})
	if err != nil {
		return err
	}
	s.factory.Start(context.WithoutCancel(ctx)) // until close
	return s.factory.WaitForCacheSync(ctx)
}

// await prints events until one is as expected.
func (s *stage) await(ctx context.Context, expected func(event) bool) error {
	for {
		select {
		case e := <-s.events:
			say("event", "%v", e)
			if expected(e) {
				return nil
			}
		case <-ctx.Done():
			return fmt.Errorf("an event that was expected did not come: %w", ctx.Err())
		}
	}
}

// play creates, updates and deletes objects through the generated clientset. The
// operator does its part, and the informers tell what happens.
func (s *stage) play(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	classes, databases := s.client.DataV1().DatabaseClasses(), s.client.DataV1().Databases("team-a")

	say("create", "DatabaseClass small, Database team-a/orders")
	class := &datav1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: "small"},
		Spec: datav1.DatabaseClassSpec{MaxStorageGi: 100, Domain: "db.example.com", Port: 5432}}
	if _, err := classes.Create(ctx, class, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := s.await(ctx, func(e event) bool { return e.class != nil }); err != nil {
		return err
	}
	orders := &datav1.Database{ObjectMeta: metav1.ObjectMeta{Name: "orders"}, Spec: datav1.DatabaseSpec{ClassName: "small", StorageGi: 20}}
	if _, err := databases.Create(ctx, orders, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := s.await(ctx, isOrders(datav1.DatabaseReady)); err != nil {
		return err
	}

	say("update", "team-a/orders asks for 500 GiB, which the operator will find to be more than its class has")
	if err := s.resize(ctx, 500); err != nil {
		return err
	}
	if err := s.await(ctx, isOrders(datav1.DatabaseFailed)); err != nil {
		return err
	}
	if err := s.askListers(); err != nil {
		return err
	}

	say("delete", "team-a/orders")
	if err := databases.Delete(ctx, "orders", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := s.await(ctx, func(e event) bool { return e.what == "delete" }); err != nil {
		return err
	}
	_, err := s.factory.Data().V1().Databases().Lister().Databases("team-a").Get("orders")
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("the lister still has what was deleted: %w", err)
	}
	say("lister", "%v", err)
	return nil
}

// isOrders expects the operator to have brought team-a/orders to a phase.
func isOrders(phase datav1.DatabasePhase) func(event) bool {
	return func(e event) bool {
		return e.database != nil && e.database.Name == "orders" && e.database.Status.Phase == phase
	}
}

// resize changes a copy of what the lister has: objects of a cache are shared.
func (s *stage) resize(ctx context.Context, storageGi int32) error {
	cached, err := s.factory.Data().V1().Databases().Lister().Databases("team-a").Get("orders")
	if err != nil {
		return err
	}
	changed := cached.DeepCopy()
	changed.Spec.StorageGi = storageGi
	_, err = s.client.DataV1().Databases("team-a").Update(ctx, changed, metav1.UpdateOptions{})
	return err
}

// askListers shows what the operator wrote and what the caches answer.
func (s *stage) askListers() error {
	databases, err := s.factory.Data().V1().Databases().Lister().List(labels.Everything())
	if err != nil {
		return err
	}
	for _, db := range databases {
		ready := "no condition"
		for _, c := range db.Status.Conditions {
			ready = fmt.Sprintf("%s=%s (%s: %s)", c.Type, c.Status, c.Reason, c.Message)
		}
		say("status", "%s/%s is %s, %s", db.Namespace, db.Name, phase(db), ready)
	}
	class, err := s.factory.Data().V1().DatabaseClasses().Lister().Get("small")
	if err != nil {
		return err
	}
	say("lister", "%d Database in all namespaces; DatabaseClass small ends at %d GiB", len(databases), class.Spec.MaxStorageGi)
	return nil
}
