package clientgo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// oneWidget is a server with one object, which can be patched and deleted. Its watches send
// nothing until they are released.
type oneWidget struct {
	*httptest.Server
	released chan struct{}

	mu      sync.Mutex // guards the fields below
	version int
	events  []string // of all watches
}

func newOneWidget(t *testing.T) *oneWidget {
	s := &oneWidget{version: 1, released: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *oneWidget) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.FormValue("watch") != "" {
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		select {
		case <-s.released:
			s.mu.Lock()
			for _, event := range s.events {
				fmt.Fprintln(w, event)
			}
			s.mu.Unlock()
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
		}
		<-r.Context().Done()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.Method {
	case http.MethodPatch:
		s.version++
		s.events = append(s.events, `{"type": "MODIFIED", "object": `+s.object()+`}`)
		fmt.Fprint(w, s.object())
	case http.MethodDelete:
		s.version++
		s.events = append(s.events, `{"type": "DELETED", "object": `+s.object()+`}`)
		fmt.Fprint(w, `{"kind": "Status", "apiVersion": "v1", "status": "Success", "details": {"name": "one", "uid": "u"}}`)
	default:
		fmt.Fprintf(w, `{"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": {"resourceVersion": "%d"}, "items": [%s]}`, s.version, s.object())
	}
}

// object returns the object. mu is held.
func (s *oneWidget) object() string {
	obj := newObject("a/one", "v"+strconv.Itoa(s.version))
	obj.UID, obj.ResourceVersion = "u", strconv.Itoa(s.version)
	obj.TypeMeta = metav1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: "meta.k8s.io/v1"}
	text, err := json.Marshal(obj)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// baseURL is the URL of a server, as cache.Kind has it.
type baseURL string

func (u baseURL) String() string { return string(u) }

// TestOwnWrites writes with a client of client-go, and reads from an adapter while the watch
// sends nothing.
func TestOwnWrites(t *testing.T) {
	s := newOneWidget(t)
	own := &writes.Observer{}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	config := &rest.Config{Host: s.URL, QPS: -1, Transport: transport}
	config.Wrap(own.Transport)
	client, err := metadata.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	kind := cache.Kind[object]{
		Resource: widgets, Namespaced: true, Server: baseURL(s.URL),
		Open: func(string) bodies.OpenFunc {
			return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
				query := "?resourceVersion=" + options.ResourceVersion
				if options.Watch {
					query += "&watch=1"
				}
				request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/apis/test.example.com/v1/widgets"+query, nil)
				if err != nil {
					return nil, err
				}
				response, err := httpClient.Do(request)
				if err != nil {
					return nil, err
				}
				return response.Body, nil
			}
		},
	}
	informer, err := kind.NewInformer(cache.WithReadYourWrites(own))
	if err != nil {
		t.Fatal(err)
	}
	adapter := SharedIndexInformer(informer)
	if err := adapter.AddIndexers(toolscache.Indexers{"color": byColor}); err != nil {
		t.Fatal(err)
	}
	heard := make(chan string, 10)
	handle, err := adapter.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		UpdateFunc: func(oldObj, newObj any) { heard <- "update " + describe(oldObj) + " to " + describe(newObj) },
		DeleteFunc: func(obj any) { heard <- "delete " + describe(obj) },
	})
	if err != nil {
		t.Fatal(err)
	}
	run(t, adapter.RunWithContext)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if !toolscache.WaitForCacheSync(ctx.Done(), handle.HasSynced) {
		t.Fatal(context.Cause(ctx))
	}
	lister := toolscache.NewGenericLister(adapter.GetIndexer(), widgets.GroupResource())
	resource := client.Resource(widgets).Namespace("a")

	patched, err := resource.Patch(ctx, "one", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if obj, err := lister.ByNamespace("a").Get("one"); err != nil || obj.(object).ResourceVersion != patched.ResourceVersion {
		t.Errorf("after the patch: %v, %v", obj, err)
	}
	if objs, err := adapter.GetIndexer().ByIndex("color", "v2"); err != nil || len(objs) != 1 {
		t.Errorf("after the patch the index has %v, %v", objs, err)
	}
	if objs, err := adapter.GetIndexer().ByIndex("color", "v1"); err != nil || len(objs) != 0 {
		t.Errorf("after the patch the index still has %v, %v", objs, err)
	}
	if err := resource.Delete(ctx, "one", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if objs, err := lister.List(labels.Everything()); err != nil || len(objs) != 0 {
		t.Errorf("after the delete: %v, %v", objs, err)
	}
	if _, exists, err := adapter.GetStore().GetByKey("a/one"); err != nil || exists {
		t.Errorf("after the delete the store has the object: %v, %v", exists, err)
	}
	status := adapter.(interface{ Status() cache.Status })
	if n := status.Status().PendingWrites; n == 0 {
		t.Error("no write is pending while the watch sends nothing")
	}

	close(s.released)
	waiter := adapter.(interface {
		WaitFor(ctx context.Context, resourceVersion string) error
	})
	if err := waiter.WaitFor(ctx, "3"); err != nil {
		t.Fatal(err)
	}
	if n := status.Status().PendingWrites; n != 0 {
		t.Errorf("%d writes are pending after the watch has sent all", n)
	}
	for _, want := range []string{"update a/one v1 to a/one v2", "delete tombstone a/one of a/one v2"} {
		select {
		case got := <-heard:
			if got != want {
				t.Errorf("heard %q, want %q", got, want)
			}
		case <-ctx.Done():
			t.Fatalf("not heard: %q", want)
		}
	}
	if len(heard) > 0 {
		t.Errorf("heard %q too", <-heard)
	}
}
