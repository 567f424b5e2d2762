package testserver

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/internal/fieldmarks"
)

// TestFieldDetector reads bodies as informers do.
func TestFieldDetector(t *testing.T) {
	for _, asks := range []bool{true, false} {
		var options []Option
		if asks {
			options = append(options, WithFieldDetector())
		}
		config := Start(t, options...).Config()
		config.APIPath, config.GroupVersion, config.NegotiatedSerializer = "/api", &schema.GroupVersion{Version: "v1"}, scheme.Codecs.WithoutConversion()
		client, err := rest.RESTClientFor(config)
		if err != nil {
			t.Fatal(err)
		}
		body, err := client.Get().Resource("namespaces").Stream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if fieldmarks.AreIn(body) != asks {
			t.Errorf("a body asks for marks: %t, want %t", !asks, asks)
		}
		_ = body.Close()
	}
}
