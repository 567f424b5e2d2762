package cache

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/internal/packing/packingtest"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/wire"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// TestOwnWritesInAnyOrder plays short histories of one name to an informer that does not run, so
// that each order of responses, events, batches, bookmarks and lists can happen. After each step
// the cache is compared with what has been reported.
func TestOwnWritesInAnyOrder(t *testing.T) {
	seeds := 4_000
	if testing.Short() {
		seeds = 1_000
	}
	for _, selects := range []bool{false, true} {
		t.Run(fmt.Sprintf("selector=%v", selects), func(t *testing.T) {
			for first := 0; first < seeds && !t.Failed(); first += 1000 {
				synctest.Test(t, func(t *testing.T) {
					for seed := first; seed < first+1000 && !t.Failed(); seed++ {
						playOrder(t, uint64(seed), selects)
					}
				})
			}
		})
	}
}

// fact is a state of the name on the server. obj is nil if the name has no object.
type fact struct {
	version int
	obj     object
	inScope bool
	// event is what the watch reports, nil if nothing.
	event *deltafifo.Delta
	// response is what the program hears if the write is its own.
	response *writes.Write
}

// order is a history, and how much of it the informer was sent.
type order struct {
	t        *testing.T
	random   *rand.Rand
	selects  bool
	informer *SharedIndexInformer[object]
	heard    *historian
	trail    []string

	facts []fact
	// sent is the number of facts whose events are in the queue.
	sent      int
	responses []fact
	began     uint64
	listed    bool // once
	listing   bool
	// listFrom is the least version of the list that was requested.
	listFrom int
	// told is the highest version of the name that a response has reported, and dead are the UIDs
	// that are known to be deleted.
	told int
	dead map[types.UID]bool
	seen map[types.UID]int
}

func playOrder(t *testing.T, seed uint64, selects bool) {
	o := &order{t: t, random: rand.New(rand.NewPCG(seed, 19)), selects: selects, dead: map[types.UID]bool{}, seen: map[types.UID]int{}}
	var options []SharedInformerOption
	if selects {
		options = append(options, WithLabelSelector("in=scope"))
	}
	o.informer = newOwn(t, func(string) bodies.OpenFunc { return cachetest.OpenerOf(cachetest.NewSource()) }, options...)
	o.heard = &historian{t: t, scoped: selects, known: map[ObjectName]object{}}
	if _, err := o.informer.AddEventHandler(o.heard); err != nil {
		t.Fatal(err)
	}
	s := o.informer
	inside(s).core.Change(func(uint64) { inside(s).core.Processor.Start() })
	o.facts = []fact{{version: 10}}
	for range o.random.IntN(3) {
		o.write()
	}
	o.responses = nil // answered before the informer began
	o.began, o.listing, o.listFrom = 0, true, len(o.facts)-1
	steps := 4 + o.random.IntN(24)
	for range steps {
		o.step(o.random.IntN(9))
		if t.Failed() {
			break
		}
	}
	for len(o.responses) > 0 && !t.Failed() {
		o.answer()
	}
	if o.listing {
		o.list()
	}
	o.send(len(o.facts))
	o.process()
	o.facts = append(o.facts, fact{version: o.last().version + 1, obj: o.last().obj, inScope: o.last().inScope})
	o.bookmark()
	synctest.Wait()
	o.checkEnd()
	inside(s).core.Change(func(uint64) { inside(s).core.Processor.Stop() })
	inside(s).core.Processor.Wait()
	if t.Failed() {
		t.Logf("seed %d, selector %v:\n%s", seed, selects, strings.Join(o.trail, "\n"))
	}
}

func (o *order) last() *fact { return &o.facts[len(o.facts)-1] }

func (o *order) log(format string, args ...any) {
	o.trail = append(o.trail, fmt.Sprintf(format, args...))
}

