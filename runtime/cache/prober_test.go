package cache

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/probe"
)

// twoApps returns an informer of the namespace a with app=web, and of all namespaces with app=db. The
// second scope says nothing by itself once quiet is called.
func twoApps(t *testing.T, objects int) (s *SharedIndexInformer[object], heard *recorder, web, db *source, set func(i int, app string)) {
	t.Helper()
	w := &worlds{}
	web, db = w.of("a"), w.of("")
	web.selects = func(obj object) bool { return obj.Labels["app"] == "web" }
	db.selects = func(obj object) bool { return obj.Labels["app"] == "db" }
	set = func(i int, app string) { // both are one server
		web.set("a", fmt.Sprintf("%03d", i), map[string]string{"app": app})
		db.set("a", fmt.Sprintf("%03d", i), map[string]string{"app": app})
	}
	for i := range objects {
		set(i, "web")
	}
	s = w.informer(t, WithScopes(Scope{Namespace: "a", LabelSelector: "app=web"}, Scope{LabelSelector: "app=db"}))
	run(t, s.Run)
	heard, _ = listen(t, s)
	synctest.Wait()
	heard.drain()
	return s, heard, web, db, set
}

// since returns the requests of a source after the first n.
func (s *source) since(n int) []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request(nil), s.requests[n:]...)
}

// TestManyMovedObjects leave one scope at a time. The other one is listed once, and not asked for each.
func TestManyMovedObjects(t *testing.T) {
	for _, moved := range []int{probe.MaxObjects, probe.MaxObjects + 1, 4 * probe.MaxObjects} {
		synctest.Test(t, func(t *testing.T) {
			s, heard, _, db, set := twoApps(t, moved)
			db.setSilent(true)
			before := len(db.since(0))
			for i := range moved {
				set(i, []string{"db", "none"}[i%2])
			}
			synctest.Wait()
			wantLines(t, heard.drain())
			time.Sleep(4 * probe.After)
			synctest.Wait()
			updates, deletes := 0, 0
			for _, line := range heard.drain() {
				switch {
				case strings.HasPrefix(line, "update "):
					updates++
				case strings.HasPrefix(line, "delete "):
					deletes++
				default:
					t.Errorf("the handler has heard %q", line)
				}
			}
			if updates != (moved+1)/2 || deletes != moved/2 || s.GetStore().Len() != updates {
				t.Errorf("of %d objects %d were updated and %d deleted, cached are %d", moved, updates, deletes, s.GetStore().Len())
			}
			whole, single := 0, 0
			for _, r := range db.since(before) {
				switch {
				case r.verb == "list" && strings.Contains(r.options.FieldSelector, "metadata.name="):
					single++
				case r.verb == "list":
					whole++
				}
			}
			if moved > probe.MaxObjects && (whole != 1 || single != 0) || moved <= probe.MaxObjects && (whole != 0 || single != moved) {
				t.Errorf("for %d objects the scope was listed %d times, and asked for %d objects", moved, whole, single)
			}
			if n := s.stats().Relists[Moved]; int(n) != whole {
				t.Errorf("Stats has %d relists because of %s, want %d", n, Moved, whole)
			}
			if s.awaiting.Load() {
				t.Error("objects still wait")
			}
		})
	}
}

// TestManyMovedObjectsDuringAFailure: the list fails at first, and objects go on to leave.
func TestManyMovedObjectsDuringAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const moved = 2 * probe.MaxObjects
		s, heard, _, db, set := twoApps(t, 2*moved)
		db.setSilent(true)
		db.failWith(func(request) error { return errInternal })
		before := len(db.since(0))
		for i := range moved {
			set(i, "none")
		}
		time.Sleep(10 * time.Second)
		for i := range moved {
			set(moved+i, "db")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if lines := heard.drain(); len(lines) != 0 {
			t.Errorf("while the list fails the handler has heard %d lines, %q", len(lines), lines[0])
		}
		if n := len(db.since(before)); n < 3 || n > 20 {
			t.Errorf("%d requests have failed in 70 seconds", n)
		}
		db.failWith(nil)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n := s.GetStore().Len(); n != moved || len(heard.drain()) != 2*moved || s.awaiting.Load() {
			t.Errorf("%d objects are cached, want %d", n, moved)
		}
	})
}

// TestProbesBackOff: requests for an object that fail come less and less often. The object stays, and one
// answer ends its wait.
func TestProbesBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, heard, web, db, set := twoApps(t, 2)
		db.setSilent(true)
		var asked []time.Time
		db.failWith(func(r request) error {
			asked = append(asked, time.Now())
			return errInternal
		})
		before := len(db.since(0))
		set(0, "none")
		for range 5 * 60 {
			time.Sleep(time.Second)
			web.bookmark() // whatever the others tell does not make it ask sooner
		}
		synctest.Wait()
		wantLines(t, heard.drain())
		if len(asked) < 30 || len(asked) > 70 {
			t.Fatalf("%d requests have failed in five minutes", len(asked))
		}
		for _, r := range db.since(before) {
			if !strings.Contains(r.options.FieldSelector, "metadata.name=000") || r.options.ResourceVersionMatch != metav1.ResourceVersionMatchNotOlderThan {
				t.Errorf("the scope got another request, %+v", r)
			}
		}
		first, last := asked[1].Sub(asked[0]), asked[len(asked)-1].Sub(asked[len(asked)-2])
		if first < 300*time.Millisecond || last < 4*time.Second {
			t.Errorf("the waits grow from %v to %v only", first, last)
		}
		if len(s.stats().Failures) == 0 {
			t.Error("Stats has no failed requests")
		}
		db.failWith(nil)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if lines := heard.drain(); len(lines) != 1 || !strings.HasPrefix(lines[0], "delete a/000@") {
			t.Errorf("after an answer the handler has heard %q", lines)
		}

		asked = nil // and the waits start again from the first one
		db.failWith(func(r request) error {
			asked = append(asked, time.Now())
			return errInternal
		})
		set(1, "none")
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(asked) < 3 || asked[1].Sub(asked[0]) > 2*first {
			t.Errorf("after an answer %d requests have failed in a minute", len(asked))
		}
	})
}

