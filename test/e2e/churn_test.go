package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/faults"
	"github.com/typedinformers/informer-gen/test/faults/history"
	"github.com/typedinformers/informer-gen/test/progress"
	"github.com/typedinformers/informer-gen/testserver"
)

// writers change a population of databases at random, and get over restarts of
// the server.
type writers struct {
	client  versioned.Interface
	objects int
	seed    uint64

	mu     sync.Mutex    // guards the fields below
	writes int           // that the server has taken
	wrote  chan struct{} // closed by the next write, if somebody waits for it
	up     chan struct{} // closed when the server is up again; nil while it is
	downs  int           // how often it went down
}

// namespaces of the population.
var namespaces = [...]string{"north", "east", "south", "west"}

// object returns where the object of that number is.
func object(n int) (namespace, name string) {
	return namespaces[n%len(namespaces)], fmt.Sprintf("db-%05d", n)
}

// fill creates the objects from first to before end.
func (w *writers) fill(t *testing.T, first, end int) {
	t.Helper()
	ctx := within(t)
	numbers := make(chan int)
	var creating sync.WaitGroup
	for range 8 {
		creating.Go(func() {
			for n := range numbers {
				namespace, name := object(n)
				if _, err := w.client.DataV1().Databases(namespace).Create(ctx, database(name, 1), metav1.CreateOptions{}); err != nil {
					t.Error(err)
				}
				progress.Step()
			}
		})
	}
	for n := first; n < end; n++ {
		numbers <- n
	}
	close(numbers)
	creating.Wait()
}

// start lets count writers write until stop.
func (w *writers) start(t *testing.T, count int) (running *sync.WaitGroup, stop context.CancelFunc) {
	ctx, stop := context.WithCancel(t.Context())
	running = &sync.WaitGroup{}
	for n := range count {
		random := rand.New(rand.NewPCG(w.seed, uint64(n)))
		running.Go(func() {
			for ctx.Err() == nil {
				w.write(t, ctx, random)
			}
		})
	}
	return running, stop
}

// write does something to some object, and waits if the server is down.
func (w *writers) write(t *testing.T, ctx context.Context, random *rand.Rand) {
	_, downs := w.state()
	err := w.tryWrite(context.WithoutCancel(ctx), random) // what was begun is finished: nobody writes behind a final list
	switch {
	case err == nil:
		w.count()
	case apierrors.IsNotFound(err), apierrors.IsAlreadyExists(err), apierrors.IsConflict(err):
		// Another writer was first.
	default:
		up, now := w.state()
		if up == nil && now == downs {
			t.Errorf("write: %v", err)
		}
		if up != nil {
			select {
			case <-up:
			case <-ctx.Done():
			}
		}
	}
}

func (w *writers) tryWrite(ctx context.Context, random *rand.Rand) error {
	ctx, cancel := progress.Follow(ctx)
	defer cancel()
	namespace, name := object(random.IntN(w.objects))
	databases := w.client.DataV1().Databases(namespace)
	switch random.IntN(10) {
	case 0, 1:
		return databases.Delete(ctx, name, metav1.DeleteOptions{})
	case 2, 3, 4:
		_, err := databases.Create(ctx, database(name, 1), metav1.CreateOptions{})
		return err
	case 5, 6:
		db, err := databases.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		db.Spec.StorageGi++
		_, err = databases.Update(ctx, db, metav1.UpdateOptions{})
		return err
	case 7:
		patch := fmt.Appendf(nil, `{"metadata":{"labels":{"patched":"%d"}}}`, random.IntN(1000))
		_, err := databases.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	case 8:
		// Gone and here again at once: its successor has another UID.
		if err := databases.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			return err
		}
		_, err := databases.Create(ctx, database(name, 2), metav1.CreateOptions{})
		return err
	default:
		db, err := databases.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		db.Status = datav1.DatabaseStatus{Phase: datav1.DatabaseReady, Endpoint: name + ".example.com:5432", ObservedGeneration: random.Int64N(1000)}
		_, err = databases.UpdateStatus(ctx, db, metav1.UpdateOptions{})
		return err
	}
}

func (w *writers) count() {
	progress.Step()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes++
	if w.wrote != nil {
		close(w.wrote)
		w.wrote = nil
	}
}

func (w *writers) state() (up <-chan struct{}, downs int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.up, w.downs
}

// awaitWrites returns when the server has taken so many more.
func (w *writers) awaitWrites(t *testing.T, more int) {
	t.Helper()
	ctx := within(t)
	w.mu.Lock()
	defer w.mu.Unlock()
	for target := w.writes + more; w.writes < target; {
		if w.wrote == nil {
			w.wrote = make(chan struct{})
		}
		wrote := w.wrote
		w.mu.Unlock()
		select {
		case <-wrote:
		case <-ctx.Done():
		}
		w.mu.Lock()
		if ctx.Err() != nil {
			t.Fatalf("only %d of %d writes were made", w.writes, target)
		}
	}
}

