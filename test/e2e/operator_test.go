package e2e

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/controller"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/scheme"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/progress"
)

// TestOperator runs the example's controller, and follows what it writes with informers of
// the test's own.
func TestOperator(t *testing.T) {
	client := clientOf(t, shared)
	kube, err := kubernetes.NewForConfig(shared.Config())
	if err != nil {
		t.Fatal(err)
	}
	ctx := within(t)
	operated := createNamespace(t, kube)
	awaitReason := followEvents(t, kube, operated)
	runOperator(t, client, kube, operated)
	states := make(chan *datav1.Database, 100)
	gone := make(chan struct{})
	startFactory(t, client, func(f informers.SharedInformerFactory) {
		_, err := f.Data().V1().Databases().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*datav1.Database]{
			AddFunc:    func(db *datav1.Database, _ bool) { progress.Step(); states <- db },
			UpdateFunc: func(_, db *datav1.Database) { progress.Step(); states <- db },
			DeleteFunc: func(*datav1.Database, bool) { close(gone) },
		})
		if err != nil {
			t.Fatal(err)
		}
		runAgent(t, client, f)
	}, informers.WithNamespace(operated))
	await := func(phase datav1.DatabasePhase) *datav1.Database {
		t.Helper()
		for {
			select {
			case db := <-states:
				if db.Status.Phase == phase {
					return db
				}
			case <-ctx.Done():
				t.Fatalf("no database became %s", phase)
			}
		}
	}

	databases, servers := client.DataV1().Databases(operated), client.DataV1().DatabaseServers(operated)
	orders := database("orders", 10)
	orders.Spec.Replicas = 2
	if _, err := databases.Create(ctx, orders, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	await(datav1.DatabasePending) // its class is not there yet
	awaitReason(datav1.ReasonClassNotFound)
	class := createClass(t, client, "small", 50)
	ready := await(datav1.DatabaseReady)
	if want := "orders." + operated + ".db.example.com:5432"; ready.Status.Endpoint != want || ready.Status.ObservedGeneration != ready.Generation || ready.Status.ReadyReplicas != 2 {
		t.Errorf("status is %+v, want endpoint %s and 2 replicas", ready.Status, want)
	}
	awaitReason(datav1.ReasonProvisioned)
	list, err := servers.List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 2 {
		t.Fatalf("%d servers, %v", len(list.Items), err)
	}
	for _, server := range list.Items {
		if !metav1.IsControlledBy(&server, ready) {
			t.Errorf("the owners of %s are %+v", server.Name, server.OwnerReferences)
		}
	}

	class.Spec.MaxStorageGi = 5
	if _, err = client.DataV1().DatabaseClasses().Update(ctx, class, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	await(datav1.DatabaseFailed)
	awaitReason(datav1.ReasonTooLarge)

	if err := databases.Delete(ctx, "orders", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-gone:
	case <-ctx.Done():
		t.Fatal("the database was not deleted")
	}
	if list, err = servers.List(ctx, metav1.ListOptions{}); err != nil || len(list.Items) != 0 {
		t.Errorf("%d servers are left of a database that is gone, %v", len(list.Items), err)
	}
	awaitReason(datav1.ReasonDeleted)
}

// TestOperatorLetsNamespaceGo deletes a namespace with a database, which the operator has to
// let go, although it may create nothing there any more.
func TestOperatorLetsNamespaceGo(t *testing.T) {
	client := clientOf(t, shared)
	kube, err := kubernetes.NewForConfig(shared.Config())
	if err != nil {
		t.Fatal(err)
	}
	ctx := within(t)
	namespaces, doomed := kube.CoreV1().Namespaces(), createNamespace(t, kube)
	createClass(t, client, "doomed", 50)
	runOperator(t, client, kube, doomed)
	changes, err := namespaces.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + doomed})
	if err != nil {
		t.Fatal(err)
	}
	defer changes.Stop()
	ready := make(chan struct{}, 100)
	startFactory(t, client, func(f informers.SharedInformerFactory) {
		_, err := f.Data().V1().Databases().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*datav1.Database]{
			UpdateFunc: func(_, db *datav1.Database) {
				if progress.Step(); db.Status.Phase == datav1.DatabaseReady {
					ready <- struct{}{}
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		runAgent(t, client, f)
	}, informers.WithNamespace(doomed))

	orders := database("orders", 10)
	orders.Spec.ClassName = "doomed"
	if _, err := client.DataV1().Databases(doomed).Create(ctx, orders, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ready:
	case <-ctx.Done():
		t.Fatal("the database did not become ready")
	}
	if err := namespaces.Delete(ctx, doomed, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for {
		select {
		case change := <-changes.ResultChan():
			progress.Step()
			if change.Type == watch.Deleted {
				return
			}
		case <-ctx.Done():
			t.Fatal("the namespace was not deleted")
		}
	}
}

// createNamespace creates a namespace that no other test has.
func createNamespace(t *testing.T, kube kubernetes.Interface) (name string) {
	t.Helper()
	namespace, err := kube.CoreV1().Namespaces().Create(within(t), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "operated-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return namespace.Name
}

// createClass creates a class that is deleted with the test.
func createClass(t *testing.T, client versioned.Interface, name string, maxStorageGi int32) *datav1.DatabaseClass {
	t.Helper()
	classes := client.DataV1().DatabaseClasses()
	class, err := classes.Create(within(t), &datav1.DatabaseClass{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       datav1.DatabaseClassSpec{MaxStorageGi: maxStorageGi, Domain: "db.example.com", Port: 5432},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := classes.Delete(context.WithoutCancel(t.Context()), name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	return class
}

// runOperator runs the example's controller on a namespace until the test ends.
func runOperator(t *testing.T, client versioned.Interface, kube kubernetes.Interface, namespace string) {
	t.Helper()
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: kube.EventsV1()})
	factory := informers.NewSharedInformerFactory(client, 0, informers.WithNamespace(namespace))
	c, err := controller.New(controller.Cluster{Data: client, Kube: kube, Factory: factory, Events: broadcaster.NewRecorder(scheme.Scheme, "database-operator")})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	if err := broadcaster.StartRecordingToSinkWithContext(ctx); err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx)
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx, 2) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		factory.Shutdown()
		broadcaster.Shutdown()
	})
}

