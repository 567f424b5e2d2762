package healthz_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/internal/leaks"
	"github.com/typedinformers/informer-gen/internal/packing"
	"github.com/typedinformers/informer-gen/internal/packing/packingtest"
	"github.com/typedinformers/informer-gen/observe/healthz"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

func TestMain(m *testing.M) {
	packing.Default = packingtest.Compression()
	klog.SetLogger(klog.Logger{}) // discards; what the informers of these tests log has tests of its own
	leaks.Main(m)
}

type object = *metav1.PartialObjectMetadata

// kindOf returns a kind of a server, and that of its informers.
func kindOf(server *apitest.Server, resource string) (apitest.Kind, cache.Kind[object]) {
	gvr := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: resource}
	served := apitest.Kind{GroupVersionKind: gvr.GroupVersion().WithKind(strings.ToUpper(resource[:1]) + resource[1:]), Resource: resource, Namespaced: true}
	return served, cache.Kind[object]{Resource: gvr, Namespaced: true, Open: func(namespace string) bodies.OpenFunc {
		path := "/apis/example.com/v1/" + resource
		if namespace != "" {
			path = "/apis/example.com/v1/namespaces/" + namespace + "/" + resource
		}
		return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
			return request(ctx, server, path, options, accept)
		}
	}}
}

func request(ctx context.Context, server *apitest.Server, path string, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
	query, err := metav1.ParameterCodec.EncodeParameters(&options, schema.GroupVersion{Version: "v1"})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL()+path+"?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	_, asJSON, _ := strings.Cut(accept, ",") // without protobuf, which comes first
	r.Header.Set("Accept", asJSON)
	response, err := server.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusOK {
		return response.Body, nil
	}
	defer response.Body.Close()
	status := &apierrors.StatusError{}
	if err := json.NewDecoder(response.Body).Decode(&status.ErrStatus); err != nil {
		return nil, apierrors.NewGenericServerResponse(response.StatusCode, "get", schema.GroupResource{}, "", "", 0, true) // as client-go does
	}
	return nil, status
}

// program has a factory of informers of the resources.
func program(t *testing.T, server *apitest.Server, resources []string, options ...cache.SharedInformerOption) (*cache.SharedInformerFactory, []*cache.SharedIndexInformer[object]) {
	f := cache.NewSharedInformerFactory(0, options...)
	t.Cleanup(f.Shutdown)
	var all []*cache.SharedIndexInformer[object]
	for _, resource := range resources {
		_, kind := kindOf(server, resource)
		all = append(all, cache.InformerFor(f, kind))
	}
	return f, all
}

// wantBody checks the code and parts of the body.
func wantBody(t *testing.T, h http.Handler, code int, texts ...string) {
	t.Helper()
	synctest.Wait()
	answer := get(h, http.MethodGet, "/readyz")
	if answer.Code != code {
		t.Errorf("the code is %d, want %d", answer.Code, code)
	}
	for _, text := range texts {
		if !strings.Contains(answer.Body.String(), text) {
			t.Errorf("the body does not have %q", text)
		}
	}
	if t.Failed() {
		t.Logf("%s", answer.Body)
	}
}

// TestFactory takes a factory from its start through all that keeps it from being ready, and then
// through an outage of the server.
func TestFactory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.Start(t)
		widgets, _ := kindOf(server, "widgets")
		notes, _ := kindOf(server, "notes")
		gadgets, _ := kindOf(server, "gadgets")
		if err := server.AddKinds(widgets, notes); err != nil {
			t.Fatal(err)
		}
		create := func(name string) {
			body := strings.NewReader(`{"apiVersion":"example.com/v1","kind":"Widgets","metadata":{"name":"` + name + `"}}`)
			r := httptest.NewRequest(http.MethodPost, server.URL()+"/apis/example.com/v1/namespaces/default/widgets", body)
			r.Header.Set("Content-Type", "application/json")
			if response, err := server.RoundTrip(r); err != nil || response.StatusCode != http.StatusCreated {
				t.Fatalf("%+v %v", response, err)
			}
		}
		create("one")
		forbidden := server.On("list", "notes").Forbidden()
		f, all := program(t, server, []string{"widgets", "notes", "gadgets"}, cache.WithInformerName("operator"))
		gate := make(chan struct{})
		if _, err := all[0].AddEventHandler(cache.ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) { <-gate }}, cache.WithHandlerName("reconciler")); err != nil {
			t.Fatal(err)
		}
		h := healthz.Handler(f)
		limited := healthz.Handler(f, healthz.WithDegradedLimit(10*time.Minute), healthz.WithStalenessLimit(20*time.Minute))

		wantBody(t, h, http.StatusServiceUnavailable, "not ready: 3 of 3 informers\n", "[-] widgets.example.com: Pending for 0s (not started)", "As for gadgets.example.com.")
		f.Start(t.Context())
		time.Sleep(12 * time.Second)
		wantBody(t, h, http.StatusServiceUnavailable, "not ready: 3 of 3 informers\n",
			"[-] gadgets.example.com: Degraded for 12s (NotFound: list: ", "Install the CustomResourceDefinition gadgets.example.com;", "    Check: kubectl get crd gadgets.example.com -o ",
			"[-] notes.example.com: Degraded for 12s (Forbidden: list: ", "user apitest to list notes.example.com. Add the rule to a ClusterRole", `          resources: ["notes"]`, "    Check: kubectl auth can-i list notes.example.com --all-namespaces --as apitest",
			"[-] widgets.example.com: Watching for 12s: 1 object at version ", "handler reconciler has not returned from its initial list, and its backlog is 1, and the present call has taken 12s")
		if err := healthz.Readiness(f)(nil); err == nil || !strings.Contains(err.Error(), `          resources: ["notes"]`) {
			t.Errorf("the error is %v", err)
		}

		close(gate)
		wantBody(t, h, http.StatusServiceUnavailable, "not ready: 2 of 3 informers\n", "\n[+] widgets.example.com: Watching")
		forbidden.Remove()
		if err := server.AddKinds(gadgets); err != nil {
			t.Fatal(err)
		}
		f.Retry()
		wantBody(t, h, http.StatusOK, "ready: 3 informers\n[+] gadgets.example.com: Watching")
		wantBody(t, limited, http.StatusOK)

		away := server.On("*", "*").Fail(errors.New("connection refused"))
		server.Restart()
		time.Sleep(9 * time.Minute)
		wantBody(t, limited, http.StatusOK, "[+] widgets.example.com: Degraded for ")
		time.Sleep(2 * time.Minute)
		wantBody(t, h, http.StatusOK, "ready: 3 informers\n[+] gadgets.example.com: Degraded for ", "    The server did not answer, or the connection was cut.")
		wantBody(t, limited, http.StatusServiceUnavailable, "not ready: 3 of 3 informers\n", "it has not followed the server for 11m, and the limit is 10m")
		away.Remove()
		f.Retry()
		time.Sleep(time.Minute)
		wantBody(t, limited, http.StatusOK)

		silent := server.HoldWatches("widgets")
		time.Sleep(time.Minute)
		create("two")
		time.Sleep(20 * time.Minute)
		wantBody(t, limited, http.StatusServiceUnavailable, "not ready: ", "[-] widgets.example.com: Watching", "the server has sent nothing for 3", ", and the limit is 20m")
		wantBody(t, h, http.StatusOK)
		silent.Remove()

		f.Shutdown()
		wantBody(t, h, http.StatusServiceUnavailable, "it has stopped")
	})
}

