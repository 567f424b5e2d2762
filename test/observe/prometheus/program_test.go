package prometheus

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/apitest"
	v1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	informermetrics "github.com/typedinformers/informer-gen/observe/metrics"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

type object = metav1.PartialObjectMetadata

var databases = schema.GroupVersionResource{Group: "data.example.com", Version: "v1", Resource: "databases"}

// scenario is an informer of databases with a server of its own, and with one thing that is wrong.
// The label name of its metrics is the name of the scenario.
type scenario struct {
	name string
	// break it, before the informer starts.
	fail    func(*apitest.Server)
	options []cache.SharedInformerOption
	// handler and index are called with each object.
	handler, index func(p *program, db *v1.Database)
	// quiet is set if no object changes.
	quiet bool
	// alerts are those that fire for it, and others that may.
	alerts, others []string
}

var scenarios = []scenario{
	{name: "healthy"},
	{name: "forbidden",
		fail:   func(s *apitest.Server) { s.On("list", "databases").Forbidden() },
		alerts: []string{"InformerForbidden", "InformerNotSynced"}},
	{name: "unauthorized",
		fail:   func(s *apitest.Server) { s.On("list", "databases").Unauthorized() },
		alerts: []string{"InformerUnauthorized", "InformerNotSynced"}},
	{name: "missing",
		fail:   func(s *apitest.Server) { s.On("list", "databases").NotFound() },
		alerts: []string{"InformerCRDMissing", "InformerNotSynced"}},
	{name: "overloaded",
		fail:   func(s *apitest.Server) { s.On("list", "databases").TooManyRequests(time.Second) },
		alerts: []string{"InformerDegraded", "InformerNotSynced", "InformerRequestsFail"}},
	{name: "forgetful",
		fail:   func(s *apitest.Server) { s.On("watch", "databases").Expired() },
		alerts: []string{"InformerRelistStorm", "InformerRequestsFail"}, others: []string{"InformerDegraded"}},
	{name: "silent", quiet: true,
		alerts: []string{"InformerStale"}},
	{name: "undecodable",
		fail: func(s *apitest.Server) {
			if err := s.Add(undecodable()); err != nil {
				panic(err)
			}
		},
		options: []cache.SharedInformerOption{cache.WithSkipUndecodable()},
		alerts:  []string{"InformerUndecodableObjects"}},
	{name: "misconfigured",
		options: []cache.SharedInformerOption{cache.WithOptionsFor[*v1.Database](cache.WithLabelSelector("=="))},
		alerts:  []string{"InformerMisconfigured"}},
	{name: "panicking",
		options: []cache.SharedInformerOption{cache.WithHandlerPanicRecovery()},
		handler: func(*program, *v1.Database) { panic("a handler fails") },
		alerts:  []string{"InformerHandlerPanics"}},
	{name: "stuck",
		handler: func(p *program, _ *v1.Database) { <-p.released },
		alerts:  []string{"InformerHandlerStuck", "InformerHandlerBacklogGrowing"}},
	{name: "slow",
		index: func(p *program, db *v1.Database) {
			if db.Spec.StorageGi > 0 { // the first list is stored
				<-p.released
			}
		},
		alerts: []string{"InformerQueueGrowing"}, others: []string{"InformerStale"}},
}

// program has an informer for each scenario.
type program struct {
	servers   map[string]*apitest.Server
	factories []*cache.SharedInformerFactory
	// released is closed before the program ends. The stuck handler and the slow index wait for it.
	released chan struct{}
}

// start runs a program until the test ends.
func start(t *testing.T) *program {
	t.Helper()
	ctx, cancel := context.WithCancel(klog.NewContext(t.Context(), logr.Discard()))
	p := &program{servers: map[string]*apitest.Server{}, released: make(chan struct{})}
	var writers sync.WaitGroup
	t.Cleanup(func() {
		close(p.released)
		cancel()
		writers.Wait()
		for _, factory := range p.factories {
			factory.Shutdown()
		}
	})
	for i := range scenarios {
		p.play(ctx, t, &scenarios[i])
	}
	writers.Go(func() { p.write(ctx, t) })
	return p
}

// play starts the informer of a scenario.
func (p *program) play(ctx context.Context, t *testing.T, s *scenario) {
	t.Helper()
	server, err := apitest.New(apitest.WithKinds(apitest.Kind{GroupVersionKind: v1.SchemeGroupVersion.WithKind("Database"), Resource: "databases", Namespaced: true}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	if err := server.Add(database(0)); err != nil {
		t.Fatal(err)
	}
	if s.fail != nil {
		s.fail(server)
	}
	config := &rest.Config{Host: server.URL(), Transport: server, QPS: -1}
	config.ContentType = "application/json"
	client, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	byStorage := func(db *v1.Database) []string {
		if s.index != nil {
			s.index(p, db)
		}
		return []string{fmt.Sprint(db.Spec.StorageGi)}
	}
	options := append([]cache.SharedInformerOption{
		cache.WithInformerName(s.name), cache.WithIndexers(cache.Indexers[*v1.Database]{"byStorage": byStorage}),
	}, s.options...)
	factory := informers.NewSharedInformerFactory(client, 0, options...)
	handle := func(db *v1.Database) {
		if s.handler != nil {
			s.handler(p, db)
		}
	}
	if _, err := factory.Data().V1().Databases().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*v1.Database]{
		AddFunc:    func(db *v1.Database, _ bool) { handle(db) },
		UpdateFunc: func(_, db *v1.Database) { handle(db) },
	}, cache.WithHandlerName("reconciler")); err != nil && s.name != "misconfigured" {
		t.Fatal(err)
	}
	factory.Start(ctx)
	p.factories = append(p.factories, factory.Inner())
	if !s.quiet {
		p.servers[s.name] = server
	}
}

// write changes the objects of all servers again and again, and lets informers retry without the
// wait that they would make.
func (p *program) write(ctx context.Context, t *testing.T) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for generation := int32(1); ; generation++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		for name, server := range p.servers {
			if err := server.Add(database(generation)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, factory := range p.factories {
			factory.Retry()
		}
	}
}

// collector returns the Collector of all informers.
func (p *program) collector() *informermetrics.Collector {
	var others []informermetrics.Option
	for _, factory := range p.factories[1:] {
		others = append(others, informermetrics.WithSource(factory))
	}
	return informermetrics.NewCollector(p.factories[0], others...)
}

func database(storage int32) *v1.Database {
	return &v1.Database{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1.SchemeGroupVersion.String(), Kind: "Database"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "orders"},
		Spec:       v1.DatabaseSpec{ClassName: fmt.Sprint("class-", storage), StorageGi: storage},
	}
}

// undecodable returns a database whose storage is no number.
func undecodable() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1.SchemeGroupVersion.String(), "kind": "Database",
		"metadata": map[string]any{"namespace": "default", "name": "broken"},
		"spec":     map[string]any{"className": "small", "storageGi": "twenty"},
	}}
}