// TestStatusOfAScopeThatDoesNotAnswer: the Status of the scope has the error until the scope answers. Retry
// ends the wait.
func TestStatusOfAScopeThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, heard, _, db, set := twoApps(t, 1)
		var changes atomic.Int32
		defer s.controller.observers.Add(func() { changes.Add(1) })()
		db.setSilent(true)
		asked := 0
		db.failWith(func(request) error {
			asked++
			return errForbidden
		})
		began := time.Now()
		set(0, "none")
		time.Sleep(time.Minute)
		synctest.Wait()
		status := s.Status()
		scope := status.Scopes[0].Status // of all namespaces
		if scope.Phase != Degraded || scope.Reason != Forbidden || scope.Verb != "list" || !scope.NextAttempt.After(time.Now()) || scope.Since.Sub(began) > time.Second {
			t.Errorf("the status of the scope is %+v", scope)
		}
		if text := status.String(); !strings.Contains(text, "all namespaces (labels app=db): cannot ask whether a/000 has moved here: list: ") || !strings.Contains(text, "rights to list") {
			t.Errorf("the status is %s", text)
		}
		if status.Phase != Degraded || status.Scopes[1].Status.Phase != Watching || changes.Load() == 0 {
			t.Errorf("the status is %v after %d changes", status, changes.Load())
		}
		before := asked
		s.Retry()
		synctest.Wait()
		if asked != before+1 {
			t.Errorf("after Retry the scope was asked %d times", asked-before)
		}
		wantLines(t, heard.drain())

		db.failWith(nil)
		s.Retry()
		synctest.Wait()
		if lines := heard.drain(); len(lines) != 1 || !strings.HasPrefix(lines[0], "delete a/000@") {
			t.Errorf("after an answer the handler has heard %q", lines)
		}
		if status := s.Status(); status.Phase != Watching || status.Err != nil {
			t.Errorf("after an answer the status is %v", status)
		}
	})
}

// TestStatusWhenNothingWaits: the watch of a scope that fails to answer tells what was asked.
func TestStatusWhenNothingWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, _, db, set := twoApps(t, 1)
		db.setSilent(true)
		db.failWith(func(r request) error {
			if r.verb == "list" {
				return errInternal
			}
			return nil
		})
		set(0, "none")
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if status := s.Status(); status.Phase != Degraded || status.Reason != ServerError {
			t.Errorf("the status is %v", status)
		}
		db.setSilent(false)
		db.bookmark()
		db.endWatches(io.EOF)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if status := s.Status(); status.Phase != Watching || status.Err != nil || s.GetStore().Len() != 0 {
			t.Errorf("after a bookmark the status is %v", status)
		}
	})
}

// TestBookmarksEndTheMemoryOfDeletions: a scope that has no events lets the cache forget objects that
// another one has told the end of. Nothing is leaving.
func TestBookmarksEndTheMemoryOfDeletions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		s := w.informer(t, WithScopes(Scope{Namespace: "a"}, Scope{Namespace: "a", FieldSelector: "metadata.name=x"}, Scope{LabelSelector: "quiet"}))
		w.of("").selects = func(object) bool { return false }
		run(t, s.Run)
		heard, _ := listen(t, s)
		synctest.Wait()
		w.of("").setSilent(true)
		w.of("").endWatches(io.EOF)
		synctest.Wait()
		for i := range 20 {
			name := fmt.Sprint("n", i)
			w.of("a").set("a", name, nil)
			w.of("a").remove("a", name)
			w.of("").bookmark()
			w.of("").bookmark()
		}
		synctest.Wait()
		if n := len(heard.drain()); n != 40 || s.indexer.leaving() != 0 {
			t.Errorf("the handler has heard %d lines, %d objects are leaving", n, s.indexer.leaving())
		}
		if _, hasRecords := s.indexer.departed(); !hasRecords || !s.recalls.Load() {
			t.Error("nothing is remembered of objects that the quiet scope may have")
		}
		w.of("").setSilent(false)
		w.of("").endWatches(io.EOF)
		time.Sleep(time.Minute)
		synctest.Wait()
		if _, hasRecords := s.indexer.departed(); hasRecords || s.recalls.Load() {
			t.Error("the bookmarks of the quiet scope do not end the memory")
		}
		wantLines(t, heard.drain())
	})
}
