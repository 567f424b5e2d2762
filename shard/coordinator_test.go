package shard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// TestMembersDivide lets members come, go, and lose the server, while workers work on all objects.
func TestMembersDivide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t, 300)
		var all []string
		for i := range 3 {
			all = append(all, fmt.Sprintf("pod-%d", i))
			g.start(options(all[i]))
		}
		time.Sleep(30 * time.Second) // the table is new
		g.settled(all...)
		time.Sleep(narrowAfter)
		g.settled(all...)
		if n := g.members["pod-0"].informer.count(); n < 80 || n > 120 {
			t.Errorf("pod-0 caches %d of 300 objects", n)
		}

		stop := make(chan struct{})
		workers := g.workers(all, stop)
		g.members["pod-1"].line.cut.Store(true)
		time.Sleep(60 * time.Second)
		if n := g.members["pod-1"].Status().Owned; n != 0 {
			t.Errorf("pod-1 owns %d slots without the server", n)
		}
		close(stop)
		workers.Wait()
		g.settled("pod-0", "pod-2")

		g.members["pod-1"].line.cut.Store(false)
		time.Sleep(40 * time.Second)
		g.settled(all...)

		p := g.end("pod-0")
		if p.err != nil {
			t.Errorf("Run returned %v", p.err)
		}
		time.Sleep(6 * time.Second) // no Lease has to expire
		g.settled("pod-1", "pod-2")
		if leases := g.leases(); strings.Contains(leases, "pod-0") {
			t.Errorf("after the end of pod-0 there are %s", leases)
		}
		for identity, p := range g.members {
			if ends, wrong := p.recorder.take(); len(ends)+len(wrong) > 0 {
				t.Errorf("the handler of %s got OnDelete of objects that moved, or wrong events: %q, %q", identity, ends, wrong)
			}
		}
	})
}

// leases returns the names of the Leases.
func (g *group) leases() string {
	for _, p := range g.members {
		list, err := p.leases.client.List(g.t.Context(), metav1.ListOptions{})
		if err != nil {
			g.t.Fatal(err)
		}
		var names []string
		for _, lease := range list.Items {
			names = append(names, lease.Name)
		}
		return strings.Join(names, " ")
	}
	return ""
}

// one starts a member that owns everything, and returns one of the objects.
func one(t *testing.T, o Options) (*group, *process, object) {
	g := newGroup(t, 300)
	p := g.start(o)
	time.Sleep(30 * time.Second)
	g.settled(o.Identity)
	return g, p, g.collection.all()["object-7"]
}

// TestHandoverWaitsForWork keeps an object at work, until another member is to have it.
func TestHandoverWaitsForWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, a, _ := one(t, options("pod-a"))
		type piece struct {
			obj      object
			done     func()
			canceled <-chan struct{}
			cause    func() error
		}
		var pieces []piece
		for _, obj := range g.collection.all() {
			ctx, done, ok := a.Begin(t.Context(), obj)
			if !ok {
				t.Fatalf("pod-a may not work on %s", obj.Name)
			}
			pieces = append(pieces, piece{obj, done, ctx.Done(), func() error { return context.Cause(ctx) }})
		}
		b := g.start(options("pod-b"))
		time.Sleep(20 * time.Second)
		if status := a.Status(); status.Draining != 16 || status.Owned != 16 || status.Working != 300 {
			t.Errorf("pod-a has %+v, want half of its slots draining", status)
		}
		if n := b.Status().Owned; n != 0 {
			t.Errorf("pod-b owns %d slots with work in progress", n)
		}
		moving := 0
		for _, p := range pieces {
			if isClosed(p.canceled) {
				t.Fatalf("the work on %s is canceled too early: %v", p.obj.Name, p.cause())
			}
			if _, done, ok := a.Begin(t.Context(), p.obj); ok {
				done()
			} else {
				moving++
			}
			if b.Owns(p.obj) {
				t.Errorf("pod-b owns %s while pod-a works on it", p.obj.Name)
			}
		}
		if moving < 20 {
			t.Errorf("only %d objects move", moving)
		}

		time.Sleep(20 * time.Second) // DrainTimeout is over
		canceled := 0
		for _, p := range pieces {
			if isClosed(p.canceled) {
				canceled++
				if err := p.cause(); err == nil || !strings.Contains(err.Error(), "DrainTimeout") {
					t.Errorf("the work is canceled because of %v", err)
				}
			}
			if b.Owns(p.obj) {
				t.Errorf("pod-b owns %s while pod-a works on it", p.obj.Name)
			}
		}
		if canceled != moving {
			t.Errorf("%d pieces of work are canceled, want %d", canceled, moving)
		}
		for _, p := range pieces {
			p.done()
			p.done() // the second one has no effect
		}
		time.Sleep(10 * time.Second)
		g.settled("pod-a", "pod-b")
	})
}

