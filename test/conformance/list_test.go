package conformance

import (
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// minute is longer than any backoff after the first few failures.
const minute = time.Minute

// putMany creates n objects.
func putMany(s server, n int) {
	for i := range n {
		s.put(fmt.Sprintf("a/w%04d", i))
	}
}

var listScenarios = []scenario{
	{
		name:      "list-order",
		unordered: true,
		script: func(s *stage) {
			s.server.put("b/one")
			s.server.put("a/two")
			s.server.put("a/one")
			h := s.listen("h")
			s.note("synced %v %v", s.informer.HasSynced(), h.registration.HasSynced())
			s.start()
			s.hear(h)
			s.note("synced %v %v", s.informer.HasSynced(), h.registration.HasSynced())
		},
		want: lines(
			"synced false false",
			"h: add a/one@103 initial",
			"h: add a/two@102 initial",
			"h: add b/one@101 initial",
			"synced true true",
		),
	},
	{
		name: "list-empty",
		script: func(s *stage) {
			h := s.listen("h")
			s.start()
			s.note("synced %v %v", s.informer.HasSynced(), h.registration.HasSynced())
			s.server.put("a/one")
			s.hear(h)
		},
		want: lines("synced true true", "h: add a/one@101"),
	},
	{
		name: "list-version",
		script: func(s *stage) {
			s.server.put("a/one")
			s.start()
			s.noteRequests()
			s.relist(func() { s.server.put("a/one") })
			s.noteRequests()
		},
		want: lines(
			"list rv=", "watch rv=101",
			"list rv=", "watch rv=102",
		),
		clientgo: lines(
			"list rv=0 limit=500", "watch rv=101",
			"list rv=101", "watch rv=102",
		),
		streamed:         lines("stream rv=", "stream rv="),
		streamedClientgo: lines("stream rv=", "stream rv=101", "stream rv="),
	},
	{
		name: "list-paging",
		script: func(s *stage) {
			putMany(s.server, 1200)
			h := s.listen("h")
			s.start()
			s.noteRequests()
			s.note("heard %d, cached %d", len(h.drain()), len(s.informer.List()))
		},
		want: lines(
			"list rv=", "watch rv=1300",
			"heard 1200, cached 1200",
		),
		clientgo: lines(
			"list rv=0 limit=500", "watch rv=1300", // the server ignored the limit
			"heard 1200, cached 1200",
		),
		streamed: lines("stream rv=", "heard 1200, cached 1200"),
	},
	{
		name:   "list-too-large",
		lies:   "it has no watch cache",
		config: config{pages: true},
		script: func(s *stage) {
			putMany(s.server, 1200)
			h := s.listen("h")
			s.server.answerWith(inPages(func(request) error { return nil }))
			s.start()
			s.pass(minute)
			s.noteRequests()
			s.note("heard %d, cached %d", len(h.drain()), len(s.informer.List()))
		},
		want: lines(
			"list rv=", "list rv= limit=500", "list rv= limit=500 continue", "list rv= limit=500 continue", "watch rv=1300",
			"heard 1200, cached 1200",
		),
		clientgo: lines(
			"list rv=0 limit=500", "list rv= limit=500 continue", "list rv= limit=500 continue", "watch rv=1300",
			"heard 1200, cached 1200",
		),
	},
	{
		name:   "list-change-between-pages",
		lies:   "it has no watch cache",
		config: config{pages: true},
		script: func(s *stage) {
			putMany(s.server, 502)
			h := s.listen("h")
			s.server.answerWith(inPages(func(r request) error {
				if r.options.Continue != "" {
					s.server.remove("a/w0000")
					s.server.put("a/w0501")
				}
				return nil
			}))
			s.start()
			s.pass(minute)
			all := h.drain()
			s.note("heard %d, then", len(all[:502]))
			s.lines = append(s.lines, all[502:]...)
		},
		want: lines("heard 502, then", "h: delete a/w0000@603", "h: update a/w0501@602->604"),
	},
	{
		name:   "list-token-expired",
		lies:   "it has no watch cache",
		config: config{pages: true},
		script: func(s *stage) {
			putMany(s.server, 502)
			h := s.listen("h")
			s.server.answerWith(inPages(func(r request) error {
				if r.options.Continue != "" {
					return apierrors.NewResourceExpired("the continue token is too old")
				}
				return nil
			}))
			s.start()
			s.pass(minute)
			s.note("heard %d, cached %d", len(h.drain()), len(s.informer.List()))
		},
		want: lines("heard 502, cached 502"),
	},
	{
		name:   "list-page-refused",
		lies:   "it has no watch cache",
		config: config{pages: true},
		script: func(s *stage) {
			putMany(s.server, 502)
			refused := false
			s.server.answerWith(inPages(func(r request) error {
				if r.options.Continue != "" && !refused {
					refused = true
					return apierrors.NewTooManyRequests("slow down", 1)
				}
				return nil
			}))
			s.start()
			s.pass(minute)
			s.noteRequests()
			s.note("cached %d", len(s.informer.List()))
		},
		want: lines(
			"list rv=", // which fails
			"list rv= limit=500", "list rv= limit=500 continue", "list rv= limit=500 continue", "watch rv=602",
			"cached 502",
		),
		clientgo: lines(
			"list rv=0 limit=500", "list rv= limit=500 continue", "list rv=0 limit=500", "list rv= limit=500 continue", "watch rv=602",
			"cached 502",
		),
	},
	{
		name:      "list-version-from-the-future",
		unordered: true,
		script: func(s *stage) { // the server was restored from a backup
			s.server.put("a/zero")
			s.server.put("a/one")
			s.server.put("a/zero")
			h := s.listen("h")
			s.start()
			s.hear(h)
			expire(s.server, func() {
				s.server.restore(101)
				s.server.put("a/two")
			})
			s.pass(minute)
			s.hear(h)
			s.note("%v", describe(s.informer.List()))
		},
		want: lines(
			"h: add a/one@102 initial",
			"h: add a/zero@103 initial",
			"h: delete a/one@102 unknown",
			"h: add a/two@102",
			"h: update a/zero@103->101",
			"[a/two@102 a/zero@101]",
		),
	},
}

// inPages fails the first request if it is for the whole collection, so that an informer
// lists in pages, and answers the others with answer.
func inPages(answer func(request) error) func(request) error {
	first := true
	return func(r request) error {
		wasFirst := first
		first = false
		if wasFirst && r.options.Limit == 0 {
			return apierrors.NewTimeoutError("the list is too large", 0)
		}
		return answer(r)
	}
}
