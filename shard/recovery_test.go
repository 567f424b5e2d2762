package shard

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestLabelIsRemoved removes the label of the group from the table, or from the Lease of a member. No list has the Lease
// then, and it cannot be created. The members add the label again.
func TestLabelIsRemoved(t *testing.T) {
	for _, name := range []string{"web", "web-pod-a"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, p, _ := one(t, options("pod-a"))
				g.start(options("pod-b"))
				time.Sleep(10 * time.Second)
				g.settled("pod-a", "pod-b")
				edit(t, p, name, func(lease *coordinationv1.Lease) { lease.Labels = map[string]string{"other": "kept"} })
				time.Sleep(60 * time.Second)
				g.settled("pod-a", "pod-b")
				lease, err := p.leases.client.Get(t.Context(), name, metav1.GetOptions{})
				if err != nil || lease.Labels[groupLabel] != "web" || lease.Labels["other"] != "kept" {
					t.Errorf("the Lease has the labels %v, %v", lease.Labels, err)
				}
			})
		})
	}
}

// edit changes a Lease by hand.
func edit(t *testing.T, p *process, name string, change func(*coordinationv1.Lease)) {
	t.Helper()
	for {
		lease, err := p.leases.client.Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		change(lease)
		if _, err = p.leases.client.Update(t.Context(), lease, metav1.UpdateOptions{}); err == nil {
			return
		} else if !apierrors.IsConflict(err) {
			t.Fatal(err)
		}
	}
}

// TestLeaseOfSomeoneElse starts a member with a name that someone else uses, such as leader election. It says so, and
// does not touch that Lease. When the Lease is gone, it begins.
func TestLeaseOfSomeoneElse(t *testing.T) {
	for name, advice := range map[string]string{
		"web":       "does not belong to the group: it has no label " + groupLabel + "=web; use another Options.Name, or delete",
		"web-pod-a": "; use another Options.Name or Options.Identity, or delete",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGroup(t, 10)
				p := g.prepare(options("pod-a"))
				leases := p.leases.client
				foreign := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name}}
				other := "leader_1"
				foreign.Spec.HolderIdentity = &other
				foreign, err := leases.Create(t.Context(), foreign, metav1.CreateOptions{})
				if err != nil {
					t.Fatal(err)
				}
				p = g.start(options("pod-a"))
				for range 40 {
					time.Sleep(time.Second)
					if err := p.Status().Err; err == nil || !strings.Contains(err.Error(), advice) || !strings.Contains(err.Error(), "leader_1") {
						t.Fatalf("Status has %v, want %q", err, advice)
					}
				}
				if now, err := leases.Get(t.Context(), name, metav1.GetOptions{}); err != nil || now.ResourceVersion != foreign.ResourceVersion {
					t.Errorf("the foreign Lease became %v, %v", now, err)
				}
				if err := leases.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(40 * time.Second)
				g.settled("pod-a")
			})
		})
	}
}

// TestMissingRights starts a member that lacks one verb, and grants it later. Status has the rule.
func TestMissingRights(t *testing.T) {
	const rule = `{apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["list", "create", "update", "delete"]}`
	for _, verb := range []string{"list", "create", "update"} {
		t.Run(verb, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGroup(t, 10)
				fault := g.server.On(verb, "leases").Forbidden()
				p := g.start(options("pod-a"))
				time.Sleep(20 * time.Second)
				for range 40 {
					time.Sleep(500 * time.Millisecond)
					err := p.Status().Err
					if err == nil || !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), verb+" of leases is not allowed") || !strings.Contains(err.Error(), rule) ||
						!strings.Contains(err.Error(), "namespace default") {
						t.Fatalf("Status has %v, want the rule", err)
					}
				}
				if n := p.Status().Owned; n != 0 {
					t.Errorf("it owns %d slots", n)
				}
				fault.Remove()
				time.Sleep(60 * time.Second)
				g.settled("pod-a")
			})
		})
	}
}

// TestWithoutTheRightToDelete ends a member that may not delete its Lease. It gives up its slots, and does not wait.
func TestWithoutTheRightToDelete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _, _ := one(t, options("pod-a"))
		g.start(options("pod-b"))
		time.Sleep(20 * time.Second)
		g.server.On("delete", "leases").Forbidden()
		begin := time.Now()
		if p := g.end("pod-a"); p.err != nil {
			t.Errorf("Run returned %v", p.err)
		}
		if d := time.Since(begin); d > 5*time.Second {
			t.Errorf("Run returned after %v", d)
		}
		time.Sleep(6 * time.Second)
		g.settled("pod-b")
		// pod-b cannot remove what pod-a has left behind, which costs one request each period.
		time.Sleep(3 * time.Minute)
		before := g.requests()
		time.Sleep(time.Minute)
		if n := g.requests() - before; n > 3*60/2 {
			t.Errorf("%d requests in a minute", n)
		}
		g.settled("pod-b")
	})
}

// requests returns the number of requests that the processes have sent.
func (g *group) requests() (n int64) {
	for _, p := range g.members {
		n += p.line.requests.Load()
	}
	return n
}