// TestLapse cuts the only member from the server, with work in progress.
func TestLapse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, p, obj := one(t, options("pod-a"))
		ctx, done, ok := p.Begin(t.Context(), obj)
		if !ok {
			t.Fatal("pod-a may not work")
		}
		defer done()
		p.line.cut.Store(true)
		begin := time.Now()
		<-ctx.Done()
		if d := time.Since(begin); d < 11*time.Second || d > 13500*time.Millisecond {
			t.Errorf("the work is canceled after %v, want up to 13.5s", d)
		}
		if !errors.As(context.Cause(ctx), new(*LostError)) {
			t.Errorf("the work is canceled because of %v", context.Cause(ctx))
		}
		if p.Owns(obj) {
			t.Error("the member owns the object after it has lost it")
		}
		if _, _, ok := p.Begin(t.Context(), obj); ok {
			t.Error("work begins after the member has lost the object")
		}
		if err := p.Status().Err; err == nil || !strings.Contains(err.Error(), "no response within") {
			t.Errorf("Status has %v", err)
		}
		p.line.cut.Store(false)
		time.Sleep(20 * time.Second)
		if p.Owns(obj) {
			t.Error("the member owns the object again, although the work from before has not ended")
		}
		done()
		time.Sleep(10 * time.Second)
		if !p.Owns(obj) {
			t.Error("the member does not get the object back")
		}
	})
}

// TestStatusCounts reads the Status of a member that begins, loses the server, is back, and shares with another one.
func TestStatusCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t, 10)
		p := g.prepare(options("pod-a"))
		if at := p.Status().Renewed; !at.IsZero() {
			t.Errorf("before Run, Renewed is %v", at)
		}
		check := func(when string, gained, lost, lapses uint64, renewed time.Duration) {
			t.Helper()
			s := p.Status()
			if s.Gained != gained || s.Lost != lost || s.Lapses != lapses {
				t.Errorf("%s: %d slots gained, %d lost, %d lapses; want %d, %d, %d", when, s.Gained, s.Lost, s.Lapses, gained, lost, lapses)
			}
			if since := time.Since(s.Renewed); since < renewed || since > renewed+p.options.RenewPeriod {
				t.Errorf("%s: the last renewal was %v ago, want %v and up to RenewPeriod", when, since, renewed)
			}
		}
		g.run("pod-a")
		time.Sleep(30 * time.Second)
		g.settled("pod-a")
		check("at the start", 32, 0, 0, 0)
		p.line.cut.Store(true)
		time.Sleep(20 * time.Second)
		check("without the server", 32, 32, 1, 20*time.Second)
		p.line.cut.Store(false)
		time.Sleep(30 * time.Second)
		check("back", 64, 32, 1, 0)
		g.start(options("pod-b"))
		time.Sleep(10 * time.Second)
		g.settled("pod-a", "pod-b")
		check("with pod-b", 64, 48, 1, 0)
		g.end("pod-a")
		if s := p.Status(); s.Lost != 64 || s.Lapses != 1 {
			t.Errorf("after the end: %d slots lost, %d lapses; want 64, 1", s.Lost, s.Lapses)
		}
	})
}

// TestLeaveWaitsForWork ends Run while work is in progress.
func TestLeaveWaitsForWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, p, obj := one(t, options("pod-a"))
		_, done, _ := p.Begin(t.Context(), obj)
		p.stop()
		time.Sleep(20 * time.Second)
		if isClosed(p.done) {
			t.Fatal("Run has returned before the work has ended")
		}
		if _, _, ok := p.Begin(t.Context(), obj); ok {
			t.Error("work begins after the end of the context of Run")
		}
		done()
		<-p.done
		if p.err != nil {
			t.Errorf("Run returned %v", p.err)
		}
		if leases := g.leases(); leases != "web" {
			t.Errorf("the Leases are %s, want only the table", leases)
		}
		if err := p.Run(t.Context()); err == nil {
			t.Error("a second Run has no error")
		}
	})
}

