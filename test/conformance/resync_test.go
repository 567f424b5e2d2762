package conformance

import "time"

// every is the options of a handler with a resync period of its own.
func every(period time.Duration) handlerOptions { return handlerOptions{resync: &period} }

// timed adds a handler that writes the time with each line.
func (s *stage) timed(name string, options ...handlerOptions) *recorder {
	r := &recorder{name: name, timed: true, begin: time.Now()}
	s.register(r, options...)
	return r
}

var resyncScenarios = []scenario{
	{
		name:   "resync-of-the-informer",
		config: config{resync: 10 * time.Second},
		script: func(s *stage) {
			s.server.put("a/one")
			h, never := s.timed("h"), s.timed("never", every(0))
			s.start()
			s.pass(25 * time.Second)
			s.hear(h, never)
			asked := s.server.asked()
			s.note("lists %d", count(asked, "list")+count(asked, "stream"))
		},
		want: lines(
			"0s h: add a/one@101 initial",
			"10s h: update a/one@101->101",
			"20s h: update a/one@101->101",
			"0s never: add a/one@101 initial",
			"lists 1",
		),
	},
	{
		name:   "resync-of-two-handlers",
		config: config{resync: 10 * time.Second},
		script: func(s *stage) {
			s.server.put("a/one")
			ten, twenty := s.timed("ten", every(10*time.Second)), s.timed("twenty", every(20*time.Second))
			s.start()
			s.pass(41 * time.Second)
			s.hear(ten, twenty)
		},
		want: lines(
			"0s ten: add a/one@101 initial",
			"10s ten: update a/one@101->101",
			"20s ten: update a/one@101->101",
			"30s ten: update a/one@101->101",
			"40s ten: update a/one@101->101",
			"0s twenty: add a/one@101 initial",
			"20s twenty: update a/one@101->101",
			"40s twenty: update a/one@101->101",
		),
	},
	{
		name:   "resync-not-a-multiple",
		config: config{resync: 10 * time.Second},
		script: func(s *stage) {
			ten, fifteen := s.timed("ten", every(10*time.Second)), s.timed("fifteen", every(15*time.Second))
			s.server.put("a/one")
			s.start()
			s.pass(46 * time.Second)
			ten.drain()
			s.hear(fifteen)
		},
		want: lines(
			"0s fifteen: add a/one@101 initial",
			"15s fifteen: update a/one@101->101",
			"30s fifteen: update a/one@101->101",
			"45s fifteen: update a/one@101->101",
		),
		clientgo: lines(
			"0s fifteen: add a/one@101 initial",
			"20s fifteen: update a/one@101->101",
			"40s fifteen: update a/one@101->101",
		),
	},
	{
		name:   "resync-of-a-late-handler",
		config: config{resync: minute},
		script: func(s *stage) {
			s.server.put("a/one")
			s.start()
			h := s.timed("h", every(10*time.Second))
			s.pass(11 * time.Second)
			s.hear(h)
		},
		want:     lines("0s h: add a/one@101 initial", "10s h: update a/one@101->101"),
		clientgo: lines("0s h: add a/one@101 initial"),
	},
	{
		name: "resync-of-a-handler-alone", // its informer has no period
		script: func(s *stage) {
			s.server.put("a/one")
			h := s.timed("h", every(10*time.Second))
			s.start()
			s.pass(11 * time.Second)
			s.hear(h)
		},
		want:     lines("0s h: add a/one@101 initial", "10s h: update a/one@101->101"),
		clientgo: lines("0s h: add a/one@101 initial"),
	},
	{
		name:   "resync-below-a-second",
		config: config{resync: minute},
		script: func(s *stage) {
			s.server.put("a/one")
			h := s.timed("h", every(500*time.Millisecond))
			s.start()
			s.pass(1100 * time.Millisecond)
			s.hear(h)
		},
		want: lines(
			"0s h: add a/one@101 initial",
			"500ms h: update a/one@101->101",
			"1s h: update a/one@101->101",
		),
		clientgo: lines(
			"0s h: add a/one@101 initial",
			"1s h: update a/one@101->101",
		),
	},
	{
		name:   "resync-of-a-blocked-handler",
		config: config{resync: 10 * time.Second},
		script: func(s *stage) {
			s.server.put("a/one")
			h := &recorder{name: "h"}
			hook, release := blockOn("initial")
			h.hook = hook
			s.register(h)
			s.start()
			s.pass(35 * time.Second)
			close(release)
			s.hear(h)
		},
		want: lines(
			"h: add a/one@101 initial",
			"h: update a/one@101->101",
		),
		clientgo: lines(
			"h: add a/one@101 initial",
			"h: update a/one@101->101",
			"h: update a/one@101->101",
			"h: update a/one@101->101",
		),
	},
}
