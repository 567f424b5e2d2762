package cache

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// ownersIn returns a name of an owner in each of n shards.
func ownersIn(n int) []string {
	all := make([]string, n)
	for i, shard := range sharding.Split(sharding.Owner, n) {
		for k := 0; all[i] == ""; k++ {
			if name := fmt.Sprint("owner-", k); shard.Contains(sharding.Hash(name)) {
				all[i] = name
			}
		}
	}
	return all
}

// TestOwnWritesInShardsOfOwners follows two of three shards. The watches are behind this program, and behind
// another one, which has changed the object before. Nothing that they tell later may bring it back.
func TestOwnWritesInShardsOfOwners(t *testing.T) {
	owners, split := ownersIn(3), sharding.Split(sharding.Owner, 3)
	for from := range 2 {
		for _, isDelete := range []bool{false, true} {
			for extra := range 4 { // other UIDs, which are in other shards
				synctest.Test(t, func(t *testing.T) {
					src := cachetest.NewSource()
					for range extra {
						src.Bookmark()
					}
					src.SetOwner("a", "child", owners[from], true)
					s := newOwn(t, func(string) bodies.OpenFunc { return cachetest.OpenerOf(src) }, WithWatchErrorHandler(quiet),
						WithScopes(Scope{Namespace: "a", ShardSelector: split[0].String() + " || " + split[1].String()}))
					cachetest.Run(t, s.Run)
					heard, _ := listen(t, s)
					synctest.Wait()
					if got := heard.Drain(); len(got) != 1 {
						t.Fatalf("at first the handler has heard %q", got)
					}
					src.SetSilent(true)
					src.EndWatches(io.EOF)
					synctest.Wait()
					last := src.SetOwner("a", "child", owners[from], true) // by another program
					if isDelete {
						src.Remove("a", "child")
						inside(s).own.Wrote(cachetest.Deletion(last))
					} else {
						inside(s).own.Wrote(cachetest.ResponseTo(src.SetOwner("a", "child", owners[2], true)))
					}
					if got := names(s); len(got) != 0 {
						t.Errorf("from %d, delete %v: cached are %q", from, isDelete, got)
					}
					cachetest.WantLines(t, after(heard), fmt.Sprintf("delete a/child@%d unknown=true", 101+extra))
					src.SetSilent(false)
					src.EndWatches(io.EOF)
					time.Sleep(time.Minute)
					src.Bookmark()
					cachetest.WantLines(t, after(heard))
					if got := s.Status().PendingWrites; got != 0 {
						t.Errorf("from %d, delete %v: %d writes are pending", from, isDelete, got)
					}
				})
			}
		}
	}
}

// TestOwnCreateInTheShardOfAnother creates objects again that another program has deleted, of which the watch does not tell yet.
// Those whose UIDs are now in another shard leave the cache.
func TestOwnCreateInTheShardOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cachetest.NewCluster(t)
		for i := range 20 {
			cachetest.Create(c, "x", fmt.Sprint("w", i))
		}
		shard := sharding.Split(sharding.UID, 2)[0]
		s := newOwnOfCluster(c, WithShard(shard))
		heard, _ := listen(t, s)
		cachetest.Run(t, s.Run)
		time.Sleep(time.Second)
		held := c.Server.HoldWatches(widgets.Resource)
		before := s.GetStore().List()
		heard.Drain()
		left := 0
		for _, obj := range before {
			name := MetaObjectToName(obj)
			if code, body := c.Send(t.Context(), c.Others, cachetest.Call{Method: http.MethodDelete, Path: cachetest.PathOf(name.Namespace, name.Name)}); code != http.StatusOK {
				t.Fatalf("%d: %s", code, body)
			}
			code, body := c.Send(t.Context(), c.Client, cachetest.Call{Method: http.MethodPost, Path: cachetest.PathOf(name.Namespace, ""), Body: cachetest.NewWidget(name, "", "red")})
			var created object
			if err := json.Unmarshal(body, &created); err != nil || code != http.StatusCreated {
				t.Fatalf("%d: %s, %v", code, body, err)
			}
			isInShard := shard.Matches(created)
			cached, found := s.GetIndexer().Get(name)
			if found != isInShard || found && cached.GetUID() != created.GetUID() {
				t.Errorf("%s was created, in the shard: %t; it is cached: %t, as %v", name, isInShard, found, cached)
			}
			if !isInShard {
				left++
			}
		}
		if left == 0 || left == len(before) {
			t.Fatalf("of %d objects %d have left the shard", len(before), left)
		}
		has := names(s)
		time.Sleep(time.Second)
		told := len(heard.Drain())
		held.Remove()
		time.Sleep(10 * time.Minute)
		if got := names(s); !slices.Equal(got, has) {
			t.Errorf("the watch changes %q to %q", has, got)
		}
		if late := heard.Drain(); len(late) > 0 {
			t.Errorf("handlers have heard %d events, and then of the watch %q", told, late)
		}
		if status := s.Status(); status.PendingWrites != 0 || status.Unconfirmed != 0 {
			t.Errorf("in the end: %v", status)
		}
		wantLists(t, s, 1)
	})
}

