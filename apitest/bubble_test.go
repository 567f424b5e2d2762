package apitest_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/apitest"
)

// TestServerOfManyBubbles uses a server outside of a bubble, in one, and in the next. A channel that
// one of them has left must not be closed by another one.
func TestServerOfManyBubbles(t *testing.T) {
	server := apitest.Start(t, apitest.WithKinds(widget))
	server.On("get", "widgets").Times(2).Hang()
	made := 0
	create := func(t *testing.T) {
		made++
		client{t, server}.do("POST", widgets, fmt.Sprintf(`{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w%d"}}`, made), 201)
	}
	for range 2 {
		synctest.Test(t, func(t *testing.T) {
			version := client{t, server}.do("GET", widgets, "", 200).GetResourceVersion()
			w := client{t, server}.watch(watchWidgets + "&resourceVersion=" + version)
			var names []string
			done := make(chan struct{})
			go func() {
				defer close(done)
				var e event
				for w.events.Decode(&e) == nil {
					names = append(names, e.String())
				}
			}()
			synctest.Wait() // the watch waits
			create(t)
			synctest.Wait() // and again
			w.cancel()
			<-done
			if len(names) != 1 {
				t.Errorf("the watch has shown %v, want one object", names)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL()+widgets+"/w1", nil)
			if err != nil {
				t.Fatal(err)
			}
			if response, err := server.RoundTrip(req); err == nil {
				response.Body.Close()
				t.Errorf("a request that hangs was answered by %d", response.StatusCode)
			}
		})
		create(t)
	}
}
