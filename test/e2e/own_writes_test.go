package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	typed "github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/typed/api/v1"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	apilisters "github.com/typedinformers/informer-gen/examples/operator/generated/listers/api/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/writes"
	"github.com/typedinformers/informer-gen/test/progress"
)

// ownWriter writes to one namespace while the informer learns nothing from the server, and
// compares the lister with each response.
type ownWriter struct {
	option bool
	// typed and untyped have the transport of the Observer, and direct has not.
	typed   typed.DatabaseInterface
	untyped dynamic.ResourceInterface
	direct  typed.DatabaseInterface
	lister  apilisters.DatabaseNamespaceLister
	heard   *log
	// lines are what handlers have to hear.
	lines []string
}

// TestReadYourWrites makes a write of each kind while the watch delivers nothing. So the lister
// can have the result only from the response. Without the option the lister has none of them.
// Handlers hear the same in both cases.
func TestReadYourWrites(t *testing.T) {
	for _, option := range []bool{true, false} {
		t.Run(fmt.Sprintf("option %v", option), func(t *testing.T) {
			var g gate
			config := shared.Config()
			g.through(config)
			var options []informers.SharedInformerOption
			if option {
				own := new(writes.Observer)
				config.Wrap(own.Transport)
				options = append(options, cache.WithReadYourWrites(own))
			}
			w, factory := newOwnWriter(t, config, options)
			w.option = option
			g.hold()
			w.writeEach(t)
			w.finalize(t)
			w.writeNothing(t)
			informer := factory.Data().V1().Databases().Informer()
			if option {
				w.heard.await(t, w.lines...) // before the watch goes on
				if pending := informer.Status().PendingWrites; pending == 0 {
					t.Error("no writes are pending while the watch is held")
				}
			}
			g.release()
			w.finish(t, informer)
			w.deleteAll(t, informer)
		})
	}
}

func newOwnWriter(t *testing.T, config *rest.Config, options []informers.SharedInformerOption) (*ownWriter, informers.SharedInformerFactory) {
	t.Helper()
	namespace := newNamespace(t)
	client, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	untyped, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	w := &ownWriter{
		typed:   client.DataV1().Databases(namespace),
		untyped: untyped.Resource(databases).Namespace(namespace),
		direct:  clientOf(t, shared).DataV1().Databases(namespace),
		heard:   newLog(),
	}
	factory := startFactory(t, client, func(f informers.SharedInformerFactory) {
		w.lister = f.Data().V1().Databases().Lister().Databases(namespace)
		if _, err := f.Data().V1().Databases().Informer().AddEventHandler(w.handler()); err != nil {
			t.Fatal(err)
		}
	}, append(options, informers.WithNamespace(namespace))...)
	if err := factory.WaitForCacheSync(within(t)); err != nil {
		t.Fatal(err)
	}
	return w, factory
}

// handler notes the version of each state.
func (w *ownWriter) handler() cache.ResourceEventHandler[*datav1.Database] {
	note := func(what string, db *datav1.Database) {
		progress.Step()
		w.heard.note(lineOf(what, db))
	}
	return cache.ResourceEventHandlerFuncs[*datav1.Database]{
		AddFunc:    func(db *datav1.Database, _ bool) { note("add", db) },
		UpdateFunc: func(_, db *datav1.Database) { note("update", db) },
		DeleteFunc: func(db *datav1.Database, _ bool) { note("delete", db) },
	}
}

// lineOf has no version of a deleted object: it may be the one of its last state or of its
// deletion.
func lineOf(what string, db *datav1.Database) string {
	if what == "delete" {
		return "delete " + db.Name
	}
	return fmt.Sprintf("%s %s %s", what, db.Name, db.ResourceVersion)
}

