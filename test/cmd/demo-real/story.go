package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/test/cmd/internal/demo"
)

// play creates, updates and deletes objects through the generated clientset. The
// operator does its part, and the informers tell what happens.
func (s *stage) play(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	classes, databases := s.client.DataV1().DatabaseClasses(), s.client.DataV1().Databases("team-a")

	demo.Say("create", "Namespace team-a, DatabaseClass small, Database team-a/orders")
	if _, err := s.kube.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-a"}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	class := &datav1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: "small"},
		Spec: datav1.DatabaseClassSpec{MaxStorageGi: 100, Domain: "db.example.com", Port: 5432}}
	if _, err := classes.Create(ctx, class, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := s.await(ctx, func(e event) bool { return e.Class != nil }); err != nil {
		return err
	}
	orders := &datav1.Database{ObjectMeta: metav1.ObjectMeta{Name: "orders"}, Spec: datav1.DatabaseSpec{ClassName: "small", StorageGi: 20}}
	if _, err := databases.Create(ctx, orders, metav1.CreateOptions{}); err != nil {
		return err
	}
	// The operator creates a server. An agent, which is this program, would start it.
	isServer := func(e event) bool { return e.What == "add" && e.Server != nil }
	if err := s.await(ctx, isServer, isNote(datav1.ReasonServersNotReady)); err != nil {
		return err
	}
	demo.Say("agent", "reports that team-a/orders-0 is ready")
	if err := s.report(ctx, "orders-0"); err != nil {
		return err
	}
	if err := s.await(ctx, isOrders(datav1.DatabaseReady), isNote(datav1.ReasonProvisioned)); err != nil {
		return err
	}

	demo.Say("update", "team-a/orders asks for 500 GiB, which the operator will find to be more than its class has")
	if err := s.resize(ctx, 500); err != nil {
		return err
	}
	if err := s.await(ctx, isOrders(datav1.DatabaseFailed), isNote(datav1.ReasonTooLarge)); err != nil {
		return err
	}
	if err := s.askListers(); err != nil {
		return err
	}

	demo.Say("delete", "team-a/orders, which its finalizer keeps until the operator has deleted the server")
	if err := databases.Delete(ctx, "orders", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := s.await(ctx, func(e event) bool { return e.What == "delete" && e.Database != nil }, isNote(datav1.ReasonDeleted)); err != nil {
		return err
	}
	_, err := s.factory.Data().V1().Databases().Lister().Databases("team-a").Get("orders")
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("the lister still has what was deleted: %w", err)
	}
	demo.Say("lister", "%v", err)
	return nil
}

// report is what an agent does that has started a server.
func (s *stage) report(ctx context.Context, name string) error {
	return demo.Report(ctx, s.client, s.factory, "team-a", name)
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
		demo.Say("status", "%s/%s is %s, %s", db.Namespace, db.Name, demo.Phase(db), ready)
	}
	class, err := s.factory.Data().V1().DatabaseClasses().Lister().Get("small")
	if err != nil {
		return err
	}
	demo.Say("lister", "%d Database in all namespaces; DatabaseClass small ends at %d GiB", len(databases), class.Spec.MaxStorageGi)
	return nil
}
