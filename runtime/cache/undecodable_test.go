package cache

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// script is a server whose answers are written down.
type script struct {
	t    *testing.T
	mu   sync.Mutex // guards the fields below
	list string
	// watch is what an open watch sends.
	watch *io.PipeWriter
}

func (s *script) setList(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = text
}

func (s *script) open(_ context.Context, options metav1.ListOptions, _ string) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !options.Watch {
		return io.NopCloser(strings.NewReader(s.list)), nil
	}
	reading, writing := io.Pipe()
	s.watch = writing
	return reading, nil
}

func (s *script) send(kind, object string) {
	s.t.Helper()
	s.mu.Lock()
	watch := s.watch
	s.mu.Unlock()
	if _, err := fmt.Fprintf(watch, "{\"type\":%q,\"object\":%s}\n", kind, object); err != nil {
		s.t.Fatal(err)
	}
	synctest.Wait()
}

// state is the text of an object; labels, which have to be an object, may be
// anything here.
func state(name string, version int, labels string) string {
	return fmt.Sprintf(`{"metadata":{"name":%q,"namespace":"a","uid":"uid-%s","resourceVersion":"%d","labels":%s}}`, name, name, version, labels)
}

func listOf(version int, states ...string) string {
	return fmt.Sprintf(`{"metadata":{"resourceVersion":"%d"},"items":[%s]}`, version, strings.Join(states, ","))
}

// told records the calls of a handler in short.
type told struct{ events []string }

func (h *told) take() string {
	slices.Sort(h.events) // deletes of a relist have no particular order
	events := strings.Join(h.events, ", ")
	h.events = nil
	return events
}

func (h *told) funcs() ResourceEventHandlerFuncs[object] {
	return ResourceEventHandlerFuncs[object]{
		AddFunc: func(obj object, _ bool) {
			h.events = append(h.events, "add "+obj.Name+" "+obj.ResourceVersion)
		},
		UpdateFunc: func(_, obj object) {
			h.events = append(h.events, "update "+obj.Name+" "+obj.ResourceVersion)
		},
		DeleteFunc: func(obj object, unknown bool) {
			h.events = append(h.events, fmt.Sprintf("delete %s %s %v", obj.Name, obj.ResourceVersion, unknown))
		},
	}
}

// undecodableNames says which objects Status has as undecodable.
func undecodableNames(s Status) (names string) {
	for _, e := range s.Undecodable {
		names += e.Name + " " + e.ResourceVersion + e.Path + ";"
	}
	return names
}

func TestUndecodableObjectFailsTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &script{t: t, list: listOf(9, state("good", 1, `{}`), state("bad", 2, `{"x":1}`))}
		s := informerOf(Config[object]{Open: server.open, Resource: widgets, WatchErrorHandler: quiet})
		cachetest.Run(t, s.Run)
		synctest.Wait()
		now := s.Status()
		if s.HasSynced() || now.Phase != status.Degraded || now.Reason != status.Decode {
			t.Fatalf("%v", now)
		}
		for _, part := range []string{"widgets.test.example.com", "object a/bad", "at /metadata/labels/x", `"labels":{"x":1}`, "cannot unmarshal number"} {
			if reason := s.NotSyncedReason(); !strings.Contains(reason, part) {
				t.Errorf("%q is not in: %s", part, reason)
			}
		}
		server.setList(listOf(10, state("good", 1, `{}`), state("bad", 3, `{}`)))
		time.Sleep(time.Minute)
		synctest.Wait()
		if !s.HasSynced() || s.Status().Objects != 2 || s.Status().Phase != status.Watching {
			t.Errorf("after it was mended: %v", s.Status())
		}
	})
}

func TestUndecodableObjectsAreSkippedAndListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reported []string
		server := &script{t: t, list: listOf(9, state("a", 1, `{}`), state("b", 2, `{"x":1}`))}
		s := informerOf(Config[object]{
			Open: server.open, Resource: widgets, Settings: Settings{Decode: wire.Options{SkipUndecodable: true}},
			WatchErrorHandler: func(_ context.Context, _ gvr, err error) { reported = append(reported, err.Error()) },
		})
		var heard told
		if _, err := s.AddEventHandler(heard.funcs()); err != nil {
			t.Fatal(err)
		}
		cachetest.Run(t, s.Run)
		synctest.Wait()
		expect := func(when, events, undecodable string) {
			t.Helper()
			synctest.Wait()
			if got := heard.take(); got != events {
				t.Errorf("%s: the handler got %q, want %q", when, got, events)
			}
			if got := undecodableNames(s.Status()); got != undecodable {
				t.Errorf("%s: undecodable are %q, want %q", when, got, undecodable)
			}
			if phase := s.Status().Phase; phase != status.Watching {
				t.Errorf("%s: %v", when, s.Status())
			}
		}
		expect("after the list", "add a 1", "b 2/metadata/labels/x;")
		if !s.HasSynced() || len(reported) != 1 || !strings.Contains(reported[0], "object a/b cannot be decoded") {
			t.Errorf("synced: %v, reported: %q", s.HasSynced(), reported)
		}
		if text := s.Status().String(); !strings.Contains(text, "1 undecodable, the first: object a/b") {
			t.Error(text)
		}
		server.send("MODIFIED", state("a", 10, `[]`))
		expect("after a bad state of a", "", "a 10/metadata/labels;b 2/metadata/labels/x;")
		if obj, ok := s.GetStore().Get(ObjectName{"a", "a"}); !ok || obj.ResourceVersion != "1" {
			t.Error("the last state that could be decoded is not in the cache")
		}
		server.send("MODIFIED", state("b", 11, `{}`))
		expect("after a good state of b", "add b 11", "a 10/metadata/labels;")
		server.send("ADDED", state("c", 12, `{"x":1}`))
		server.send("DELETED", state("c", 13, `{"x":1}`))
		expect("after c came and went", "", "a 10/metadata/labels;")
		server.send("DELETED", state("b", 14, `{"x":1}`))
		expect("after the end of b", "delete b 11 true", "a 10/metadata/labels;")
		if status := s.Status(); status.ResourceVersion != "14" {
			t.Errorf("the watch is at %s", status.ResourceVersion)
		}

		relist := func(list string) {
			server.setList(list)
			server.send("ERROR", `{"kind":"Status","status":"Failure","code":410,"reason":"Expired"}`)
			time.Sleep(time.Minute)
		}
		relist(listOf(20, state("a", 15, `{"x":1}`), state("d", 16, `{}`)))
		expect("after a relist with a bad state of a", "add d 16", "a 15/metadata/labels/x;")
		relist(listOf(30, strings.Replace(state("a", 25, `{"x":1}`), "uid-a", "uid-other", 1)))
		expect("after a relist with another a", "delete a 1 true, delete d 16 true", "a 25/metadata/labels/x;")
		relist(listOf(40, state("a", 35, `{}`)))
		expect("after a relist with a good state of a", "add a 35", "")
	})
}

func TestUndecodableInitialEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &script{t: t}
		s := informerOf(Config[object]{Open: server.open, Resource: widgets, WatchErrorHandler: quiet, Settings: Settings{StreamingList: true, Decode: wire.Options{SkipUndecodable: true}}})
		cachetest.Run(t, s.Run)
		synctest.Wait()
		for i, labels := range []string{`{}`, `{"x":1}`, `{"x":1}`, `{"x":1}`, `{}`} {
			server.send("ADDED", state(string(rune('a'+i)), 1+i, labels))
		}
		server.send("MODIFIED", state("a", 10, `{"x":1}`)) // was good
		server.send("MODIFIED", state("b", 11, `{}`))      // was bad
		server.send("DELETED", state("c", 12, `{"x":1}`))
		server.send("BOOKMARK", `{"metadata":{"resourceVersion":"20","annotations":{"k8s.io/initial-events-end":"true"}}}`)
		if got := undecodableNames(s.Status()); got != "a 10/metadata/labels/x;d 4/metadata/labels/x;" {
			t.Error(got)
		}
		for name, version := range map[string]string{"a": "1", "b": "11", "e": "5"} {
			if obj, ok := s.GetStore().Get(ObjectName{"a", name}); !ok || obj.ResourceVersion != version {
				t.Errorf("%s: %v", name, obj)
			}
		}
		if n := s.Status().Objects; n != 3 || !s.HasSynced() {
			t.Errorf("%d objects", n)
		}
	})
}

// TestUndecodableObjectsOfTwoNamespaces have the same name. Each namespace has its own.
func TestUndecodableObjectsOfTwoNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := func(namespace, state string) string {
			return strings.Replace(state, `"namespace":"a"`, `"namespace":"`+namespace+`"`, 1)
		}
		bad := state("x", 5, "7")
		a, b := &script{t: t, list: listOf(9, bad)}, &script{t: t, list: listOf(8, in("b", bad), in("b", state("y", 6, "{}")))}
		kind := Kind[object]{Resource: widgets, Namespaced: true, Open: func(namespace string) bodies.OpenFunc {
			return map[string]*script{"a": a, "b": b}[namespace].open
		}}
		s, err := kind.NewInformer(WithNamespaces("b", "a"), WithSkipUndecodable(), WithWatchErrorHandler(quiet))
		if err != nil {
			t.Fatal(err)
		}
		cachetest.Run(t, s.Run)
		expect := func(want ...string) {
			t.Helper()
			synctest.Wait()
			status, got := s.Status(), []string{}
			for _, state := range status.Undecodable {
				got = append(got, state.Namespace+"/"+state.Name)
			}
			for _, scope := range status.Scopes {
				got = append(got, fmt.Sprintf("%s: %d", scope.Namespace, len(scope.Status.Undecodable)))
			}
			for obj := range s.GetStore().All() {
				got = append(got, obj.Namespace+"/"+obj.Name)
			}
			cachetest.WantLines(t, got, want...)
		}
		expect("a/x", "b/x", "a: 1", "b: 1", "b/y")
		if !s.HasSynced() {
			t.Error(s.NotSyncedReason())
		}
		a.send("DELETED", bad)
		expect("b/x", "a: 0", "b: 1", "b/y")

		// An object of another namespace is not skipped, even if it cannot be decoded.
		a.send("MODIFIED", in("b", bad))
		if now := s.Status(); now.Reason != status.Decode || !strings.Contains(now.String(), "in namespace a (Decode: namespace a: watch: widgets.test.example.com b/x: the server sent the object for namespace a") {
			t.Errorf("the status is %v", now)
		}
		expect("b/x", "a: 0", "b: 1", "b/y")
	})
}
