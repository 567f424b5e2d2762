package cache

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
)

// reachedAt returns what the Reflector of the first scope tells after some deltas, and firstList its first list, which is empty.
func reachedAt(s *SharedIndexInformer[object], version string, bookmarks int) []deltafifo.Reached {
	scope := inside(s).core.Scopes()[0]
	return []deltafifo.Reached{{Scope: scope.ID, Frontier: &scope.Frontier, Position: frontier.Position{Version: version, Bookmarks: bookmarks}}}
}

func firstList(s *SharedIndexInformer[object], version string) *deltafifo.Batch {
	list := &deltafifo.Collection{IsFirst: true, Version: version}
	return &deltafifo.Batch{Deltas: []deltafifo.Delta{{Type: deltafifo.Replaced, Collection: list}}, Reached: reachedAt(s, version, 0)}
}

// driven is an informer that does not run: a test pushes what its Reflectors read, and applies it.
type driven struct {
	*testing.T
	s *SharedIndexInformer[object]
}

func (d *driven) process() {
	d.Helper()
	var batch deltafifo.Batch
	if err := inside(d.s).core.Queue.Pop(d.Context(), &batch); err != nil {
		d.Fatal(err)
	}
	inside(d.s).core.Process(&batch)
}

func (d *driven) list(r *scopeReflector, version string, bookmarks int, objs ...object) {
	d.Helper()
	r.wanted.Listed(&deltafifo.Collection{IsFirst: !r.Frontier.IsListed(), Began: inside(d.s).core.Changes.Load(), Version: version, Items: cachetest.WireItems(objs...)}, frontier.Position{Version: version, Bookmarks: bookmarks})
	d.process()
}

func (d *driven) bookmark(r *scopeReflector, version string, bookmarks int) {
	d.Helper()
	r.wanted.Events(nil, frontier.Position{Version: version, Bookmarks: bookmarks})
	d.process()
}

func (d *driven) tell(r *scopeReflector, obj object, bookmarks int) {
	d.Helper()
	d.push(r, obj, bookmarks)
	d.process()
}

// push is tell without process, so that a batch has several events.
func (d *driven) push(r *scopeReflector, obj object, bookmarks int) {
	r.wanted.Events([]deltafifo.Delta{{Type: deltafifo.Updated, Scope: r.wanted.ID, Item: cachetest.WireItem(obj)}}, frontier.Position{Version: obj.ResourceVersion, Bookmarks: bookmarks})
}

// open sets the scopes, and returns the Reflector of the one that is new.
func (d *driven) open(scopes ...Scope) *scopeReflector {
	d.Helper()
	known := inside(d.s).set.reflectors()
	setScopes(d.T, d.s, scopes...)
	now := inside(d.s).set.reflectors()
	return now[slices.IndexFunc(now, func(r *scopeReflector) bool { return !slices.Contains(known, r) })]
}

// wantPending checks how many writes are pending, and wantOwner whether a Reflector has a/one.
func (d *driven) wantPending(want int) {
	d.Helper()
	if n := d.s.Status().PendingWrites; n != want {
		d.Errorf("%d writes are pending, want %d", n, want)
	}
}

func (d *driven) wantOwner(r *scopeReflector, want bool) {
	d.Helper()
	owner, isOwned := inside(d.s).core.Owner(listed.Name{Namespace: "a", Name: "one"})
	if has := isOwned && owner == r.wanted.ID; has != want {
		d.Errorf("the scope has a/one: %v", has)
	}
}

