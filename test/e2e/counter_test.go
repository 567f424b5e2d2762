package e2e

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	apilisters "github.com/typedinformers/informer-gen/examples/operator/generated/listers/api/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/writes"
	"github.com/typedinformers/informer-gen/test/progress"
)

// counter is a controller that counts in the status of each database, and creates one server
// for it. No one else writes to these objects.
type counter struct {
	client    versioned.Interface
	namespace string
	databases apilisters.DatabaseNamespaceLister
	servers   apilisters.DatabaseServerNamespaceLister

	conflicts, liveGets, created atomic.Int64
}

const (
	counted = 20
	// increments are made in each object, by as many workers as countingWorkers.
	increments      = 5
	countingWorkers = 8
	// creations is how often each object is looked at for its server.
	creations = 3
)

// increment makes one step, and reports whether there was nothing left to do.
func (c *counter) increment(ctx context.Context, name string) (done bool, err error) {
	databases := c.client.DataV1().Databases(c.namespace)
	db, err := c.databases.Get(name)
	for err == nil {
		if db.Status.ReadyReplicas >= increments {
			return true, nil
		}
		db = db.DeepCopy()
		db.Status.ReadyReplicas++
		if _, err = databases.UpdateStatus(ctx, db, metav1.UpdateOptions{}); err == nil {
			progress.Step()
			return false, nil
		}
		if !apierrors.IsConflict(err) {
			return false, err
		}
		c.conflicts.Add(1)
		c.liveGets.Add(1)
		db, err = databases.Get(ctx, name, metav1.GetOptions{})
	}
	return false, err
}

// ensureServer creates a server of a database if the lister has none.
func (c *counter) ensureServer(ctx context.Context, name string) error {
	servers, err := c.servers.List(labels.SelectorFromSet(labels.Set{"database": name}))
	if err != nil || len(servers) > 0 {
		return err
	}
	c.created.Add(1)
	_, err = c.client.DataV1().DatabaseServers(c.namespace).Create(ctx, &datav1.DatabaseServer{
		ObjectMeta: metav1.ObjectMeta{GenerateName: name + "-", Labels: map[string]string{"database": name}},
		Spec:       datav1.DatabaseServerSpec{DatabaseName: name, StorageGi: 1, Port: 5432},
	}, metav1.CreateOptions{})
	return err
}

// run reconciles all objects, each by one worker until it is done.
func (c *counter) run(t *testing.T) {
	t.Helper()
	ctx := within(t)
	names := make(chan string, counted)
	for i := range counted {
		names <- fmt.Sprintf("db-%04d", i)
	}
	close(names)
	var workers sync.WaitGroup
	for range countingWorkers {
		workers.Go(func() {
			for name := range names {
				var err error
				for done := false; !done && err == nil; {
					done, err = c.increment(ctx, name)
				}
				for range creations {
					if err == nil {
						err = c.ensureServer(ctx, name)
					}
				}
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	workers.Wait()
}

// TestControllerReadsItsWrites counts with and without the option, also while the informers
// learn nothing from the server. Then each read without the option is stale.
func TestControllerReadsItsWrites(t *testing.T) {
	for _, test := range []struct {
		name string
		held bool
		// option is set if the informers read the controller's own writes.
		option bool
		// conflicts and duplicates are how many there are; -1 for any number.
		conflicts, duplicates int64
	}{
		{name: "without the option", conflicts: -1, duplicates: -1},
		{name: "without the option and without a watch", held: true, conflicts: counted * increments, duplicates: counted * (creations - 1)},
		{name: "with the option", option: true},
		{name: "with the option and without a watch", option: true, held: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var g gate
			config := shared.Config()
			g.through(config)
			var options []informers.SharedInformerOption
			if test.option {
				own := new(writes.Observer)
				config.Wrap(own.Transport)
				options = append(options, cache.WithReadYourWrites(own))
			}
			client, err := versioned.NewForConfig(config)
			if err != nil {
				t.Fatal(err)
			}
			direct := clientOf(t, shared)
			c := &counter{client: client, namespace: newNamespace(t)}
			create(t, direct.DataV1().Databases(c.namespace).Create, counted)
			factory := startFactory(t, client, func(f informers.SharedInformerFactory) {
				c.databases = f.Data().V1().Databases().Lister().Databases(c.namespace)
				c.servers = f.Data().V1().DatabaseServers().Lister().DatabaseServers(c.namespace)
			}, options...)
			if err := factory.WaitForCacheSync(within(t)); err != nil {
				t.Fatal(err)
			}
			if test.held {
				g.hold()
				defer g.release()
			}
			c.run(t)
			if got := c.conflicts.Load(); test.conflicts >= 0 && got != test.conflicts || got != c.liveGets.Load() {
				t.Errorf("%d conflicts and %d live GETs, want %d", got, c.liveGets.Load(), test.conflicts)
			}
			if got := c.created.Load() - counted; test.duplicates >= 0 && got != test.duplicates {
				t.Errorf("%d duplicates, want %d", got, test.duplicates)
			}
			c.check(t, direct)
		})
	}
}

// check compares the objects on the server.
func (c *counter) check(t *testing.T, direct versioned.Interface) {
	t.Helper()
	databases, err := direct.DataV1().Databases(c.namespace).List(within(t), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(databases.Items) != counted {
		t.Errorf("%d databases, want %d", len(databases.Items), counted)
	}
	for _, db := range databases.Items {
		if db.Status.ReadyReplicas != increments {
			t.Errorf("%s counts %d, want %d", db.Name, db.Status.ReadyReplicas, increments)
		}
	}
	servers, err := direct.DataV1().DatabaseServers(c.namespace).List(within(t), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(servers.Items)) != c.created.Load() {
		t.Errorf("%d servers, but %d were created", len(servers.Items), c.created.Load())
	}
}

// newNamespace returns a namespace that no other test has.
func newNamespace(t *testing.T) string {
	t.Helper()
	kube, err := kubernetes.NewForConfig(shared.Config())
	if err != nil {
		t.Fatal(err)
	}
	return createNamespace(t, kube)
}
