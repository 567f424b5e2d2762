package healthz_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/observe/healthz"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// A program with two factories serves the readiness of all informers.
func ExampleHandler() {
	ctx := context.Background()
	informers := cache.NewSharedInformerFactory(0)
	defer informers.Shutdown()
	ofTenants := cache.NewSharedInformerFactory(0, cache.WithInformerName("tenants"))
	defer ofTenants.Shutdown()
	cache.InformerFor(informers, newKind()) // generated: factory.Example().V1().Foos().Informer()

	mux := http.NewServeMux()
	mux.Handle("/readyz", healthz.Handler(informers, healthz.WithSource(ofTenants), healthz.WithDegradedLimit(15*time.Minute)))
	fmt.Println(probe(mux))

	informers.Start(ctx)
	if err := informers.WaitForCacheSync(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(probe(mux))
	// Output:
	// 503
	// 200
}

// The same check without HTTP, for a program that waits before it takes work.
func ExampleReadiness() {
	informers := cache.NewSharedInformerFactory(0)
	defer informers.Shutdown()
	cache.InformerFor(informers, newKind())

	err := healthz.Readiness(informers)(nil)
	var notReady *healthz.NotReadyError
	if errors.As(err, &notReady) {
		for _, informer := range notReady.Report.Informers {
			fmt.Println(informer.Label, informer.Phase, informer.NotReady)
		}
	}
	// Output:
	// foos.example.com Pending [the cache does not hold the first list]
}

// newKind returns a kind of a server in memory.
func newKind() cache.Kind[object] {
	server, err := apitest.New()
	if err != nil {
		log.Fatal(err)
	}
	served, kind := kindOf(server, "foos")
	if err := server.AddKinds(served); err != nil {
		log.Fatal(err)
	}
	return kind
}

// probe asks as the kubelet does.
func probe(handler http.Handler) int {
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	return answer.Code
}