// runAgent reports each server as ready.
func runAgent(t *testing.T, client versioned.Interface, factory informers.SharedInformerFactory) {
	t.Helper()
	_, err := factory.Data().V1().DatabaseServers().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*datav1.DatabaseServer]{
		AddFunc: func(server *datav1.DatabaseServer, _ bool) {
			progress.Step()
			server = server.DeepCopy()
			server.Status.Ready = true
			if _, err := client.DataV1().DatabaseServers(server.Namespace).UpdateStatus(t.Context(), server, metav1.UpdateOptions{}); err != nil {
				t.Error(err)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// followEvents returns a func that waits until there is an Event with a reason.
func followEvents(t *testing.T, kube kubernetes.Interface, namespace string) (await func(reason string)) {
	t.Helper()
	ctx := within(t)
	changes, err := kube.EventsV1().Events(namespace).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(changes.Stop)
	seen := map[string]int{}
	return func(reason string) {
		t.Helper()
		for seen[reason] == 0 {
			select {
			case change, open := <-changes.ResultChan():
				event, isEvent := change.Object.(*eventsv1.Event)
				if !open || !isEvent {
					t.Fatalf("the watch of Events ended with %+v", change)
				}
				progress.Step()
				if event.Regarding.Kind != "Database" || event.Regarding.Name != "orders" {
					t.Errorf("an Event is about %+v", event.Regarding)
				}
				seen[event.Reason]++
			case <-ctx.Done():
				t.Fatalf("there is no Event %s, only %v", reason, seen)
			}
		}
		if seen[reason] > 1 {
			t.Errorf("there are %d Events %s", seen[reason], reason)
		}
	}
}
