package healthz

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/observe/internal/negotiate"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// Readiness returns a check that fails while an informer of the source is not ready. The error has
// a line for each, with the reason and what to do. The check fits AddReadyzCheck of
// controller-runtime, and calls of other libraries that take such a function. It does not use the
// request, which may be nil.
func Readiness(source status.Source, set ...Option) func(*http.Request) error {
	c := newCheck(source, set)
	return func(*http.Request) error {
		if report := c.report(); !report.Ready {
			return &NotReadyError{*report}
		}
		return nil
	}
}

// NotReadyError is returned by the function of Readiness.
type NotReadyError struct{ Report Report }

// Error is the text of Handler about at most 20 informers that are not ready.
func (e *NotReadyError) Error() string {
	return strings.TrimSuffix(e.Report.summary()+e.Report.lines(false, maxInErrors, ""), "\n")
}

// Handler returns a handler for /readyz. It answers 200 if all informers of the source are ready,
// and 503 otherwise. The body has a line for each informer, those that are not ready first, with
// the reason and what to do:
//
//	not ready: 1 of 2 informers
//	[-] foos.example.com: Degraded for 12s (Forbidden: …); the cache does not hold the first list
//	    The server does not allow service account operator of namespace team-a to list foos.example.com. Add …
//	        # a rule of a ClusterRole
//	        - apiGroups: ["example.com"]
//	          resources: ["foos"]
//	          verbs: ["list", "watch"]
//	    Check: kubectl auth can-i list foos.example.com --all-namespaces --as system:serviceaccount:team-a:operator
//	[+] bars.example.com: Watching for 3h: 312 objects at version 4711
//
// Long lists are cut unless the request has the parameter verbose. A request that prefers
// application/json gets a Report, which is never cut. Both have errors of the server, and names of resources, namespaces,
// handlers and of an object that cannot be decoded, but no text of objects. Handler answers GET and HEAD at any path.
func Handler(source status.Source, set ...Option) http.Handler {
	c := newCheck(source, set)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "use GET or HEAD", http.StatusMethodNotAllowed)
			return
		}
		report, failing, ready := c.report(), maxFailing, maxReady
		if r.URL.Query().Has("verbose") {
			failing, ready = math.MaxInt, math.MaxInt
		}
		var body []byte
		contentType := negotiate.Best(r.Header.Values("Accept"), "text/plain", "application/json")
		if contentType == "application/json" {
			body, _ = json.MarshalIndent(report, "", "  ") // no field of a Report fails
			body = append(body, '\n')
		} else {
			contentType = "text/plain; charset=utf-8"
			const hint = "; add ?verbose to see all"
			body = []byte(report.summary() + report.lines(false, failing, hint) + report.lines(true, ready, hint))
		}
		header := w.Header()
		header.Set("Content-Type", contentType)
		header.Set("Content-Length", strconv.Itoa(len(body)))
		header.Set("Cache-Control", "no-store")
		header.Set("Vary", "Accept")
		header.Set("X-Content-Type-Options", "nosniff")
		if !report.Ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		if r.Method == http.MethodGet {
			_, _ = w.Write(body) // a client that has gone needs none
		}
	})
}
