// Command writes is a controller that reads what it has written, and measures itself against a whole kube-apiserver, with one of
// several caches and clients. The command bench starts it:
//
//	writes --side=controller-runtime --steps=10 --keep --url=https://… --token=… --ca=…
//
// Each reconcile reads an object from the cache, adds 1 to a number in its status, and writes it with UpdateStatus. After a conflict
// it reads the object from the server (a live GET) and tries again, as many controllers do. By default the object goes to the end of
// the queue after a reconcile. The other objects are reconciled meanwhile, so the watch has usually caught up, and few reads are
// stale. With --keep the worker reconciles the object again and again until it is done, as a controller does if fewer objects than
// workers have something to do.
//
//   - All sides do the same work: the queue, the workers and the reconciler are the same code (controller.go). Only reads, writes
//     and events differ (sides.go). At the end each number on the server must
//     be exactly right, and the number of successful writes must be exactly the number of
//     increments. Otherwise the command fails.
//   - requests/op are all requests while the controller runs, except watches. p50-sec/read and the other percentiles are the time
//     of a Get from the cache. With EnableReadYourWritesConsistency and a ConsistencyStore this includes waiting.
//   - Without --keep, the time is the same for all: the server is the limit, and hardly any read is
//     stale. Server and controller share the processors of the machine, so the time is mostly that of the server.
package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	dataclient "github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/typed/api/v1"
	"github.com/typedinformers/informer-gen/test/bench/link"
	"github.com/typedinformers/informer-gen/test/bench/meter"
)

// namespace has all objects.
const namespace = "writes"

func main() {
	var access link.Access
	access.Flags()
	name := pflag.String("name", "Writes", "what the name of the result begins with")
	side := pflag.String("side", "informer-gen", fmt.Sprintf("one of %q", slices.Sorted(maps.Keys(sides))))
	objects := pflag.Int("objects", 200, "how many objects there are")
	steps := pflag.Int32("steps", 20, "how often each object is written to")
	keeps := pflag.Bool("keep", false, "a worker keeps an object until there is nothing left to do for it")
	profile := pflag.String("profile", "", "write a CPU profile to a file that begins with `PREFIX`")
	timeout := pflag.Duration("timeout", 5*time.Minute, "when to give up")
	pflag.Parse()
	newSide, ok := sides[*side]
	if !ok {
		meter.Check(fmt.Errorf("there is no side %q", *side))
	}
	ctrl.SetLogger(logr.Discard())
	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	databases := prepare(ctx, access, *objects)
	var requests atomic.Int64
	config := access.Config()
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			if !request.URL.Query().Has("watch") {
				requests.Add(1)
			}
			return next.RoundTrip(request)
		})
	})
	c := newController(newSide(config), *objects, *steps, *keeps)
	stop := c.side.start(ctx, c.queue.Add)
	stopProfile := meter.Profile(*profile, "loop")
	requests.Store(0)
	fmt.Println(meter.Begin)
	cpu, began := meter.CPUTime(), time.Now()
	meter.Check(c.run(ctx))
	took, used := time.Since(began), meter.CPUTime()-cpu
	figures := append(c.figures(), meter.Figure{Value: float64(requests.Load()), Unit: "requests/op"}, meter.Time(took), meter.CPU(used))
	stopProfile()
	stop()
	check(meter.Must(databases.List(ctx, metav1.ListOptions{})).Items, c, *objects)
	meter.Print(fmt.Sprintf("%s/objects=%d/side=%s", *name, *objects, *side), figures...)
}

// prepare deletes what an earlier process has left, and creates the databases. It is not measured.
func prepare(ctx context.Context, access link.Access, objects int) dataclient.DatabaseInterface {
	kube := meter.Must(kubernetes.NewForConfig(access.Config()))
	_, err := kube.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		meter.Check(err)
	}
	databases := meter.Must(versioned.NewForConfig(access.Config())).DataV1().Databases(namespace)
	meter.Check(databases.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	group, creating := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for i := range objects {
		group.Go(func() error {
			_, err := databases.Create(creating, &datav1.Database{
				ObjectMeta: metav1.ObjectMeta{Name: databaseName(i)},
				Spec:       datav1.DatabaseSpec{ClassName: "small", StorageGi: 10},
			}, metav1.CreateOptions{})
			return err
		})
	}
	meter.Check(group.Wait())
	return databases
}

func databaseName(i int) string { return fmt.Sprintf("db-%04d", i) }

// check fails if an increment was lost, or made twice.
func check(databases []datav1.Database, c *controller, objects int) {
	if want := int64(objects) * int64(c.steps); len(databases) != objects || c.written.Load() != want {
		meter.Check(fmt.Errorf("%d objects were written %d times, and not %d objects %d times", len(databases), c.written.Load(), objects, want))
	}
	for _, db := range databases {
		if db.Status.ReadyReplicas != c.steps {
			meter.Check(fmt.Errorf("%s counts %d, and not %d", db.Name, db.Status.ReadyReplicas, c.steps))
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
