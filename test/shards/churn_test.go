package shards

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	corev1 "k8s.io/api/core/v1"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	datalisters "github.com/typedinformers/informer-gen/examples/operator/generated/listers/api/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/progress"
)

// namespaces returns how many namespaces the databases are in: so many that each process gets some of them if
// the key is the namespace.
func namespaces() int { return max(20, *objects/100) }

// world has the databases: it creates and changes them, and knows what has become of them.
type world struct {
	client    versioned.Interface
	databases datalisters.DatabaseLister
	// changed gets a value after an event of a database, if it is empty.
	changed chan struct{}

	mu     sync.Mutex // guards the fields below
	random *rand.Rand
	next   int // number of the next database
}

// newWorld follows the databases until the test ends.
func newWorld(t *testing.T, config *rest.Config, seed uint64) *world {
	t.Helper()
	ctx := progress.Context(t)
	client, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	w := &world{
		client:    client,
		databases: factory.Data().V1().Databases().Lister(),
		changed:   make(chan struct{}, 1),
		random:    rand.New(rand.NewPCG(seed, 0)),
	}
	notify := func() {
		select {
		case w.changed <- struct{}{}:
		default:
		}
	}
	if _, err := factory.Data().V1().Databases().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*datav1.Database]{
		AddFunc:    func(*datav1.Database, bool) { notify() },
		UpdateFunc: func(_, _ *datav1.Database) { notify() },
		DeleteFunc: func(*datav1.Database, bool) { notify() },
	}); err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(context.Background())
	factory.Start(running)
	t.Cleanup(func() {
		stop()
		factory.Shutdown()
	})
	if err := factory.WaitForCacheSync(ctx); err != nil {
		t.Fatal(err)
	}
	return w
}

// prepare creates namespaces and a class.
func (w *world) prepare(t *testing.T, kube kubernetes.Interface) {
	t.Helper()
	ctx := progress.Context(t)
	for n := range namespaces() {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespaceOf(n)}}
		if _, err := kube.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	class := &datav1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: "small"},
		Spec: datav1.DatabaseClassSpec{MaxStorageGi: 100, Domain: "db.example.com", Port: 5432}}
	if _, err := w.client.DataV1().DatabaseClasses().Create(ctx, class, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// populate creates databases.
func (w *world) populate(t *testing.T, count int) {
	t.Helper()
	ctx := progress.Context(t)
	w.parallel(count, func() {
		if err := w.create(ctx); err != nil {
			t.Error(err)
		}
	})
}

// parallel calls a function many times, by several goroutines.
func (w *world) parallel(count int, call func()) {
	calls := make(chan struct{})
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for range calls {
				call()
			}
		})
	}
	for range count {
		calls <- struct{}{}
	}
	close(calls)
	callers.Wait()
}

// namespaceOf returns names that differ at their beginning. FNV-1a puts names that differ in the last two letters
// only, such as team-00 and team-99, next to each other, so that one process would have all of them.
func namespaceOf(n int) string { return fmt.Sprintf("%03d-team", n%namespaces()) }

func nameOf(n int) string { return fmt.Sprintf("db-%06d", n) }

// create creates one more database. A name is not used again.
func (w *world) create(ctx context.Context) error {
	w.mu.Lock()
	n := w.next
	w.next++
	w.mu.Unlock()
	db := &datav1.Database{
		ObjectMeta: metav1.ObjectMeta{Name: nameOf(n)},
		Spec:       datav1.DatabaseSpec{ClassName: "small", StorageGi: 1 + int32(n%99)},
	}
	_, err := w.client.DataV1().Databases(namespaceOf(n)).Create(ctx, db, metav1.CreateOptions{})
	progress.Step()
	return err
}

// pick returns a random database that is not being deleted, or nil.
func (w *world) pick() (*datav1.Database, error) {
	for range 20 { // many may be gone
		w.mu.Lock()
		n := w.random.IntN(w.next)
		w.mu.Unlock()
		db, err := w.databases.Databases(namespaceOf(n)).Get(nameOf(n))
		if err == nil && db.DeletionTimestamp == nil {
			return db, nil
		}
		if err != nil && !apierrors.IsNotFound(err) {
			return nil, err
		}
	}
	return nil, nil
}

