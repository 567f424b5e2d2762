package faults

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
)

// Proxy stands before an API server. Its methods may be called from any goroutine.
type Proxy struct {
	target    *url.URL
	transport *http.Transport // to target
	listener  net.Listener
	server    *http.Server
	serving   sync.WaitGroup // the goroutine that accepts, and one for each connection

	mu       sync.Mutex // guards the fields below
	rules    []*armed
	open     map[*exchange]struct{}
	requests map[Match]int // by one of Lists, Watches, Streams and Others
	struck   int
}

// exchange is a request that is being answered.
type exchange struct {
	cut  context.CancelFunc
	rule *armed // nil if the request is not to be spoiled
}

// Start returns a Proxy before target, such as http://127.0.0.1:8080, on a free port of the loopback interface.
// The caller stops it.
func Start(target string) (*Proxy, error) {
	parsed, err := url.Parse(target)
	if err != nil || parsed.Scheme != "http" || parsed.Host == "" {
		return nil, fmt.Errorf("target %q is not http://HOST:PORT: give the URL of a server that speaks plain HTTP", target)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the proxy of %s: %w", target, err)
	}
	p := &Proxy{
		target:    parsed,
		transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 16},
		listener:  listener,
		open:      map[*exchange]struct{}{},
		requests:  map[Match]int{},
	}
	p.server = &http.Server{
		Handler:   http.HandlerFunc(p.serve),
		ErrorLog:  log.New(io.Discard, "", 0),
		ConnState: p.follow,
	}
	p.serving.Go(func() {
		_ = p.server.Serve(listener) // it ends when Stop closes the server, and says so
	})
	return p, nil
}

// URL is where the Proxy listens, http://127.0.0.1:PORT.
func (p *Proxy) URL() string { return "http://" + p.listener.Addr().String() }

// Stop cuts what is open, and returns when no goroutine of the Proxy is left. It may be called again.
func (p *Proxy) Stop() {
	_ = p.server.Close() // the listener's error says only that it is closed already
	p.CutAll()
	p.serving.Wait()
	p.transport.CloseIdleConnections()
}

// Set adds a rule. Of several that are for a request, the one that was set first is applied. The channel is closed
// when the fault has struck Rule.Times times, or once if that is 0.
func (p *Proxy) Set(rule Rule) <-chan struct{} {
	if rule.Match == 0 {
		rule.Match = All
	}
	if rule.Fault.instead == nil && rule.Fault.before == nil && rule.Fault.spoil == nil {
		rule.Fault = Cut()
	}
	a := &armed{Rule: rule, done: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = append(p.rules, a)
	return a.done
}

// Clear removes all rules. Answers that are being spoiled go on to be.
func (p *Proxy) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = nil
}

// CutAll closes the connections of all requests that are being answered, watches among them, and returns how many
// these were.
func (p *Proxy) CutAll() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for e := range p.open {
		e.cut()
	}
	return len(p.open)
}

// Requests returns how many requests have arrived, spoiled or not.
func (p *Proxy) Requests(match Match) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	count := 0
	for verb, n := range p.requests {
		if verb&match != 0 {
			count += n
		}
	}
	return count
}

// Struck returns how many faults of all rules have taken place.
func (p *Proxy) Struck() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.struck
}

// follow counts the goroutines that the HTTP server has for its connections.
func (p *Proxy) follow(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew: // told by the goroutine that accepts, which is counted itself
		p.serving.Add(1)
	case http.StateClosed, http.StateHijacked:
		p.serving.Done()
	}
}

func (p *Proxy) serve(w http.ResponseWriter, request *http.Request) {
	ctx, cut := context.WithCancel(request.Context())
	defer cut()
	e := p.enter(verbOf(request), cut)
	defer p.leave(e)

	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(p.target)
			r.Out.Host = r.In.Host // which the API server checks
			r.Out.Header.Del("Accept-Encoding")
		},
		Transport:     p.transport,
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
		ErrorHandler:  p.unreachable,
	}
	if e.rule != nil {
		strike := func() { p.strike(e.rule) }
		fault := e.rule.Fault
		switch {
		case fault.instead != nil:
			strike()
			fault.instead(w, request)
			return
		case fault.before != nil:
			fault.before(ctx, strike)
		default:
			forward.ModifyResponse = func(response *http.Response) error {
				if response.StatusCode != http.StatusOK {
					p.giveBack(e.rule)
					return nil
				}
				response.Body = fault.spoil(ctx, response.Body, strike)
				if !fault.keepsLength {
					response.Header.Del("Content-Length")
					response.ContentLength = -1
				}
				return nil
			}
		}
	}
	forward.ServeHTTP(w, request.WithContext(ctx))
}

// enter counts a request, and looks up what shall become of it.
func (p *Proxy) enter(verb Match, cut context.CancelFunc) *exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := &exchange{cut: cut}
	p.requests[verb]++
	p.open[e] = struct{}{}
	if i := slices.IndexFunc(p.rules, func(a *armed) bool { return a.takes(verb) }); i >= 0 {
		e.rule = p.rules[i]
		e.rule.taken++
	}
	return e
}

func (p *Proxy) leave(e *exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, e)
}

func (p *Proxy) strike(a *armed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.struck++
	a.strike()
}

// giveBack lets a rule have another request for one that the server did not answer as it should.
func (p *Proxy) giveBack(a *armed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a.taken--
}

func (p *Proxy) unreachable(w http.ResponseWriter, request *http.Request, err error) {
	if request.Context().Err() != nil || errors.Is(err, errCut) {
		panic(http.ErrAbortHandler)
	}
	writeStatus(w, statusOf(http.StatusBadGateway, 0), 0)
}
