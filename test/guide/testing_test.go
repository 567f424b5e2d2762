package guide

import (
	"context"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	v1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/testserver"
)

var server *testserver.Server // all tests of the package share it

func TestMain(m *testing.M) {
	os.Exit(testserver.Run(m, &server, testserver.WithCRDs("../../examples/operator/config/crd")))
}

func TestReady(t *testing.T) {
	kube, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	client, err := versioned.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	// A namespace of its own keeps a test apart from the others.
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	namespace, err = kube.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	startOperator(t, client)
	db := create(t, client, namespace.Name)
	waitUntilReady(t, watchDatabase(t, client, db))
}

func create(t *testing.T, client versioned.Interface, namespace string) *v1.Database {
	t.Helper()
	db := &v1.Database{ObjectMeta: metav1.ObjectMeta{Name: "orders"}, Spec: v1.DatabaseSpec{ClassName: "small", StorageGi: 20}}
	db, err := client.DataV1().Databases(namespace).Create(t.Context(), db, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func watchDatabase(t *testing.T, client versioned.Interface, db *v1.Database) watch.Interface {
	t.Helper()
	watcher, err := client.DataV1().Databases(db.Namespace).Watch(t.Context(), metav1.SingleObject(db.ObjectMeta))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(watcher.Stop)
	return watcher
}

func waitUntilReady(t *testing.T, watcher watch.Interface) {
	t.Helper()
	for event := range watcher.ResultChan() {
		if db, ok := event.Object.(*v1.Database); ok && db.Status.Phase == v1.DatabaseReady {
			return
		}
	}
	t.Fatal("the watch has ended, and the database is not ready")
}

func TestValidation(t *testing.T) {
	client, err := versioned.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	tiny := &v1.Database{ObjectMeta: metav1.ObjectMeta{Name: "tiny"}, Spec: v1.DatabaseSpec{ClassName: "small"}}
	_, err = client.DataV1().Databases("default").Create(t.Context(), tiny, metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) { // the CRD says: minimum 1
		t.Errorf("a database of 0 GiB: %v", err)
	}
}

func TestRestart(t *testing.T) {
	server := testserver.Start(t, testserver.WithCRDs("../../examples/operator/config/crd"))
	client, err := versioned.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	startOperator(t, client)
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	db := create(t, client, "default")
	waitUntilReady(t, watchDatabase(t, client, db)) // the operator has survived the restart
}

// startOperator runs an operator that makes each database ready, until the test ends.
func startOperator(t *testing.T, client versioned.Interface) {
	t.Helper()
	factory := informers.NewSharedInformerFactory(client, 0)
	ready := func(ctx context.Context, db *v1.Database) {
		if db.Status.Phase == v1.DatabaseReady {
			return
		}
		db = db.DeepCopy()
		db.Status.Phase = v1.DatabaseReady
		if _, err := client.DataV1().Databases(db.Namespace).UpdateStatus(ctx, db, metav1.UpdateOptions{}); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	}
	ctx := t.Context()
	factory.Data().V1().Databases().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*v1.Database]{
		AddFunc: func(db *v1.Database, _ bool) { ready(ctx, db) },
	})
	factory.Start(ctx)
	t.Cleanup(factory.Shutdown)
	if err := factory.WaitForCacheSync(ctx); err != nil {
		t.Fatal(err)
	}
}
