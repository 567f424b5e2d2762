package conformance

import (
	"errors"
	"strings"
	"sync/atomic"
)

// byColor is an index by label.
var byColor = indexers{"color": func(obj object) []string {
	if color := obj.Labels["color"]; color != "" {
		return strings.Split(color, "-")
	}
	return nil
}}

// noteColors writes what the index has.
func noteColors(s *stage) {
	s.pass(0)
	red, err := s.informer.ByIndex("color", "red")
	blue, _ := s.informer.ByIndex("color", "blue")
	s.note("red %v, blue %v, err %v", describe(red), describe(blue), err)
}

var storeScenarios = []scenario{
	{
		name:   "index-maintained",
		config: config{indexers: byColor},
		script: func(s *stage) {
			s.server.put("a/one", "color=red")
			s.start()
			noteColors(s)
			s.server.put("a/two", "color=red-blue")
			s.server.put("a/three")
			noteColors(s)
			s.server.put("a/one", "color=blue")
			noteColors(s)
			s.server.remove("a/two")
			noteColors(s)
		},
		want: lines(
			"red [a/one@101], blue [], err <nil>",
			"red [a/one@101 a/two@102], blue [a/two@102], err <nil>",
			"red [a/two@102], blue [a/one@104 a/two@102], err <nil>",
			"red [], blue [a/one@104], err <nil>",
		),
	},
	{
		name: "index-added-late",
		script: func(s *stage) {
			s.server.put("a/one", "color=red")
			s.start()
			_, err := s.informer.ByIndex("color", "red")
			s.note("before: %v", err != nil)
			s.note("added: %v", s.informer.AddIndexers(byColor))
			noteColors(s)
			s.server.put("a/two", "color=blue")
			noteColors(s)
			s.note("again refused: %v", s.informer.AddIndexers(byColor) != nil)
		},
		want: lines(
			"before: true",
			"added: <nil>",
			"red [a/one@101], blue [], err <nil>",
			"red [a/one@101], blue [a/two@102], err <nil>",
			"again refused: true",
		),
	},
	{
		name: "index-by-namespace",
		script: func(s *stage) {
			s.server.put("a/one")
			s.server.put("b/one")
			s.start()
			objs, err := s.informer.ByIndex("namespace", "a")
			s.note("%v, there: %v", describe(objs), err == nil)
		},
		want:     lines("[a/one@101], there: true"),
		clientgo: lines("[], there: false"),
	},
	{
		name: "index-after-stop",
		script: func(s *stage) {
			s.server.put("a/one", "color=red")
			s.start()
			s.stop()
			s.note("refused: %v", s.informer.AddIndexers(byColor) != nil)
		},
		want:     lines("refused: false"),
		clientgo: lines("refused: true"),
	},
	{
		name:   "store-before-handlers",
		config: config{indexers: byColor},
		script: func(s *stage) { // each event finds the cache and its indexes changed
			h := &recorder{name: "h"}
			h.hook = func(line string) {
				red, _ := s.informer.ByIndex("color", "red")
				s.note("%s: cached %v, red %v", line, describe(s.informer.List()), describe(red))
			}
			s.register(h)
			s.start()
			s.server.put("a/one", "color=red")
			s.pass(0)
			s.server.put("a/one")
			s.pass(0)
			s.server.remove("a/one")
			s.pass(0)
		},
		want: lines(
			"h: add a/one@101: cached [a/one@101], red [a/one@101]",
			"h: update a/one@101->102: cached [a/one@102], red []",
			"h: delete a/one@103: cached [], red []",
		),
	},
	{
		name: "transform",
		config: config{indexers: byColor, transform: func(obj object) (object, error) {
			obj.Labels = map[string]string{"color": "blue"}
			return obj, nil
		}},
		script: func(s *stage) {
			s.server.put("a/one", "color=red")
			h := s.listen("h")
			s.start()
			s.server.put("a/two", "color=red")
			s.hear(h)
			noteColors(s)
			s.relist(func() { s.server.put("a/two", "color=red"); s.server.remove("a/one") })
			noteColors(s)
		},
		want: lines(
			"h: add a/one@101 initial", "h: add a/two@102",
			"red [], blue [a/one@101 a/two@102], err <nil>",
			"red [], blue [a/two@103], err <nil>",
		),
	},
	{
		name:   "transform-fails",
		config: config{transform: refuseBad, onError: countError},
		script: func(s *stage) { // on an object that is not mended for an hour
			errorsHeard.Store(0)
			s.start()
			s.server.put("a/bad", "bad=yes")
			s.server.put("a/good")
			s.pass(60 * minute)
			s.note("%v, told: %v", describe(s.informer.List()), errorsHeard.Load() > 0)
			s.server.put("a/bad")
			s.pass(3 * minute)
			s.note("%v", describe(s.informer.List()))
		},
		want:     lines("[], told: true", "[a/bad@103 a/good@102]"),
		clientgo: lines("[a/good@102], told: false", "[a/bad@103 a/good@102]"),
	},
	{
		name:   "transform-fails-in-list",
		config: config{transform: refuseBad, onError: countError},
		script: func(s *stage) {
			errorsHeard.Store(0)
			s.server.put("a/bad", "bad=yes")
			s.server.put("a/good")
			s.start()
			s.pass(10 * minute)
			s.note("synced %v, told: %v", s.informer.HasSynced(), errorsHeard.Load() > 0)
			s.server.put("a/bad")
			s.pass(3 * minute)
			s.note("synced %v, %v", s.informer.HasSynced(), describe(s.informer.List()))
		},
		want: lines("synced false, told: true", "synced true, [a/bad@103 a/good@102]"),

		streamedClientgo: lines("synced true, told: false", "synced true, [a/bad@103 a/good@102]"),
	},
	{
		name: "transform-renames",
		config: config{onError: countError, transform: func(obj object) (object, error) {
			obj.Name = "renamed-" + obj.Name
			return obj, nil
		}},
		script: func(s *stage) {
			errorsHeard.Store(0)
			s.server.put("a/one")
			s.start()
			s.pass(3 * minute)
			s.note("%v, told: %v", describe(s.informer.List()), errorsHeard.Load() > 0)
		},
		want:     lines("[], told: true"),
		clientgo: lines("[a/renamed-one@101], told: false"),

		streamedClientgo: lines("[a/renamed-renamed-one@101], told: false"),
	},
}

// errorsHeard counts calls of countError; scenarios run one after the other.
var errorsHeard atomic.Int64

func countError(error) { errorsHeard.Add(1) }

// refuseBad is a transform that fails on objects with the label "bad".
func refuseBad(obj object) (object, error) {
	if obj.Labels["bad"] != "" {
		return nil, errors.New("this object is bad")
	}
	return obj, nil
}