// resize gives a database another size. One of ten is more than its class allows.
func (w *world) resize(ctx context.Context, db *datav1.Database) error {
	w.mu.Lock()
	size := 1 + w.random.IntN(110)
	w.mu.Unlock()
	patch := fmt.Appendf(nil, `{"spec":{"storageGi":%d}}`, size)
	_, err := w.client.DataV1().Databases(db.Namespace).Patch(ctx, db.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// change changes one database, or one of its servers.
func (w *world) change(ctx context.Context) error {
	w.mu.Lock()
	dice := w.random.IntN(100)
	w.mu.Unlock()
	if dice < 8 {
		return w.create(ctx)
	}
	db, err := w.pick()
	if err != nil || db == nil {
		return err
	}
	switch {
	case dice < 16:
		err = w.client.DataV1().Databases(db.Namespace).Delete(ctx, db.Name, metav1.DeleteOptions{})
	case dice < 40: // what the agent would do
		patch := fmt.Appendf(nil, `{"status":{"ready":%t}}`, dice%2 == 0)
		_, err = w.client.DataV1().DatabaseServers(db.Namespace).Patch(ctx, db.Name+"-0", types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	default:
		err = w.resize(ctx, db)
	}
	if apierrors.IsNotFound(err) {
		return nil // it is gone meanwhile, or its server has not come yet
	}
	return err
}

// churn changes databases until the returned func is called.
func (w *world) churn(t *testing.T, rate int) (stop func()) {
	ctx, cancel := context.WithCancel(progress.Context(t))
	var writers sync.WaitGroup
	const count = 4
	for range count {
		writers.Go(func() {
			ticker := time.NewTicker(time.Second * count / time.Duration(rate))
			defer ticker.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-ticker.C:
				}
				if err := w.change(ctx); err != nil && ctx.Err() == nil {
					t.Errorf("the churn cannot write: %v", err)
					return
				}
			}
		})
	}
	return func() {
		cancel()
		writers.Wait()
	}
}

// await waits until a condition holds, which it looks at after each event of a database.
func (w *world) await(ctx context.Context, what string, holds func() (missing string, err error)) error {
	// What the condition depends on may change without an event.
	ticker := time.NewTicker(500 * time.Millisecond)
	defer ticker.Stop()
	for {
		missing, err := holds()
		if missing == "" || err != nil {
			return err
		}
		select {
		case <-w.changed:
			// A look at all databases costs more than many events.
			select {
			case <-ticker.C:
			case <-ctx.Done():
			}
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("waited in vain until %s: %s: %w", what, missing, context.Cause(ctx))
		}
	}
}

// isReconciled reports whether the operator has seen the last change of a database.
func isReconciled(db *datav1.Database) bool {
	return db.DeletionTimestamp == nil && db.Status.ObservedGeneration == db.Generation
}

// probe changes some databases, and waits until the operator has seen that: so each is
// reconciled by some process.
func (w *world) probe(ctx context.Context, count int) error {
	wanted := map[cache.ObjectName]int64{} // generations
	for range count {
		db, err := w.pick()
		if err != nil {
			return err
		}
		if db == nil {
			continue
		}
		patch := fmt.Appendf(nil, `{"spec":{"storageGi":%d}}`, 1+(db.Spec.StorageGi+1)%99)
		db, err = w.client.DataV1().Databases(db.Namespace).Patch(ctx, db.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return err
		}
		wanted[cache.MetaObjectToName(db)] = db.Generation
	}
	if len(wanted) == 0 {
		return errors.New("there is no database to probe")
	}
	return w.await(ctx, "the operator has seen a change of each database", func() (missing string, err error) {
		for name, generation := range wanted {
			db, err := w.databases.Databases(name.Namespace).Get(name.Name)
			if apierrors.IsNotFound(err) || err == nil && db.Status.ObservedGeneration >= generation {
				delete(wanted, name)
				progress.Step()
			} else if err != nil {
				return "", err
			}
		}
		for name := range wanted {
			return fmt.Sprintf("%d are left, such as %s", len(wanted), name), nil
		}
		return "", nil
	})
}
