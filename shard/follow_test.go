package shard

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestFollowSetsScopes changes the holds of four slots, and compares the shards that an informer gets.
func TestFollowSetsScopes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t, 1)
		o := options("pod-a")
		o.Slots = 4
		p := g.prepare(o)
		ctx, stop := context.WithCancel(quiet(t.Context()))
		defer synctest.Wait()
		defer stop()
		go p.follow(ctx)
		hold := func(holds ...uint64) {
			for slot, hold := range holds {
				p.holds[slot].Store(hold)
			}
			signal(p.changed)
		}
		known := len(p.informer.sets) // those of Follow
		want := func(what string, after time.Duration, sets ...[]uint64) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			p.informer.mu.Lock()
			defer p.informer.mu.Unlock()
			var shards []string
			for _, holds := range sets {
				scopes, err := p.slots.scopes(p.informer.Scopes(), holds)
				if err != nil {
					t.Fatal(err)
				}
				shards = append(shards, "")
				for _, scope := range scopes {
					shards[len(shards)-1] = scope.ShardSelector
				}
			}
			if got := p.informer.sets[known:]; !slices.Equal(got, shards) {
				t.Errorf("%s: the informer got the shards %q, want %q", what, got, shards)
			}
			known = len(p.informer.sets)
		}
		hold(0, 0, 0, 0)
		want("no slot", 10*time.Second)
		hold(1, 0, 2, 0)
		want("the first slots", 10*time.Second, []uint64{1, 0, 1, 0})
		hold(1, 3, 2, 0)
		want("one more", 10*time.Second, []uint64{1, 1, 1, 0})
		hold(0, 3, 2, 0)
		want("one less", 10*time.Second)
		hold(0, 3, 0, 0)
		want("another one less", 59*time.Second)
		want("a minute after it", 2*time.Second, []uint64{0, 1, 0, 0})
		want("no change", time.Hour)
		hold(0, 4, 0, 0)
		want("the only one, lost and taken back", 10*time.Second, nil, []uint64{0, 1, 0, 0})
		hold(5, 4, 6, 0)
		want("two more", 10*time.Second, []uint64{1, 1, 1, 0})
		hold(5, 7, 6, 8)
		want("one taken back, and one more", 10*time.Second, []uint64{1, 0, 1, 0}, []uint64{1, 1, 1, 1})
		hold(0, 0, 0, 0)
		want("a lapse", 10*time.Second)
		hold(0, 9, 10, 0)
		want("two are taken back", 10*time.Second, nil, []uint64{0, 1, 1, 0})

		hold(11, 9, 10, 0)
		want("one more", 500*time.Millisecond, []uint64{1, 1, 1, 0})
		hold(12, 9, 10, 0)
		want("it is taken back during the list", 400*time.Millisecond)
		want("after the list", 10*time.Second, []uint64{0, 1, 1, 0}, []uint64{1, 1, 1, 0})
		hold(0, 0, 0, 0)
		want("a minute without slots", 2*time.Minute, nil)
	})
}
