package healthz

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/observe/internal/negotiate"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

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
// application/json gets a Report, which is never cut. The body has errors of the server and names
// of resources and namespaces, and no text of objects. It answers GET and HEAD at any path.
func Handler(source cache.StatusSource, set ...Option) http.Handler {
	o := newOptions(source, set)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "use GET or HEAD", http.StatusMethodNotAllowed)
			return
		}
		report := o.report()
		body, contentType := text(&report, r.URL.Query().Has("verbose")), "text/plain; charset=utf-8"
		if negotiate.Best(r.Header.Values("Accept"), "text/plain", "application/json") == "application/json" {
			body, contentType = encoded(&report), "application/json"
		}
		code := http.StatusOK
		if !report.Ready {
			code = http.StatusServiceUnavailable
		}
		header := w.Header()
		header.Set("Content-Type", contentType)
		header.Set("Content-Length", strconv.Itoa(len(body)))
		header.Set("Cache-Control", "no-store")
		header.Set("Vary", "Accept")
		header.Set("X-Content-Type-Options", "nosniff")
		w.WriteHeader(code)
		if r.Method == http.MethodGet {
			_, _ = w.Write(body) // a client that has gone needs none
		}
	})
}

func encoded(report *Report) []byte {
	body, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return fmt.Appendf(nil, "{\"ready\": %t}\n", report.Ready) // no field of a Report fails
	}
	return append(body, '\n')
}

const (
	// maxFailing and maxReady are the numbers of informers that a text shows without verbose.
	maxFailing, maxReady = 100, 20
)

// text returns the report for a person.
func text(report *Report, verbose bool) []byte {
	body := append([]byte(summary(report)), '\n')
	said := map[string]string{} // advice, by the label of the informer that has it first
	for _, ready := range []bool{false, true} {
		limit := maxFailing
		if ready {
			limit = maxReady
		}
		shown, more := 0, 0
		for i := range report.Informers {
			informer := &report.Informers[i]
			if informer.Ready != ready {
				continue
			}
			if shown++; shown > limit && !verbose {
				more++
				continue
			}
			body = append(append(body, informer.line()...), '\n')
			for j := range informer.Advice {
				body = informer.Advice[j].appendTo(body, informer.Label, said)
			}
		}
		if more > 0 {
			what := "that are not ready"
			if ready {
				what = "that are ready"
			}
			body = fmt.Appendf(body, "    and %d more %s; add ?verbose to see all\n", more, what)
		}
	}
	return body
}

// summary returns the first line of a text.
func summary(report *Report) string {
	failing := 0
	for i := range report.Informers {
		if !report.Informers[i].Ready {
			failing++
		}
	}
	switch n := len(report.Informers); {
	case n == 0:
		return "ready: there are no informers"
	case failing > 0:
		return fmt.Sprintf("not ready: %d of %s", failing, count(n))
	default:
		return "ready: " + count(n)
	}
}

func count(informers int) string {
	if informers == 1 {
		return "1 informer"
	}
	return strconv.Itoa(informers) + " informers"
}

// line returns the label, the status and the problems.
func (i *Informer) line() string {
	mark := "[+] "
	if !i.Ready {
		mark = "[-] "
	}
	text := mark + i.Label + ": " + i.Status
	for _, problem := range i.Problems {
		text += "; " + problem
	}
	return text
}

// appendTo appends the advice, or a line about the informer that has the same.
func (a *Advice) appendTo(body []byte, label string, said map[string]string) []byte {
	if first, known := said[a.Text]; known {
		return fmt.Appendf(body, "    As for %s.\n", first)
	}
	said[a.Text] = label
	body = fmt.Appendf(body, "    %s\n", a.Text)
	for line := range strings.Lines(a.Manifest) {
		body = fmt.Appendf(body, "        %s\n", strings.TrimRight(line, "\n"))
	}
	if a.Check != "" {
		body = fmt.Appendf(body, "    Check: %s\n", a.Check)
	}
	return body
}
