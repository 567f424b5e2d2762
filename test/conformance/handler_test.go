package conformance

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// count returns how many lines begin with prefix.
func count(all []string, prefix string) (n int) {
	for _, line := range all {
		if strings.HasPrefix(line, prefix) {
			n++
		}
	}
	return n
}

// blockOn makes a recorder wait for release in each line that ends in suffix.
func blockOn(suffix string) (hook func(string), release chan struct{}) {
	release = make(chan struct{})
	return func(line string) {
		if strings.HasSuffix(line, suffix) {
			<-release
		}
	}, release
}

var handlerScenarios = []scenario{
	{
		name: "handler-late",
		script: func(s *stage) {
			s.server.put("a/one")
			s.server.put("a/two")
			s.start()
			s.server.put("a/one")
			s.server.remove("a/two")
			s.pass(0)
			s.server.put("a/three")
			s.pass(0)
			h := s.listen("h")
			s.hearSorted(h)
			s.note("synced %v", h.registration.HasSynced())
			s.server.put("a/three")
			s.hear(h)
		},
		want: lines(
			"h: add a/one@103 initial",
			"h: add a/three@105 initial",
			"synced true",
			"h: update a/three@105->106",
		),
	},
	{
		name: "handler-before-list",
		script: func(s *stage) { // the informer runs, and the first list is on its way
			s.server.put("a/one")
			release := make(chan struct{})
			s.server.answerWith(func(request) error { <-release; return nil })
			s.start()
			h := s.listen("h")
			s.hear(h)
			s.note("synced %v", h.registration.HasSynced())
			close(release)
			s.hear(h)
			s.note("synced %v", h.registration.HasSynced())
		},
		want: lines("synced false", "h: add a/one@101 initial", "synced true"),
	},
	{
		name: "handler-removed",
		script: func(s *stage) {
			s.server.put("a/one")
			h, other := s.listen("h"), s.listen("other")
			s.start()
			s.hear(h, other)
			s.note("%v", s.informer.RemoveHandler(h.registration))
			s.note("%v", s.informer.RemoveHandler(h.registration)) // again
			s.server.put("a/one")
			s.hear(h, other)
		},
		want: lines(
			"h: add a/one@101 initial", "other: add a/one@101 initial",
			"<nil>", "<nil>",
			"other: update a/one@101->102",
		),
	},
	{
		name: "handler-removed-before-start",
		script: func(s *stage) {
			s.server.put("a/one")
			h := s.listen("h")
			s.note("%v", s.informer.RemoveHandler(h.registration))
			s.start()
			s.hear(h)
		},
		want: lines("<nil>"),
	},
	{
		name:      "handler-removes-itself",
		unordered: true,
		script: func(s *stage) {
			s.server.put("a/one")
			s.server.put("a/two")
			h, other := &recorder{name: "h"}, s.listen("other")
			h.hook = func(string) {
				s.note("%v", s.informer.RemoveHandler(h.registration))
				time.Sleep(time.Second) // client-go may tell one more if it gets the chance at once
			}
			s.register(h)
			s.start()
			s.pass(minute)
			s.hear(h, other)
		},
		want: lines(
			"<nil>",
			"h: add a/one@101 initial",
			"other: add a/one@101 initial", "other: add a/two@102 initial",
		),
	},
	{
		name:      "handler-adds-another",
		unordered: true,
		script: func(s *stage) {
			s.server.put("a/one")
			s.server.put("a/two")
			inner := &recorder{name: "inner"}
			outer := &recorder{name: "outer"}
			outer.hook = func(line string) {
				if inner.registration == nil {
					s.register(inner)
				}
			}
			s.register(outer)
			s.start()
			s.hear(outer)
			s.hearSorted(inner)
			s.server.put("a/two")
			s.hear(outer, inner)
		},
		want: lines(
			"outer: add a/one@101 initial", "outer: add a/two@102 initial",
			"inner: add a/one@101 initial", "inner: add a/two@102 initial",
			"outer: update a/two@102->103", "inner: update a/two@102->103",
		),
	},
	{
		name: "handler-of-another-informer",
		script: func(s *stage) {
			h := &recorder{name: "h"}
			h.registration, _ = s.other.AddHandler(h, handlerOptions{})
			s.note("refused: %v", s.informer.RemoveHandler(h.registration) != nil)
		},
		want:     lines("refused: true"),
		clientgo: lines("refused: false"),
	},
	{
		name: "handler-blocked",
		script: func(s *stage) {
			s.server.put("a/one")
			blocked, quick := &recorder{name: "blocked"}, s.listen("quick")
			hook, release := blockOn("initial")
			blocked.hook = hook
			s.register(blocked)
			s.start()
			for range 3 {
				s.server.put("a/one")
				s.pass(time.Second)
			}
			s.hear(quick, blocked)
			s.note("%v", describe(s.informer.List()))
			late := s.listen("late")
			s.hear(late)
			close(release)
			s.hear(blocked)
		},
		want: lines(
			"quick: add a/one@101 initial",
			"quick: update a/one@101->102", "quick: update a/one@102->103", "quick: update a/one@103->104",
			"blocked: add a/one@101 initial",
			"[a/one@104]",
			"late: add a/one@104 initial",
			"blocked: update a/one@101->102", "blocked: update a/one@102->103", "blocked: update a/one@103->104",
		),
	},
	{
		name:      "handler-slow-to-sync",
		unordered: true,
		script: func(s *stage) {
			s.server.put("a/one")
			s.server.put("a/two")
			slow, quick := &recorder{name: "slow"}, s.listen("quick")
			hook, release := blockOn("two@102 initial")
			slow.hook = hook
			s.register(slow)
			s.start()
			s.note("synced: informer %v, quick %v, slow %v", s.informer.HasSynced(), quick.registration.HasSynced(), slow.registration.HasSynced())
			s.hear(slow) // it has been told all, but has not returned
			close(release)
			s.hear(slow)
			s.note("slow %v", slow.registration.HasSynced())
		},
		want: lines(
			"synced: informer true, quick true, slow false",
			"slow: add a/one@101 initial", "slow: add a/two@102 initial",
			"slow true",
		),
	},
	{
		name: "handler-filtered",
		script: func(s *stage) {
			s.server.put("a/in", "show=yes")
			s.server.put("a/out")
			h := s.listen("h", handlerOptions{filter: func(obj object) bool { return obj.Labels["show"] == "yes" }})
			s.start()
			s.server.put("a/out")
			s.server.put("a/out", "show=yes") // enters
			s.server.put("a/out", "show=yes")
			s.server.put("a/out") // leaves
			s.server.remove("a/out")
			s.server.remove("a/in")
			s.server.put("a/in", "show=yes")
			s.hear(h)
			s.relist(func() { s.server.remove("a/in") })
			s.hear(h)
		},
		want: lines(
			"h: add a/in@101 initial",
			"h: add a/out@104",
			"h: update a/out@104->105",
			"h: delete a/out@105",
			"h: delete a/in@108",
			"h: add a/in@109",
			"h: delete a/in@109 unknown",
		),
	},
	{
		name: "handler-filtered-end",
		lies: "it sends an event without a state",
		script: func(s *stage) {
			shown, hidden := s.server.put("a/in", "show=yes"), s.server.put("a/out")
			h := s.listen("h", handlerOptions{filter: func(obj object) bool { return obj.Labels["show"] == "yes" }})
			s.start()
			shown.Labels, hidden.Labels = hidden.Labels, shown.Labels
			shown.ResourceVersion, hidden.ResourceVersion = "103", "104"
			s.lie().send(watch.Deleted, shown)
			s.lie().send(watch.Deleted, hidden)
			s.hear(h)
		},
		want: lines(
			"h: add a/in@101 initial",
			"h: delete a/in@101",
		),
		clientgo: lines(
			"h: add a/in@101 initial",
			"h: delete a/out@104",
		),
	},
}
