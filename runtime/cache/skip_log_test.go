package cache

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// TestManyUndecodableObjects has a user that creates thousands of objects that no
// one can decode, each with a huge key and codes of a terminal.
func TestManyUndecodableObjects(t *testing.T) {
	const objects = 3000
	synctest.Test(t, func(t *testing.T) {
		bad := func(i, version int) string {
			return state(fmt.Sprintf("object-%04d", i), version, `{"\u001b[31m\n`+strings.Repeat("k", 20_000)+`":["\u001b[31m\n"]}`)
		}
		var states []string
		for i := range objects {
			states = append(states, bad(i, 1))
		}
		server := &script{t: t, list: listOf(9, states...)}
		s := informerOf(Config[object]{Open: server.open, Resource: widgets, Settings: Settings{Decode: wire.Options{SkipUndecodable: true}}})
		log := &cachetest.LineLog{}
		stop := cachetest.Run(t, func(ctx context.Context) { s.Run(klog.NewContext(ctx, klog.New(log))) })
		synctest.Wait()
		lines := log.Take()
		if len(lines) != listed.MaxLines+1 || !strings.Contains(lines[listed.MaxLines], "Status().Undecodable lists all of them") {
			t.Errorf("%d lines, the last: %.200s", len(lines), lines[len(lines)-1])
		}
		for _, line := range lines {
			if len(line) > 2000 || strings.ContainsAny(line, "\x1b\n") {
				t.Errorf("a line of %d bytes: %.300q", len(line), line)
			}
		}
		held, explained := 0, 0
		undecodable := s.Status().Undecodable
		for i, e := range undecodable {
			if want := fmt.Sprintf("object-%04d", i); e.Name != want || e.UID != "uid-"+want || e.ResourceVersion != "1" {
				t.Fatalf("state %d is %v", i, e)
			}
			held += len(e.Path) + len(e.Near)
			if e.Err != listed.ErrNotExplained {
				held += len(e.Err.Error())
				explained++
			}
		}
		if len(undecodable) != objects || explained != listed.MaxExplained || held > 2<<20 {
			t.Errorf("%d states, %d of them explained, with %d bytes", len(undecodable), explained, held)
		}
		if text := s.Status().String(); len(text) > 2000 || !strings.Contains(text, "3000 undecodable") {
			t.Errorf("Status is %.300s", text)
		}

		for i := range 100 { // each again, in the same minute
			server.send("MODIFIED", bad(i, 10+i))
		}
		if lines := log.Take(); len(lines) > 0 {
			t.Errorf("%d lines in the same minute: %q", len(lines), lines[0])
		}
		time.Sleep(listed.Period)
		server.send("MODIFIED", bad(5, 200))
		if lines := log.Take(); len(lines) != 2 || !strings.Contains(lines[0], fmt.Sprint("states", objects+100-listed.MaxLines)) {
			t.Errorf("after a minute: %.300q", lines)
		}
		server.send("MODIFIED", bad(5, 200)) // the same state
		for i := range listed.MaxLines + 5 {
			server.send("MODIFIED", bad(i, 300))
		}
		log.Take()
		stop()
		if lines := log.Take(); len(lines) != 1 || !strings.Contains(lines[0], "states6") {
			t.Errorf("at the end: %q", lines)
		}
	})
}

