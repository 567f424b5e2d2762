package debugpage_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/observe"
	"github.com/typedinformers/informer-gen/observe/debugpage"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// fooKind is generated in a program: examplev1.FooKind(client).
var fooKind = cache.Kind[*metav1.PartialObjectMetadata]{
	Resource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "foos"},
	Open:     func(string) bodies.OpenFunc { return open },
}

func open(context.Context, metav1.ListOptions, string) (io.ReadCloser, error) {
	return nil, errors.New("there is no server")
}

// A program serves the page on a port that only operators reach. Browsers get HTML, curl gets text, and tools get JSON.
func ExampleNew() {
	factory := cache.NewSharedInformerFactory(0)
	cache.InformerFor(factory, fooKind)

	mux := http.NewServeMux()
	mux.Handle("/debug/informers", debugpage.New(factory, debugpage.WithTitle("operator")))

	response := httptest.NewRecorder()
	mux.ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/debug/informers?format=json", nil))
	var report observe.Report
	if err := json.NewDecoder(response.Body).Decode(&report); err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Title)
	for _, informer := range report.Informers {
		fmt.Println(informer.Resource, informer.State, informer.Phase)
	}
	// Output:
	// operator
	// foos starting Pending
}
