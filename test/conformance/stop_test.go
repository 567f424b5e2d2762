package conformance

import (
	"context"

	"go.uber.org/goleak"
)

var stopScenarios = []scenario{
	{
		name:   "stop-leaves-nothing",
		config: config{resync: minute},
		script: func(s *stage) {
			before := goleak.IgnoreCurrent()
			s.server.put("a/one")
			s.listen("one")
			s.start()
			s.listen("two")
			s.pass(2 * minute)
			s.stop()
			s.note("left over: %v", goleak.Find(before))
			s.note("%v", describe(s.informer.List())) // the cache can still be read
		},
		want: lines("left over: <nil>", "[a/one@101]"),
	},
	{
		name: "stop-while-failing",
		script: func(s *stage) {
			before := goleak.IgnoreCurrent()
			s.server.answerWith(always("list", errForbidden))
			h := s.listen("h")
			s.start()
			s.pass(5 * minute)
			s.stop()
			s.note("left over: %v, synced %v", goleak.Find(before), h.registration.HasSynced())
		},
		want: lines("left over: <nil>, synced false"),
	},
	{
		name:      "stop-waits-for-handlers",
		unordered: true,
		script: func(s *stage) {
			s.server.put("a/one")
			s.server.put("a/two")
			h := &recorder{name: "h"}
			hook, release := blockOn("one@101 initial")
			h.hook = hook
			s.register(h)
			s.start()
			s.cancel()
			s.note("ended %v", s.ended())
			close(release)
			s.note("ended %v", s.ended())
			s.pass(minute)
			s.hear(h) // what was still to be told is dropped
		},
		want: lines("ended false", "ended true", "h: add a/one@101 initial"),
	},
	{
		name: "stop-during-list",
		script: func(s *stage) {
			release := make(chan struct{})
			s.server.answerWith(func(request) error { <-release; return nil })
			s.start()
			s.cancel()
			s.note("ended with a request in flight: %v", s.ended())
			close(release)
			s.note("ended %v", s.ended())
		},
		want:     lines("ended with a request in flight: false", "ended true"),
		clientgo: lines("ended with a request in flight: true", "ended true"),

		streamedClientgo: lines("ended with a request in flight: false", "ended true"),
	},
	{
		name: "stop-then-add-handler",
		script: func(s *stage) {
			s.server.put("a/one")
			s.start()
			s.stop()
			h := &recorder{name: "h"}
			_, err := s.informer.AddHandler(h, handlerOptions{})
			s.note("refused: %v", err != nil)
			s.hear(h)
		},
		want: lines("refused: true"),
	},
	{
		name: "stop-then-remove-handler",
		script: func(s *stage) {
			h := s.listen("h")
			s.start()
			s.stop()
			s.note("%v", s.informer.RemoveHandler(h.registration))
		},
		want: lines("<nil>"),
	},
	{
		name: "run-twice",
		script: func(s *stage) {
			s.server.put("a/one")
			h := s.listen("h")
			s.start()
			s.informer.Run(context.Background()) // returns at once
			s.server.put("a/one")
			s.hear(h)
		},
		want: lines("h: add a/one@101 initial", "h: update a/one@101->102"),
	},
}
