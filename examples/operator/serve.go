package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/observe/debugpage"
	"github.com/typedinformers/informer-gen/observe/healthz"
	informermetrics "github.com/typedinformers/informer-gen/observe/metrics"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// endpoints are what the operator serves at one address.
type endpoints struct {
	// option is the flag that sets the address. Nothing is served if it is empty.
	option, address string
	handlers        map[string]http.Handler // by path
}

// probes returns what the kubelet and Prometheus read. It shows names of resources, numbers and
// errors of the server.
func probes(address string, informers status.Source, watchdog *leaderelection.HealthzAdaptor, more ...prometheus.Collector) endpoints {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		informermetrics.NewCollector(informers),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	registry.MustRegister(more...)
	return endpoints{"--health-address", address, map[string]http.Handler{
		"/livez":   live(watchdog),
		"/readyz":  healthz.Handler(informers),
		"/metrics": promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
	}}
}

// page returns what a person reads. It also shows the names of objects that cannot be decoded, so
// it has an address of its own, which only the pod can reach by default.
func page(address string, informers status.Source) endpoints {
	return endpoints{"--debug-address", address, map[string]http.Handler{
		"/debug/informers": debugpage.New(informers, debugpage.WithTitle(name)),
	}}
}

// live fails if this process leads without a Lease: only a restart helps then. It does not depend on
// the informers, because a restart repairs none of their failures and empties their caches.
func live(watchdog *leaderelection.HealthzAdaptor) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := watchdog.Check(r); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "live")
	})
}

// serve serves all endpoints until stop is called.
func serve(ctx context.Context, all ...endpoints) (stop func(), err error) {
	var stops []func()
	stop = func() {
		for _, stop := range stops {
			stop()
		}
	}
	for _, e := range all {
		if e.address == "" {
			continue
		}
		one, err := e.serve(ctx)
		if err != nil {
			stop()
			return nil, err
		}
		stops = append(stops, one)
	}
	return stop, nil
}

func (e *endpoints) serve(ctx context.Context) (stop func(), err error) {
	mux := http.NewServeMux()
	var paths []string
	for path, handler := range e.handlers {
		mux.Handle("GET "+path, handler)
		paths = append(paths, path)
	}
	slices.Sort(paths)
	what := strings.Join(paths, ", ")
	listener, err := net.Listen("tcp", e.address)
	if err != nil {
		return nil, fmt.Errorf("cannot serve %s: %w; see %s", what, err, e.option)
	}
	klog.FromContext(ctx).Info("Serving "+what, "address", listener.Addr())
	// A reader that is slow keeps a connection and nothing else, but not for ever.
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener) // until Close
	}()
	return func() {
		_ = server.Close()
		<-ended
	}, nil
}
