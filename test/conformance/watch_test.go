package conformance

import "k8s.io/apimachinery/pkg/watch"

var watchScenarios = []scenario{
	{
		name: "watch-events",
		script: func(s *stage) {
			s.server.put("a/one")
			h := s.listen("h")
			s.start()
			s.server.put("a/two")
			s.server.put("a/one")
			s.server.remove("a/two")
			s.server.put("a/two")
			s.hear(h)
			_, cached := s.informer.Get("a", "two")
			s.note("%v %v", describe(s.informer.List()), cached)
		},
		want: lines(
			"h: add a/one@101 initial",
			"h: add a/two@102",
			"h: update a/one@101->103",
			"h: delete a/two@104",
			"h: add a/two@105",
			"[a/one@103 a/two@105] true",
		),
	},
	{
		name: "watch-closed",
		script: func(s *stage) {
			h := s.listen("h")
			s.start()
			s.server.asked()
			s.server.put("a/one")
			s.pass(minute)
			s.server.endWatches(nil)
			s.server.put("a/two")
			s.pass(minute)
			s.hear(h)
			s.noteRequests()
		},
		want: lines(
			"h: add a/one@101", "h: add a/two@102",
			"watch rv=101",
		),
	},
	{
		name: "watch-cut-at-once",
		script: func(s *stage) {
			s.server.put("a/one")
			s.start()
			s.server.asked()
			s.server.endWatches(nil)
			s.pass(minute)
			s.noteRequests()
		},
		want:     lines("watch rv=101"),
		clientgo: lines("list rv=101", "watch rv=101"),

		streamedClientgo: lines("stream rv=101"),
	},
	{
		name: "watch-bookmark",
		script: func(s *stage) {
			s.server.put("a/one")
			h := s.listen("h")
			s.start()
			s.server.asked()
			s.server.bookmark()
			s.server.bookmark()
			s.pass(minute)
			s.server.compact()
			s.server.endWatches(nil)
			s.pass(minute)
			s.server.put("a/two")
			s.noteRequests()
			s.hear(h)
		},
		want: lines("watch rv=103", "h: add a/one@101 initial", "h: add a/two@104"),
	},
	{
		name: "watch-added-twice",
		lies: "it sends an event without a state",
		script: func(s *stage) {
			h := s.listen("h")
			s.start()
			obj := s.server.put("a/one")
			s.lie().send(watch.Added, obj)
			s.hear(h)
		},
		want: lines("h: add a/one@101", "h: update a/one@101->101"),
	},
	{
		name: "watch-modified-unknown",
		lies: "it sends an event without a state",
		script: func(s *stage) {
			h := s.listen("h")
			s.start()
			obj := newObject("a/one")
			obj.ResourceVersion = "100"
			s.lie().send(watch.Modified, obj)
			s.hear(h)
			s.note("%v", describe(s.informer.List()))
		},
		want: lines("h: add a/one@100", "[a/one@100]"),
	},
	{
		name: "watch-deleted-unknown",
		lies: "it sends an event without a state",
		script: func(s *stage) {
			h := s.listen("h")
			s.start()
			obj := newObject("a/one")
			obj.ResourceVersion = "100"
			s.lie().send(watch.Deleted, obj)
			s.hear(h)
		},
		want:     nil,
		clientgo: lines("h: delete a/one@100"),
	},
	{
		name: "watch-deleted-predecessor",
		lies: "it sends an event without a state",
		script: func(s *stage) {
			s.server.put("a/one")
			h := s.listen("h")
			s.start()
			obj := newObject("a/one")
			obj.ResourceVersion, obj.UID = "99", "another"
			s.lie().send(watch.Deleted, obj)
			s.hear(h)
			s.note("cached %d", len(s.informer.List()))
		},
		want:     lines("h: add a/one@101 initial", "cached 1"),
		clientgo: lines("h: add a/one@101 initial", "h: delete a/one@99", "cached 0"),
	},
	{
		name: "watch-recreated",
		lies: "it sends an event without a state",
		script: func(s *stage) {
			s.server.put("a/one")
			h := s.listen("h")
			s.start()
			obj := newObject("a/one")
			obj.ResourceVersion, obj.UID = "101", "another"
			s.lie().send(watch.Modified, obj)
			s.hear(h)
		},
		want:     lines("h: add a/one@101 initial", "h: delete a/one@101 unknown", "h: add a/one@101"),
		clientgo: lines("h: add a/one@101 initial", "h: update a/one@101->101"),
	},
}