// TestOwnWriteMovesBetweenRanges writes another owner, whose hash is in another range of the shard.
func TestOwnWriteMovesBetweenRanges(t *testing.T) {
	owners, split := ownersIn(3), sharding.Split(sharding.Owner, 3)
	owners = []string{owners[0], owners[2]}
	for from := range 2 {
		synctest.Test(t, func(t *testing.T) {
			src := cachetest.NewSource()
			src.SetOwner("a", "child", owners[from], true)
			s := newOwn(t, func(string) bodies.OpenFunc { return cachetest.OpenerOf(src) }, WithWatchErrorHandler(quiet),
				WithScopes(Scope{ShardSelector: split[0].String() + " || " + split[2].String()}))
			cachetest.Run(t, s.Run)
			heard, _ := listen(t, s)
			synctest.Wait()
			heard.Drain()
			src.SetSilent(true)
			src.EndWatches(io.EOF)
			synctest.Wait()
			src.SetOwner("a", "child", owners[from], true) // by another program
			inside(s).own.Wrote(cachetest.ResponseTo(src.SetOwner("a", "child", owners[1-from], true)))
			cachetest.WantLines(t, after(heard), "update a/child@101->103")
			src.SetSilent(false)
			src.EndWatches(io.EOF)
			time.Sleep(time.Minute)
			src.Bookmark()
			cachetest.WantLines(t, after(heard))
			if got := s.Status(); got.PendingWrites != 0 || got.Objects != 1 {
				t.Errorf("in the end: %v", got)
			}
		})
	}
}

// TestOwnWritesWhileScopesChange writes to a namespace before it is a scope, while its list is on its way,
// and after it was removed.
func TestOwnWritesWhileScopesChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		gate := make(chan struct{})
		close(gate)
		s := newOwn(t, func(namespace string) bodies.OpenFunc {
			open := cachetest.OpenerOf(w.of(namespace))
			return func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
				body, err := open(ctx, options, accept)
				if !options.Watch && namespace == "b" {
					<-gate // the list was read before
				}
				return body, err
			}
		}, WithNamespace("a"), WithWatchErrorHandler(quiet))
		a, b := w.of("a"), w.of("b")
		cachetest.Run(t, s.Run)
		heard, _ := listen(t, s)
		synctest.Wait()
		own := inside(s).own

		gone := b.Set("b", "gone", nil)
		b.Set("b", "old", nil)
		own.Wrote(cachetest.ResponseTo(gone))
		if got := s.Status(); got.PendingWrites != 0 || got.Objects != 0 {
			t.Errorf("a write to a namespace that is no scope: %v", got)
		}

		gate = make(chan struct{})
		setScopes(t, s, in("a", "b")...)
		synctest.Wait()
		b.Remove("b", "gone")
		own.Wrote(cachetest.Deletion(gone))
		own.Wrote(cachetest.ResponseTo(b.Set("b", "old", nil)))
		own.Wrote(cachetest.ResponseTo(b.Set("b", "new", nil)))
		own.Wrote(cachetest.ResponseTo(a.Set("a", "one", nil)))
		cachetest.WantLines(t, after(heard), "add a/one@101 initial=false")
		b.SetSilent(true) // the watch tells nothing
		close(gate)
		synctest.Wait()
		cachetest.WantLines(t, sortedLines(heard), "add b/new@105 initial=true", "add b/old@104 initial=true")
		if got := s.Status().PendingWrites; got == 0 {
			t.Error("the writes after the list are not pending")
		}

		setScopes(t, s, in("a")...)
		synctest.Wait()
		cachetest.WantLines(t, sortedLines(heard), "delete b/new@105 unknown=true", "delete b/old@104 unknown=true")
		own.Wrote(cachetest.ResponseTo(b.Set("b", "new", nil)))
		own.Wrote(cachetest.Deletion(b.Objects[ObjectName{"b", "old"}]))
		if got := s.Status(); got.PendingWrites != 0 || got.Objects != 1 {
			t.Errorf("writes to a scope that was removed: %v", got)
		}

		b.SetSilent(false)
		setScopes(t, s, in("b")...)
		synctest.Wait()
		cachetest.WantLines(t, sortedLines(heard), "add b/new@106 initial=true", "add b/old@104 initial=true", "delete a/one@101 unknown=true")
		own.Wrote(cachetest.ResponseTo(b.Set("b", "new", nil)))
		cachetest.WantLines(t, after(heard), "update b/new@106->107")
		if got := s.Status().PendingWrites; got != 0 {
			t.Errorf("in the end %d writes are pending", got)
		}
	})
}

