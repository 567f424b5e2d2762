package testserver_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/typedinformers/informer-gen/testserver"
)

// shared is for tests that do not break their server. It has the CRD of testdata/widgets.yaml.
var shared *testserver.Server

// TestMain fails if goroutines are left after all servers have stopped.
func TestMain(m *testing.M) {
	code := testserver.Run(m, &shared, testserver.WithCRDs("testdata"))
	// The timer of a consistent read from the API server's watch cache sleeps for 3 s, even after the read has
	// returned. Nothing can stop it.
	err := goleak.Find(goleak.IgnoreTopFunction("k8s.io/apiserver/pkg/storage/cacher.(*watchCache).waitUntilFreshLocked.func2"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// start starts a server for one test, with the same CRD.
func start(t *testing.T, options ...testserver.Option) *testserver.Server {
	t.Helper()
	return testserver.Start(t, append(options, testserver.WithCRDs("testdata"))...)
}

func loadWidgetCRD(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crds, err := testserver.LoadCRDs("testdata/widgets.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return crds[0]
}

// widgets returns a client for the default namespace.
func widgets(t *testing.T, server *testserver.Server) dynamic.ResourceInterface {
	t.Helper()
	client, err := dynamic.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	return client.Resource(widgetResource).Namespace("default")
}

func create(t *testing.T, client dynamic.ResourceInterface, name string) *unstructured.Unstructured {
	t.Helper()
	created, err := client.Create(t.Context(), widget(name), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return created
}
