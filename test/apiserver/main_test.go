package apiserver_test

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/typedinformers/informer-gen/test/apiserver"
	"github.com/typedinformers/informer-gen/test/apiserver/servertest"
)

// shared is for tests that do not break their server. It has the CRD of testdata/widgets.yaml.
var shared *apiserver.Server

func TestMain(m *testing.M) { servertest.Main(m, "testdata", &shared) }

// start starts a server for one test, with the same CRD.
func start(t *testing.T, opts apiserver.Options) *apiserver.Server {
	t.Helper()
	server := servertest.Start(t, opts)
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

// widgets returns a client for the default namespace.
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