// TestWaitForWhileScopesChange waits for all scopes that are there, and not for those that go.
func TestWaitForWhileScopesChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		s := w.informer(t, WithNamespaces("a", "b"))
		a, b, c := w.of("a"), w.of("b"), w.of("c")
		cachetest.Run(t, s.Run)
		synctest.Wait()
		a.Bookmark()
		a.Bookmark()
		first := waitFor(t, s, 102)
		if first.returned(t) {
			t.Error("b is behind")
		}
		if got := s.LastSyncResourceVersion(); got != "100" {
			t.Errorf("the cache has version %q", got)
		}
		setScopes(t, s, in("a")...)
		if !first.returned(t) {
			t.Error("WaitFor waits for a scope that was removed")
		}
		if got := s.LastSyncResourceVersion(); got != "102" {
			t.Errorf("without b the cache has version %q", got)
		}

		c.FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		setScopes(t, s, in("a", "c")...)
		second := waitFor(t, s, 102)
		if second.returned(t) || s.LastSyncResourceVersion() != "" {
			t.Errorf("c is not listed, the cache has version %q", s.LastSyncResourceVersion())
		}
		for range 5 {
			c.Bookmark()
		}
		c.FailWith(nil)
		time.Sleep(time.Minute)
		if !second.returned(t) || s.LastSyncResourceVersion() != "102" {
			t.Errorf("c is listed, the cache has version %q", s.LastSyncResourceVersion())
		}

		third := waitFor(t, s, 500)
		setScopes(t, s)
		if !third.returned(t) || !waitFor(t, s, 500).returned(t) {
			t.Error("WaitFor waits without scopes")
		}
		setScopes(t, s, in("b")...)
		if !waitFor(t, s, 100).returned(t) {
			t.Error("b is listed at version 100")
		}
		late := waitFor(t, s, 101)
		if late.returned(t) {
			t.Error("b has not reached 101")
		}
		b.Bookmark()
		if !late.returned(t) || s.LastSyncResourceVersion() != "101" {
			t.Errorf("b has reached 101, the cache has version %q", s.LastSyncResourceVersion())
		}
	})
}

// versionsHeard returns the versions that wait for a handler.
func versionsHeard(handler ResourceEventHandlerRegistration) (versions []string) {
	for _, batch := range handler.(*registration).Listener.Drain() {
		for _, note := range batch.Notes {
			versions = append(versions, note.Obj.GetResourceVersion())
		}
	}
	return versions
}

