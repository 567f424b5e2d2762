package debugpage

import (
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/observe"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run go test -update and look at the change:\n%s", file, got)
	}
}

func TestText(t *testing.T) { synctest.Test(t, testText) }

func testText(t *testing.T) {
	h := New(some(), WithTitle("shop operator"))
	golden(t, "page.txt", body(t, h, "/?format=text"))
	golden(t, "pods.txt", body(t, h, "/?format=text&q=pods"))
	golden(t, "scopes.txt", body(t, New(source{databases()}), "/?format=text&q=databases"))
	golden(t, "none.txt", body(t, New(source{}), "/?format=text"))
	golden(t, "filtered.txt", body(t, New(some()), "/?format=text&state=stopped"))
}

func TestJSON(t *testing.T) { synctest.Test(t, testJSON) }

func testJSON(t *testing.T) {
	text := body(t, New(some(), WithTitle("shop operator")), "/?format=json")
	golden(t, "page.json", text)
	var report observe.Report
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	if s := report.Informers[0]; s.Resource != "secrets" || time.Duration(s.For) != 3*time.Minute || s.Reason != status.Forbidden {
		t.Errorf("%+v", s)
	}
	if !strings.Contains(body(t, New(source{}), "/?format=json"), `"informers": []`) {
		t.Error("no informers are null and not a list")
	}
}

// TestAttempting looks at a failed request that is retried at the moment. An answer may take long, so
// a reader must not take it for an informer that has given up.
func TestAttempting(t *testing.T) { synctest.Test(t, testAttempting) }

func testAttempting(t *testing.T) {
	s := secrets()
	s.Status.NextAttempt = time.Time{}
	h := New(source{s})
	for path, want := range map[string]string{
		"/?format=text": "\n  retry    The next attempt is under way, and is not answered yet.\n",
		"/?format=html": ">The next attempt is under way, and is not answered yet.<",
	} {
		if got := body(t, h, path); !strings.Contains(got, want) {
			t.Errorf("%s does not have %q:\n%s", path, want, got)
		}
	}
	s.Status.Verb = "" // no request has failed
	if got := body(t, New(source{s}), "/?format=text"); strings.Contains(got, "under way") {
		t.Errorf("an error that is not about a request is retried:\n%s", got)
	}
}

// TestSubName shows the name of an informer below its resource, unless it is the title.
func TestSubName(t *testing.T) {
	named := func(names ...string) source {
		var all source
		for _, name := range names {
			s := pods()
			s.Name = name
			all = append(all, s)
		}
		return all
	}
	for _, test := range []struct {
		from  source
		title string
		want  int
	}{
		{named("operator", "operator"), "", 0},
		{named("operator", "operator"), "operator", 0},
		{named("operator", "operator"), "shop", 2},
		{named("operator", "other"), "operator", 1},
		{named("", ""), "", 0},
	} {
		page := body(t, New(test.from, WithTitle(test.title)), "/?format=html")
		if got := strings.Count(page, "<span>operator</span>") + strings.Count(page, "<span>other</span>"); got != test.want {
			t.Errorf("title %q: %d names are shown, want %d", test.title, got, test.want)
		}
	}
}

func TestHTML(t *testing.T) { synctest.Test(t, testHTML) }

