package healthz_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/healthz"
)

// A program with two factories serves the readiness of all informers.
func ExampleHandler() {
	informers := cache.NewSharedInformerFactory(0)
	ofTenants := cache.NewSharedInformerFactory(0, cache.WithInformerName("tenants"))
	mux := http.NewServeMux()
	mux.Handle("/readyz", healthz.Handler(informers, healthz.WithSource(ofTenants), healthz.WithDegradedLimit(15*time.Minute)))
}

// The same check without HTTP, for a program that waits before it takes work.
func ExampleReadiness() {
	informers := cache.NewSharedInformerFactory(0)
	if err := healthz.Readiness(informers)(nil); err != nil {
		fmt.Println("cannot work yet:", err)
	}
}