// TestTakeoverEndsEarlierEvents has an event of a scope in one batch with the events by which another scope takes over. This program
// has written the object since. The write moves to the new scope, so the event may not be heard as news. If only the server knows
// whether the new scope has the object, that takes over when its watch has reported the write.
func TestTakeoverEndsEarlierEvents(t *testing.T) {
	for _, selector := range []string{"", "spec.x=1"} {
		synctest.Test(t, func(t *testing.T) {
			d := &driven{t, newOwn(t, func(string) bodies.OpenFunc { return cachetest.OpenerOf(cachetest.NewSource()) }, WithScopes(Scope{OtherNamespaces: true}))}
			c, src := inside(d.s), cachetest.NewSource()
			_, handler := listen(t, d.s)
			others := c.set.reflectors()[0]
			first := src.Set("a", "one", nil)
			d.list(others, "101", 0, first)
			second := src.Set("a", "two", nil)
			d.tell(others, second, 0)
			next := d.open(Scope{OtherNamespaces: true}, Scope{Namespace: "a", FieldSelector: selector})
			d.list(next, "101", 0, first)     // it is behind
			third := src.Set("a", "one", nil) // by another program
			fourth := src.Set("a", "one", nil)
			c.own.Wrote(cachetest.ResponseTo(fourth))
			cachetest.WantLines(t, versionsHeard(handler), "101", "102", "104")

			d.push(others, third, 0)
			d.push(next, second, 0)
			d.push(next, third, 0)
			d.process()
			d.wantOwner(next, selector == "")
			cachetest.WantLines(t, versionsHeard(handler))
			d.wantPending(1)

			d.tell(next, fourth, 0)
			d.wantOwner(next, true)
			cachetest.WantLines(t, versionsHeard(handler))
			d.wantPending(0)
			d.s.Stop()
		})
	}
}

// TestOwnWriteBeforeTakeover writes and deletes in a namespace that no scope has yet, after the list of the scope that will have it. That
// is behind what the old scope has reported of its part.
func TestOwnWriteBeforeTakeover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &driven{t, newOwn(t, func(string) bodies.OpenFunc { return cachetest.OpenerOf(cachetest.NewSource()) }, WithScopes(Scope{Namespace: "a"}))}
		c, src := inside(d.s), cachetest.NewSource()
		_, handler := listen(t, d.s)
		gone := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "b", Name: "gone", UID: "gone", ResourceVersion: "90"}}
		first := src.Set("a", "one", nil)
		d.list(c.set.reflectors()[0], "101", 0, first)
		second := src.Set("a", "two", nil)
		d.tell(c.set.reflectors()[0], second, 0)
		all := d.open(Scope{})
		d.list(all, "101", 0, first, gone)
		c.own.Wrote(cachetest.ResponseTo(src.Set("b", "new", nil)))
		c.own.Wrote(cachetest.Deletion(gone))
		cachetest.WantLines(t, versionsHeard(handler), "101", "102")
		d.tell(all, second, 0)
		d.wantOwner(all, true)
		cachetest.WantLines(t, versionsHeard(handler), "103")
		d.wantPending(2)

		setScopes(t, d.s, in("a")...)
		d.wantPending(0)
		d.s.Stop()
	})
}

// TestUnconfirmedWriteEndsBeforeATakeover by a scope without the object: OnDelete has the last state of the server.
func TestUnconfirmedWriteEndsBeforeATakeover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &driven{t, newOwn(t, func(string) bodies.OpenFunc { return cachetest.OpenerOf(cachetest.NewSource()) }, WithScopes(Scope{Namespace: "a"}))}
		c := inside(d.s)
		_, handler := listen(t, d.s)
		last := c.set.reflectors()[0]
		one := cachetest.NewSource().Set("a", "one", nil)
		d.list(last, "101", 0, one)
		d.bookmark(last, "102", 1)
		next := d.open(Scope{Namespace: "a", LabelSelector: "x=y"})
		d.list(next, "101", 0)
		c.own.Wrote(forgedResponse("one", one.UID, "105", forged))
		last.wanted.Events(nil, frontier.Position{Version: "106", Bookmarks: 2})
		next.wanted.Events(nil, frontier.Position{Version: "106", Bookmarks: 1})
		d.process()
		cachetest.WantLines(t, versionsHeard(handler), "101", "105", "101", "101")
		d.s.Stop()
	})
}
