package migration_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/test/migration"
	clientgocontroller "github.com/typedinformers/informer-gen/test/migration/clientgo/controller"
	clientgo "github.com/typedinformers/informer-gen/test/migration/clientgo/generated/clientset/versioned"
	migratedcontroller "github.com/typedinformers/informer-gen/test/migration/migrated/controller"
	"github.com/typedinformers/informer-gen/test/migration/migrated/generated/clientset/versioned/fake"
)

// cluster is an API server in memory, and one of the two operators on it. There is no garbage
// collector, as in the tests with a kube-apiserver.
type cluster struct {
	// Clientset has the reactors for all clients of the server, and records their requests.
	*fake.Clientset
	kube kubernetes.Interface
	foos func(namespace string) migration.FooClient
	run  func(ctx context.Context, namespace string) error
	// writes is the number of creates and updates.
	writes atomic.Int64
}

// enough is more writes than a test needs.
const enough = 200

// operators are the two, each with the clientset that was generated for it.
var operators = []struct {
	name string
	on   func(*cluster)
}{
	{"client-go", onClientGo},
	{"migrated", migrated},
}

const workers = 2

func onClientGo(c *cluster) {
	client := clientgo.NewForConfigOrDie(c.Config())
	c.foos = func(namespace string) migration.FooClient { return client.SamplecontrollerV1alpha1().Foos(namespace) }
	c.run = func(ctx context.Context, namespace string) error {
		return clientgocontroller.Run(ctx, c.kube, client, clientgocontroller.Options{Namespace: namespace, Workers: workers})
	}
}

func migrated(c *cluster) {
	c.foos = func(namespace string) migration.FooClient { return c.SamplecontrollerV1alpha1().Foos(namespace) }
	c.run = func(ctx context.Context, namespace string) error {
		return migratedcontroller.Run(ctx, c.kube, c.Clientset, migratedcontroller.Options{Namespace: namespace, Workers: workers})
	}
}

// forBoth runs a test with each operator in a bubble of its own.
func forBoth(t *testing.T, test func(*testing.T, *cluster)) {
	t.Helper()
	for _, operator := range operators {
		t.Run(operator.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				server := apitest.Start(t, apitest.WithScheme(scheme.Scheme), apitest.WithoutGarbageCollection())
				c := &cluster{Clientset: fake.NewClientsetFor(server)}
				c.kube = kubernetes.NewForConfigOrDie(c.Config())
				c.limitWrites()
				operator.on(c)
				test(t, c)
			})
		})
	}
}

// limitWrites ends the loop of an operator that writes over and over, and so the test.
func (c *cluster) limitWrites() {
	refuse := func(clienttesting.Action) (bool, runtime.Object, error) {
		return c.writes.Add(1) > enough, nil, errors.New("the operator writes over and over")
	}
	c.PrependReactor("create", "*", refuse)
	c.PrependReactor("update", "*", refuse)
}

var bubbles int

// inBubble runs a test in a bubble whose clock is ahead of the real one, and of those of the
// tests before. apimachinery remembers for the whole process when it has reported the last
// error, and sleeps until then.
func inBubble(t *testing.T, test func(*testing.T)) {
	t.Helper()
	bubbles++
	begin := time.Now().Round(0).AddDate(0, 0, bubbles)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(begin))
		test(t)
	})
}

// world returns c for a scenario.
func (c *cluster) world(t *testing.T) *migration.World {
	return &migration.World{
		TB:        t,
		Kube:      c.kube,
		Foos:      c.foos,
		Namespace: namespace,
		Start:     func() { c.start(t) },
		Await:     func(condition func(context.Context) error) { t.Helper(); await(t, condition) },
	}
}

const namespace = "team-a"

// start starts the operator, which ends with the test.
func (c *cluster) start(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(logging(t))
	ended := make(chan error, 1)
	go func() { ended <- c.run(ctx, namespace) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

// logging returns a context whose logger writes into the log of the test.
func logging(t *testing.T) context.Context {
	logger, _ := ktesting.NewTestContext(t)
	return klog.NewContext(t.Context(), logger)
}

// await lets the clock of the bubble run until condition holds, for less than a resync: that
// would hide a missed event.
func await(t *testing.T, condition func(context.Context) error) {
	t.Helper()
	var err error
	for range 300 {
		time.Sleep(time.Second)
		synctest.Wait()
		if err = condition(t.Context()); err == nil {
			return
		}
	}
	t.Fatal(err)
}
