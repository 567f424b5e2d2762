package debugpage

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// hostile returns an informer with a text in each part that a server or a program can choose.
func hostile(text string) status.Informer {
	undecodable := []*wire.DecodeError{{Namespace: text, Name: text, Path: text, Near: text, Err: errors.New(text)}}
	joined := status.Status{Phase: status.Degraded, Reason: status.Reason(status.Unreachable), Verb: text, Err: errors.New(text), ResourceVersion: text, Undecodable: undecodable}
	inScope := joined
	joined.Scopes = []status.Scope{{Name: text, Namespace: text, Status: inScope}, {Name: text, Namespace: text + "2", Status: status.Status{Phase: status.Watching}}}
	return status.Informer{
		Name: text, Resource: schema.GroupVersionResource{Group: text, Version: text, Resource: text}, Kind: text, Object: text, Server: text,
		Namespaces: []string{text, text + "2"}, Status: joined,
		Stats: status.Stats{
			Failures: []status.FailureCount{{Verb: text, Reason: status.Reason(text), Count: 1}}, Relists: map[status.Reason]uint64{status.Reason(text): 1},
			Handlers: []status.HandlerStats{{Name: text, Running: 1e12, Panics: 1}}, Indexes: []status.IndexStats{{Name: text}},
		},
	}
}

var tags = regexp.MustCompile(`(?i)<[a-z/!][^>]*>`)

// checkHostile checks that a text is not code in any form of the page. plain is the page of an
// informer with a harmless text.
func checkHostile(t *testing.T, text string) {
	t.Helper()
	h := New(source{hostile(text)}, WithTitle(text), WithObjectTextInErrors())
	for _, form := range []string{"html", "text", "json"} {
		for _, query := range []string{"", "&q=" + url.QueryEscape(text)} {
			w := get(t, h, "/?format="+form+query, "")
			if w.Code == http.StatusBadRequest && query != "" {
				continue // it is too long
			}
			page := w.Body.String()
			if w.Code != http.StatusOK || !utf8.ValidString(page) || len(page) > 200_000 {
				t.Fatalf("%.50q, %s: %d, %d bytes", text, form, w.Code, len(page))
			}
			for i, r := range page {
				if r != '\n' && !strconv.IsPrint(r) {
					t.Fatalf("%.50q, %s: the page has %q: %q", text, form, r, page[max(0, i-50):min(len(page), i+50)])
				}
			}
			if form == "html" && query == "" {
				want := tags.FindAllString(body(t, New(source{hostile("harmless")}, WithTitle("harmless"), WithObjectTextInErrors()), "/?format=html"), -1)
				if got := tags.FindAllString(page, -1); len(got) != len(want) {
					t.Errorf("%.50q: the page has %d tags, and %d without this text", text, len(got), len(want))
				}
			}
		}
	}
}

var hostileTexts = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `</title><script>`, "javascript:alert(1)", "{{.}}", "%s%d%!", "-->", "]]>",
	"a\x1b[31mred\x1b]0;title\a", "a\nb\r\tc\x00d", "\u202eevil\u202c", "\ufeff\u2028\u2029\u200b", "\xff\xfe\xc3", "`$(rm -rf)`", "&lt;b&gt;&#x3c;",
	strings.Repeat("n", 64<<10), strings.Repeat("世", 20_000), strings.Repeat("<", 64<<10), strings.Repeat("\x1b", 64<<10), "a@b://c:d@e",
}

func TestHostileNames(t *testing.T) {
	for _, text := range hostileTexts {
		checkHostile(t, text)
	}
}

func FuzzHostileNames(f *testing.F) {
	for _, text := range hostileTexts {
		if len(text) < 100 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if text != "" { // of what has no name, the page shows less
			checkHostile(t, text)
		}
	})
}
