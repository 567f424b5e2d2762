package testserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"

	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
)

// calls are the connections to webhooks, for conversion and for admission. The API server has no way to close those
// that are idle, so they would stay open after a stop.
type calls struct {
	dialer net.Dialer

	mu     sync.Mutex // guards the fields below
	open   map[net.Conn]struct{}
	closed bool
}

func newCalls() *calls { return &calls{open: map[net.Conn]struct{}{}} }

func (c *calls) dial(ctx context.Context, network, address string) (net.Conn, error) {
	connection, err := c.dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	call := &call{Conn: connection, calls: c}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errors.Join(fmt.Errorf("dial a webhook: %w", ErrStopped), connection.Close())
	}
	c.open[call] = struct{}{}
	return call, nil
}

// close closes the connections, and lets none be opened any more.
func (c *calls) close() {
	c.mu.Lock()
	c.closed = true
	open := c.open
	c.open = nil
	c.mu.Unlock()
	for connection := range open {
		_ = connection.Close() // the peer may have closed it
	}
}

type call struct {
	net.Conn
	calls *calls
}

func (c *call) Close() error {
	c.calls.mu.Lock()
	delete(c.calls.open, c)
	c.calls.mu.Unlock()
	return c.Conn.Close()
}

// resolver lets the clients of webhooks dial with c.
func (c *calls) resolver(next webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver {
	withDial := func(config *rest.Config, err error) (*rest.Config, error) {
		if err == nil {
			config.Dial = c.dial
			// It is the default. With one that is set, client-go keeps no transport for the life of the process.
			config.Proxy = http.ProxyFromEnvironment
		}
		return config, err
	}
	return &webhook.AuthenticationInfoResolverDelegator{
		ClientConfigForFunc: func(hostPort string) (*rest.Config, error) {
			return withDial(next.ClientConfigFor(hostPort))
		},
		ClientConfigForServiceFunc: func(name, namespace string, port int) (*rest.Config, error) {
			return withDial(next.ClientConfigForService(name, namespace, port))
		},
	}
}

// noServices answers webhooks that name a Service.
type noServices struct{}

func (noServices) ResolveEndpoint(namespace, name string, _ int32) (*url.URL, error) {
	return nil, fmt.Errorf("its clientConfig names the service %s/%s, and this API server has no services; set clientConfig.url, and the CA of the webhook in caBundle", namespace, name)
}

// asAdministrator gives requests the user that webhooks are told. No one is authenticated, and everything is
// allowed.
func asAdministrator(next http.Handler) http.Handler {
	administrator := &user.DefaultInfo{Name: "admin", Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(request.WithUser(r.Context(), administrator)))
	})
}
