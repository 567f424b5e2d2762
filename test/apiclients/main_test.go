package apiclients

import (
	"testing"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/apitest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// widget is a custom resource. It has two versions, of which v1 is the preferred one.
func widget(version string) apitest.Kind {
	return apitest.Kind{
		GroupVersionKind: schema.GroupVersionKind{Group: "example.com", Version: version, Kind: "Widget"},
		Resource:         "widgets", ShortNames: []string{"wd"}, Categories: []string{"all"}, Namespaced: true, Status: true,
		Scale: &apitest.Scale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"},
	}
}

// start returns a server with the kinds of Kubernetes and Widgets, and a configuration of clients for it.
func start(t testing.TB, options ...apitest.Option) (*apitest.Server, *rest.Config) {
	t.Helper()
	options = append(options, apitest.WithScheme(scheme.Scheme), apitest.WithKinds(widget("v1beta1"), widget("v1")))
	server := apitest.Start(t, options...)
	return server, configOf(server)
}

func configOf(server *apitest.Server) *rest.Config {
	return &rest.Config{Host: server.URL(), Transport: server, QPS: -1}
}

func clientset(t testing.TB, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
