package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/test/cmd/internal/demo"
)

// play creates, changes and deletes objects through the generated clients. The controller does its part, and the
// informers report what happens.
func (s *stage) play(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for _, act := range []func(context.Context) error{s.create, s.refuse, s.grow, s.fail, s.delete} {
		if err := act(ctx); err != nil {
			return err
		}
	}
	return nil
}

// namespace is where the Databases are. The server has it from the start.
const namespace = "default"

// create creates a class and a Database, which the controller gives a server.
func (s *stage) create(ctx context.Context) error {
	demo.Say("create", "DatabaseClass small, Database %s/orders", namespace)
	class := &datav1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: "small"},
		Spec: datav1.DatabaseClassSpec{MaxStorageGi: 100, Domain: "db.example.com", Port: 5432}}
	if _, err := s.client.DataV1().DatabaseClasses().Create(ctx, class, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := s.await(ctx, func(e event) bool { return e.Class != nil }); err != nil {
		return err
	}
	if err := s.createOrders(ctx, 20); err != nil {
		return err
	}
	// An agent, which is this program, would start the server.
	if err := s.await(ctx, func(e event) bool { return e.What == "add" && e.Server != nil }, isOrders(datav1.DatabasePending)); err != nil {
		return err
	}
	demo.Say("agent", "reports that %s/orders-0 is ready", namespace)
	if err := s.report(ctx, "orders-0"); err != nil {
		return err
	}
	return s.await(ctx, isOrders(datav1.DatabaseReady))
}

func (s *stage) createOrders(ctx context.Context, storageGi int32) error {
	orders := &datav1.Database{ObjectMeta: metav1.ObjectMeta{Name: "orders"}, Spec: datav1.DatabaseSpec{ClassName: "small", StorageGi: storageGi}}
	_, err := s.client.DataV1().Databases(namespace).Create(ctx, orders, metav1.CreateOptions{})
	return err
}

// refuse asks for what the CRD does not allow.
func (s *stage) refuse(ctx context.Context) error {
	err := s.resize(ctx, 0)
	if !apierrors.IsInvalid(err) {
		return fmt.Errorf("the server should refuse 0 GiB, because of the CRD: %w", err)
	}
	demo.Say("refused", "%v", err)
	return nil
}

// grow asks for what the controller does not allow, and shows what the listers have then.
func (s *stage) grow(ctx context.Context) error {
	demo.Say("update", "%s/orders asks for 500 GiB, which the controller will find to be more than its class has", namespace)
	if err := s.resize(ctx, 500); err != nil {
		return err
	}
	if err := s.await(ctx, isOrders(datav1.DatabaseFailed)); err != nil {
		return err
	}
	databases, err := s.factory.Data().V1().Databases().Lister().List(labels.Everything())
	if err != nil {
		return err
	}
	for _, db := range databases {
		for _, c := range db.Status.Conditions {
			demo.Say("status", "%s/%s is %s, %s=%s (%s: %s)", db.Namespace, db.Name, demo.Phase(db), c.Type, c.Status, c.Reason, c.Message)
		}
	}
	class, err := s.factory.Data().V1().DatabaseClasses().Lister().Get("small")
	if err != nil {
		return err
	}
	demo.Say("lister", "%d Database in all namespaces; DatabaseClass small ends at %d GiB", len(databases), class.Spec.MaxStorageGi)
	return nil
}

// fail breaks the watches of Databases. The informer keeps its cache, and gets what it missed after the repair.
func (s *stage) fail(ctx context.Context) error {
	demo.Say("fault", "the server cuts the watches of databases, and answers 503 to lists and watches of them")
	list, watch := s.server.On("list", "databases").Unavailable(time.Second), s.server.On("watch", "databases").Unavailable(time.Second)
	s.server.CutWatches("databases")
	if err := s.await(ctx, isInformer(status.Degraded)); err != nil {
		return err
	}
	demo.Say("update", "%s/orders asks for 50 GiB, and the informer does not see it", namespace)
	if err := s.resize(ctx, 50); err != nil {
		return err
	}
	cached, err := s.factory.Data().V1().Databases().Lister().Databases(namespace).Get("orders")
	if err != nil {
		return err
	}
	demo.Say("lister", "%s/orders has %d GiB in the cache, which keeps the last state", namespace, cached.Spec.StorageGi)
	demo.Say("repair", "the server answers again")
	list.Remove()
	watch.Remove()
	return s.await(ctx, isInformer(status.Watching), isOrders(datav1.DatabaseReady))
}

// delete deletes the Database.
func (s *stage) delete(ctx context.Context) error {
	demo.Say("delete", "%s/orders, which its finalizer keeps until the controller has deleted the server", namespace)
	if err := s.client.DataV1().Databases(namespace).Delete(ctx, "orders", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := s.await(ctx, func(e event) bool { return e.What == "delete" && e.Database != nil }); err != nil {
		return err
	}
	_, err := s.factory.Data().V1().Databases().Lister().Databases(namespace).Get("orders")
	if !apierrors.IsNotFound(err) {
		return errors.Join(errors.New("the lister still has what was deleted"), err)
	}
	demo.Say("lister", "%v", err)
	return nil
}

// report does what an agent would do that has started a server.
func (s *stage) report(ctx context.Context, name string) error {
	return demo.Report(ctx, s.client, s.factory, namespace, name)
}

// resize sets the size of orders, without a precondition: the controller may have written it meanwhile.
func (s *stage) resize(ctx context.Context, storageGi int32) error {
	patch := fmt.Appendf(nil, `{"spec":{"storageGi":%d}}`, storageGi)
	_, err := s.client.DataV1().Databases(namespace).Patch(ctx, "orders", types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}