// restart restarts the server, and lets the writers wait until it serves again.
func (w *writers) restart(t *testing.T, server *testserver.Server) {
	t.Helper()
	up := make(chan struct{})
	w.mu.Lock()
	w.up = up
	w.downs++
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.up = nil
		w.mu.Unlock()
		close(up)
	}()
	if err := server.Restart(within(t)); err != nil {
		t.Fatal(err)
	}
	install(t, server) // waits until the kind is served again
}

// TestChurn has a large collection under several writers, with handlers that come
// and go, faults at random and a restart, and compares at the end.
func TestChurn(t *testing.T) {
	objects, writes := 10_000, 500 // writes in each of the parts before and after the restart
	if testing.Short() {
		objects, writes = 1_000, 300
	}
	ctx := within(t)
	began := time.Now()
	phase := func(what string) { t.Logf("%6.1f s: %s", time.Since(began).Seconds(), what) }

	server := testserver.Start(t)
	install(t, server)
	w := &writers{client: clientOf(t, server), objects: objects, seed: 7}
	w.fill(t, 0, objects/2) // for the list
	phase("half of the objects are there")
	f, _ := follow(t, server, "", once(faults.Streams, faults.Truncate(200_000)), once(faults.Streams, faults.Status(http.StatusInternalServerError, 0)))
	f.awaitSync(t)

	var around sync.WaitGroup
	aroundCtx, end := context.WithCancel(ctx)
	var guests []*history.Recorder[*datav1.Database]
	around.Go(func() { f.disturb(aroundCtx, rand.New(rand.NewPCG(7, 100))) })
	around.Go(func() { guests = f.entertain(t, aroundCtx, rand.New(rand.NewPCG(7, 101))) })

	w.fill(t, objects/2, objects) // for the watch
	phase("all objects are there")
	churning, stop := w.start(t, 8)
	w.awaitWrites(t, writes)
	phase("restarting")
	w.restart(t, server)
	phase("restarted")
	w.awaitWrites(t, writes)
	stop()
	churning.Wait()
	end()
	around.Wait()
	f.proxy.Clear()
	phase("all is written")

	f.awaitWatch(t)
	f.catchUp(t, ctx, guests...)
	phase(fmt.Sprintf("settled: %d objects, %d events, %d faults, %d lists, %d streams, %d watches, %d handlers stayed",
		f.informer.GetStore().Len(), f.heard.Events(), f.proxy.Struck(), f.proxy.Requests(faults.Lists), f.proxy.Requests(faults.Streams), f.proxy.Requests(faults.Watches), len(guests)))
	if n := f.proxy.Struck(); n < 6 {
		t.Errorf("only %d faults struck", n)
	}
	reasons := map[cache.Reason]int{}
	for _, reason := range f.reasons(t) {
		reasons[reason]++
	}
	t.Logf("reasons: %v", reasons)
}

// disturb spoils one request after the other, a dozen in all: each that ends in a
// relist costs a second or more of the time that the test has.
func (f *follower) disturb(ctx context.Context, random *rand.Rand) {
	for n := 0; n < 12 && ctx.Err() == nil; n++ {
		kind := random.IntN(9)
		stalls := kind == 4
		fault := []faults.Fault{
			faults.Cut(),
			faults.Truncate(random.IntN(20_000)),
			faults.EndEarly(random.IntN(20_000)),
			faults.Delay(time.Duration(random.IntN(100)) * time.Millisecond),
			faults.Stall(random.IntN(20_000)),
			faults.Status(http.StatusInternalServerError, 0),
			faults.Status(http.StatusTooManyRequests, 0),
			faults.Gone(),
			faults.GoneEvent(random.IntN(20)),
		}[kind]
		struck := f.proxy.Set(once(faults.Lists|faults.Streams|faults.Watches, fault))
		f.proxy.CutAll()
		select {
		case <-struck:
		case <-ctx.Done():
		}
		if stalls {
			continue // until it is cut
		}
		// A while of peace, or else the informer would wait longer each time.
		_ = f.heard.AwaitEvents(ctx, f.heard.Events()+100)
	}
	f.proxy.CutAll()
}

// entertain lets handlers join, and returns those that have not left again. What
// a handler hears is checked when it leaves.
func (f *follower) entertain(t *testing.T, ctx context.Context, random *rand.Rand) (stayed []*history.Recorder[*datav1.Database]) {
	for ctx.Err() == nil {
		guest := history.NewRecorder(f.informer.GetStore())
		registration, err := f.informer.AddEventHandler(guest)
		if err != nil {
			t.Error(err)
			return stayed
		}
		leaves := random.IntN(4) > 0 || len(stayed) == 4
		// Some leave before they have heard what there is.
		events := random.IntN(500)
		if random.IntN(2) == 0 {
			if cache.WaitForCacheSync(ctx, registration) == nil {
				events += guest.Events()
			}
		}
		_ = guest.AwaitEvents(ctx, events)
		if !leaves {
			stayed = append(stayed, guest)
			continue
		}
		if err := f.informer.RemoveEventHandler(registration); err != nil {
			t.Error(err)
		}
		guest.Leave()
		checkHistory(t, guest)
	}
	return stayed
}