// shows compares the lister with the response to a write, and adds what handlers have to hear.
func (w *ownWriter) shows(t *testing.T, verb, what string, written *datav1.Database, err error) {
	t.Helper()
	progress.Step()
	if err != nil {
		t.Fatalf("%s: %v", verb, err)
	}
	w.lines = append(w.lines, lineOf(what, written))
	got, err := w.lister.Get(written.Name)
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	if isShown := err == nil && got.ResourceVersion == written.ResourceVersion && got.UID == written.UID; isShown != w.option {
		t.Errorf("after %s the lister has %v, %v, and the response is of version %s", verb, got, err, written.ResourceVersion)
	}
	if w.option && got == written {
		t.Errorf("after %s the lister has the object of the caller", verb)
	}
}

// hides checks that the lister does not have an object after its end.
func (w *ownWriter) hides(t *testing.T, verb, name string, err error) {
	t.Helper()
	progress.Step()
	if err != nil {
		t.Fatalf("%s: %v", verb, err)
	}
	w.lines = append(w.lines, "delete "+name)
	if got, err := w.lister.Get(name); w.option && !apierrors.IsNotFound(err) {
		t.Errorf("after %s the lister has %v, %v", verb, got, err)
	}
	all, err := w.lister.List(labels.Everything())
	if w.option && (err != nil || slices.ContainsFunc(all, func(db *datav1.Database) bool { return db.Name == name })) {
		t.Errorf("after %s the lister lists it, %v", verb, err)
	}
}

// writeEach makes each write that returns an object, deletes it, and creates another one of the
// same name.
func (w *ownWriter) writeEach(t *testing.T) {
	t.Helper()
	ctx := within(t)
	db, err := w.typed.Create(ctx, database("orders", 10), metav1.CreateOptions{})
	w.shows(t, "Create", "add", db, err)
	db = db.DeepCopy()
	db.Spec.StorageGi = 20
	db, err = w.typed.Update(ctx, db, metav1.UpdateOptions{})
	w.shows(t, "Update", "update", db, err)
	for n := range int32(3) {
		db = db.DeepCopy()
		db.Status.ReadyReplicas = n + 1
		db, err = w.typed.UpdateStatus(ctx, db, metav1.UpdateOptions{})
		w.shows(t, "UpdateStatus", "update", db, err)
	}
	db, err = w.typed.Patch(ctx, "orders", types.MergePatchType, []byte(`{"metadata":{"labels":{"tier":"gold"}}}`), metav1.PatchOptions{})
	w.shows(t, "Patch", "update", db, err)
	db, err = w.typed.Patch(ctx, "orders", types.JSONPatchType, []byte(`[{"op":"replace","path":"/status/readyReplicas","value":7}]`), metav1.PatchOptions{}, "status")
	w.shows(t, "Patch of the status", "update", db, err)
	applied := []byte(`{"apiVersion":"data.example.com/v1","kind":"Database","metadata":{"name":"orders"},"spec":{"className":"large","storageGi":30}}`)
	db, err = w.typed.Patch(ctx, "orders", types.ApplyPatchType, applied, metav1.PatchOptions{FieldManager: "tester", Force: ptr.To(true)})
	w.shows(t, "Apply", "update", db, err)
	db, err = w.apply(ctx, "invoices")
	w.shows(t, "Apply of a new object by a dynamic client", "add", db, err)
	w.hides(t, "Delete", "orders", w.typed.Delete(ctx, "orders", metav1.DeleteOptions{}))
	db, err = w.typed.Create(ctx, database("orders", 40), metav1.CreateOptions{})
	w.shows(t, "Create of the same name", "add", db, err)
	generated := database("", 50)
	generated.GenerateName = "generated-"
	db, err = w.typed.Create(ctx, generated, metav1.CreateOptions{})
	w.shows(t, "Create of a generated name", "add", db, err)
}

// apply applies an object with the client that has no types.
func (w *ownWriter) apply(ctx context.Context, name string) (*datav1.Database, error) {
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "data.example.com/v1", "kind": "Database", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"className": "large", "storageGi": int64(30)},
	}}
	written, err := w.untyped.Apply(ctx, name, obj, metav1.ApplyOptions{FieldManager: "tester"})
	if err != nil {
		return nil, err
	}
	text, err := written.MarshalJSON()
	if err != nil {
		return nil, err
	}
	db := new(datav1.Database)
	return db, json.Unmarshal(text, db)
}