// TestWritesThatArriveLate delays writes of members by more than a Lease: the server does them, but their sender has
// given up waiting. Meanwhile members come and go, and workers work on all objects.
func TestWritesThatArriveLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t, 100)
		all := []string{"pod-0", "pod-1", "pod-2"}
		for _, identity := range all {
			g.start(options(identity))
		}
		time.Sleep(30 * time.Second)
		g.settled(all...)
		end := make(chan struct{})
		workers := g.workers(all, end)
		for i := range 12 {
			late := g.members[all[i%3]]
			late.line.late.Store(int64(17 * time.Second))
			time.Sleep(time.Duration(5+i) * time.Second)
			late.line.late.Store(0)
			time.Sleep(time.Duration(i) * time.Second)
		}
		time.Sleep(60 * time.Second)
		close(end)
		workers.Wait()
		g.settled(all...)
		lapses := uint64(0)
		for _, p := range g.members {
			lapses += p.Status().Lapses
		}
		if lapses == 0 {
			t.Error("no member has lost its session, so the test proves nothing")
		}
	})
}

// TestSameIdentityAgain removes a member, and starts another one with its identity within a second: after a regular
// end, after its process was killed, and while someone also deletes its Lease.
func TestSameIdentityAgain(t *testing.T) {
	for name, test := range map[string]struct {
		regular, deleted bool
		within           time.Duration
	}{
		"regular end":   {regular: true, within: 10 * time.Second},
		"kill":          {within: 45 * time.Second},
		"deleted Lease": {deleted: true, within: 45 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGroup(t, 100)
				all := []string{"pod-0", "pod-1"}
				for _, identity := range all {
					g.start(options(identity))
				}
				time.Sleep(30 * time.Second)
				g.settled(all...)
				end := make(chan struct{})
				workers := g.workers(all, end)
				old := g.members["pod-1"]
				if test.regular {
					g.end("pod-1")
				} else {
					old.line.cut.Store(true) // the process is there until its time is over
				}
				if test.deleted {
					if err := g.members["pod-0"].leases.client.Delete(t.Context(), "web-pod-1", metav1.DeleteOptions{}); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(500 * time.Millisecond)
				g.mu.Lock()
				g.old = append(g.old, old)
				g.mu.Unlock()
				g.start(options("pod-1"))
				time.Sleep(test.within)
				close(end)
				workers.Wait()
				g.settled(all...)
				if n := g.members["pod-0"].Status().Lapses; n != 0 {
					t.Errorf("pod-0 has lost its slots %d times", n)
				}
			})
		})
	}
}

// TestManyMembersStartAtOnce starts 20 members at one moment, and measures their requests. They all want to change the
// table, which one of them can do at a time.
func TestManyMembersStartAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const members = 20
		g := newGroup(t, 400)
		var all []string
		for i := range members {
			o := options(fmt.Sprintf("pod-%d", i))
			o.Slots = 256
			all = append(all, o.Identity)
			g.prepare(o).line.latency.Store(int64(50 * time.Millisecond))
			g.run(o.Identity)
		}
		var peak, last int64
		for range 60 {
			time.Sleep(time.Second)
			now := g.requests()
			peak, last = max(peak, now-last), now
		}
		g.settled(all...)
		begin := g.requests()
		time.Sleep(time.Minute)
		steady := float64(g.requests()-begin) / 60
		conflicts := int64(0)
		for _, p := range g.members {
			conflicts += p.line.conflicts.Load()
		}
		t.Logf("%d members: %d requests in the first minute, %d of them refused, at most %d in a second; %.1f in a second at rest", members, begin, conflicts, peak, steady)
		if peak > 8*members {
			t.Errorf("%d requests in a second", peak)
		}
		if want := 2 * members / (15.0 / 7); steady < 0.9*want || steady > 1.1*want {
			t.Errorf("%.1f requests in a second at rest, want %.1f", steady, want)
		}
	})
}

// TestLeaseIsEdited lets a process crash, and edits its Lease by hand: it names the session of another member, or lasts for
// years. No object has two owners, and each one gets one again.
func TestLeaseIsEdited(t *testing.T) {
	for name, change := range map[string]func(lease *coordinationv1.Lease, other string){
		"holder": func(lease *coordinationv1.Lease, other string) { lease.Spec.HolderIdentity = &other },
		"duration": func(lease *coordinationv1.Lease, _ string) {
			longest := int32(math.MaxInt32)
			lease.Spec.LeaseDurationSeconds = &longest
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGroup(t, 100)
				all := []string{"pod-a", "pod-b", "pod-c"}
				for _, identity := range all {
					g.start(options(identity))
				}
				time.Sleep(30 * time.Second)
				g.settled(all...)
				a, b := g.members["pod-a"], g.members["pod-b"]
				b.line.cut.Store(true)
				time.Sleep(time.Second)
				lease, err := a.leases.client.Get(t.Context(), "web-pod-a", metav1.GetOptions{})
				if err != nil {
					t.Fatal(err)
				}
				edit(t, a, "web-pod-b", func(b *coordinationv1.Lease) { change(b, *lease.Spec.HolderIdentity) })
				stop := make(chan struct{})
				workers := g.workers(all, stop)
				time.Sleep(time.Minute)
				close(stop)
				workers.Wait()
				if name == "duration" {
					time.Sleep(maxLeaseDuration + time.Minute)
				}
				g.settled("pod-a", "pod-c")
				for _, identity := range []string{"pod-a", "pod-c"} {
					if n := g.members[identity].Status().Lapses; n != 0 {
						t.Errorf("%s has lost its session %d times", identity, n)
					}
				}

				b.line.cut.Store(false)
				time.Sleep(time.Minute)
				g.settled(all...)
			})
		})
	}
}
