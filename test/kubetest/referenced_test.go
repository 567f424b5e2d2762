package kubetest

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/test/kubeserver"
	"github.com/typedinformers/informer-gen/test/progress"
)

// secretsOf are the Secrets that a ConfigMap names, in its namespace.
var secretsOf = crcache.By(&corev1.ConfigMap{}, func(site *corev1.ConfigMap) (names []types.NamespacedName) {
	for name := range strings.FieldsSeq(site.Data["secrets"]) {
		names = append(names, types.NamespacedName{Name: name})
	}
	return names
})

// startCache starts a cache of a namespace for a user, and returns a function that ends it.
func startCache(t testing.TB, config *rest.Config, namespace string, options ...crcache.Option) (*crcache.Cache, func()) {
	t.Helper()
	made, err := crcache.NewFunc(options...)(config, ctrlcache.Options{DefaultNamespaces: map[string]ctrlcache.Config{namespace: {}}})
	if err != nil {
		t.Fatal(err)
	}
	c := made.(*crcache.Cache)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := c.Start(ctx); err != nil {
			t.Error(err)
		}
	})
	return c, sync.OnceFunc(func() {
		cancel()
		running.Wait()
	})
}

// TestReferencedWithResourceNames has the right to read two Secrets by their names, and no right to list all.
func TestReferencedWithResourceNames(t *testing.T) {
	const namespace = "referenced"
	ctx := within(t)
	admin := clientFor(t, configOf(shared))
	inNamespace(t, admin, namespace)
	for _, name := range []string{"one", "two", "three"} {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, StringData: map[string]string{"is": name}}
		if _, err := admin.CoreV1().Secrets(namespace).Create(ctx, secret, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	site := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "site"}, Data: map[string]string{"secrets": "one"}}
	if _, err := admin.CoreV1().ConfigMaps(namespace).Create(ctx, site, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	grant(t, namespace, "site-operator",
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list", "watch"}},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{"one", "two"}, Verbs: []string{"get", "list", "watch"}})
	config := configOf(shared)
	config.Impersonate = rest.ImpersonationConfig{UserName: "site-operator"}
	c, stop := startCache(t, config, namespace, crcache.WithReferenced(&corev1.Secret{}, secretsOf))
	defer stop()
	left, came := make(chan string, 10), make(chan string, 10)
	informer, err := c.GetInformer(ctx, &corev1.Secret{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { came <- obj.(*corev1.Secret).Name },
		DeleteFunc: func(obj any) {
			unknown, _ := obj.(toolscache.DeletedFinalStateUnknown)
			left <- unknown.Key
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	await := func(events <-chan string, want string) {
		t.Helper()
		select {
		case got := <-events:
			if got != want {
				t.Errorf("an event of %s, want %s", got, want)
			}
		case <-ctx.Done():
			t.Fatal(context.Cause(ctx))
		}
		progress.Step()
	}
	get := func(name string) error {
		var secret corev1.Secret
		err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &secret)
		if err == nil && string(secret.Data["is"]) != name {
			err = fmt.Errorf("%s has %q", name, secret.Data)
		}
		return err
	}
	await(came, "one")
	for _, name := range []string{"one", "two"} { // from the cache, and from the server
		if err := get(name); err != nil {
			t.Error(err)
		}
	}
	if err := get("three"); !apierrors.IsForbidden(err) {
		t.Errorf("a Secret without a right: %v", err)
	}

	site.Data["secrets"] = "two three"
	if _, err := admin.CoreV1().ConfigMaps(namespace).Update(ctx, site, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	await(left, namespace+"/one")
	await(came, "two")
	var now status.Informer
	for all := range c.Statuses() {
		if all.Resource.Resource == "secrets" {
			now = all
		}
	}
	if now.Status.Reason != status.Forbidden || now.Status.Objects != 1 || now.Stats.LiveReads != 2 {
		t.Errorf("with a Secret that may not be read: %v, %d live reads", now.Status, now.Stats.LiveReads)
	}
	grant(t, namespace, "site-operator-2", rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{"three"}, Verbs: []string{"get", "list", "watch"}})
	await(came, "three") // after a retry
}

// grant gives the user site-operator the rights of a Role with a name.
func grant(t *testing.T, namespace, name string, rules ...rbacv1.PolicyRule) {
	t.Helper()
	admin := clientFor(t, configOf(shared))
	if _, err := admin.RbacV1().Roles(namespace).Create(within(t), &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: "site-operator"}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
	}
	if _, err := admin.RbacV1().RoleBindings(namespace).Create(within(t), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkReferenced measures what Secrets cost that are followed by their names, and what one watch of their namespace costs, which has
// 5,000 Secrets of 2 KB. The server is another process:
//
//	cd test && go test ./kubetest -run '^$' -bench Referenced -benchtime 1x -server=…
func BenchmarkReferenced(b *testing.B) {
	const namespace, total = "referenced-bench", 5000
	ctx, server := within(b), start(b)
	admin, err := client.New(configOf(server), client.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := admin.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("0123456789abcdef", 2048/16)
	inParallel(total, func(i int) {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("secret-%d", i)}, StringData: map[string]string{"text": text}}
		if err := admin.Create(ctx, secret); err != nil {
			b.Error(err)
		}
		progress.Step()
	})
	for _, n := range []int{10, 100, 1000, total} {
		var names strings.Builder
		for i := range n {
			fmt.Fprintf(&names, "secret-%d ", i)
		}
		site := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "site"}, Data: map[string]string{"secrets": names.String()}}
		if err := admin.Update(ctx, site); apierrors.IsNotFound(err) {
			err = admin.Create(ctx, site)
			if err != nil {
				b.Fatal(err)
			}
		}
		for _, side := range []struct {
			name    string
			options []crcache.Option
		}{
			{"names", []crcache.Option{crcache.WithReferenced(&corev1.Secret{}, secretsOf)}},
			{"namespace", nil},
		} {
			b.Run(fmt.Sprintf("%s/%d", side.name, n), func(b *testing.B) {
				for b.Loop() {
					measure(ctx, b, server, namespace, n, side.options...)
				}
			})
		}
	}
}

// inParallel calls a function for each number below n, in some goroutines.
func inParallel(n int, call func(int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range 16 {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				call(i)
			}
		})
	}
	workers.Wait()
}