// finalize deletes an object with a finalizer, and lets it go.
func (w *ownWriter) finalize(t *testing.T) {
	t.Helper()
	ctx := within(t)
	kept := database("kept", 10)
	kept.Finalizers = []string{datav1.Finalizer}
	db, err := w.typed.Create(ctx, kept, metav1.CreateOptions{})
	w.shows(t, "Create with a finalizer", "add", db, err)
	if err := w.typed.Delete(ctx, "kept", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	db, err = w.direct.Get(ctx, "kept", metav1.GetOptions{})
	w.shows(t, "Delete with a finalizer", "update", db, err)
	if cached, err := w.lister.Get("kept"); w.option && (err != nil || cached.DeletionTimestamp.IsZero()) {
		t.Errorf("a deleted object with a finalizer is %v in the lister, %v", cached, err)
	}
	db.Finalizers = nil
	_, err = w.typed.Update(ctx, db, metav1.UpdateOptions{})
	w.hides(t, "Update without a finalizer", "kept", err)
}

// writeNothing makes requests that change no object.
func (w *ownWriter) writeNothing(t *testing.T) {
	t.Helper()
	ctx := within(t)
	before, err := w.lister.List(labels.Everything())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.typed.Create(ctx, database("dry", 10), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
		t.Fatal(err)
	}
	if err := w.typed.Delete(ctx, "orders", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
		t.Fatal(err)
	}
	stale := database("orders", 60)
	stale.ResourceVersion = "1"
	if _, err := w.typed.Update(ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Fatalf("an update of an old version says %v", err)
	}
	if err := w.typed.Delete(ctx, "orders", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr.To(types.UID("another"))}}); !apierrors.IsConflict(err) {
		t.Fatalf("a delete of another UID says %v", err)
	}
	progress.Step()
	after, err := w.lister.List(labels.Everything())
	if err != nil || !sameObjects(before, after) {
		t.Errorf("requests that change nothing have changed %v to %v, %v", before, after, err)
	}
}

// sameObjects ignores the order.
func sameObjects(before, after []*datav1.Database) bool {
	for _, db := range before {
		if !slices.Contains(after, db) {
			return false
		}
	}
	return len(before) == len(after)
}

// finish lets the watch tell the rest, with a write of another program as the last one.
func (w *ownWriter) finish(t *testing.T, informer *cache.SharedIndexInformer[*datav1.Database]) {
	t.Helper()
	ctx := within(t)
	marker, err := w.direct.Create(ctx, database("marker", 1), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := informer.WaitFor(ctx, marker.ResourceVersion); err != nil {
		t.Fatal(err)
	}
	if cached, err := w.lister.Get("marker"); err != nil || cached.UID != marker.UID {
		t.Errorf("after WaitFor the lister has %v, %v", cached, err)
	}
	w.lines = append(w.lines, lineOf("add", marker))
	w.heard.await(t, w.lines...)
	if pending := informer.Status().PendingWrites; pending != 0 {
		t.Errorf("%d writes are pending after the watch has passed them", pending)
	}
	list, err := w.direct.List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cached, err := w.lister.List(labels.Everything())
	if err != nil || len(cached) != len(list.Items) {
		t.Errorf("the lister has %d objects and the server %d, %v", len(cached), len(list.Items), err)
	}
	for i := range list.Items {
		want := &list.Items[i]
		if db, err := w.lister.Get(want.Name); err != nil || db.UID != want.UID || db.ResourceVersion != want.ResourceVersion {
			t.Errorf("the lister has %v, %v, and the server version %s", db, err, want.ResourceVersion)
		}
	}
}

// deleteAll deletes all objects in one request, of which only the watch tells.
func (w *ownWriter) deleteAll(t *testing.T, informer *cache.SharedIndexInformer[*datav1.Database]) {
	t.Helper()
	if err := w.typed.DeleteCollection(within(t), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	w.heard.awaitState(t)
	if status := informer.Status(); status.Objects != 0 || status.PendingWrites != 0 {
		t.Errorf("after all objects were deleted, the informer is %v, with %d pending writes", status, status.PendingWrites)
	}
}
