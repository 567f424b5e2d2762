package apitest_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/apitest"
)

// A watch works over a connection: its header comes at once, and its events one by one.
func TestWatchOverConnection(t *testing.T) {
	t.Parallel()
	server := apitest.Start(t, apitest.WithKinds(colored()))
	listener := httptest.NewServer(server)
	defer listener.Close()
	defer listener.Client().CloseIdleConnections()
	get := func(path string) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, listener.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := listener.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		return response
	}
	watch := get(watchWidgets)
	defer watch.Body.Close()
	if watch.StatusCode != 200 || watch.Header.Get("Content-Type") != "application/json" {
		t.Errorf("the watch has %d and %v", watch.StatusCode, watch.Header)
	}
	c := client{t, server}
	lines := bufio.NewReader(watch.Body)
	for _, name := range []string{"x", "y"} {
		c.put("a", name, "1", "red")
		if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, `"name":"`+name+`"`) {
			t.Fatalf("the event of %s is %q, %v", name, line, err)
		}
	}
	list := get(allWidgets)
	defer list.Body.Close()
	if body, err := io.ReadAll(list.Body); err != nil || strings.Count(string(body), `"kind":"Widget"`) != 2 {
		t.Errorf("the list is %s, %v", body, err)
	}
	server.Close()
	if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
		t.Errorf("after Close the watch has %q, %v", rest, err)
	}
}

// A request that its client gives up ends the watch, so that the handler returns.
func TestWatchOverConnectionIsCanceled(t *testing.T) {
	t.Parallel()
	server := apitest.Start(t, apitest.WithKinds(colored()))
	returned := make(chan struct{})
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(returned)
		server.ServeHTTP(w, r)
	}))
	defer listener.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, listener.URL+watchWidgets, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := listener.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	cancel()
	<-returned
}

// A fault that breaks a connection breaks that of a listener too.
func TestDisconnectOverConnection(t *testing.T) {
	t.Parallel()
	server := apitest.Start(t, apitest.WithKinds(colored()))
	listener := httptest.NewServer(server)
	defer listener.Close()
	server.On("list", "widgets").Once().Disconnect()
	server.On("list", "widgets").Once().Truncate(10)
	for range 2 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, listener.URL+allWidgets, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req) // which repeats no request
		if err == nil {
			_, err = io.ReadAll(response.Body)
			response.Body.Close()
		}
		if err == nil {
			t.Errorf("the answer is %d, want a broken connection", response.StatusCode)
		}
	}
}
