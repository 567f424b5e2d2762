package attack

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// gate holds the first list of a label selector back after the server has executed it.
type gate struct {
	selector string
	released chan struct{}
	listed   bool
}

func (g *gate) open(open bodies.OpenFunc) bodies.OpenFunc {
	return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
		body, err := open(ctx, options, accept)
		if !options.Watch && options.LabelSelector == g.selector && !g.listed {
			g.listed = true
			<-g.released
		}
		return body, err
	}
}

// TestOwnWriteThatTheNewScopeDoesNotSelect writes an object while the old scope of its namespace still has it. The list of the new
// one, which does not select the object, began before.
func TestOwnWriteThatTheNewScopeDoesNotSelect(t *testing.T) {
	for _, test := range []struct {
		name, before, after string
		isSelected          bool
	}{
		{"leaves", "a", "c", false},
		{"enters", "c", "a", true},
		{"is never selected", "b", "c", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, err := apitest.New(apitest.WithKinds(widgetKind))
				if err != nil {
					t.Fatal(err)
				}
				defer server.Close()
				g := &game{T: t, server: server, reads: &reads{next: server, open: map[string]int{}, lists: map[string]int{}}}
				client := g.own.Transport(server)
				held := &gate{selector: "letters=a", released: make(chan struct{})}
				kind := cache.Kind[object]{Resource: widgets, Namespaced: true, Server: serverURL(server.URL()), Open: func(namespace string) bodies.OpenFunc {
					return held.open(g.reads.opener(namespace, inJSON, server.URL()))
				}}
				first := cache.Scope{Namespace: "x"}
				informer, err := kind.NewInformer(cache.WithReadYourWrites(&g.own), cache.WithScopes(first))
				if err != nil {
					t.Fatal(err)
				}
				patch := func(letters string) int {
					code, _ := g.send(t.Context(), client, http.MethodPatch, pathOf("x", "one"), "application/merge-patch+json",
						map[string]any{"metadata": map[string]any{"labels": map[string]any{"letters": letters}}})
					return code
				}
				g.send(t.Context(), client, http.MethodPost, pathOf("x", ""), "application/json", map[string]any{
					"apiVersion": "test.example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "one", "labels": map[string]any{"letters": test.before}},
				})
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan struct{})
				go func() { informer.Run(ctx); close(ended) }()
				defer func() { stop(); <-ended }()
				synctest.Wait()

				lag := server.HoldWatches(widgets.Resource)
				if err := informer.SetScopes(cache.Scope{Namespace: "x", LabelSelector: "letters=a"}); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if code := patch(test.after); code != http.StatusOK {
					t.Fatal(code)
				}
				name := cache.ObjectName{Namespace: "x", Name: "one"}
				if obj, has := informer.GetStore().Get(name); !has || obj.Labels["letters"] != test.after {
					t.Errorf("the old scope shows %s", describeCached(obj, has))
				}
				close(held.released)
				synctest.Wait()
				if obj, has := informer.GetStore().Get(name); !informer.HasSynced() || has != test.isSelected {
					t.Errorf("synced %v; the new scope shows %s", informer.HasSynced(), describeCached(obj, has))
				}
				lag.Remove()
				time.Sleep(5 * time.Minute)
				synctest.Wait()
				if obj, has := informer.GetStore().Get(name); has != test.isSelected {
					t.Errorf("in the end the cache has %s", describeCached(obj, has))
				}
				if status := informer.Status(); status.Unconfirmed != 0 || status.PendingWrites != 0 {
					t.Errorf("%v", status)
				}
			})
		})
	}
}