// TestOverdueAfterABatchOfBookmarks: a write is overdue after two bookmarks and two minutes, also if another one was overdue in a batch
// with several bookmarks before.
func TestOverdueAfterABatchOfBookmarks(t *testing.T) {
	for _, batched := range []int{2, 5} {
		synctest.Test(t, func(t *testing.T) {
			d := &driven{t, newOwn(t, func(string) bodies.OpenFunc { return cachetest.OpenerOf(cachetest.NewSource()) })}
			r, src := inside(d.s).set.reflectors()[0], cachetest.NewSource()
			d.list(r, "10", 0)
			inside(d.s).own.Wrote(cachetest.ResponseTo(src.Set("a", "one", nil))) // 101
			time.Sleep(5 * time.Minute)
			d.bookmark(r, "11", batched)
			if n := d.s.Status().Unconfirmed; n != 1 {
				t.Errorf("%d bookmarks: %d versions are unconfirmed, want 1", batched, n)
			}
			d.list(r, "12", batched)
			inside(d.s).own.Wrote(cachetest.ResponseTo(src.Set("a", "two", nil))) // 102
			for n := 1; n <= 2; n++ {
				time.Sleep(time.Minute)
				d.bookmark(r, fmt.Sprint(12+n), batched+n)
			}
			if n := d.s.Status().Unconfirmed; n != 2 {
				t.Errorf("%d bookmarks: in the end %d versions are unconfirmed, want 2", batched, n)
			}
		})
	}
}

// TestMovedWriteWaitsForTwoBookmarks: after a takeover, two bookmarks of the new scope have to confirm a write. Those that it read while
// it waited do not count.
func TestMovedWriteWaitsForTwoBookmarks(t *testing.T) {
	for _, held := range []int{0, 3} {
		synctest.Test(t, func(t *testing.T) {
			d := &driven{t, newOwn(t, func(string) bodies.OpenFunc { return cachetest.OpenerOf(cachetest.NewSource()) }, WithScopes(Scope{OtherNamespaces: true}))}
			c, src := inside(d.s), cachetest.NewSource()
			others := c.set.reflectors()[0]
			first := src.Set("a", "one", nil)
			d.list(others, "101", 0, first)
			second := src.Set("a", "two", nil)
			d.tell(others, second, 0)
			setScopes(t, d.s, Scope{OtherNamespaces: true}, Scope{Namespace: "a"})
			next := c.set.reflectors()[slices.IndexFunc(c.set.reflectors(), func(r *scopeReflector) bool { return r != others })]
			d.list(next, "101", 0, first)
			src.Set("a", "third", nil)
			c.own.Wrote(cachetest.ResponseTo(src.Set("a", "one", nil))) // 104
			for n := range held {
				d.bookmark(next, "101", n+1)
			}
			time.Sleep(3 * time.Minute)
			d.tell(next, second, held) // takes over
			if n := d.s.Status().Unconfirmed; n != 0 {
				t.Errorf("%d bookmarks while it waited: %d versions are unconfirmed at the takeover", held, n)
			}
			d.bookmark(next, "103", held+1)
			if n := d.s.Status().Unconfirmed; n != 0 {
				t.Errorf("%d bookmarks while it waited: %d versions are unconfirmed after one bookmark", held, n)
			}
			d.bookmark(next, "103", held+2)
			if n := d.s.Status().Unconfirmed; n != 1 {
				t.Errorf("%d bookmarks while it waited: %d versions are unconfirmed after two bookmarks, want 1", held, n)
			}
		})
	}
}

// TestForgedDeleteHidesAListedObject: a list that was requested before a delete may have the object, which is hidden then. If the watch
// does not tell the end, the object exists, and another list has to bring it back.
func TestForgedDeleteHidesAListedObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &driven{t, newOwn(t, func(string) bodies.OpenFunc { return cachetest.OpenerOf(cachetest.NewSource()) })}
		r, one := inside(d.s).set.reflectors()[0], cachetest.NewSource().Set("a", "one", nil)
		began := inside(d.s).core.Changes.Load()
		inside(d.s).own.Wrote(cachetest.Deletion(one))
		r.wanted.Listed(&deltafifo.Collection{IsFirst: true, Began: began, Version: "101", Items: cachetest.WireItems(one)}, frontier.Position{Version: "101"})
		d.process()
		if n := d.s.Status().Objects; n != 0 {
			t.Errorf("the cache has %d objects after the delete", n)
		}
		for n := 1; n <= 2; n++ {
			time.Sleep(2 * time.Minute)
			d.bookmark(r, "101", n)
		}
		if n := d.s.Status().Unconfirmed; n != 1 {
			t.Errorf("%d versions are unconfirmed, want 1", n)
		}
		d.list(r, "101", 2, one)
		if status := d.s.Status(); status.Objects != 1 || status.PendingWrites != 0 {
			t.Errorf("after the next list: %v", status)
		}
	})
}
