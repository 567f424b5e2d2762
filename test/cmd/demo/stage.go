package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/observe/debugpage"
	"github.com/typedinformers/informer-gen/observe/healthz"
	informermetrics "github.com/typedinformers/informer-gen/observe/metrics"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/cmd/internal/demo"
	"github.com/typedinformers/informer-gen/test/cmd/internal/memory"
)

// name is that of the informers in metrics and on the page.
const name = "demo"

// logName is the file in the folder of the demo that has the log of the informers and the controller.
const logName = "demo.log"

// stage is what the story is played on.
type stage struct {
	server     *memory.Server
	kubeconfig string
	client     *versioned.Clientset
	factory    informers.SharedInformerFactory
	events     chan event
	// stop ends the controller, and stopped is closed when it has ended.
	stop    context.CancelFunc
	stopped chan struct{}
	page    *http.Server
	url     string // of page
	log     *os.File
}

// open starts everything. On an error nothing is left running.
func open(ctx context.Context, build, crds string) (_ *stage, err error) {
	s := &stage{events: make(chan event, 100), kubeconfig: filepath.Join(build, "kubeconfig")}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.log, err = os.Create(filepath.Join(build, logName)); err != nil {
		return nil, err
	}
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard) // for each severity, or an error is written three times
	klog.SetOutputBySeverity("INFO", s.log)
	if err := s.startServer(crds); err != nil {
		return nil, err
	}
	// The factory has an informer for each kind that is asked for.
	s.factory = informers.NewSharedInformerFactory(s.client, 0, cache.WithInformerName(name), cache.WithStatusHandler(s.hearStatus))
	if err := demo.ListenToAll(s.factory, func(e demo.Event) { s.events <- event{Event: e} }, cache.WithHandlerName("print")); err != nil {
		return nil, err
	}
	if err := s.servePage(); err != nil {
		return nil, err
	}
	return s, s.startController(ctx)
}

func (s *stage) startServer(crds string) (err error) {
	kinds, names, err := kindsOf(crds)
	if err != nil {
		return err
	}
	if s.server, err = memory.Start("127.0.0.1:0", apitest.WithKinds(kinds...)); err != nil {
		return err
	}
	if err := s.server.WriteKubeconfig(s.kubeconfig); err != nil {
		return err
	}
	demo.Say("server", "an API server in memory serves %s", s.server.URL())
	demo.Say("crds", "%s", strings.Join(names, ", "))
	s.client, err = versioned.NewForConfig(s.server.Config())
	return err
}

// startController fills the caches, and then runs the controller.
func (s *stage) startController(ctx context.Context) error {
	c, err := newController(s.client, s.factory)
	if err != nil {
		return err
	}
	s.factory.Start(context.WithoutCancel(ctx)) // until close
	if err := s.factory.WaitForCacheSync(ctx); err != nil {
		return err
	}
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.stopped = make(chan struct{})
	go func() {
		defer close(s.stopped)
		c.run(ctx)
	}()
	return nil
}

// servePage serves what people, Prometheus and the kubelet read of informers.
func (s *stage) servePage() error {
	registry := prometheus.NewRegistry()
	registry.MustRegister(informermetrics.NewCollector(s.factory))
	mux := http.NewServeMux()
	mux.Handle("GET /debug/informers", debugpage.New(s.factory, debugpage.WithTitle(name)))
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.Handle("GET /readyz", healthz.Handler(s.factory))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.page = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.page.Serve(listener) }() // until close
	s.url = "http://" + listener.Addr().String()
	demo.Say("page", "%s/debug/informers shows what the informers do", s.url)
	demo.Say("metrics", "%s/metrics", s.url)
	demo.Say("readiness", "%s/readyz", s.url)
	demo.Say("kubectl", "kubectl --kubeconfig=%s explain database.spec", s.kubeconfig)
	return nil
}

// close stops everything.
func (s *stage) close() error {
	var errs []error
	if s.stop != nil {
		s.stop()
		<-s.stopped
	}
	if s.factory != nil {
		drained := s.drain()
		s.factory.Shutdown()
		drained()
	}
	if s.page != nil {
		errs = append(errs, s.page.Close())
	}
	if s.server != nil {
		errs = append(errs, s.server.Stop())
	}
	if s.log != nil {
		klog.Flush()
		errs = append(errs, s.log.Close())
	}
	return errors.Join(errs...)
}

// drain reads the events that no one waits for, so that handlers return, until stop is called.
func (s *stage) drain() (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-s.events:
			case <-end:
				return
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}