func TestLargeObjectsAreSkippedAndListed(t *testing.T) {
	for _, stream := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			const limit = 3000
			large := func(name string, version int) string {
				return state(name, version, `{"x":"`+strings.Repeat("x", 200_000)+`"}`)
			}
			server := &script{t: t, list: listOf(9, state("a", 1, `{}`), state("b", 2, `{}`), state("c", 3, `{}`))}
			log := &cachetest.LineLog{}
			s := informerOf(Config[object]{
				Open: server.open, Resource: widgets, Settings: Settings{StreamingList: stream, Decode: wire.Options{SkipUndecodable: true, MaxObjectBytes: limit}},
			})
			var heard told
			if _, err := s.AddEventHandler(heard.funcs()); err != nil {
				t.Fatal(err)
			}
			cachetest.Run(t, func(ctx context.Context) { s.Run(klog.NewContext(ctx, klog.New(log))) })
			synctest.Wait()
			expect := func(when, events, undecodable, cached string) {
				t.Helper()
				synctest.Wait()
				if got := heard.take(); got != events {
					t.Errorf("%s: the handler got %q, want %q", when, got, events)
				}
				var names, held string
				for _, e := range s.Status().Undecodable {
					names += e.Name + " " + e.ResourceVersion + ";"
					if !strings.Contains(e.Error(), "has more than 3000 bytes") {
						t.Errorf("%s: %v", when, e)
					}
				}
				if names != undecodable {
					t.Errorf("%s: undecodable are %q, want %q", when, names, undecodable)
				}
				for _, name := range []string{"a", "b", "c"} {
					if obj, ok := s.GetStore().Get(ObjectName{"a", name}); ok {
						held += obj.Name + " " + obj.ResourceVersion + ";"
					}
				}
				if held != cached {
					t.Errorf("%s: the cache has %q, want %q", when, held, cached)
				}
				if now := s.Status(); now.Phase != status.Watching {
					t.Errorf("%s: %v", when, now)
				}
			}
			if stream {
				for _, added := range []string{state("a", 1, `{}`), large("b", 2), state("c", 3, `{}`), state("b", 2, `{}`)} {
					server.send("ADDED", added)
				}
				server.send("BOOKMARK", `{"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}`)
			}
			expect("after the list", "add a 1, add b 2, add c 3", "", "a 1;b 2;c 3;")
			server.send("MODIFIED", large("a", 10))
			expect("after a large state of a", "", "a 10;", "a 1;b 2;c 3;")
			server.send("MODIFIED", state("b", 11, `{}`))
			expect("after a state of b", "update b 11", "a 10;", "a 1;b 11;c 3;")
			server.send("DELETED", large("c", 12))
			expect("after the end of c", "delete c 3 true", "a 10;", "a 1;b 11;")
			server.send("MODIFIED", state("a", 13, `{}`))
			expect("after a small state of a", "update a 13", "", "a 13;b 11;")
			if stream {
				return
			}
			server.setList(listOf(30, large("a", 20), state("b", 11, `{}`), large("c", 21)))
			server.send("ERROR", `{"kind":"Status","status":"Failure","code":410,"reason":"Expired"}`)
			time.Sleep(time.Minute)
			expect("after a relist with large states", "", "a 20;c 21;", "a 13;b 11;")
			server.send("ADDED", state("c", 31, `{}`))
			expect("after the relist, the watch continues", "add c 31", "a 20;", "a 13;b 11;c 31;")
		})
	}
}

// TestWarningOfALowLimit checks that there is one line, and only if it is of use.
func TestWarningOfALowLimit(t *testing.T) {
	for limit, warns := range map[int]bool{0: false, 1000: true, wire.EtcdRequestBytes - 1: true, wire.EtcdRequestBytes: false} {
		synctest.Test(t, func(t *testing.T) {
			server := &script{t: t, list: listOf(9)}
			s := informerOf(Config[object]{Open: server.open, Resource: widgets, Settings: Settings{Decode: wire.Options{MaxObjectBytes: limit}}})
			log := &cachetest.LineLog{}
			stop := cachetest.Run(t, func(ctx context.Context) { s.Run(klog.NewContext(ctx, klog.New(log))) })
			synctest.Wait()
			stop()
			if got := strings.Contains(strings.Join(log.Lines, "\n"), "MaxObjectBytes is below etcd's default limit"); got != warns {
				t.Errorf("a limit of %d: %q", limit, log.Lines)
			}
		})
	}
}
