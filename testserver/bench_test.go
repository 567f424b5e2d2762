package testserver_test

import (
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"

	"github.com/typedinformers/informer-gen/testserver"
)

// BenchmarkStart measures New, and not Stop.
func BenchmarkStart(b *testing.B) {
	for name, options := range map[string][]testserver.Option{
		"plain":      {},
		"crds":       {testserver.WithCRDs("testdata")},
		"deployment": {testserver.WithBuiltIn(&appsv1.Deployment{})},
		"webhooks":   {testserver.WithBuiltIn(&admissionregistrationv1.MutatingWebhookConfiguration{}, &admissionregistrationv1.ValidatingWebhookConfiguration{})},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				server, err := testserver.New(b.Context(), options...)
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := server.Stop(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}
