package guide

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"github.com/typedinformers/informer-gen/apiextensions"
	"github.com/typedinformers/informer-gen/apitest"
	v1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/fake"
)

func TestReadyWithFake(t *testing.T) {
	client := fake.NewClientset()
	startOperator(t, client)
	db := create(t, client, "default")
	waitUntilReady(t, watchDatabase(t, client, db))
}

func TestConflict(t *testing.T) {
	client := fake.NewClientset(orders())
	databases := client.DataV1().Databases("default")
	stale, err := databases.Get(t.Context(), "orders", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	label(t, client, "team", "blue") // another client writes meanwhile
	stale.Spec.StorageGi = 50
	if _, err := databases.Update(t.Context(), stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("an update of an old version: %v, want a conflict", err)
	}
	if err := grow(t.Context(), client, 50); err != nil {
		t.Fatal(err)
	}
	db, err := databases.Get(t.Context(), "orders", metav1.GetOptions{})
	if err != nil || db.Labels["team"] != "blue" || db.Spec.StorageGi != 50 {
		t.Errorf("%+v, %v: a write is lost", db, err)
	}
}

// grow is what an operator does: read, change, write, and again after a conflict.
func grow(ctx context.Context, client versioned.Interface, size int32) error {
	databases := client.DataV1().Databases("default")
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		db, err := databases.Get(ctx, "orders", metav1.GetOptions{})
		if err != nil {
			return err
		}
		db.Spec.StorageGi = size
		_, err = databases.Update(ctx, db, metav1.UpdateOptions{})
		return err
	})
}

func TestFinalizer(t *testing.T) {
	db := orders()
	db.Finalizers = []string{"example.com/backup"}
	client := fake.NewClientset(db)
	databases := client.DataV1().Databases("default")
	if err := databases.Delete(t.Context(), "orders", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	db, err := databases.Get(t.Context(), "orders", metav1.GetOptions{})
	if err != nil || db.DeletionTimestamp == nil {
		t.Fatalf("%v, %v: want a database that waits for its finalizer", db, err)
	}
	db.Finalizers = nil // the backup is done
	if _, err := databases.Update(t.Context(), db, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := databases.Get(t.Context(), "orders", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after the last finalizer: %v, want NotFound", err)
	}
}

func TestWatchAfterList(t *testing.T) {
	client := fake.NewClientset(orders())
	databases := client.DataV1().Databases("default")
	list, err := databases.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// Another client deletes between the list and the watch.
	if err := databases.Delete(t.Context(), "orders", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	watcher, err := databases.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	if event := <-watcher.ResultChan(); event.Type != watch.Deleted {
		t.Errorf("the first event is %v", event)
	}
}

// TestClientGoFake runs the three tests above with client-go's fake: all three pass where a cluster fails.
func TestClientGoFake(t *testing.T) {
	t.Run("conflict", func(t *testing.T) {
		client := fake.NewSimpleClientset(orders())
		databases := client.DataV1().Databases("default")
		stale, err := databases.Get(t.Context(), "orders", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		label(t, client, "team", "blue")
		stale.Spec.StorageGi = 50
		db, err := databases.Update(t.Context(), stale, metav1.UpdateOptions{})
		if err != nil || db.Labels["team"] != "" {
			t.Errorf("%v, %v: it has versions now; correct docs/testing.md", db, err)
		}
	})
	t.Run("finalizer", func(t *testing.T) {
		db := orders()
		db.Finalizers = []string{"example.com/backup"}
		client := fake.NewSimpleClientset(db)
		if err := client.DataV1().Databases("default").Delete(t.Context(), "orders", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if db, err := client.DataV1().Databases("default").Get(t.Context(), "orders", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("%v, %v: it has finalizers now; correct docs/testing.md", db, err)
		}
	})
	t.Run("watch after list", func(t *testing.T) {
		client := fake.NewSimpleClientset(orders())
		databases := client.DataV1().Databases("default")
		list, err := databases.List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := databases.Delete(t.Context(), "orders", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		watcher, err := databases.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
		if err != nil {
			t.Fatal(err)
		}
		create(t, client, "default")
		if event := <-watcher.ResultChan(); event.Type != watch.Added {
			t.Errorf("the first event is %v: it replays deletions now; correct docs/testing.md", event)
		}
	})
}

func TestRetriesWithFaults(t *testing.T) {
	client := fake.NewClientset(orders())
	client.Server().On("update", "databases").Once().Conflict()
	client.Server().On("get", "databases").Skip(1).Once().TooManyRequests(time.Second)
	synctest.Test(t, func(t *testing.T) { // the client waits a second, which takes no time here
		if err := grow(t.Context(), client, 50); err != nil {
			t.Error(err)
		}
	})
	client.Server().CheckFaults(t)
}

func TestWithCRDs(t *testing.T) {
	server := apitest.Start(t, apiextensions.WithCRDs("../../examples/operator/config/crd"))
	client := fake.NewClientsetFor(server)
	tiny := &v1.Database{Spec: v1.DatabaseSpec{ClassName: "small"}}
	tiny.Name = "tiny"
	_, err := client.DataV1().Databases("default").Create(t.Context(), tiny, metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) { // the CRD says: minimum 1
		t.Errorf("a database of 0 GiB: %v", err)
	}
}

func TestChildren(t *testing.T) {
	client := fake.NewClientset(orders())
	kube, err := kubernetes.NewForConfig(client.Config()) // a real clientset, on the same server
	if err != nil {
		t.Fatal(err)
	}
	secrets, err := kube.CoreV1().Secrets("default").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(secrets.Items) != 0 {
		t.Errorf("%v, %v", secrets, err)
	}
}

func orders() *v1.Database {
	return &v1.Database{
		ObjectMeta: metav1.ObjectMeta{Name: "orders", Namespace: "default"},
		Spec:       v1.DatabaseSpec{ClassName: "small", StorageGi: 20},
	}
}

// label sets a label of the database orders.
func label(t *testing.T, client versioned.Interface, name, value string) {
	t.Helper()
	patch := []byte(`{"metadata": {"labels": {"` + name + `": "` + value + `"}}}`)
	if _, err := client.DataV1().Databases("default").Patch(t.Context(), "orders", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}
