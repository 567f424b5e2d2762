package informer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/internal/leaks"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/reflector"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

func TestMain(m *testing.M) { leaks.Main(m) }

type object = *metav1.PartialObjectMetadata

func named(name, version string) object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name, ResourceVersion: version}}
}

// quiet is an Observer that notes the order of what it hears. noted, if it is not nil, gets the changes.
type quiet struct {
	heard []string
	noted func([]processor.Notification)
}

func (q *quiet) Started(context.Context) { q.heard = append(q.heard, "started") }
func (q *quiet) Applied(n int, _, _, _ clock.Stamp) {
	q.heard = append(q.heard, fmt.Sprint("applied ", n))
}
func (q *quiet) Noted(notes []processor.Notification) {
	if q.noted != nil {
		q.noted(notes)
	}
}
func (q *quiet) Listed()  { q.heard = append(q.heard, "listed") }
func (q *quiet) Ended()   { q.heard = append(q.heard, "ended") }
func (q *quiet) Stopped() { q.heard = append(q.heard, "stopped") }

// ignoring is a processor.Observer.
type ignoring struct{}

func (ignoring) Begin()                              {}
func (ignoring) End(clock.Stamp)                     {}
func (ignoring) Rest()                               {}
func (ignoring) Failed(*processor.Notification, any) {}
func (ignoring) Removed()                            {}
func (ignoring) Gone()                               {}

func unobserved(*processor.Listener) processor.Observer { return ignoring{} }

func wantEqual(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// plain returns an informer without a feature, and its scope, whose Reflector a test plays.
func plain(functions ...indexer.Function) (*Informer, *Scope, *quiet) {
	cache, heard := indexer.New(store.FormOf[object]()), &quiet{}
	if err := cache.AddIndexes(functions...); err != nil {
		panic(err)
	}
	c := New(cache, heard)
	scope := c.Open(0)
	scope.Reflector = reflector.New(reflector.Settings{Source: source.Failing{}}, sink{scope})
	scope.Run = func(ctx context.Context) { <-ctx.Done() }
	c.Follow([]*Scope{scope}, 1, 0)
	return c, scope, heard
}

// sink is that of a Reflector which reads nothing.
type sink struct{ *Scope }

func (sink) Failed(context.Context, error) {}
func (sink) Changed()                      {}

// process applies the next batch.
func process(t *testing.T, c *Informer) {
	t.Helper()
	var batch deltafifo.Batch
	if err := c.Queue.Pop(t.Context(), &batch); err != nil {
		t.Fatal(err)
	}
	c.Process(&batch)
}

func list(version string, objs ...object) (*deltafifo.Collection, frontier.Position) {
	all := &deltafifo.Collection{IsFirst: true, Version: version}
	for _, obj := range objs {
		all.Items = append(all.Items, wire.Item{Object: obj})
	}
	return all, frontier.Position{Version: version}
}

func event(obj object) ([]deltafifo.Delta, frontier.Position) {
	return []deltafifo.Delta{{Type: deltafifo.Updated, Item: wire.Item{Object: obj}}}, frontier.Position{Version: obj.ResourceVersion}
}

// feature drops events of objects with the name dropped, and after each step applies those that it was given.
type feature struct {
	name  string
	trail *[]string
	more  []deltafifo.Delta
	to    []deltafifo.Reached
}

func (f *feature) Admit(deltas []deltafifo.Delta, reached []deltafifo.Reached) ([]deltafifo.Delta, []deltafifo.Reached) {
	*f.trail = append(*f.trail, fmt.Sprintf("%s admits %d to %d", f.name, len(deltas), len(reached)))
	return slices.DeleteFunc(deltas, func(d deltafifo.Delta) bool { return d.Object != nil && d.Object.GetName() == "dropped by "+f.name }), reached
}

func (f *feature) Reached(reached []deltafifo.Reached) (more []deltafifo.Delta, to []deltafifo.Reached) {
	*f.trail = append(*f.trail, fmt.Sprintf("%s reached %d", f.name, len(reached)))
	more, f.more, to, f.to = f.more, nil, f.to, nil
	return more, to
}

func (f *feature) Start(context.Context) {}

func (f *feature) End() { *f.trail = append(*f.trail, f.name+" ends") }

// TestFeaturesInOrder: what the first feature applies later passes the second one, and not the first one again.
func TestFeaturesInOrder(t *testing.T) {
	var trail []string
	c, scope, _ := plain()
	second := &feature{name: "second", trail: &trail, more: []deltafifo.Delta{{Type: deltafifo.Updated, Item: wire.Item{Object: named("by second", "7")}}}}
	c.Add(second)
	more, to := event(named("by first", "6"))
	first := &feature{name: "first", trail: &trail, more: more, to: []deltafifo.Reached{{Frontier: &scope.Frontier, Position: to}}}
	c.Add(first)
	scope.Listed(list("5", named("listed", "1"), named("kept", "2")))
	process(t, c)
	wantEqual(t, trail, []string{
		"first admits 1 to 1", "second admits 1 to 1", "second reached 1", "first reached 1", "second admits 1 to 1", "second reached 1",
	})
	if n, version := c.Indexer.Len(), c.LastSyncResourceVersion(); n != 4 || version != "6" {
		t.Errorf("%d objects at %s", n, version)
	}
	trail = nil
	scope.Events(event(named("dropped by second", "8")))
	process(t, c)
	if n, version := c.Indexer.Len(), c.LastSyncResourceVersion(); n != 4 || version != "8" {
		t.Errorf("%d objects at %s", n, version)
	}
	c.Halt()
	if ran := c.Run(t.Context()); ran || c.Change(func(uint64) { t.Error("a step after the end") }) {
		t.Error("an informer that was retired runs")
	}
}

// TestWaitsComeLast: a caller of Wait does not see what a feature undoes in the step that reaches the version.
func TestWaitsComeLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c *Informer
		var scope *Scope
		isEarly := false
		c, scope, _ = plain(indexer.Function{Name: "late", Values: func(obj wire.Object) []string {
			isEarly = isEarly || obj.GetName() == "undone" && len(c.waits) == 0
			return nil
		}})
		scope.Listed(list("5"))
		process(t, c)
		f := &feature{name: "f", trail: new([]string)}
		c.Add(f)
		waiting := make(chan error, 1)
		go func() { waiting <- c.Wait(t.Context(), 9) }()
		synctest.Wait()
		f.more = []deltafifo.Delta{{Type: deltafifo.Updated, Item: wire.Item{Object: named("undone", "1")}}}
		scope.Events(nil, frontier.Position{Version: "9"})
		process(t, c)
		if err := <-waiting; err != nil || isEarly || c.Indexer.Len() != 1 {
			t.Errorf("%v, before the feature: %v, with %d objects", err, isEarly, c.Indexer.Len())
		}
		c.Halt()
		if err := c.Wait(t.Context(), 10); !errors.Is(err, ErrEnded) {
			t.Error(err)
		}
	})
}

