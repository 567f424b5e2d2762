// Package memory runs the in-memory API server on a port of this machine, for kubectl and other processes.
package memory

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/internal/loopback"
)

// Server is an API server in memory that listens on a port.
type Server struct {
	// Server has the objects and the faults.
	*apitest.Server
	listener net.Listener
	http     *http.Server
	served   chan error
}

// Start starts a server with the kinds of Kubernetes and what the options add. The host of the address has to be a loopback
// address, because the server authenticates no one.
func Start(address string, options ...apitest.Option) (*Server, error) {
	if host, _, err := net.SplitHostPort(address); err != nil || !loopback.Is(host) {
		return nil, errors.Join(fmt.Errorf("%q is not a loopback address with a port, and the server authenticates no one; listen on 127.0.0.1:PORT", address), err)
	}
	server, err := apitest.New(append(options, apitest.WithScheme(scheme.Scheme), apitest.WithNamespaceLifecycle())...)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	s := &Server{server, listener, &http.Server{Handler: server, ReadHeaderTimeout: 10 * time.Second}, make(chan error, 1)}
	go func() { s.served <- s.http.Serve(listener) }()
	return s, nil
}

// URL returns the address of the server for other processes.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Config returns the configuration of a client without a rate limit.
func (s *Server) Config() *rest.Config { return &rest.Config{Host: s.URL(), QPS: -1} }

// WriteKubeconfig writes a kubeconfig file for the server. It does not call package clientcmd, which would be compiled for it.
func (s *Server) WriteKubeconfig(path string) error {
	return os.WriteFile(path, []byte(`apiVersion: v1
kind: Config
clusters: [{name: apiserver, cluster: {server: "`+s.URL()+`"}}]
contexts: [{name: apiserver, context: {cluster: apiserver, user: apiserver, namespace: default}}]
current-context: apiserver
users: [{name: apiserver, user: {}}]
`), 0o600)
}

// Stop ends all requests, watches too.
func (s *Server) Stop() error {
	s.Close()
	err := s.http.Close()
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = cmp.Or(err, served)
	}
	return err
}