// counting counts requests.
type counting struct {
	http.RoundTripper
	requests *atomic.Int64
}

func (c counting) RoundTrip(request *http.Request) (*http.Response, error) {
	c.requests.Add(1)
	return c.RoundTripper.RoundTrip(request)
}

// measure runs a cache until it has n Secrets, and reports what it uses at the client and at the server.
func measure(ctx context.Context, b *testing.B, server *kubeserver.Server, namespace string, n int, options ...crcache.Option) {
	b.StopTimer()
	defer b.StartTimer()
	config := configOf(server)
	var requests atomic.Int64
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return counting{next, &requests} })
	heap, goroutines, served, cpu := heapOf(), runtime.NumGoroutine(), heapAt(ctx, b, server), cpuOf(b, server)
	began := time.Now()
	c, stop := startCache(b, config, namespace, options...)
	defer stop()
	for objects := 0; objects < n; {
		if err := c.List(ctx, &corev1.SecretList{}); err != nil {
			b.Fatal(err)
		}
		for status := range c.Statuses() {
			if status.Resource.Resource == "secrets" {
				objects = status.Status.Objects
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	took := time.Since(began)
	time.Sleep(3 * time.Second) // until all watches are open
	b.ReportMetric(took.Seconds(), "s/sync")
	b.ReportMetric(float64(heapOf()-heap)/1024, "client-KB")
	b.ReportMetric(float64(runtime.NumGoroutine()-goroutines), "goroutines")
	b.ReportMetric(float64(requests.Load()), "requests")
	b.ReportMetric((cpuOf(b, server) - cpu).Seconds(), "server-cpu-s")
	b.ReportMetric(float64(heapAt(ctx, b, server)-served)/1024, "server-KB")
}

// heapOf returns the bytes of the heap and of the stacks of this process.
func heapOf() int64 {
	for range 4 { // each halves the stacks that are nearly empty
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc + stats.StackInuse)
}

// heapAt is heapOf for the server.
func heapAt(ctx context.Context, b *testing.B, server *kubeserver.Server) (bytes int64) {
	admin, err := kubernetes.NewForConfig(configOf(server))
	if err != nil {
		b.Fatal(err)
	}
	var text []byte
	for range 4 {
		if text, err = admin.RESTClient().Get().AbsPath("/debug/pprof/heap").Param("gc", "1").Param("debug", "1").DoRaw(ctx); err != nil {
			b.Fatal(err)
		}
	}
	for line := range strings.Lines(string(text)) {
		var n int64
		if _, err := fmt.Sscanf(line, "# HeapAlloc = %d", &n); err == nil {
			bytes += n
		}
		if _, err := fmt.Sscanf(line, "# Stack = %d", &n); err == nil {
			bytes += n
		}
	}
	return bytes
}

// cpuOf returns the processor time that the server has used.
func cpuOf(b *testing.B, server *kubeserver.Server) time.Duration {
	used, err := server.CPUTime()
	if err != nil {
		b.Fatal(err)
	}
	return used
}
