package debugpage

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/internal/loopback"
	"github.com/typedinformers/informer-gen/observe"
	"github.com/typedinformers/informer-gen/observe/internal/negotiate"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

const (
	// maxRenders is the number of reports that are made at a time. Other readers wait.
	maxRenders = 2
	// minGzip is the number of bytes from which on a response is compressed.
	minGzip = 4 << 10
)

// Handler serves the page. It keeps a history of the numbers of events of at most 2,000 informers
// while it is looked at, and has no goroutine.
type Handler struct {
	reader observe.Reader
	// hosts are the names of WithAllowedHosts, in lower case.
	hosts   []string
	history history
	// renders has an element for each report that is being made.
	renders chan struct{}
}

// New returns a handler for the informers of source, such as a factory.
func New(source status.Source, options ...Option) *Handler {
	h := &Handler{
		reader:  observe.Reader{Sources: []status.Source{source}, Runbook: observe.Runbook, StalenessLimit: 3 * time.Minute},
		renders: make(chan struct{}, maxRenders),
	}
	for _, option := range options {
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
	view, mistake := viewOf(query)
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	case mistake != nil:
		http.Error(w, mistake.Error(), http.StatusBadRequest)
		return
	case form == "":
		http.Error(w, "none of the accepted types is served; use text/html, text/plain or application/json, or the parameter format=html, text or json", http.StatusNotAcceptable)
		return
	}
	select {
	case h.renders <- struct{}{}:
	case <-r.Context().Done():
		return
	}
	body, err := h.render(form, &view)
	if err != nil {
		http.Error(w, "the page cannot be rendered: "+err.Error(), http.StatusInternalServerError)
		return
	}
	contentType := string(form)
	if form != formJSON {
		contentType += "; charset=utf-8"
	}
	write(w, r, contentType, body)
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

// form is a form of the page, by its media type.
type form string

// Text is preferred, because curl accepts everything. A browser prefers text/html.
const (
	formText form = "text/plain"
	formHTML form = "text/html"
	formJSON form = "application/json"
)

// formOf returns the form that a request asks for, by the parameter format or by Accept. It is empty if Accept has none.
func formOf(parameter string, accept []string) (form, error) {
	switch parameter {
	case "":
		return form(negotiate.Best(accept, string(formText), string(formHTML), string(formJSON))), nil
	case "html":
		return formHTML, nil
	case "text":
		return formText, nil
	case "json":
		return formJSON, nil
	}
	return "", wrongParameter("format", parameter, "html, text or json")
}

// render makes a report and returns it in a form. The caller has taken a place in h.renders.
func (h *Handler) render(f form, v *view) ([]byte, error) {
	defer func() { <-h.renders }()
	var body bytes.Buffer
	var err error
	report := h.reader.Read()
	sparks := h.history.look(report)
	v.apply(report)
	switch f {
	case formJSON:
		encoder := json.NewEncoder(&body)
		encoder.SetIndent("", "  ") // for people who read it without jq
		err = encoder.Encode(report)
	case formText:
		err = writeText(&body, report, v)
	default:
		err = writeHTML(&body, report, v, sparks, h.reader.Runbook)
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