func (o *order) step(what int) {
	switch {
	case what < 3:
		o.write()
	case what == 3 && len(o.responses) > 0:
		o.answer()
	case what == 4 && len(o.responses) > 0:
		o.answer()
	case what == 5 && !o.listing:
		o.send(o.sent + 1)
	case what == 6:
		o.process()
	case what == 7:
		o.bookmark()
	case what == 8 && o.listing:
		o.list()
	case what == 8 && o.random.IntN(4) == 0:
		o.began = inside(o.informer).core.Changes.Load()
		o.listing, o.listFrom = true, len(o.facts)-1
		o.log("list begins at %d", o.last().version)
	}
	o.check()
}

// write changes the object on the server.
func (o *order) write() {
	last := o.last()
	next := fact{version: last.version + 1 + o.random.IntN(2)}
	own := o.random.IntN(3) > 0
	kind := deltafifo.Updated
	switch {
	case last.obj == nil:
		next.obj = &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "one", UID: types.UID(fmt.Sprint("uid-", next.version))}}
		next.inScope = !o.selects || o.random.IntN(3) > 0
		kind = deltafifo.Added
	case o.random.IntN(3) == 0:
		kind = deltafifo.Deleted
	default:
		next.obj = last.obj.DeepCopy()
		next.inScope = !o.selects || o.random.IntN(2) > 0
	}
	version := strconv.Itoa(next.version)
	if next.obj != nil {
		next.obj.ResourceVersion, next.obj.Labels = version, nil
		if next.inScope {
			next.obj.Labels = map[string]string{"in": "scope"}
		}
	}
	switch {
	case last.inScope && !next.inScope:
		gone := last.obj.DeepCopy()
		gone.ResourceVersion = version
		next.event = &deltafifo.Delta{Type: deltafifo.Deleted, Item: cachetest.WireItem(gone)}
	case !last.inScope && next.inScope:
		next.event = &deltafifo.Delta{Type: deltafifo.Added, Item: cachetest.WireItem(next.obj.DeepCopy())}
	case next.inScope:
		next.event = &deltafifo.Delta{Type: deltafifo.Updated, Item: cachetest.WireItem(next.obj.DeepCopy())}
	}
	if own {
		var w writes.Write
		if kind == deltafifo.Deleted {
			w = cachetest.Deletion(last.obj)
		} else {
			w = cachetest.ResponseTo(next.obj)
		}
		next.response = &w
		next.obj = next.obj.DeepCopy()
		o.responses = append(o.responses, next)
		if kind == deltafifo.Deleted {
			o.responses[len(o.responses)-1].obj = nil
		}
	}
	o.facts = append(o.facts, next)
	o.log("server: %v of %v @%d, own %v, in scope %v, event %v", kind, w0(last.obj, next.obj), next.version, own, next.inScope, next.event != nil)
}

func w0(a, b object) types.UID {
	if b != nil {
		return b.UID
	}
	return a.UID
}

// answer tells of one of the own writes, or never does.
func (o *order) answer() {
	at := o.random.IntN(len(o.responses))
	f := o.responses[at]
	o.responses = slices.Delete(o.responses, at, at+1)
	if o.random.IntN(8) == 0 {
		o.log("the response of %d is lost", f.version)
		return
	}
	o.log("response of %d, gone %v", f.version, f.response.Gone)
	inside(o.informer).own.Wrote(*f.response)
	if f.response.Gone {
		o.dead[f.response.Object.UID] = true
	}
	if o.informer.HasSynced() {
		o.told = max(o.told, f.version)
	}
	o.check()
}

// send pushes the events up to a fact.
func (o *order) send(until int) {
	for ; o.sent < until && o.sent < len(o.facts); o.sent++ {
		if f := &o.facts[o.sent]; f.event != nil {
			o.log("event %v @%d is read", f.event.Type, f.version)
			delta := *f.event
			delta.Object = delta.Object.(object).DeepCopy()
			o.reach(f.version, delta)
		}
	}
}

// reach pushes deltas, and the version that the watch has reported with them.
func (o *order) reach(version int, deltas ...deltafifo.Delta) {
	r := inside(o.informer).set.reflectors()[0]
	r.wanted.Events(deltas, frontier.Position{Version: strconv.Itoa(version)})
}