// TestScopesThatChange adds namespaces while an informer runs. One in which the right is missing does not
// make the informer unready, in a program that was ready before.
func TestScopesThatChange(t *testing.T) {
	in := func(namespaces ...string) (scopes []cache.Scope) {
		for _, namespace := range namespaces {
			scopes = append(scopes, cache.Scope{Namespace: namespace})
		}
		return scopes
	}
	set := func(informer *cache.SharedIndexInformer[object], scopes []cache.Scope) {
		if err := informer.SetScopes(scopes...); err != nil {
			t.Error(err)
		}
	}
	for name, option := range map[string]cache.SharedInformerOption{
		"from the start": cache.WithNamespaces("team-1"),
		"later":          cache.WithScopesLater(),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := apitest.Start(t)
				notes, _ := kindOf(server, "notes")
				if err := server.AddKinds(notes); err != nil {
					t.Fatal(err)
				}
				first, third := server.On("list", "notes").In("team-1").Forbidden(), server.On("list", "notes").In("team-3").Forbidden()
				f, all := program(t, server, []string{"notes"}, option)
				if name == "later" {
					set(all[0], in("team-1"))
				}
				if _, err := all[0].AddEventHandler(cache.ResourceEventHandlerFuncs[object]{}, cache.WithHandlerName("reconciler")); err != nil {
					t.Fatal(err)
				}
				h, limited := healthz.Handler(f), healthz.Handler(f, healthz.WithDegradedLimit(5*time.Minute))
				const missing = "the cache does not hold the first list"
				wantBody(t, h, http.StatusServiceUnavailable, "(not started)")
				f.Start(t.Context())
				time.Sleep(time.Minute)
				wantBody(t, h, http.StatusServiceUnavailable, "[-] notes.example.com in namespace team-1: Degraded for ", missing)
				set(all[0], in("team-1", "team-2"))
				time.Sleep(time.Minute)
				wantBody(t, h, http.StatusServiceUnavailable, "[-] notes.example.com in namespaces team-1, team-2: Degraded for ", " in namespace team-1 (Forbidden: ", missing)
				first.Remove()
				f.Retry()
				wantBody(t, h, http.StatusOK, "[+] notes.example.com in namespaces team-1, team-2: Watching for ")

				set(all[0], in("team-1", "team-2", "team-3"))
				time.Sleep(10 * time.Minute)
				for _, h := range []http.Handler{h, limited} {
					wantBody(t, h, http.StatusOK, "[+] notes.example.com in namespaces team-1, team-2, team-3: Degraded for ", " in namespace team-3 (Forbidden: ", "Add the rule to a Role in that namespace")
				}
				if all[0].HasSynced() {
					t.Error("HasSynced is true, but one namespace is not listed")
				}
				if _, err := all[0].AddEventHandler(cache.ResourceEventHandlerFuncs[object]{}); err != nil {
					t.Fatal(err)
				}
				wantBody(t, h, http.StatusOK)
				third.Remove()
				f.Retry()
				wantBody(t, limited, http.StatusOK, "[+] notes.example.com in namespaces team-1, team-2, team-3: Watching for ")
				replaced := server.On("list", "notes").In("team-1").Forbidden() // the scope before follows the server meanwhile
				set(all[0], append(in("team-2", "team-3"), cache.Scope{Namespace: "team-1", LabelSelector: "tier=gold"}))
				time.Sleep(10 * time.Minute)
				wantBody(t, limited, http.StatusOK, "[+] notes.example.com in namespaces team-1, team-2, team-3: Degraded for ", " in namespace team-1 (labels tier=gold) (Forbidden: ")
				replaced.Remove()
				f.Retry()
				wantBody(t, limited, http.StatusOK, "[+] notes.example.com in namespaces team-1, team-2, team-3: Watching for ")
				set(all[0], nil)
				wantBody(t, limited, http.StatusOK, "[+] notes.example.com in no namespace: Watching for ")
			})
		})
	}
}