// TestLeaveWithoutEndOfWork ends Run while work is in progress that never ends.
func TestLeaveWithoutEndOfWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, p, obj := one(t, options("pod-a"))
		ctx, done, _ := p.Begin(t.Context(), obj)
		defer done()
		b := g.start(options("pod-b"))
		p.stop()
		<-p.done
		if p.err == nil || !strings.Contains(p.err.Error(), "1 pieces of work had not ended") {
			t.Errorf("Run returned %v", p.err)
		}
		if ctx.Err() == nil || p.Owns(obj) {
			t.Error("the work goes on after the end of Run")
		}
		if b.Owns(obj) {
			t.Error("pod-b owns the object while pod-a may")
		}
		time.Sleep(30 * time.Second)
		if !b.Owns(obj) {
			t.Error("pod-b does not own the object in the end")
		}
	})
}

// TestInformerEnds ends an informer of a member, which gives its slots to the other one.
func TestInformerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t, 100)
		a := g.prepare(options("pod-a"))
		a.informer.ended = make(chan struct{})
		go func() {
			defer close(a.done)
			a.err = a.Run(quiet(t.Context()))
		}()
		g.start(options("pod-b"))
		time.Sleep(30 * time.Second)
		g.settled("pod-a", "pod-b")
		close(a.informer.ended)
		time.Sleep(10 * time.Second) // no Lease has to expire
		if !isClosed(a.done) {
			t.Fatal("Run goes on without an informer")
		}
		if a.err == nil || !strings.Contains(a.err.Error(), "has ended before Run") {
			t.Errorf("Run returned %v", a.err)
		}
		g.settled("pod-b")
	})
}

// TestInformersHaveTheContextOfRun ends an informer with Run, which still waits for work: that is no error.
func TestInformersHaveTheContextOfRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t, 100)
		a := g.prepare(options("pod-a"))
		a.informer.ended = make(chan struct{})
		var log bytes.Buffer // that only Run writes
		logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&log)))
		ctx, cancel := context.WithCancel(klog.NewContext(t.Context(), logger))
		go func() {
			defer close(a.done)
			a.err = a.Run(ctx)
		}()
		time.Sleep(30 * time.Second)
		g.settled("pod-a")
		_, done, ok := a.Begin(t.Context(), g.collection.all()["object-7"])
		if !ok {
			t.Fatal("pod-a may not work")
		}
		cancel()
		synctest.Wait()
		close(a.informer.ended)
		time.Sleep(time.Second)
		done()
		<-a.done
		if a.err != nil || strings.Contains(log.String(), "Leaving the group") {
			t.Errorf("Run returned %v and logged:\n%s", a.err, &log)
		}
	})
}

// TestTableIsDeleted deletes the table of a running group.
func TestTableIsDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, p, obj := one(t, options("pod-a"))
		g.start(options("pod-b"))
		time.Sleep(10 * time.Second)
		if err := p.leases.client.Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		for identity, p := range g.members {
			if n := p.Status().Owned; n != 0 {
				t.Errorf("%s owns %d slots of a table that was deleted", identity, n)
			}
		}
		_ = obj
		time.Sleep(45 * time.Second)
		g.settled("pod-a", "pod-b")
	})
}

