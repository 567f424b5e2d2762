package apiextensions_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/apitest"
)

// send returns the answer of the server.
func send(t testing.TB, server *apitest.Server, method, path, body string) (code int, answer map[string]any) {
	t.Helper()
	code, answer, _ = sendFor(t, server, method, path, body)
	return code, answer
}

// sendFor also returns the warnings.
func sendFor(t testing.TB, server *apitest.Server, method, path, body string) (code int, answer map[string]any, warnings []string) {
	t.Helper()
	request, err := http.NewRequest(method, server.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := server.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil && response.StatusCode != http.StatusNotFound {
		t.Fatal(err)
	}
	return response.StatusCode, answer, response.Header.Values("Warning")
}
