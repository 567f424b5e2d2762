package crcache

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/apitest"
)

// world is an apitest server in a bubble, with a client that reads and writes without a cache.
type world struct {
	*testing.T
	server *apitest.Server
	client.Client
	// delay, if it is not nil, returns how late the next answer to a cache is.
	delay func() time.Duration
}

// inWorld runs a test in a bubble.
func inWorld(t *testing.T, test func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		server, err := apitest.New(apitest.WithScheme(scheme.Scheme))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(server.Close)
		c, err := client.New(&rest.Config{Host: server.URL(), QPS: -1}, client.Options{HTTPClient: &http.Client{Transport: server}})
		if err != nil {
			t.Fatal(err)
		}
		test(&world{T: t, server: server, Client: c})
	})
}

func (w *world) config() *rest.Config { return &rest.Config{Host: w.server.URL(), QPS: -1} }

// newCache returns a cache that is not started.
func (w *world) newCache(set ctrlcache.Options, options ...Option) *Cache {
	w.Helper()
	set.HTTPClient, set.Scheme = &http.Client{Transport: reads{w.server, w.delay}}, scheme.Scheme
	c, err := NewFunc(options...)(w.config(), set)
	if err != nil {
		w.Fatal(err)
	}
	return c.(*Cache)
}

// reads marks the requests of a cache. If random is not nil, some answers are late: the server has changed meanwhile.
type reads struct {
	next   http.RoundTripper
	random func() time.Duration
}

func (r reads) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Cache", "yes")
	if isLive, ok := request.Context().Value(liveRead{}).(*bool); ok {
		*isLive = true
	}
	response, err := r.next.RoundTrip(request)
	if r.random != nil {
		time.Sleep(r.random())
	}
	return response, err
}

// liveRead is the key of a pointer to a bool, which is set if a request has the context.
type liveRead struct{}

// ofCache selects the requests of a cache.
func ofCache(m apitest.Match) apitest.Match {
	return m.Where(func(request *http.Request) bool { return request.Header.Get("Cache") != "" })
}

// put creates or updates objects.
func (w *world) put(objects ...client.Object) {
	w.Helper()
	for _, obj := range objects {
		obj.SetResourceVersion("")
		if err := w.Create(w.Context(), obj); err == nil {
			continue
		}
		if err := w.Update(w.Context(), obj); err != nil {
			w.Fatal(err)
		}
	}
}

// drop deletes objects.
func (w *world) drop(objects ...client.Object) {
	w.Helper()
	for _, obj := range objects {
		if err := w.Delete(w.Context(), obj); err != nil {
			w.Fatal(err)
		}
	}
}

// settle waits until all that happens at once has happened, and requests that failed were repeated.
func (w *world) settle() {
	time.Sleep(20 * time.Minute)
	synctest.Wait()
}

func namespace(name, team string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"team": team}}}
}

func configMap(namespace, name string, pairs ...string) *corev1.ConfigMap {
	c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string]string{}}
	for pair := range slices.Chunk(pairs, 2) {
		c.Data[pair[0]] = pair[1]
	}
	return c
}

// journal has the events of a handler, without versions.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) add(line string, obj any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line+" "+keyOf(obj))
}

func (j *journal) OnAdd(obj any, _ bool)  { j.add("add", obj) }
func (j *journal) OnUpdate(_, newObj any) { j.add("update", newObj) }
func (j *journal) OnDelete(obj any) {
	if _, isUnknown := obj.(toolscache.DeletedFinalStateUnknown); isUnknown {
		j.add("leave", obj)
		return
	}
	j.add("delete", obj)
}

// want checks the events since the last call, in any order.
func (j *journal) want(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	slices.Sort(j.lines)
	slices.Sort(want)
	if !slices.Equal(j.lines, want) {
		t.Errorf("the events are %q, want %q", j.lines, want)
	}
	j.lines = nil
}

// listenTo adds a handler to the informer of a kind. It does not wait for the informer.
func (w *world) listenTo(c *Cache, obj client.Object) *journal {
	w.Helper()
	informer, err := c.GetInformer(w.Context(), obj, ctrlcache.BlockUntilSynced(false))
	if err != nil {
		w.Fatal(err)
	}
	heard := &journal{}
	if _, err := informer.AddEventHandler(heard); err != nil {
		w.Fatal(err)
	}
	return heard
}

// want checks that a read succeeds, or that its error has a text.
func (w *world) want(what string, err error, text string) {
	w.Helper()
	if err == nil && text != "" || err != nil && (text == "" || !strings.Contains(err.Error(), text)) {
		w.Errorf("%s: %v, want %q", what, err, text)
	}
}

// expiring returns a context that ends after a second.
func expiring(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	t.Cleanup(cancel)
	return ctx
}

// statusOf returns the state of the informer of a resource.
func (w *world) statusOf(c *Cache, resource string) KindStatus {
	w.Helper()
	for status := range c.Kinds() {
		if status.Resource.Resource == resource {
			return status
		}
	}
	w.Fatalf("%s has no status", resource)
	return KindStatus{}
}
