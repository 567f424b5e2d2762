package migration_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"

	"github.com/typedinformers/informer-gen/test/migration"
	clientgocontroller "github.com/typedinformers/informer-gen/test/migration/clientgo/controller"
	clientgofake "github.com/typedinformers/informer-gen/test/migration/clientgo/generated/clientset/versioned/fake"
	migratedcontroller "github.com/typedinformers/informer-gen/test/migration/migrated/controller"
	migratedfake "github.com/typedinformers/informer-gen/test/migration/migrated/generated/clientset/versioned/fake"
)

// cluster is a fake of a cluster, and one of the two operators on it.
type cluster struct {
	kube *kubefake.Clientset
	// foo is the part of the fake clientset of Foos that both sides have.
	foo  *clienttesting.Fake
	foos func(namespace string) migration.FooClient
	run  func(ctx context.Context, namespace string) error
	// versions is the number of writes.
	versions atomic.Int64
}

// enough is more writes than a test needs.
const enough = 200

// operators are the two, each with new fakes.
var operators = []struct {
	name string
	on   func(*cluster)
}{
	{"client-go", onClientGo},
	{"migrated", migrated},
}

const workers = 2

func onClientGo(c *cluster) {
	client := clientgofake.NewSimpleClientset()
	c.serve(&client.Fake, client.Tracker())
	c.foo = &client.Fake
	c.foos = func(namespace string) migration.FooClient { return client.SamplecontrollerV1alpha1().Foos(namespace) }
	c.run = func(ctx context.Context, namespace string) error {
		return clientgocontroller.Run(ctx, c.kube, client, clientgocontroller.Options{Namespace: namespace, Workers: workers})
	}
}

func migrated(c *cluster) {
	client := migratedfake.NewSimpleClientset()
	c.serve(&client.Fake, client.Tracker())
	c.foo = &client.Fake
	c.foos = func(namespace string) migration.FooClient { return client.SamplecontrollerV1alpha1().Foos(namespace) }
	c.run = func(ctx context.Context, namespace string) error {
		return migratedcontroller.Run(ctx, c.kube, client, migratedcontroller.Options{Namespace: namespace, Workers: workers})
	}
}

// forBoth runs a test with each operator in a bubble of its own.
func forBoth(t *testing.T, test func(*testing.T, *cluster)) {
	t.Helper()
	for _, operator := range operators {
		t.Run(operator.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				c := &cluster{kube: kubefake.NewSimpleClientset()}
				c.serve(&c.kube.Fake, c.kube.Tracker())
				operator.on(c)
				test(t, c)
			})
		})
	}
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

// serve stores objects as a server does: with a UID and a new version for each write.
func (c *cluster) serve(fake *clienttesting.Fake, tracker clienttesting.ObjectTracker) {
	store := clienttesting.ObjectReaction(tracker)
	fake.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		write, ok := action.(interface{ GetObject() runtime.Object }) // a create or an update
		if !ok {
			return false, nil, nil
		}
		object, err := meta.Accessor(write.GetObject())
		if err != nil {
			return true, nil, err
		}
		version := c.versions.Add(1)
		if version > enough {
			return true, nil, errors.New("the operator writes over and over") // ends the loop, and so the test
		}
		object.SetResourceVersion(fmt.Sprint(version))
		if object.GetUID() == "" {
			object.SetUID(types.UID(fmt.Sprint("uid-", version)))
		}
		return store(action)
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