// TestChangesAreNotedFirst: the cache has a change when the observer gets it, and no handler does.
func TestChangesAreNotedFirst(t *testing.T) {
	c, scope, heard := plain()
	l := processor.NewListener(processor.Options{Observer: unobserved})
	c.AddHandler(l)
	var got []string
	heard.noted = func(notes []processor.Notification) {
		got = append(got, fmt.Sprintf("%d from %s: %d cached, %d for the handler", len(notes), notes[0].Obj.GetName(), c.Indexer.Len(), l.Backlog()))
	}
	scope.Listed(list("5", named("one", "1")))
	process(t, c)
	scope.Events(event(named("two", "6")))
	process(t, c)
	scope.Events(nil, frontier.Position{Version: "7"})
	process(t, c)
	c.Change(func(uint64) {
		c.Apply(deltafifo.Delta{Type: deltafifo.Deleted, Item: wire.Item{Object: named("one", "8")}})
	})
	c.Change(func(uint64) {
		c.Forget(deltafifo.Part{Namespace: "a", Has: func(listed.Name) bool { return true }})
		c.Forget(deltafifo.Part{Namespace: "a", Has: func(listed.Name) bool { return true }}) // has no object any more
	})
	wantEqual(t, got, []string{
		"1 from one: 1 cached, 0 for the handler", "1 from two: 2 cached, 1 for the handler",
		"1 from one: 1 cached, 2 for the handler", "1 from two: 0 cached, 3 for the handler",
	})
}

// TestObserverHearsInOrder runs a plain informer, which has no feature, with one handler.
func TestObserverHearsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, scope, heard := plain()
		if len(c.Features()) != 0 {
			t.Error("a plain informer has a feature")
		}
		var handled []string
		l := processor.NewListener(processor.Options{Observer: unobserved, Deliver: func(n *processor.Notification) {
			handled = append(handled, fmt.Sprint(n.Obj.GetName(), n.Initial))
		}})
		c.AddHandler(l)
		ctx, cancel := context.WithCancel(t.Context())
		go c.Run(ctx)
		synctest.Wait()
		scope.Listed(list("5", named("one", "1")))
		scope.Events(event(named("two", "6")))
		synctest.Wait()
		if !c.HasSynced() || !l.Lists().Has(c.Mark()) {
			t.Error("not synced")
		}
		c.RemoveHandler(l)
		cancel()
		<-c.Done()
		wantEqual(t, handled, []string{"onetrue", "twofalse"})
		heard.heard = slices.DeleteFunc(heard.heard, func(line string) bool { return strings.HasPrefix(line, "applied") })
		wantEqual(t, heard.heard, []string{"started", "listed", "ended", "stopped"})
	})
}
