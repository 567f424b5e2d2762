package debugpage

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/internal/loopback"
	"github.com/typedinformers/informer-gen/observe/internal/negotiate"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

const (
	// runbook is the page that explains each reason.
	runbook = "https://github.com/typedinformers/informer-gen/blob/main/docs/observability.md"
	// maxRenders is the number of reports that are made at a time. Other readers wait.
	maxRenders = 2
	// minGzip is the number of bytes from which on a response is compressed.
	minGzip = 4 << 10
)

// assets are the files that the page consists of. Each but page.html is served by ?asset=.
//
//go:embed assets
var assets embed.FS

// Handler serves the page. It keeps a history of the numbers of events of at most 2,000 informers
// while it is looked at, and has no goroutine.
type Handler struct {
	sources    []cache.StatusSource
	title      string
	objectText bool
	runbook    string
	limits     limits
	// hosts are the names of WithAllowedHosts, in lower case.
	hosts []string

	history history
	// renders has an element for each report that is being made.
	renders chan struct{}
	now     func() time.Time // replaced in tests
}

// New returns a handler for the informers of source, such as a factory.
func New(source cache.StatusSource, options ...Option) *Handler {
	h := &Handler{
		runbook: runbook, limits: defaultLimits,
		renders: make(chan struct{}, maxRenders), now: time.Now,
	}
	for _, option := range append([]Option{WithSource(source)}, options...) {
		if option != nil {
			option(h)
		}
	}
	return h
}

// policy allows the page its own script, style sheet and icon, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// ServeHTTP serves the page, or a part of it. It ignores the path of the request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "the method is not allowed; use GET or HEAD", http.StatusMethodNotAllowed)
		return
	}
	if !h.serves(r) {
		http.Error(w, fmt.Sprintf("the Host header is %.200q, but at a loopback address the page is served only for localhost and loopback addresses; "+
			"use http://localhost:PORT, or add the host to debugpage.WithAllowedHosts", r.Host), http.StatusMisdirectedRequest)
		return
	}
	query := r.URL.Query()
	if name := query.Get("asset"); name != "" {
		serveAsset(w, r, name)
		return
	}
	header.Set("Vary", "Accept, Accept-Encoding")
	form, err := formOf(query.Get("format"), r.Header.Values("Accept"))
	if err != nil {
		http.Error(w, err.Error(), err.status)
		return
	}
	view, mistake := viewOf(query)
	if mistake != nil {
		http.Error(w, mistake.Error(), http.StatusBadRequest)
		return
	}
	select {
	case h.renders <- struct{}{}:
	case <-r.Context().Done():
		return
	}
	body, failed := h.render(form, view)
	if failed != nil {
		http.Error(w, "the page cannot be rendered: "+failed.Error(), http.StatusInternalServerError)
		return
	}
	write(w, r, form.contentType(), body)
}

// serves reports whether the host of a request may have the page. A web page that the operator visits can have the name of its host
// resolve to a loopback address, and then read the answer. Other addresses belong to
// a pod or a node, where proxies and services have names of their own. If the server does not tell its own address, that of the
// client counts: a browser of this machine has a loopback address too.
func (h *Handler) serves(r *http.Request) bool {
	switch local := r.Context().Value(http.LocalAddrContextKey).(type) {
	case *net.TCPAddr:
		if !local.IP.IsLoopback() {
			return true
		}
	case *net.UnixAddr: // which no browser can reach
		return true
	case nil:
		if client := loopback.Hostname(r.RemoteAddr); client != "" && !loopback.Is(client) {
			return true
		}
	}
	host := loopback.Hostname(r.Host)
	return loopback.Is(host) || slices.Contains(h.hosts, strings.ToLower(host))
}

// render makes a report and returns it in a form. The caller has taken a place in h.renders.
func (h *Handler) render(f form, v view) ([]byte, error) {
	defer func() { <-h.renders }()
	var body bytes.Buffer
	var err error
	switch report := h.report(v); f {
	case formJSON:
		err = writeJSON(&body, report)
	case formText:
		writeText(&body, report)
	default:
		err = h.writeHTML(&body, report)
	}
	return body.Bytes(), err
}

// serveAsset serves a file of the page.
func serveAsset(w http.ResponseWriter, r *http.Request, name string) {
	contentType := map[string]string{
		"page.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml",
		"icon-failing.svg": "image/svg+xml", "icon-attention.svg": "image/svg+xml",
	}[name]
	body, err := assets.ReadFile("assets/" + name)
	if contentType == "" || err != nil {
		http.Error(w, "there is no such part of the page", http.StatusNotFound)
		return
	}
	write(w, r, contentType, body)
}

// write writes a response that is complete in memory.
func write(w http.ResponseWriter, r *http.Request, contentType string, body []byte) {
	header := w.Header()
	header.Set("Content-Type", contentType)
	if len(body) >= minGzip && negotiate.Names(r.Header.Values("Accept-Encoding"), "gzip") {
		var compressed bytes.Buffer
		// Level 1 is valid, and a Buffer returns no errors.
		zip, _ := gzip.NewWriterLevel(&compressed, gzip.BestSpeed)
		zip.Write(body)
		zip.Close()
		header.Set("Content-Encoding", "gzip")
		body = compressed.Bytes()
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		w.Write(body) // an error means that the reader has gone
	}
}

// statusError is an error with the code of its response.
type statusError struct {
	status int
	text   string
}

func (e *statusError) Error() string { return e.text }

func statusErrorf(status int, format string, args ...any) *statusError {
	return &statusError{status, fmt.Sprintf(format, args...)}
}
