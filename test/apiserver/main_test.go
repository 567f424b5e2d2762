package apiserver_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/typedinformers/informer-gen/test/apiserver"
	"github.com/typedinformers/informer-gen/test/progress"
)

// shared serves the tests that do not break their server; it has the CRD of testdata/widgets.yaml.
var shared *apiserver.Server

// lingering are goroutines that outlive Stop, started by the API server's libraries and waited for by nobody.
var lingering = []goleak.Option{
	// The alarm clock of a consistent read from the watch cache: it sleeps 3 s, even when the read has long
	// returned, then ends. Nothing can wake it.
	goleak.IgnoreTopFunction("k8s.io/apiserver/pkg/storage/cacher.(*watchCache).waitUntilFreshLocked.func2"),
}

func TestMain(m *testing.M) {
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runTests(m *testing.M) (code int, err error) {
	ctx, cancel := progress.Follow(context.Background())
	defer cancel()
	started := time.Now()
	if shared, err = apiserver.Start(ctx, apiserver.Options{}); err != nil {
		return 1, err
	}
	fmt.Printf("ready after %v\n", time.Since(started).Round(time.Millisecond))
	crds, err := apiserver.LoadCRDs("testdata")
	if err != nil {
		return 1, err
	}
	if err := shared.InstallCRDs(ctx, crds...); err != nil {
		return 1, err
	}
	code = m.Run()
	if err := shared.Stop(); err != nil {
		return 1, err
	}
	// All servers of all tests have stopped.
	return code, goleak.Find(lingering...)
}

// start is a server of the test's own, with the same CRD.
func start(t *testing.T, opts apiserver.Options) *apiserver.Server {
	t.Helper()
	server, err := apiserver.Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := server.InstallCRDs(t.Context(), loadWidgetCRD(t)); err != nil {
		t.Fatal(err)
	}
	return server
}

func loadWidgetCRD(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crds, err := apiserver.LoadCRDs("testdata/widgets.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return crds[0]
}

// widgets is a client for the test's own namespace.
func widgets(t *testing.T, server *apiserver.Server) dynamic.ResourceInterface {
	t.Helper()
	client, err := dynamic.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	return client.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}).Namespace("default")
}

func create(t *testing.T, client dynamic.ResourceInterface, name string) *unstructured.Unstructured {
	t.Helper()
	created, err := client.Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1",
		"kind":       "Widget",
		"metadata":   map[string]any{"name": name},
		"spec":       map[string]any{"size": int64(1)},
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return created
}
