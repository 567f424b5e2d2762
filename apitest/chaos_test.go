package apitest_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/apitest"
)

// TestAllAtOnce uses all methods of a server at the same time. The race detector looks for races,
// and TestMain for goroutines that are left.
func TestAllAtOnce(t *testing.T) {
	server, err := apitest.New(apitest.WithKinds(widget), apitest.WithHistory(50), apitest.WithNamespaceLifecycle())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	add(t, server, named("v1", "Namespace", "", "a"))
	listener := httptest.NewServer(server)
	defer listener.Close()
	connections := &http.Transport{}
	defer connections.CloseIdleConnections()
	reacting := server.Transport(apitest.Reactors{
		React: func(call *apitest.Call) (bool, runtime.Object, error) {
			if call.Verb == "create" && call.Subresource == "" {
				if _, err := server.Tracker(nil).List(call.Resource, call.Kind, ""); err != nil {
					t.Error(err)
				}
				server.CutWatches("widgets")
			}
			return false, nil, nil
		},
		Watch: func(*apitest.Call) (bool, watch.Interface, error) { return true, watch.NewFake(), nil },
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var group sync.WaitGroup
	var mu sync.Mutex
	answers := map[string]int{} // by method and code
	run := func(n int, do func(random *rand.Rand)) {
		for i := range n {
			group.Go(func() {
				random := rand.New(rand.NewPCG(uint64(i), 1))
				for ctx.Err() == nil {
					do(random)
				}
			})
		}
	}
	// send ignores what the server answers: faults and restarts may come at any time.
	send := func(ctx context.Context, random *rand.Rand, method, path, mediaType, body string, read bool) {
		request, err := http.NewRequestWithContext(ctx, method, server.URL()+path, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		request.Header.Set("Content-Type", mediaType)
		transport := []http.RoundTripper{server, reacting, connections}[random.IntN(3)]
		if transport == connections {
			request.URL.Scheme, request.URL.Host = "http", strings.TrimPrefix(listener.URL, "http://")
		}
		response, err := transport.RoundTrip(request)
		if err != nil {
			return
		}
		if read {
			_, _ = io.Copy(io.Discard, response.Body)
		}
		_ = response.Body.Close()
		mu.Lock()
		defer mu.Unlock()
		answers[fmt.Sprint(method, " ", response.StatusCode)]++
	}
	widgetJSON := func(random *rand.Rand) string {
		finalizers := ""
		if random.IntN(3) == 0 {
			finalizers = `,"finalizers":["example.com/x"]`
		}
		return fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w%d"%s},"spec":{"replicas":%d}}`, random.IntN(5), finalizers, random.IntN(5))
	}
	var writers sync.WaitGroup
	writers.Add(2)
	run(2, func(r *rand.Rand) {
		for range 200 {
			send(ctx, r, "POST", widgets, "application/json", widgetJSON(r), true)
		}
		writers.Done()
		<-ctx.Done()
	})
	run(2, func(r *rand.Rand) {
		one := fmt.Sprintf("%s/w%d", widgets, r.IntN(5))
		switch r.IntN(4) {
		case 0:
			send(ctx, r, "DELETE", one, "application/json", "", true)
		case 1:
			send(ctx, r, "PATCH", one, "application/merge-patch+json", `{"metadata":{"finalizers":null},"spec":{"replicas":7}}`, r.IntN(2) == 0)
		case 2:
			send(ctx, r, "PATCH", one+"?fieldManager=m&force=true", "application/apply-patch+yaml", widgetJSON(r), true)
		case 3:
			send(ctx, r, "DELETE", widgets, "application/json", "", true)
		}
	})
	run(2, func(r *rand.Rand) {
		watching, stop := context.WithCancel(ctx)
		if r.IntN(2) == 0 {
			time.AfterFunc(time.Duration(r.IntN(3000))*time.Microsecond, stop)
		}
		path := watchWidgets + "&allowWatchBookmarks=true&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
		if r.IntN(2) == 0 {
			path = watchWidgets + "&resourceVersion=1"
		}
		time.AfterFunc(5*time.Millisecond, stop)
		send(watching, r, "GET", path, "application/json", "", r.IntN(4) > 0)
		stop()
	})
	run(1, func(r *rand.Rand) {
		var version string
		if list, err := server.Tracker(nil).List(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}, widget.GroupVersionKind, ""); err == nil {
			if accessor, ok := list.(interface{ GetResourceVersion() string }); ok {
				version = accessor.GetResourceVersion()
			}
		}
		switch r.IntN(7) {
		case 0:
			server.Restart()
		case 1:
			server.Compact()
		case 2:
			_ = server.RestoreTo(version)
		case 3:
			fault := server.LagWatches("widgets", time.Millisecond)
			send(ctx, r, "GET", allWidgets, "", "", true)
			fault.Remove()
		case 4:
			fault := server.On("*", "widgets").Optional().After(time.Millisecond).Times(2).Conflict()
			send(ctx, r, "GET", allWidgets, "", "", true)
			fault.Remove()
		case 5:
			if err := server.AddKinds(apitest.Kind{GroupVersionKind: widget.GroupVersion().WithKind(fmt.Sprintf("Kind%d", r.IntN(10))), Resource: fmt.Sprintf("kinds%d", r.IntN(10))}); err != nil && !strings.Contains(err.Error(), "another name") {
				t.Error(err)
			}
		case 6:
			_ = server.Add(named("example.com/v1", "Widget", "a", "seed"))
		}
		send(ctx, r, "GET", "/apis", "", "", true)
		send(ctx, r, "GET", "/openapi/v2", "", "", true)
		if r.IntN(50) == 0 {
			send(ctx, r, "DELETE", "/api/v1/namespaces/a", "", "", true)
			_ = server.Add(named("v1", "Namespace", "", "a"))
		}
	})
	run(1, func(*rand.Rand) {
		w, err := server.Tracker(nil).Watch(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}, "a")
		if err != nil {
			t.Error(err)
			return
		}
		timer := time.NewTimer(time.Millisecond)
		defer timer.Stop()
		for open := true; open; {
			select {
			case _, open = <-w.ResultChan():
			case <-timer.C:
				w.Stop()
			}
		}
	})
	hang := server.On("get", "widgets").Optional().Hang()
	run(1, func(r *rand.Rand) { send(ctx, r, "GET", widgets+"/w1", "application/json", "", true) })
	writers.Wait()
	cancel()
	group.Wait()
	hang.Remove()
	for _, want := range []string{"POST 201", "DELETE 200", "PATCH 200", "GET 200"} {
		if answers[want] == 0 {
			t.Errorf("no answer %s; all answers: %v", want, answers)
		}
	}
}