func testHTML(t *testing.T) {
	h := New(some(), WithTitle("shop operator"))
	page := body(t, h, "/?format=html")
	for _, want := range []string{
		"<title>1 failing – shop operator</title>", `href="?asset=icon-failing.svg"`,
		"1 of 4 informers does not follow the server (Forbidden): credentials/secrets in namespaces bank, shop.",
		"The last list failed in 1 of 2 scopes: Forbidden.", "The next attempt is within 12s.",
		"docs/observability.md#forbidden", "kubectl auth can-i", "*v1alpha1.WidgetView", "12,345", "48 MiB", "4m",
		"The handler reconcile has worked on one event for 94s, and its backlog is 4,813.",
		"The server has sent nothing for 4m, although the watch is open.", "docs/observability.md#pending",
		"Listed again for Expired", "Failed: list, Forbidden", `<th scope="row">shop/broken</th>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	for _, never := range []string{"large", "<no value>", "style=", "onclick", "javascript:", "%!"} {
		if strings.Contains(page, never) {
			t.Errorf("the page has %q", never)
		}
	}
	// What is sick is first.
	order := []string{">secrets<", ">widgets<", ">nodes<", ">pods<"}
	for i := 1; i < len(order); i++ {
		if a, b := strings.Index(page, order[i-1]), strings.Index(page, order[i]); a < 0 || b < a {
			t.Errorf("%s is at %d, and %s at %d", order[i-1], a, order[i], b)
		}
	}
}

func TestViews(t *testing.T) {
	h := New(some())
	for query, want := range map[string][]string{
		"":                     {"secrets", "widgets", "nodes", "pods"},
		"sort=name":            {"secrets", "nodes", "pods", "widgets"}, // the first one is called credentials
		"sort=objects":         {"pods", "widgets", "secrets", "nodes"},
		"sort=memory":          {"pods", "secrets", "widgets", "nodes"},
		"sort=backlog":         {"widgets", "secrets", "nodes", "pods"},
		"sort=staleness":       {"widgets", "pods", "secrets", "nodes"},
		"sort=events":          {"pods", "secrets", "widgets", "nodes"},
		"sort=since":           {"nodes", "secrets", "pods", "widgets"},
		"q=POD":                {"pods"},
		"q=shop":               {"secrets", "widgets"}, // a namespace, and a group
		"q=WidgetView":         {"widgets"},
		"q=nothing":            nil,
		"state=healthy":        {"pods"},
		"state=failing&q=pods": nil,
	} {
		var report observe.Report
		if err := json.Unmarshal([]byte(body(t, h, "/?format=json&"+query)), &report); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, informer := range report.Informers {
			got = append(got, informer.Resource)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
		if report.Summary.Informers != 4 {
			t.Errorf("%s: the summary has %d informers", query, report.Summary.Informers)
		}
	}
	for query, want := range map[string]string{
		"format=xml": "unknown format `xml`; use html, text or json", "sort=x": "unknown sort `x`", "state=sick": "unknown state `sick`",
		"refresh=1": "unknown refresh `1`", "q=" + strings.Repeat("a", 300): "more than 200 bytes", "format=%1b%5b": `unknown format "\x1b["`,
	} {
		if w := get(t, h, "/?"+query, ""); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
	if page := body(t, h, "/?format=html&sort=name"); !strings.Contains(page, `<th scope="col" class="informer-name" aria-sort="ascending">`) {
		t.Error("the heading of the sorted column is not marked")
	}
	// The view is kept by the form and the links.
	page := body(t, h, "/?format=html&q=%22%3E%3Cscript%3E&state=failing&sort=name&refresh=10")
	for _, want := range []string{
		`value="&#34;&gt;&lt;script&gt;"`, `<input type="hidden" name="state" value="failing">`, `<option value="name" selected>`,
		`href="?q=%22%3E%3Cscript%3E&amp;refresh=10&amp;sort=name"`, `<meta http-equiv="refresh" content="10">`, "No informer matches the filter.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %s", want)
		}
	}
}

func TestNegotiation(t *testing.T) {
	h := New(some())
	for accept, want := range map[string]string{"*/*": "text/plain; charset=utf-8", "text/html, */*;q=0.8": "text/html; charset=utf-8", "application/json": "application/json"} {
		if w := get(t, h, "/", accept); w.Code != http.StatusOK || w.Header().Get("Content-Type") != want {
			t.Errorf("Accept: %s gets %d %s, want %s", accept, w.Code, w.Header().Get("Content-Type"), want)
		}
	}
	if w := get(t, h, "/", "image/png"); w.Code != http.StatusNotAcceptable {
		t.Errorf("an image gets %d", w.Code)
	}
	if w := get(t, h, "/?format=json", "text/html"); w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("the parameter is ignored: %s", w.Header().Get("Content-Type"))
	}
}

func TestHeaders(t *testing.T) { synctest.Test(t, testHeaders) }

func testHeaders(t *testing.T) {
	h := New(some())
	for _, path := range []string{"/", "/?format=html", "/?format=json", "/?asset=page.js", "/?asset=page.css", "/?asset=icon.svg", "/?asset=../handler.go", "/?format=xml"} {
		w := get(t, h, path, "")
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
			"X-Content-Type-Options":  "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
	}
	for asset, want := range map[string]string{
		"page.js": "text/javascript; charset=utf-8", "page.css": "text/css; charset=utf-8", "icon.svg": "image/svg+xml", "icon-failing.svg": "image/svg+xml", "icon-attention.svg": "image/svg+xml",
	} {
		if w := get(t, h, "/?asset="+asset, ""); w.Code != http.StatusOK || w.Header().Get("Content-Type") != want || w.Body.Len() < 100 {
			t.Errorf("%s: %d %s, %d bytes", asset, w.Code, w.Header().Get("Content-Type"), w.Body.Len())
		}
	}
	for _, asset := range []string{"page.html", "../handler.go", "nothing", "/"} {
		if w := get(t, h, "/?asset="+asset, ""); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", asset, w.Code)
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, "TRACE"} {
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, httptest.NewRequest(method, "/", nil)); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d, Allow: %s", method, w.Code, w.Header().Get("Allow"))
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodHead, "http://localhost/?format=html", nil))
	if want := strconv.Itoa(len(body(t, New(some()), "/?format=html"))); w.Body.Len() != 0 || w.Header().Get("Content-Length") != want || w.Code != http.StatusOK {
		t.Errorf("HEAD: %d, %d bytes, Content-Length %s, want %s", w.Code, w.Body.Len(), w.Header().Get("Content-Length"), want)
	}
}

// TestCompression reads a page with and without gzip.
func TestCompression(t *testing.T) { synctest.Test(t, testCompression) }

func testCompression(t *testing.T) {
	h := New(some())
	r := httptest.NewRequest(http.MethodGet, "http://localhost/?format=html", nil)
	r.Header.Set("Accept-Encoding", "br, gzip;q=0.5")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Header().Get("Content-Encoding") != "gzip" {
		t.Fatal("the page is not compressed")
	}
	reader, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(reader); err != nil || string(text) != body(t, h, "/?format=html") {
		t.Errorf("the compressed page is another one: %v", err)
	}
	r.Header.Set("Accept-Encoding", "gzip;q=0")
	w = httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Header().Get("Content-Encoding") != "" {
		t.Error("a refused coding is used")
	}
}

// TestPrefix serves the page in different ways. No address in it depends on the path.
func TestPrefix(t *testing.T) { synctest.Test(t, testPrefix) }

func testPrefix(t *testing.T) {
	h := New(some())
	mux := http.NewServeMux()
	mux.Handle("/debug/informers", h)
	mux.Handle("/a/b/informers/", h)
	mux.Handle("/stripped/", http.StripPrefix("/stripped", h))
	mux.Handle("/gone/", http.StripPrefix("/gone/", h))
	want := body(t, h, "/?format=html")
	for _, path := range []string{"/debug/informers", "/a/b/informers/", "/stripped/", "/gone/"} {
		if got := body(t, mux, path+"?format=html"); got != want {
			t.Errorf("the page at %s is another one", path)
		}
		if w := get(t, mux, path+"?asset=page.js", ""); w.Code != http.StatusOK {
			t.Errorf("the script at %s: %d", path, w.Code)
		}
	}
	for attribute := range strings.SplitSeq(want, `href="`) {
		if address, _, _ := strings.Cut(attribute, `"`); !strings.HasPrefix(attribute, "<!DOCTYPE") && address[0] != '?' && address[0] != '#' && !strings.HasPrefix(address, observe.Runbook) {
			t.Errorf("the address %q depends on the path", address)
		}
	}
}

