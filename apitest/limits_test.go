package apitest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/apitest"
)

// TestPatchesThatGrow applies small patches whose results are large.
func TestPatchesThatGrow(t *testing.T) {
	t.Parallel()
	server := apitest.Start(t, apitest.WithKinds(widget), withDeployments())
	c := client{t, server}
	c.do("POST", widgets, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"x"},"spec":{"a":"`+strings.Repeat("x", 1000)+`"}}`, 201)
	c.do("POST", deployments, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"}}`, 201)
	copies := func(n int) string {
		var operations []string
		for i := range n {
			operations = append(operations, fmt.Sprintf(`{"op":"copy","from":"/spec","path":"/spec/c%d"}`, i))
		}
		return "[" + strings.Join(operations, ",") + "]"
	}
	if answer := c.patch(jsonPatch, widgets+"/x", copies(17), http.StatusRequestEntityTooLarge); !strings.Contains(fmt.Sprint(answer.Object["message"]), "copy") {
		t.Errorf("17 copies: %v", answer.Object)
	}
	if answer := c.patch(jsonPatch, widgets+"/x", copies(11), http.StatusInternalServerError); answer.Object["message"] != "etcdserver: request is too large" {
		t.Errorf("11 copies, of 2 MB: %v", answer.Object)
	}
	c.patch(jsonPatch, widgets+"/x", copies(5), http.StatusOK)

	deep := strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000)
	for mediaType, patch := range map[string]string{
		mergePatch: `{"spec":` + deep + `}`, jsonPatch: `[{"op":"add","path":"/spec/d","value":` + deep + `}]`,
	} {
		if answer := c.patch(mediaType, widgets+"/x", patch, http.StatusBadRequest); !strings.Contains(fmt.Sprint(answer.Object["message"]), "deep") {
			t.Errorf("%s: %v", mediaType, answer.Object)
		}
	}
	c.patch(strategicPatch, deployments+"/x", `{"spec":`+deep+`}`, http.StatusBadRequest)
	c.patch(mergePatch, widgets+"/x", `{"spec":{"text":"`+strings.Repeat(`[{\"`, 5000)+`"}}`, http.StatusOK)
}

// TestOnlyLocalRequestsOverConnections sends what a browser sends that a name of an attacker has led to the server.
func TestOnlyLocalRequestsOverConnections(t *testing.T) {
	t.Parallel()
	listener := httptest.NewServer(apitest.Start(t, apitest.WithKinds(widget)))
	defer listener.Close()
	for _, test := range []struct {
		host, origin string
		code         int
	}{
		{"", "", 201},
		{"localhost:1", "http://localhost:8080", 201},
		{"[::1]:1", "http://127.0.0.1", 201},
		{"evil.example", "", 421},
		{"127.0.0.1.evil.example", "", 421},
		{"", "https://evil.example", 403},
		{"", "null", 403},
	} {
		body := strings.NewReader(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"generateName":"x"}}`)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, listener.URL+widgets, body)
		if err != nil {
			t.Fatal(err)
		}
		if test.host != "" {
			req.Host = test.host
		}
		if test.origin != "" {
			req.Header.Set("Origin", test.origin)
		}
		response, err := listener.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != test.code {
			t.Errorf("host %q, origin %q: %d, want %d", test.host, test.origin, response.StatusCode, test.code)
		}
	}
}
