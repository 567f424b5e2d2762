package kubetest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/test/migration"
	"github.com/typedinformers/informer-gen/test/migration/apis/samplecontroller/v1alpha1"
	clientgocontroller "github.com/typedinformers/informer-gen/test/migration/clientgo/controller"
	clientgoversioned "github.com/typedinformers/informer-gen/test/migration/clientgo/generated/clientset/versioned"
	migratedcontroller "github.com/typedinformers/informer-gen/test/migration/migrated/controller"
	migratedversioned "github.com/typedinformers/informer-gen/test/migration/migrated/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/test/progress"
)

// operator is one of the two of package migration.
type operator struct {
	name string
	foos func(namespace string) migration.FooClient
	run  func(ctx context.Context, namespace string) error
}

// operators returns both, with clients of the shared server.
func operators(t *testing.T, kube kubernetes.Interface) []operator {
	t.Helper()
	config := configOf(shared)
	theirs, err := clientgoversioned.NewForConfigAndClient(config, httpFor(t, config))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := migratedversioned.NewForConfigAndClient(config, httpFor(t, config))
	if err != nil {
		t.Fatal(err)
	}
	return []operator{
		{
			"client-go",
			func(namespace string) migration.FooClient { return theirs.SamplecontrollerV1alpha1().Foos(namespace) },
			func(ctx context.Context, namespace string) error {
				return clientgocontroller.Run(ctx, kube, theirs, clientgocontroller.Options{Namespace: namespace, Workers: 2})
			},
		},
		{
			"migrated",
			func(namespace string) migration.FooClient { return ours.SamplecontrollerV1alpha1().Foos(namespace) },
			func(ctx context.Context, namespace string) error {
				return migratedcontroller.Run(ctx, kube, ours, migratedcontroller.Options{Namespace: namespace, Workers: 2})
			},
		},
	}
}

// TestMigration runs each scenario with both operators, each in a namespace of its own. The
// test writes the status of Deployments, as the server has no controllers.
func TestMigration(t *testing.T) {
	kube := clientFor(t, configOf(shared))
	newObjects(t, shared).create(t, "../migration/config/samplecontroller.k8s.io_foos.yaml")
	awaitFoos(t)
	for i, operator := range operators(t, kube) {
		for j, scenario := range migration.Scenarios {
			t.Run(operator.name+"/"+scenario.Name, func(t *testing.T) {
				namespace := fmt.Sprintf("migration-%d-%d", i, j)
				inNamespace(t, kube, namespace)
				changed := watchAll(t, kube, operator.foos, namespace)
				scenario.Run(&migration.World{
					TB:        t,
					Kube:      kube,
					Foos:      operator.foos,
					Namespace: namespace,
					Start:     func() { operator.start(t, namespace) },
					Await:     func(condition func(context.Context) error) { t.Helper(); awaitAfter(t, changed, condition) },
				})
			})
		}
	}
}

// awaitFoos waits until the server serves the kind Foo.
func awaitFoos(t *testing.T) {
	t.Helper()
	config := configOf(shared)
	client, err := migratedversioned.NewForConfigAndClient(config, httpFor(t, config))
	if err != nil {
		t.Fatal(err)
	}
	resource := v1alpha1.SchemeGroupVersion.WithResource("foos")
	follow[*v1alpha1.Foo](t, client.SamplecontrollerV1alpha1().RESTClient(), resource, "",
		cache.WithBackoff(status.NotFound, cache.Backoff{Initial: 100 * time.Millisecond, Max: 100 * time.Millisecond})).awaitSync(t)
}

// start starts the operator, which ends with the test.
func (o operator) start(t *testing.T, namespace string) {
	t.Helper()
	logger, _ := ktesting.NewTestContext(t)
	ctx, stop := context.WithCancel(klog.NewContext(t.Context(), logger))
	ended := make(chan error, 1)
	go func() { ended <- o.run(ctx, namespace) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

// watchAll returns a channel that gets a value after each change of a namespace that a
// scenario may wait for. It has room for one.
func watchAll(t *testing.T, kube kubernetes.Interface, foos func(string) migration.FooClient, namespace string) <-chan struct{} {
	t.Helper()
	changed := make(chan struct{}, 1)
	var watching sync.WaitGroup
	for _, open := range []func(context.Context, metav1.ListOptions) (watch.Interface, error){
		foos(namespace).Watch, kube.AppsV1().Deployments(namespace).Watch, kube.CoreV1().Events(namespace).Watch,
	} {
		w, err := open(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		watching.Go(func() {
			for range w.ResultChan() {
				select {
				case changed <- struct{}{}:
				default:
				}
			}
		})
		t.Cleanup(w.Stop)
	}
	t.Cleanup(watching.Wait) // runs before the others, whose context is canceled already
	return changed
}

// awaitAfter tries a condition after each change until it holds.
func awaitAfter(t *testing.T, changed <-chan struct{}, condition func(context.Context) error) {
	t.Helper()
	for ctx := within(t); ; {
		err := condition(ctx)
		if err == nil {
			progress.Step()
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("%v: %v", context.Cause(ctx), err)
		}
	}
}