func TestSources(t *testing.T) {
	if text := body(t, New(source{pods()}, WithSource(source{nodes()}), nil), "/"); !strings.Contains(text, "pods") || !strings.Contains(text, "nodes") {
		t.Error(text)
	}
	if text := body(t, New(nil), "/"); !strings.Contains(text, "There are no informers yet.") {
		t.Error(text)
	}
}

// broken panics in the middle of a look.
type broken struct{ source }

func (b broken) Statuses() iter.Seq[status.Informer] {
	return func(yield func(status.Informer) bool) {
		yield(b.source[0])
		panic("the source is broken")
	}
}

// TestPanicOfASource asks more often than looks may be made at a time: a panic has to give back
// what it took.
func TestPanicOfASource(t *testing.T) {
	h := New(broken{some()})
	for range maxRenders + 1 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			get(t, h, "/", "")
		}()
	}
	h.reader.Sources = []status.Source{some()}
	body(t, h, "/")
}

// TestViewers has many viewers of informers that come and go.
func TestViewers(t *testing.T) {
	h := New(some())
	var viewers sync.WaitGroup
	for viewer := range 16 {
		viewers.Go(func() {
			for look := range 20 {
				query := []string{"format=html", "format=text", "format=json", "asset=page.js"}[(viewer+look)%4]
				if w := get(t, h, "/?"+query, ""); w.Code != http.StatusOK {
					t.Errorf("%s: %d", query, w.Code)
				}
			}
		})
	}
	viewers.Wait()
	if len(h.renders) != 0 {
		t.Errorf("%d reports are still being made", len(h.renders))
	}
}

// slow is a reader for which a write may take for ever.
type slow struct {
	*httptest.ResponseRecorder
	write func()
}

func (s slow) Write(body []byte) (int, error) {
	s.write()
	return s.ResponseRecorder.Write(body)
}

// TestSlowReader checks that no report is being made while an answer is written, so that other readers get theirs.
func TestSlowReader(t *testing.T) {
	h, writes := New(some()), 0
	for _, form := range []string{"html", "text", "json"} {
		w := slow{httptest.NewRecorder(), func() {
			if writes++; len(h.renders) != 0 {
				t.Errorf("%s: a report is being made", form)
			}
		}}
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/?format="+form, nil))
	}
	if writes != 3 {
		t.Errorf("%d writes", writes)
	}
}

