package conformance

var relistScenarios = []scenario{
	{
		name:      "relist-unchanged",
		unordered: true,
		script: func(s *stage) {
			s.server.put("a/one")
			s.server.put("a/two")
			h := s.listen("h")
			s.start()
			s.hear(h)
			s.relist(func() {})
			s.hear(h)
		},
		want: lines(
			"h: add a/one@101 initial", "h: add a/two@102 initial",
		),
		clientgo: lines(
			"h: add a/one@101 initial", "h: add a/two@102 initial",
			"h: update a/one@101->101", "h: update a/two@102->102",
		),
	},
	{
		name: "relist-content", // a new default in a CRD, for one
		lies: "the content changes without a version",
		script: func(s *stage) {
			s.server.put("a/one")
			h := s.listen("h")
			s.start()
			s.relist(func() { s.lie().defaultTo("a/one", "color=red") })
			s.hear(h)
			after, _ := s.informer.Get("a", "one")
			s.note("cached is %s %v", describe([]object{after}), after.Labels)
		},
		want: lines(
			"h: add a/one@101 initial",
			"h: update a/one@101->101",
			"cached is [a/one@101] map[color:red]",
		),
	},
	{
		name:      "relist-changed",
		unordered: true,
		script: func(s *stage) {
			s.server.put("a/one")
			h := s.listen("h")
			s.start()
			s.relist(func() {
				s.server.put("a/one")
				s.server.put("a/one")
				s.server.put("a/two")
				s.server.put("a/three")
				s.server.remove("a/three")
			})
			s.hear(h)
			s.server.put("a/one")
			s.hear(h)
		},
		want: lines(
			"h: add a/one@101 initial",
			"h: update a/one@101->103",
			"h: add a/two@104",
			"h: update a/one@103->107",
		),
	},
	{
		name: "relist-deleted",
		script: func(s *stage) {
			s.server.put("a/one")
			h := s.listen("h")
			s.start()
			s.relist(func() {
				s.server.put("a/one")
				s.server.remove("a/one")
				s.server.put("a/zero")
			})
			s.hear(h)
			s.note("%v", describe(s.informer.List()))
		},
		want: lines(
			"h: add a/one@101 initial",
			"h: delete a/one@101 unknown", // before what came
			"h: add a/zero@104",
			"[a/zero@104]",
		),
	},
	{
		name: "relist-tombstone",
		script: func(s *stage) {
			s.server.put("a/one")
			h := &recorder{name: "h", raw: true}
			s.register(h)
			s.start()
			s.hear(h)
			s.relist(func() { s.server.remove("a/one") })
			s.hear(h)
		},
		want: lines(
			"h: add a/one@101 initial",
			"h: delete a/one@101 unknown as *v1.PartialObjectMetadata",
		),
		clientgo: lines(
			"h: add a/one@101 initial",
			"h: delete a/one@101 unknown as cache.DeletedFinalStateUnknown",
		),
	},
	{
		name: "relist-recreated",
		script: func(s *stage) {
			s.server.put("a/one")
			h := s.listen("h")
			s.start()
			s.relist(func() {
				s.server.remove("a/one")
				s.server.put("a/one")
			})
			s.hear(h)
		},
		want:     lines("h: add a/one@101 initial", "h: delete a/one@101 unknown", "h: add a/one@103"),
		clientgo: lines("h: add a/one@101 initial", "h: update a/one@101->103"),
	},
	{
		name: "relist-index",
		config: config{indexers: indexers{
			"color": func(obj object) []string { return []string{obj.Labels["color"]} },
		}},
		script: func(s *stage) {
			s.server.put("a/one", "color=red")
			s.server.put("a/two", "color=red")
			s.server.put("a/three", "color=blue")
			s.start()
			s.relist(func() {
				s.server.put("a/one", "color=blue")
				s.server.remove("a/three")
				s.server.put("a/four", "color=red")
			})
			for _, color := range []string{"red", "blue"} {
				objs, err := s.informer.ByIndex("color", color)
				s.note("%s %v %v", color, describe(objs), err)
			}
		},
		want: lines("red [a/four@106 a/two@102] <nil>", "blue [a/one@104] <nil>"),
	},
}
