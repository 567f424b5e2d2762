package main

import (
	"context"
	"fmt"
	"iter"
	"net"
	"net/http"
	"time"

	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// health answers the probes of the kubelet, and people who want to know the reason.
type health struct {
	informers interface {
		Statuses() iter.Seq[cache.InformerStatus]
	}
	watchdog *leaderelection.HealthzAdaptor
}

func (h *health) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", h.live)
	mux.HandleFunc("GET /readyz", h.ready)
	return mux
}

// live fails if this process leads without a Lease: only a restart helps then.
func (h *health) live(w http.ResponseWriter, r *http.Request) {
	if err := h.watchdog.Check(r); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "live")
}

// ready fails while an informer does not follow the server, and says since when and why.
// A process that waits for the Lease is ready, because its caches are.
func (h *health) ready(w http.ResponseWriter, _ *http.Request) {
	var lines []byte
	code, answer := http.StatusOK, "ready"
	for informer := range h.informers.Statuses() {
		mark := '+'
		if informer.Status.Phase != cache.Watching {
			code, answer, mark = http.StatusServiceUnavailable, "not ready", '-'
		}
		lines = fmt.Appendf(lines, "[%c] %s: %v\n", mark, informer.Resource.GroupResource(), informer.Status)
	}
	w.WriteHeader(code)
	fmt.Fprintf(w, "%s\n%s", answer, lines)
}

// serveHealth serves h until stop is called. It serves nothing if address is empty.
func serveHealth(ctx context.Context, address string, h *health) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot serve /livez and /readyz: %w; see --health-address", err)
	}
	klog.FromContext(ctx).Info("Serving /livez and /readyz", "address", listener.Addr())
	server := &http.Server{Handler: h.handler(), ReadHeaderTimeout: 10 * time.Second}
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