// process applies what is in the queue.
func (o *order) process() {
	c := inside(o.informer)
	ended, end := context.WithCancel(context.Background())
	end()
	var batch deltafifo.Batch
	if c.core.Queue.Pop(ended, &batch) != nil {
		return // it is empty
	}
	o.log("%d deltas are processed", len(batch.Deltas))
	if !o.selects {
		for i := range batch.Deltas {
			if batch.Deltas[i].Type == deltafifo.Deleted {
				o.dead[batch.Deltas[i].Object.GetUID()] = true
			}
		}
	}
	c.core.Process(&batch)
	c.core.Queue.Processed()
}

// bookmark tells the watch that it has all events.
func (o *order) bookmark() {
	if o.listing {
		return
	}
	o.send(len(o.facts))
	o.log("bookmark @%d", o.last().version)
	o.reach(o.last().version)
	if inside(o.informer).core.Queue.Waiting() == 0 || o.random.IntN(2) == 0 {
		o.process()
	}
}

// list ends the list that is under way.
func (o *order) list() {
	at := o.listFrom + o.random.IntN(len(o.facts)-o.listFrom)
	f := &o.facts[at]
	o.log("list @%d", f.version)
	o.listing, o.sent = false, at+1
	list := &deltafifo.Collection{IsFirst: !o.listed, Began: o.began, Version: strconv.Itoa(f.version)}
	if o.listed = true; f.inScope {
		list.Items = []wire.Item{cachetest.WireItem(f.obj.DeepCopy())}
	}
	inside(o.informer).set.reflectors()[0].wanted.Listed(list, frontier.Position{Version: list.Version})
	if o.random.IntN(2) == 0 {
		o.process()
	}
	o.check()
}

func (o *order) check() {
	o.t.Helper()
	cached, found := o.informer.GetStore().Get(ObjectName{"a", "one"})
	if !found {
		if o.informer.HasSynced() && o.told > 0 {
			// a state after the told one has to be the reason
			for i := len(o.facts) - 1; i >= 0 && o.facts[i].version >= o.told; i-- {
				if !o.facts[i].inScope {
					return
				}
			}
			o.t.Errorf("nothing is cached, but @%d was told", o.told)
		}
		return
	}
	version := cachetest.VersionOf(cached)
	if o.dead[cached.UID] {
		o.t.Errorf("%s@%d is dead, and cached", cached.UID, version)
	}
	if version < o.seen[cached.UID] {
		o.t.Errorf("%s goes back from %d to %d", cached.UID, o.seen[cached.UID], version)
	}
	o.seen[cached.UID] = version
	if version < o.told && !o.deleteOnly(cached.UID, version) {
		o.t.Errorf("cached is %s@%d, but @%d was told", cached.UID, version, o.told)
	}
}

// deleteOnly reports whether all that was reported after a version are deletes of other objects.
func (o *order) deleteOnly(uid types.UID, version int) bool {
	for i := range o.facts {
		if f := &o.facts[i]; f.version == o.told {
			return f.obj == nil && f.response.Object.UID != uid
		}
	}
	return false
}

func (o *order) checkEnd() {
	last := o.last()
	cached, found := o.informer.GetStore().Get(ObjectName{"a", "one"})
	switch {
	case found != last.inScope:
		o.t.Errorf("in the end, cached is %v, in scope %v", cached, last.inScope)
	case found && (cached.UID != last.obj.UID || cached.ResourceVersion != last.obj.ResourceVersion):
		o.t.Errorf("in the end, cached is %s@%s, the truth is %s@%s", cached.UID, cached.ResourceVersion, last.obj.UID, last.obj.ResourceVersion)
	}
	if status := o.informer.Status(); status.PendingWrites != 0 || status.Unconfirmed != 0 {
		o.t.Errorf("in the end %d writes are pending, %d are not confirmed", status.PendingWrites, status.Unconfirmed)
	}
	o.heard.mu.Lock()
	defer o.heard.mu.Unlock()
	if known := o.heard.known[ObjectName{"a", "one"}]; !packingtest.IsState(known, cached) {
		o.t.Errorf("the handler believes in %v, cached is %v", known, cached)
	}
}
