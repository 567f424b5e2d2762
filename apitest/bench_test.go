package apitest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/apitest"
)

// load sends a request without the checks of client.
func load(b *testing.B, server http.RoundTripper, method, path, body string) {
	b.Helper()
	read(b, server, method, path, body)
}

// read sends a request and returns the body of the response.
func read(b *testing.B, server http.RoundTripper, method, path, body string) string {
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
	var content strings.Builder
	if _, err := io.Copy(&content, response.Body); err != nil || response.StatusCode >= 300 {
		b.Fatalf("%s %s: %d, %v", method, path, response.StatusCode, err)
	}
	return content.String()
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

// BenchmarkUpdate sends back what it got, with another value.
func BenchmarkUpdate(b *testing.B) {
	server := apitest.Start(b, apitest.WithKinds(colored()))
	create(b, server, 0)
	body := read(b, server, "GET", widgets+"/w000000", "")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		from, to := `"replicas":3`, `"replicas":4`
		if i%2 == 1 {
			from, to = to, from
		}
		body = read(b, server, "PUT", widgets+"/w000000", strings.Replace(body, from, to, 1))
	}
}

// BenchmarkPatch changes a value by a merge patch.
func BenchmarkPatch(b *testing.B) {
	target := apitest.Start(b, apitest.WithKinds(colored()))
	server := roundTripper(func(req *http.Request) (*http.Response, error) {
		req.Header.Set("Content-Type", mergePatch)
		return target.RoundTrip(req)
	})
	create(b, target, 0)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		load(b, server, "PATCH", widgets+"/w000000", fmt.Sprintf(`{"spec":{"replicas":%d}}`, 4+i%2))
	}
}

// BenchmarkApply applies a value that changes.
func BenchmarkApply(b *testing.B) {
	target := apitest.Start(b, apitest.WithKinds(colored()))
	server := roundTripper(func(req *http.Request) (*http.Response, error) {
		req.Header.Set("Content-Type", applyPatch)
		return target.RoundTrip(req)
	})
	create(b, target, 0)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		load(b, server, "PATCH", widgets+"/w000000?fieldManager=one&force=true",
			fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w000000"},"spec":{"replicas":%d}}`, 4+i%2))
	}
}
