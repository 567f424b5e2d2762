package guide

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	v1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	datainformers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions/api/v1"
	corev1informers "github.com/typedinformers/informer-gen/kubernetes/informers/externalversions/core/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// teams creates namespaces with a database each.
func teams(t *testing.T, n int) (kube kubernetes.Interface, client versioned.Interface, names []string) {
	t.Helper()
	kube, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	if client, err = versioned.NewForConfig(server.Config()); err != nil {
		t.Fatal(err)
	}
	for range n {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "team-"}}
		if namespace, err = kube.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		create(t, client, namespace.Name)
		names = append(names, namespace.Name)
	}
	return kube, client, names
}

// follow runs informers until the test ends.
func follow(t *testing.T, run ...func(context.Context)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for _, f := range run {
		running.Go(func() { f(ctx) })
	}
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
}

// present collects the namespaces of the databases that a handler has.
type present struct {
	mu      sync.Mutex
	names   []string
	changed chan struct{} // has a token after a change
}

func listenTo(t *testing.T, informer *cache.SharedIndexInformer[*v1.Database]) *present {
	t.Helper()
	p := &present{changed: make(chan struct{}, 1)}
	change := func(f func()) {
		p.mu.Lock()
		f()
		p.mu.Unlock()
		select {
		case p.changed <- struct{}{}:
		default:
		}
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs[*v1.Database]{
		AddFunc: func(db *v1.Database, _ bool) {
			change(func() { p.names = append(p.names, db.Namespace) })
		},
		DeleteFunc: func(db *v1.Database, _ bool) {
			change(func() {
				p.names = slices.DeleteFunc(p.names, func(name string) bool { return name == db.Namespace })
			})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// await waits until the handler has exactly these, which names are sorted in.
func (p *present) await(t *testing.T, want ...string) {
	t.Helper()
	want = slices.Sorted(slices.Values(want))
	limit := time.After(time.Minute)
	for {
		p.mu.Lock()
		got := slices.Sorted(slices.Values(p.names))
		p.mu.Unlock()
		if slices.Equal(got, want) {
			return
		}
		select {
		case <-p.changed:
		case <-limit:
			t.Fatalf("the handler has %q, want %q", got, want)
		}
	}
}

func TestNamespacesThatChange(t *testing.T) {
	_, client, names := teams(t, 3)
	informer, err := datainformers.DatabaseKind(client).NewInformer(cache.WithNamespaces(names[0], names[1]))
	if err != nil {
		t.Fatal(err)
	}
	handler := listenTo(t, informer)
	follow(t, informer.Run)
	handler.await(t, names[0], names[1])
	if err := informer.SetScopes(cache.Scope{Namespace: names[1]}, cache.Scope{Namespace: names[2]}); err != nil {
		t.Fatal(err)
	}
	if err := cache.WaitForCacheSync(t.Context(), informer); err != nil {
		t.Fatal(err)
	}
	handler.await(t, names[1], names[2])
}

// TestNamespacesByLabel is the code of docs/informers.md.
func TestNamespacesByLabel(t *testing.T) {
	kube, databases, names := teams(t, 3)
	label := func(name, value string) {
		t.Helper()
		namespace, err := kube.CoreV1().Namespaces().Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		metav1.SetMetaDataLabel(&namespace.ObjectMeta, "databases", value)
		if _, err := kube.CoreV1().Namespaces().Update(t.Context(), namespace, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	value := "enabled-" + names[0] // other tests have namespaces too
	label(names[0], value)

	namespaces, err := corev1informers.NamespaceKind(kube).NewInformer(cache.WithLabelSelector("databases=" + value))
	if err != nil {
		t.Fatal(err)
	}
	informer, err := datainformers.DatabaseKind(databases).NewInformer(cache.WithScopesLater())
	if err != nil {
		t.Fatal(err)
	}
	handler := listenTo(t, informer)
	follow(t, namespaces.Run, informer.Run, func(ctx context.Context) {
		_ = cache.FollowScopes(ctx, informer, cache.ScopesOf(namespaces, func(n *corev1.Namespace) ([]cache.Scope, error) {
			return []cache.Scope{{Namespace: n.Name}}, nil
		}))
	})

	handler.await(t, names[0])
	label(names[1], value)
	handler.await(t, names[0], names[1])
	label(names[0], "disabled")
	handler.await(t, names[1])
}

func TestShards(t *testing.T) {
	_, client, names := teams(t, 4)
	seen := map[string]int{}
	for _, half := range sharding.Split(sharding.UID, 2) {
		informer, err := datainformers.DatabaseKind(client).NewInformer(cache.WithNamespaces(names...), cache.WithShard(half))
		if err != nil {
			t.Fatal(err)
		}
		follow(t, informer.Run)
		if err := cache.WaitForCacheSync(t.Context(), informer); err != nil {
			t.Fatal(err)
		}
		for db := range informer.GetStore().All() {
			seen[db.Namespace]++
		}
	}
	for _, name := range names {
		if seen[name] != 1 {
			t.Errorf("%d of the shards have the database of %s", seen[name], name)
		}
	}
}
