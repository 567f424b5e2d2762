package apitest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/runtime/apitest"
)

// send sends a request without the checks of client.
func load(b *testing.B, server http.RoundTripper, method, path, body string) {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), method, "http://server"+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	response, err := server.RoundTrip(req)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode >= 300 {
		b.Fatalf("%s %s: %d, %v", method, path, response.StatusCode, err)
	}
}

func create(b *testing.B, server http.RoundTripper, i int) {
	b.Helper()
	load(b, server, "POST", widgets, fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w%06d","labels":{"app":"db"}},"spec":{"color":"red","replicas":3}}`, i))
}

func BenchmarkCreate(b *testing.B) {
	server := apitest.Start(b, apitest.WithKinds(colored()))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		create(b, server, i)
	}
}

// BenchmarkList lists 10,000 objects.
func BenchmarkList(b *testing.B) {
	server := apitest.Start(b, apitest.WithKinds(colored()))
	for i := range 10_000 {
		create(b, server, i)
	}
	for name, query := range map[string]string{"all": "", "selector": "?fieldSelector=spec.color%3Dblue", "page": "?limit=500"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				load(b, server, "GET", allWidgets+query, "")
			}
		})
	}
}

// BenchmarkWatch creates objects that a watch shows.
func BenchmarkWatch(b *testing.B) {
	server := apitest.Start(b, apitest.WithKinds(colored()))
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://server"+watchWidgets, nil)
	if err != nil {
		b.Fatal(err)
	}
	response, err := server.RoundTrip(req)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	b.ReportAllocs()
	buffer := make([]byte, 32<<10)
	for i := 0; b.Loop(); i++ {
		create(b, server, i)
		if _, err := response.Body.Read(buffer); err != nil {
			b.Fatal(err)
		}
	}
}
