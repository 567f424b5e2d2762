package informermetrics

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/observe/debugpage"
	"github.com/typedinformers/informer-gen/observe/healthz"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

type object = *metav1.PartialObjectMetadata

// kind is a kind whose informers run without a server: they list ten objects, and get a hundred
// events.
func kind(resource string) cache.Kind[object] {
	gvr := widgets
	gvr.Resource = resource
	return cache.Kind[object]{Resource: gvr, Namespaced: true,
		ListWatch: func(namespace string) cache.ListerWatcher[object] {
			return cache.NewListWatch[object](typedClient{namespace})
		}}
}

// typedClient is the client of a namespace.
type typedClient struct{ namespace string }

func (c typedClient) List(context.Context, metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	list := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "10"}}
	for i := range 10 {
		list.Items = append(list.Items, *c.object(i))
	}
	return list, nil
}

// Watch has the events of versions 11 to 110.
func (c typedClient) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	events := watch.NewFakeWithChanSize(100, false)
	for version := 11; version <= 110; version++ {
		events.Modify(c.object(version))
	}
	return events, nil
}

func (c typedClient) object(version int) object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: c.namespace, Name: fmt.Sprint("web-", version%10), UID: "uid", ResourceVersion: fmt.Sprint(version),
	}}
}

// TestScrapeWhileInformersChange scrapes, and looks at the page and the readiness check, while informers of two factories with one name start, stop
// and are created, and handlers panic, are added and removed. Run it with -race.
func TestScrapeWhileInformersChange(t *testing.T) {
	ctx := klog.NewContext(t.Context(), logr.Discard())
	ctx, cancel := context.WithCancel(ctx)
	var factories [2]*cache.SharedInformerFactory
	for i := range factories {
		factories[i] = cache.NewSharedInformerFactory(0, cache.WithInformerName("main"), cache.WithHandlerPanicRecovery(), cache.WithNamespaces("team-1", "team-2"))
		factories[i].Start(ctx)
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(NewCollector(factories[0], WithSource(factories[1])))

	const rounds = 30
	var scraped atomic.Int64 // scrapes that saw an informer
	var scrapers, users sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		scrapers.Go(func() {
			for {
				families, err := registry.Gather()
				if err != nil {
					t.Error(err)
					return
				}
				for _, family := range families {
					if family.GetName() == "informer_phase" && len(family.GetMetric()) > 0 {
						scraped.Add(1)
					}
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	page := debugpage.New(factories[0], debugpage.WithSource(factories[1]))
	ready := healthz.Handler(factories[0], healthz.WithSource(factories[1]))
	scrapers.Go(func() {
		for {
			for _, look := range []struct {
				handler http.Handler
				path    string
			}{{page, "/?format=html"}, {page, "/?format=text&q=g"}, {page, "/?format=json"}, {ready, "/readyz?verbose"}} {
				w := httptest.NewRecorder()
				look.handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, look.path, nil))
				if w.Code != http.StatusOK && (look.path != "/readyz?verbose" || w.Code != http.StatusServiceUnavailable) {
					t.Errorf("%s: %d %s", look.path, w.Code, w.Body)
				}
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for i, factory := range factories {
		for _, resource := range []string{"widgets", fmt.Sprint("gadgets", i)} {
			users.Go(func() {
				for round := range rounds {
					use(ctx, t, factory, kind(resource), round)
				}
			})
		}
	}
	users.Wait()
	close(done)
	scrapers.Wait()
	cancel()
	for _, factory := range factories {
		factory.Shutdown()
	}
	if scraped.Load() == 0 {
		t.Error("no scrape has seen an informer")
	}
}

// use runs an informer until its handlers have returned from the first list, and one of them
// has panicked.
func use(ctx context.Context, t *testing.T, factory *cache.SharedInformerFactory, kind cache.Kind[object], round int) {
	lease, err := cache.Acquire(factory, kind)
	if err != nil {
		t.Error(err)
		return
	}
	defer lease.Release()
	panicked := make(chan struct{})
	var once sync.Once
	fail := func() {
		once.Do(func() {
			defer close(panicked)
			panic("a handler fails")
		})
	}
	for _, options := range [][]cache.HandlerOption{nil, nil, {cache.WithHandlerName("panics")}, {cache.WithHandlerName(fmt.Sprint("round", round))}} {
		if _, err := lease.AddEventHandler(cache.ResourceEventHandlerFuncs[object]{
			AddFunc:    func(object, bool) { fail() }, // all events may be over
			UpdateFunc: func(_, _ object) { fail() },
		}, options...); err != nil {
			t.Error(err)
		}
	}
	if err := lease.WaitForCacheSync(ctx); err != nil {
		t.Error(err)
	}
	<-panicked
}
