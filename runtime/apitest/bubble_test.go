package apitest_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/apitest"
)

// TestServerOfManyBubbles uses a server outside of a bubble, in one, and in the next.
func TestServerOfManyBubbles(t *testing.T) {
	server := apitest.Start(t, apitest.WithKinds(widget))
	for i := range 2 {
		synctest.Test(t, func(t *testing.T) {
			c := client{t, server}
			w := c.watch(watchWidgets)
			done := make(chan struct{})
			go func() {
				defer close(done)
				for range 2 {
					var e event
					if err := w.events.Decode(&e); err != nil {
						t.Error(err)
					}
				}
				w.cancel()
				var e event
				_ = w.events.Decode(&e)
			}()
			time.Sleep(time.Second)
			c.do("POST", widgets, fmt.Sprintf(`{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w%d"}}`, i), 201)
			if i == 0 {
				c.do("POST", widgets, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "v"}}`, 201)
			}
			<-done
		})
		client{t, server}.do("POST", widgets, fmt.Sprintf(`{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "x%d"}}`, i), 201)
	}
}
