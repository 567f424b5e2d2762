package kubetest

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/test/faults/history"
	"github.com/typedinformers/informer-gen/test/kubeserver"
	"github.com/typedinformers/informer-gen/test/progress"
)

var binary = flag.String("server", "", "`FILE` of the command server of test/kube; without it all tests are skipped")

// shared is for tests that do not restart their server.
var shared *kubeserver.Server

func TestMain(m *testing.M) {
	flag.Parse()
	if *binary == "" {
		fmt.Println("skipped without -server; run make test-kube")
		return
	}
	code, err := runAll(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runAll(m *testing.M) (code int, err error) {
	file, err := filepath.Abs(*binary)
	if err != nil {
		return 1, err
	}
	*binary = file
	ctx, cancel := progress.Follow(context.Background())
	defer cancel()
	if shared, err = kubeserver.Start(ctx, kubeserver.Options{Binary: *binary}); err != nil {
		return 1, err
	}
	code = m.Run()
	if err := shared.Stop(); err != nil {
		return 1, err
	}
	http.DefaultClient.CloseIdleConnections()
	return code, goleak.Find()
}

// start starts a server for one test.
func start(t testing.TB, args ...string) *kubeserver.Server {
	t.Helper()
	server, err := kubeserver.Start(within(t), kubeserver.Options{Binary: *binary, Args: args})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// within bounds a wait by a lack of progress.
func within(t testing.TB) context.Context {
	t.Helper()
	return progress.Context(t)
}

// configOf returns a configuration of client-go for an administrator.
func configOf(server *kubeserver.Server) *rest.Config {
	access := server.Access()
	return &rest.Config{Host: access.URL, BearerToken: access.Token, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAFile: access.CA}}
}

func clientFor(t *testing.T, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfigAndClient(config, httpFor(t, config))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// httpFor returns a client whose connections end with the test.
func httpFor(t *testing.T, config *rest.Config) *http.Client {
	t.Helper()
	// client-go would share a transport with other tests.
	config.Proxy = http.ProxyFromEnvironment
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

var pods = corev1.SchemeGroupVersion.WithResource("pods")

func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "registry.example.com/web:1"}}},
	}
}

// inNamespace creates a namespace, and returns the pods in it.
func inNamespace(t *testing.T, client kubernetes.Interface, name string) interface {
	Create(context.Context, *corev1.Pod, metav1.CreateOptions) (*corev1.Pod, error)
	Update(context.Context, *corev1.Pod, metav1.UpdateOptions) (*corev1.Pod, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
	Get(context.Context, string, metav1.GetOptions) (*corev1.Pod, error)
	List(context.Context, metav1.ListOptions) (*corev1.PodList, error)
} {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := client.CoreV1().Namespaces().Create(within(t), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return client.CoreV1().Pods(name)
}

// createPods creates pods with several writers.
func createPods(t *testing.T, client kubernetes.Interface, namespace string, count int) {
	t.Helper()
	ctx := within(t)
	names := make(chan string)
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for name := range names {
				if _, err := client.CoreV1().Pods(namespace).Create(ctx, pod(name), metav1.CreateOptions{}); err != nil {
					t.Error(err)
				}
				progress.Step()
			}
		})
	}
	for n := range count {
		names <- fmt.Sprintf("pod-%04d", n)
	}
	close(names)
	writers.Wait()
}

// follower is an informer with a handler that checks what it receives.
type follower[T cache.Object] struct {
	informer *cache.SharedIndexInformer[T]
	heard    *history.Recorder[T]

	mu      sync.Mutex // guards the fields below
	reasons []cache.Reason
	failed  chan struct{} // closed by the next failure
}

// follow runs an informer until the test ends. It opens bodies as a generated factory does.
func follow[T cache.Object](t *testing.T, client rest.Interface, resource schema.GroupVersionResource, namespace string, options ...cache.SharedInformerOption) *follower[T] {
	t.Helper()
	f := &follower[T]{failed: make(chan struct{})}
	object := reflect.New(reflect.TypeFor[T]().Elem()).Interface()
	kind := cache.Kind[T]{
		Resource:   resource,
		Namespaced: true,
		Open:       func(namespace string) bodies.OpenFunc { return bodies.Open(client, resource, namespace) },
	}
	if _, hasProtobuf := object.(interface{ Unmarshal(message []byte) error }); hasProtobuf {
		kind.Protobuf = object.(runtime.Object)
	}
	var err error
	f.informer, err = kind.NewInformer(append(options, cache.WithNamespace(namespace), cache.WithWatchErrorHandler(func(_ context.Context, _ schema.GroupVersionResource, err error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		reason := f.informer.Status().Reason
		if apierrors.IsGone(err) || apierrors.IsResourceExpired(err) { // the Status may have the failure of the list after it
			reason = status.Expired
		}
		f.reasons = append(f.reasons, reason)
		close(f.failed)
		f.failed = make(chan struct{})
	}))...)
	if err != nil {
		t.Fatal(err)
	}
	f.heard = history.NewRecorder(f.informer.GetStore())
	if _, err := f.informer.AddEventHandler(f.heard); err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	running.Go(func() { f.informer.Run(ctx) })
	t.Cleanup(func() {
		stop()
		running.Wait()
		if wrong := f.heard.Faults(); len(wrong) > 0 {
			t.Errorf("%s: no legal history: %q", resource.Resource, wrong)
		}
	})
	return f
}

func (f *follower[T]) awaitSync(t *testing.T) {
	t.Helper()
	if err := cache.WaitForCacheSync(within(t), f.informer); err != nil {
		t.Fatal(err)
	}
}

// awaitFailure waits until a request has failed for a reason.
func (f *follower[T]) awaitFailure(t *testing.T, reason cache.Reason) {
	t.Helper()
	for ctx := within(t); ; {
		f.mu.Lock()
		seen, failed := slices.Contains(f.reasons, reason), f.failed
		f.mu.Unlock()
		if seen {
			return
		}
		select {
		case <-failed:
		case <-ctx.Done():
			t.Fatalf("no request has failed as %s: %v", reason, f.informer.Status())
		}
	}
}

// failures returns why requests have failed so far.
func (f *follower[T]) failures() []cache.Reason {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.reasons)
}