// TestTableIsBroken edits the table of a running group so that no one can read it. All members begin again.
func TestTableIsBroken(t *testing.T) {
	for name, edit := range map[string]func(annotations map[string]string){
		"owners":         func(a map[string]string) { a[ownersAnnotation] = "pod-a" },
		"null":           func(a map[string]string) { a[ownersAnnotation] = "null" },
		"no owners":      func(a map[string]string) { delete(a, ownersAnnotation) },
		"no annotations": func(a map[string]string) { clear(a) },
		"slots":          func(a map[string]string) { a[slotsAnnotation] = "64" },
		"key":            func(a map[string]string) { a[keyAnnotation] = "color" },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, p, _ := one(t, options("pod-a"))
				g.start(options("pod-b"))
				time.Sleep(10 * time.Second)
				for edited := false; !edited; {
					table, err := p.leases.client.Get(t.Context(), "web", metav1.GetOptions{})
					if err != nil {
						t.Fatal(err)
					}
					edit(table.Annotations)
					_, err = p.leases.client.Update(t.Context(), table, metav1.UpdateOptions{})
					edited = err == nil
				}
				begin := time.Now()
				for time.Since(begin) < 15*time.Second {
					time.Sleep(time.Second)
					for identity, p := range g.members {
						if n := p.Status().Owned; n != 0 && time.Since(begin) > 5*time.Second {
							t.Fatalf("%s owns %d slots of a table that no one can read", identity, n)
						}
					}
				}
				time.Sleep(35 * time.Second)
				g.settled("pod-a", "pod-b")
			})
		})
	}
}

// TestMismatch starts members whose options do not fit the table.
func TestMismatch(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"slots": func(o *Options) { o.Slots = 64 },
		"key":   func(o *Options) { o.Key = sharding.Namespace },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, _, _ := one(t, options("pod-a"))
				o := options("pod-b")
				change(&o)
				p := g.start(o)
				<-p.done
				if p.err == nil || !strings.Contains(p.err.Error(), "use the same options, or another name for the group") {
					t.Errorf("Run returned %v", p.err)
				}
			})
		})
	}
}

// TestFollowRefuses passes what cannot be followed.
func TestFollowRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t, 1)
		p := g.prepare(options("pod-a"))
		if err := p.Follow(p.informer, cache.Scope{ShardSelector: "x"}); err == nil || !strings.Contains(err.Error(), "remove it") {
			t.Errorf("Follow of a shard returned %v", err)
		}
		mistake := &cache.OptionError{Option: "SetScopes", Err: errors.New("wrong")}
		other := g.collection.inform()
		other.refuse = mistake
		if err := p.Follow(other); !errors.Is(err, mistake) {
			t.Errorf("Follow returned %v", err)
		}
		if _, err := AddEventHandler[object](p.Coordinator, other, p.recorder); err == nil || !strings.Contains(err.Error(), "call Follow with it before") {
			t.Errorf("AddEventHandler of an informer that is not followed returned %v", err)
		}
		if err := p.Follow(p.informer); err == nil || !strings.Contains(err.Error(), "pass all scopes to one call") {
			t.Errorf("the second Follow returned %v", err)
		}
	})
}

// TestMistakesInOptions passes options that cannot work.
func TestMistakesInOptions(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"Namespace":           func(o *Options) { o.Namespace = "" },
		"Name":                func(o *Options) { o.Name = "A B" },
		"Name: \"" + longName: func(o *Options) { o.Name = longName },
		"Identity: it is empty; use the name of the Pod: set the environment variable POD_NAME": func(o *Options) { o.Identity = "" },
		"Identity: \"a/b\"": func(o *Options) { o.Identity = "a/b" },
		"Key: \"color\"":    func(o *Options) { o.Key = "color" },
		"Slots: 100":        func(o *Options) { o.Slots = 100 },
		"Slots: -1":         func(o *Options) { o.Slots = -1 },
		"Slots: 8192":       func(o *Options) { o.Slots = 8192 },
		"LeaseDuration: 1ms is less than a second, the unit of a Lease; use at least 10s": func(o *Options) { o.LeaseDuration = time.Millisecond },
		"LeaseDuration: 11m0s is":  func(o *Options) { o.LeaseDuration = 11 * time.Minute },
		"RenewPeriod: 10s":         func(o *Options) { o.RenewPeriod = 10 * time.Second },
		"ClockMargin: -1s":         func(o *Options) { o.ClockMargin = -time.Second },
		"DrainTimeout: -1s":        func(o *Options) { o.DrainTimeout = -time.Second },
		"ClockMargin: 8s is not b": func(o *Options) { o.ClockMargin = 8 * time.Second },
	} {
		o := options("pod-a")
		change(&o)
		if _, err := New(nil, o); err == nil || !strings.Contains(err.Error(), "shard.Options."+want) {
			t.Errorf("New returned %v, want one of %s", err, want)
		}
	}
}

var longName = strings.Repeat("a", 64)
