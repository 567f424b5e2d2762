package e2e

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	datainformers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions/api/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/testserver"
)

// TestLeasesOfACRDThatIsDeleted replays https://github.com/kubernetes/kubernetes/issues/79610.
// Two parts of a program use a kind, and come and go, while its CRD is deleted and made again.
// One of them, the witness, stays in the first round.
func TestLeasesOfACRDThatIsDeleted(t *testing.T) {
	server := testserver.Start(t)
	install(t, server)
	client := clientOf(t, server)
	create := func(name string) {
		t.Helper()
		if _, err := client.DataV1().Databases("a").Create(within(t), database(name, 1), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	statuses := newLog()
	factory := startFactory(t, client, func(informers.SharedInformerFactory) {},
		cache.WithBackoff(status.NotFound, cache.Backoff{Initial: time.Second, Max: time.Second}),
		cache.WithWatchErrorHandler(func(context.Context, schema.GroupVersionResource, error) {}),
		cache.WithStatusHandler(func(_ context.Context, change status.Change) {
			statuses.note(fmt.Sprint(change.New.Phase, " ", change.New.Reason))
		}))
	part := func() (*cache.Lease[*datav1.Database], *log) {
		t.Helper()
		lease, err := cache.Acquire(factory.Inner(), datainformers.DatabaseKind(client))
		if err != nil {
			t.Fatal(err)
		}
		heard := newLog()
		if _, err := lease.AddEventHandler(heard.handler()); err != nil {
			t.Fatal(err)
		}
		return lease, heard
	}
	expectInformers := func(want int) {
		t.Helper()
		n := 0
		for range factory.Statuses() {
			n++
		}
		if n != want {
			t.Errorf("the factory has %d informers, want %d", n, want)
		}
	}

	create("first")
	guest, guestHeard := part()
	witness, witnessHeard := part()
	if err := witness.WaitForCacheSync(within(t)); err != nil {
		t.Fatal(err)
	}
	guestHeard.await(t, "add first 1 initial")
	expectInformers(1)

	deleteCRD(t, server)
	guestHeard.await(t, "add first 1 initial", "delete first 1")
	awaitReason(t, statuses, witness.Informer(), status.NotFound)
	guest.Release() // while the kind is gone
	expectInformers(1)
	install(t, server)
	create("second")
	factory.Inner().Retry()
	witnessHeard.awaitState(t, "second")
	guestHeard.await(t, "add first 1 initial", "delete first 1")

	// The guest comes back, and both leave. The memory of the cache is free then.
	guest, guestHeard = part()
	guestHeard.await(t, "add second 1 initial")
	informer := witness.Informer()
	lister := cache.NewLister(informer.GetIndexer(), informer.Resource().GroupResource())
	cached, err := lister.Namespace("a").Get("second")
	if err != nil {
		t.Fatal(err)
	}
	pointer := weak.Make(cached)
	cached = nil
	witness.Release()
	expectInformers(1)
	guest.Release()
	expectInformers(0)
	poll(t, "goroutines are left after the last release", func() bool { return informerGoroutines() == 0 })
	if _, err := lister.Namespace("a").Get("second"); !errors.Is(err, cache.ErrStopped) || apierrors.IsNotFound(err) {
		t.Errorf("a lister from before says %v", err)
	}
	for range 3 {
		runtime.GC()
	}
	if pointer.Value() != nil {
		t.Error("an object of the cache is alive after the last release")
	}

	// The CRD is deleted while no one uses the kind. A part that comes meanwhile waits.
	deleteCRD(t, server)
	guest, guestHeard = part()
	if guest.Informer() == informer {
		t.Error("a lease has the informer that was stopped")
	}
	awaitReason(t, statuses, guest.Informer(), status.NotFound)
	install(t, server)
	create("third")
	if err := guest.WaitForCacheSync(within(t)); err != nil {
		t.Fatal(err)
	}
	guestHeard.awaitState(t, "third")
	guest.Release()
	expectInformers(0)
	poll(t, "goroutines are left at the end", func() bool { return informerGoroutines() == 0 })
	runtime.KeepAlive(lister)
}

// deleteCRD deletes the CRD of databases, and waits until it is gone.
func deleteCRD(t *testing.T, server *testserver.Server) {
	t.Helper()
	client, err := clientset.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	const name = "databases.data.example.com"
	crds := client.ApiextensionsV1().CustomResourceDefinitions()
	if err := crds.Delete(within(t), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	poll(t, "the CRD is not gone", func() bool {
		_, err := crds.Get(t.Context(), name, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}

// poll waits until a condition holds that nothing tells about.
func poll(t *testing.T, what string, holds func() bool) {
	t.Helper()
	if err := wait.PollUntilContextCancel(within(t), 20*time.Millisecond, true, func(context.Context) (bool, error) { return holds(), nil }); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// awaitReason waits until the status of an informer has a reason.
func awaitReason(t *testing.T, statuses *log, informer *cache.SharedIndexInformer[*datav1.Database], reason cache.Reason) {
	t.Helper()
	for ctx := within(t); ; {
		statuses.mu.Lock()
		changed := statuses.changed
		statuses.mu.Unlock()
		if informer.Status().Reason == reason {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("the status is %v, the changes were %v", informer.Status(), statuses.lines)
		}
	}
}

// informerGoroutines returns how many goroutines of the runtime there are.
func informerGoroutines() (n int) {
	stacks := make([]byte, 64<<20)
	for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if strings.Contains(stack, "informer-gen/runtime/") {
			n++
		}
	}
	return n
}
