package guide

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	v1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/fake"
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

func create(t *testing.T, client versioned.Interface, namespace string, finalizers ...string) *v1.Database {
	t.Helper()
	db := &v1.Database{
		ObjectMeta: metav1.ObjectMeta{Name: "orders", Finalizers: finalizers},
		Spec:       v1.DatabaseSpec{ClassName: "small", StorageGi: 20},
	}
	db, err := client.DataV1().Databases(namespace).Create(t.Context(), db, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func get(t *testing.T, client versioned.Interface, db *v1.Database) *v1.Database {
	t.Helper()
	db, err := client.DataV1().Databases(db.Namespace).Get(t.Context(), db.Name, metav1.GetOptions{})
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

func TestReadyWithFake(t *testing.T) {
	client := fake.NewClientset()
	startOperator(t, client)
	db := create(t, client, "default")
	waitUntilReady(t, watchDatabase(t, client, db))
}

// Each of the next three tests is run with NewClientset, as users write it, and with
// NewSimpleClientset, on which wrong code passes.

// grow adds storage to a database, as of the version that the caller has seen.
func grow(ctx context.Context, client versioned.Interface, db *v1.Database, gi int32) error {
	db = db.DeepCopy()
	db.Spec.StorageGi += gi
	_, err := client.DataV1().Databases(db.Namespace).Update(ctx, db, metav1.UpdateOptions{})
	return err
}

func TestConflict(t *testing.T) {
	client := fake.NewClientset()
	db := create(t, client, "default") // of 20 GiB
	if err := grow(t.Context(), client, db, 10); err != nil {
		t.Fatal(err)
	}
	err := grow(t.Context(), client, db, 5) // db is old now
	if !apierrors.IsConflict(err) {
		t.Errorf("an update of an old version: %v", err)
	}
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		db, err := client.DataV1().Databases("default").Get(t.Context(), db.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return grow(t.Context(), client, db, 5)
	})
	if db = get(t, client, db); err != nil || db.Spec.StorageGi != 35 {
		t.Errorf("after a retry: %d GiB, %v", db.Spec.StorageGi, err)
	}
}

func TestConflictWithSimpleClientset(t *testing.T) {
	client := fake.NewSimpleClientset()
	db := create(t, client, "default")
	if err := grow(t.Context(), client, db, 10); err != nil {
		t.Fatal(err)
	}
	if err := grow(t.Context(), client, db, 5); err != nil {
		t.Errorf("an update of an old version: %v", err)
	}
	if db = get(t, client, db); db.Spec.StorageGi != 25 {
		t.Errorf("%d GiB, want that the first update is lost", db.Spec.StorageGi)
	}
}

func TestFinalizer(t *testing.T) {
	client := fake.NewClientset()
	db := create(t, client, "default", "example.com/backup")
	if err := client.DataV1().Databases("default").Delete(t.Context(), db.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	db = get(t, client, db) // the operator has to make the backup first
	if db.DeletionTimestamp == nil {
		t.Error("the database is not being deleted")
	}
	db.Finalizers = nil
	if _, err := client.DataV1().Databases("default").Update(t.Context(), db, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.DataV1().Databases("default").Get(t.Context(), db.Name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the database without finalizers: %v", err)
	}
}

func TestFinalizerWithSimpleClientset(t *testing.T) {
	client := fake.NewSimpleClientset()
	db := create(t, client, "default", "example.com/backup")
	if err := client.DataV1().Databases("default").Delete(t.Context(), db.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.DataV1().Databases("default").Get(t.Context(), db.Name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the database is %v, want that it is gone without a backup", err)
	}
}

// missed lists databases, changes them, and watches from the version of the list. It returns the
// types of the events.
func missed(t *testing.T, client versioned.Interface) (types []watch.EventType) {
	t.Helper()
	db := create(t, client, "default")
	list, err := client.DataV1().Databases("default").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// What happens now is neither in the list nor after the beginning of the watch.
	if err := grow(t.Context(), client, db, 10); err != nil {
		t.Fatal(err)
	}
	if err := client.DataV1().Databases("default").Delete(t.Context(), db.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	watcher, err := client.DataV1().Databases("default").Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	for {
		synctest.Wait() // until there is an event, or never
		select {
		case event, open := <-watcher.ResultChan():
			if !open {
				t.Fatal("the watch has ended")
			}
			types = append(types, event.Type)
		default:
			return types
		}
	}
}

func TestWatchAfterList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		types := missed(t, fake.NewClientset())
		if want := []watch.EventType{watch.Modified, watch.Deleted}; !slices.Equal(types, want) {
			t.Errorf("the watch has %v, want %v", types, want)
		}
	})
}

func TestWatchAfterListWithSimpleClientset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if types := missed(t, fake.NewSimpleClientset()); len(types) > 0 {
			t.Errorf("the watch has %v, want that both events are lost", types)
		}
	})
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

// TestPage keeps the Go code of docs/testing.md the code that is tested here, besides the path of the CRDs.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.ReadFile("testing_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```go\n")[1:]
	if len(blocks) < 3 {
		t.Errorf("the page has only %d blocks of code", len(blocks))
	}
	for _, block := range blocks {
		code, _, _ := strings.Cut(block, "```\n")
		code = strings.ReplaceAll(code, `"../config/crd"`, `"../../examples/operator/config/crd"`)
		if !strings.Contains(string(self), code) {
			t.Errorf("the page has code that testing_test.go has not:\n%s", code)
		}
	}
}
