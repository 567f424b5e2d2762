package scopes

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/informer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/reflector"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

type silent struct{}

func (silent) Started(context.Context)                            {}
func (silent) Applied(int, clock.Stamp, clock.Stamp, clock.Stamp) {}
func (silent) Noted([]processor.Notification)                     {}
func (silent) Listed()                                            {}
func (silent) Ended()                                             {}
func (silent) Stopped()                                           {}

type sink struct{ *informer.Scope }

func (sink) Failed(context.Context, error) {}
func (sink) Changed()                      {}

// open opens a scope of a region, whose Reflector a test plays.
func open(c *informer.Informer, id frontier.ID, region Region) *Wanted {
	w := &Wanted{Scope: c.Open(id), Region: region}
	w.Scope.Namespace = region.Namespace
	w.Reflector = reflector.New(reflector.Settings{Source: source.Failing{}}, sink{w.Scope})
	return w
}

// follower notes what it is told.
type follower struct {
	trail  []string
	behind uint64
}

func (f *follower) Follow(open iter.Seq[*informer.Scope], isWhole bool) {
	var ids []frontier.ID
	for scope := range open {
		ids = append(ids, scope.ID)
	}
	slices.Sort(ids)
	f.trail = append(f.trail, fmt.Sprint("follow ", ids, isWhole))
}

func (f *follower) Move(from, to frontier.ID, has func(listed.Name) bool) {
	f.trail = append(f.trail, fmt.Sprint("move ", from, to, has(listed.Name{Namespace: "a", Name: "one"})))
}

func (f *follower) Behind(_ frontier.ID, after uint64) uint64 {
	if f.behind > after {
		return f.behind
	}
	return 0
}

func (f *follower) Admit(deltas []deltafifo.Delta, reached []deltafifo.Reached) ([]deltafifo.Delta, []deltafifo.Reached) {
	for i := range deltas {
		f.trail = append(f.trail, fmt.Sprint("admit ", deltas[i].Type, deltas[i].Scope))
	}
	return deltas, reached
}

func (f *follower) Reached([]deltafifo.Reached) ([]deltafifo.Delta, []deltafifo.Reached) {
	return nil, nil
}
func (f *follower) Start(context.Context) {}
func (f *follower) End()                  {}

func (f *follower) want(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(f.trail, want) {
		t.Errorf("%q, want %q", f.trail, want)
	}
	f.trail = nil
}

// list tells a list with one object, and applies it.
func list(t *testing.T, c *informer.Informer, w *Wanted, version string) {
	t.Helper()
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "one", ResourceVersion: version}}
	w.Listed(&deltafifo.Collection{IsFirst: true, Version: version, Items: []wire.Item{{Object: obj}}}, frontier.Position{Version: version})
	process(t, c)
}

func process(t *testing.T, c *informer.Informer) {
	t.Helper()
	var batch deltafifo.Batch
	if err := c.Queue.Pop(t.Context(), &batch); err != nil {
		t.Fatal(err)
	}
	c.Process(&batch)
}

// TestFollowersMoveAndForget lets scope after scope take over a namespace. What a feature keeps for a scope has to move before the
// list of the next one is admitted, and nothing is kept for one that was closed: a program may change its scopes for years.
func TestFollowersMoveAndForget(t *testing.T) {
	c := informer.New(indexer.New(store.FormOf[*metav1.PartialObjectMetadata]()), silent{})
	f := &follower{}
	c.Add(f)
	region := Region{Namespace: "a"}
	p := New(c, []*Wanted{open(c, 0, region)}, false)
	f.want(t, "follow [0] false")
	list(t, c, p.wanted[0], "5")
	f.want(t, "admit Replaced 0")
	for id := frontier.ID(1); id < 4; id++ {
		next := open(c, id, region)
		c.Change(func(uint64) { p.Set([]*Wanted{next}) })
		f.want(t, fmt.Sprintf("follow [%d %d] false", id-1, id))
		f.behind = 7
		list(t, c, next, "6")
		if f.want(t); !next.IsHeld.Load() || len(p.Left()) != 1 || c.HasSynced() {
			t.Error("a scope has taken over that is behind")
		}
		f.behind = 0
		next.Events(nil, frontier.Position{Version: "7", Bookmarks: 1})
		process(t, c)
		f.want(t, fmt.Sprintf("move %d %d true", id-1, id), fmt.Sprintf("follow [%d] false", id), fmt.Sprintf("admit Replaced %d", id))
		if next.IsHeld.Load() || len(p.Left()) != 0 || !c.HasSynced() || c.LastSyncResourceVersion() != "7" || c.Indexer.Len() != 1 {
			t.Errorf("after a takeover: %d objects at %s", c.Indexer.Len(), c.LastSyncResourceVersion())
		}
	}
	c.Halt()
}

// TestLaterScopesAreListedTogether: an informer whose scopes come later is synced when the first ones are listed, all of them.
func TestLaterScopesAreListedTogether(t *testing.T) {
	c := informer.New(indexer.New(store.FormOf[*metav1.PartialObjectMetadata]()), silent{})
	p := New(c, nil, true)
	first := c.Mark()
	c.Change(func(uint64) {})
	if c.HasSynced() {
		t.Error("synced without scopes")
	}
	a, b := open(c, 1, Region{Namespace: "a"}), open(c, 2, Region{Namespace: "b"})
	c.Change(func(uint64) { p.Set([]*Wanted{a, b}) })
	list(t, c, a, "5")
	if c.Listed().Has(first) {
		t.Error("synced after one of two lists")
	}
	list(t, c, b, "5")
	if !c.Listed().Has(first) || !c.HasSynced() {
		t.Error("not synced after both lists")
	}
	c.Change(func(uint64) { p.Set([]*Wanted{a, b, open(c, 3, Region{Namespace: "c"})}) })
	if c.HasSynced() || !c.Listed().Has(first) {
		t.Error("a further scope is not awaited, or by callers of before")
	}
	c.Change(func(uint64) { p.Set(nil) })
	if !c.HasSynced() || c.Indexer.Len() != 0 {
		t.Error("not synced without a scope")
	}
	c.Halt()
}