// TestDetails asks for the details of one informer, as the script does.
func TestDetails(t *testing.T) {
	h := New(some())
	id := h.reader.Read().Informers[0].ID
	all, one, none := body(t, h, "/?format=html"), body(t, h, "/?format=html&details=x,"+id), body(t, h, "/?format=html&details=")
	for page, want := range map[string]int{all: 4, one: 1, none: 0} {
		if got := strings.Count(page, "<dt>Resource version</dt>"); got != want || strings.Count(page, "data-later") != 4-want {
			t.Errorf("%d informers have details, want %d", got, want)
		}
	}
}

// TestScopes looks at scopes with selectors, and at what no scope selects, in each form.
func TestScopes(t *testing.T) {
	h := New(source{databases()})
	html := body(t, h, "/?format=html")
	for _, part := range []string{
		"The scopes cannot be set", `<th scope="row">other namespaces labels tier=b</th><td>Degraded: Refused</td>`, `<th scope="row">&#34;bank&#34; fields metadata.name=orders</th><td>Watching</td>`,
		"<dt>Sent by the server, in no scope</dt><dd>4,321</dd>", "<dt>Namespaces</dt><dd>all</dd>",
	} {
		if !strings.Contains(html, part) {
			t.Errorf("the page does not have %q", part)
		}
	}
	var r observe.Report
	if err := json.Unmarshal([]byte(body(t, h, "/?format=json")), &r); err != nil {
		t.Fatal(err)
	}
	i := &r.Informers[0]
	if i.State != observe.Failing || !i.ScopesFailed || i.Dropped != 4321 || len(i.Scopes) != 3 || i.Scopes[0].Scope != "other namespaces labels tier=b" || i.Scopes[1].Namespace != "bank" {
		t.Errorf("the informer is %+v", i)
	}
	databases := databases()
	databases.Status.Err, databases.Status.Reason = fmt.Errorf("other namespaces (labels tier=b): %w", databases.Status.Scopes[0].Status.Err), status.Refused
	if text := body(t, New(source{databases}), "/?format=text"); !strings.Contains(text, "The last request failed in 1 of 3 scopes: Refused.") {
		t.Errorf("with a scope that fails:\n%s", text)
	}
}

// TestNoScope looks at an informer that follows no scope. It must not look like one that follows all.
func TestNoScope(t *testing.T) {
	h := New(source{queues(), nodes()})
	if html := body(t, h, "/?format=html"); strings.Count(html, "<span>in no namespace</span>") != 1 || strings.Count(html, "<dd>no namespace</dd>") != 1 || strings.Count(html, "<dd>all</dd>") != 1 {
		t.Errorf("the page is\n%s", html)
	}
	if text := body(t, h, "/?format=text"); !strings.Contains(text, " queues.data.example.com in no namespace ") || !strings.Contains(text, " nodes ") {
		t.Errorf("the text is\n%s", text)
	}
	var r struct{ Informers []map[string]any }
	if err := json.Unmarshal([]byte(body(t, h, "/?format=json&sort=name")), &r); err != nil {
		t.Fatal(err)
	}
	if all, has := r.Informers[0]["namespaces"]; has {
		t.Errorf("nodes are limited to %v", all)
	}
	if none, _ := r.Informers[1]["namespaces"].([]any); none == nil || len(none) > 0 {
		t.Errorf("queues are limited to %v", r.Informers[1]["namespaces"])
	}
}

// TestThousandScopes bounds what the page has of an informer of 1,000 namespaces. The one that fails is first.
func TestThousandScopes(t *testing.T) {
	h := New(source{tenants(1000)})
	html := body(t, h, "/?format=html")
	for _, part := range []string{
		"The last list failed in 1 of 1,000 scopes: Forbidden.", "<span>in 1,000 namespaces</span>", "What to do in namespace tenant-0000", "and 980 more",
		`<th scope="row">tenant-0000</th><td>Degraded: Forbidden</td>`, "in the cache, but not of a scope that was added later",
	} {
		if !strings.Contains(html, part) {
			t.Errorf("the page does not have %q", part)
		}
	}
	if rows := strings.Count(html, `<th scope="row">tenant-`); rows != 20 {
		t.Errorf("the page has %d scopes", rows)
	}
	if text := body(t, h, "/?format=text"); strings.Count(text, "tenant-") > 10 || !strings.Contains(text, "1,000 namespaces") {
		t.Errorf("the text is\n%s", text)
	}
	for form, limit := range map[string]int{"html": 64 << 10, "text": 4 << 10, "json": 256 << 10} {
		if page := body(t, h, "/?format="+form); len(page) > limit {
			t.Errorf("%s: %d bytes, want at most %d", form, len(page), limit)
		}
	}
}
