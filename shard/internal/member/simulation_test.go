package member

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// bound are the rules that a group has to stand.
var bound = rules{
	slots: 16,
	config: Config{
		Slots: 16, LeaseDuration: 10 * time.Second, ClockMargin: time.Second, RenewPeriod: 1500 * time.Millisecond,
	},
	drift: 0.1,
}

// history plays the history of a seed. It returns what is wrong.
func history(r rules, seed uint64, keep bool) (*world, string) {
	w := &world{rules: r, random: rand.New(rand.NewPCG(seed, 23)), keep: keep, server: server{leases: map[string]Lease{}}}
	w.lost, w.late, w.twice = 0.15*w.random.Float64(), 0.3*w.random.Float64(), 0.1*w.random.Float64()
	w.patience = time.Second + w.upTo(5*time.Second)
	const length = 80 * time.Second
	for i := range 2 + w.random.IntN(4) {
		identity := fmt.Sprintf("member-%d", i)
		w.after(w.upTo(time.Duration(min(i, 1))*30*time.Second), func() { w.join(identity) })
	}
	var trouble func()
	trouble = func() {
		if w.calm {
			return
		}
		w.disturb()
		w.after(w.upTo(4*time.Second), trouble)
	}
	w.after(20*time.Second, trouble)
	w.play(length)

	// The faults end. The longest pauses and delays are over after 35 seconds.
	w.calm = true
	for _, n := range w.nodes {
		n.cut = false
	}
	if w.alive() == 0 {
		w.join("member-0")
	}
	wait := r.config.LeaseDuration + r.config.ClockMargin
	w.play(w.now + 35*time.Second)
	for end := w.now + 6*wait; w.broken == "" && w.now < end; {
		w.play(w.now + wait/2)
		if w.rest() == "" {
			break
		}
	}
	w.play(w.now + 2*w.config.RenewPeriod) // it has to stay so
	if w.broken != "" {
		return w, w.broken
	}
	return w, w.rest()
}

// disturb does something to the group.
func (w *world) disturb() {
	n := w.nodes[w.random.IntN(max(1, len(w.nodes)))]
	switch w.random.IntN(12) {
	case 0: // it crashes, and comes again
		n.gone = true
		w.logf("%s crashes", n.name)
		identity := n.member.Identity
		w.after(w.upTo(15*time.Second), func() {
			if !slices.ContainsFunc(w.nodes, func(n *node) bool { return !n.gone && n.member.Identity == identity }) {
				w.join(identity)
			}
		})
	case 1: // another one comes
		if w.alive() < 6 {
			w.join(fmt.Sprintf("member-%d", 10+w.random.IntN(90)))
		}
	case 2:
		n.run(func() { n.member.Leave(n.clock()) })
	case 3, 4, 5:
		n.pause(w.upTo(35 * time.Second))
	case 6, 7:
		if !n.cut {
			n.cut = true
			w.logf("%s is cut off", n.name)
			w.after(w.upTo(30*time.Second), func() { n.cut = false })
		}
	case 8:
		if !n.suspends {
			n.wall += w.upTo(60*time.Second) - 50*time.Second
			if w.random.IntN(4) == 0 {
				n.wall -= time.Hour // someone corrects it
			}
		}
	case 9: // someone deletes a Lease, or the table
		switch w.random.IntN(6) {
		case 0:
			w.server.table = nil
			w.counts.resets++
			w.logf("the table is deleted")
		case 1, 2:
			delete(w.server.leases, n.member.Identity)
			w.logf("the Lease of %s is deleted", n.name)
		}
	case 10: // the same identity twice
		if !n.gone && w.random.IntN(3) == 0 && w.alive() < 6 {
			w.join(n.member.Identity)
		}
	case 11: // the same, while the first one has sent its first update of the table, and someone deletes its Lease
		if w.alive() < 5 {
			identity := fmt.Sprintf("member-%d", 100+w.random.IntN(900))
			w.join(identity)
			w.after(w.upTo(2*time.Second), func() {
				delete(w.server.leases, identity)
				w.logf("the Lease of %s is deleted", identity)
				w.join(identity)
			})
		}
	}
	for range 8 {
		n := w.nodes[w.random.IntN(len(w.nodes))]
		n.work(w.random.IntN(w.slots), w.upTo(6*time.Second))
	}
}

func (w *world) alive() (alive int) {
	for _, n := range w.nodes {
		if !n.gone {
			alive++
		}
	}
	return alive
}

// rest checks that each slot has exactly one owner, the one that Assign says.
func (w *world) rest() string {
	identities := map[string]bool{}
	for _, n := range w.nodes {
		if !n.gone {
			identities[n.member.Identity] = true
		}
	}
	var all []string
	for identity := range identities {
		all = append(all, identity)
	}
	if len(all) == 0 {
		return ""
	}
	want := Assign(w.slots, all)
	for slot := range w.slots {
		var owners []string
		for _, n := range w.nodes {
			if !n.gone && n.acts(n.clock(), slot) {
				owners = append(owners, n.member.Identity)
			}
		}
		if !slices.Equal(owners, []string{want[slot]}) {
			return fmt.Sprintf("at the end %q act on slot %d, want %q", owners, slot, want[slot])
		}
	}
	return ""
}

// simulate plays histories until one fails. It returns the seed of that one, and what is wrong.
func simulate(r rules, n int) (total counts, seed uint64, wrong string) {
	var next atomic.Uint64
	var mu sync.Mutex
	var running sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		running.Go(func() {
			for {
				s := next.Add(1)
				mu.Lock()
				stop := wrong != ""
				mu.Unlock()
				if stop || s > uint64(n) {
					return
				}
				w, err := history(r, s, false)
				mu.Lock()
				total.add(w.counts)
				if err != "" && (wrong == "" || s < seed) {
					seed, wrong = s, err
				}
				mu.Unlock()
			}
		})
	}
	running.Wait()
	return total, seed, wrong
}

// TestHistories plays 10,000 random histories of groups: members join, leave, crash and pause for longer than
// their Lease, also with clocks that stand still meanwhile. Clocks drift up to the bound. Requests and responses are
// lost, late or arrive twice. Leases and the table are deleted. At each moment at most one
// member acts on a slot. In the end each slot has exactly one owner.
func TestHistories(t *testing.T) {
	n := 10000
	if testing.Short() {
		n = 1000
	}
	begin := time.Now()
	total, seed, wrong := simulate(bound, n)
	if wrong != "" {
		w, _ := history(bound, seed, true)
		t.Fatalf("seed %d: %s\n%s", seed, wrong, strings.Join(w.log, "\n"))
	}
	t.Logf("%d histories in %v: %+v", n, time.Since(begin).Round(time.Millisecond), total)
	for what, count := range map[string]int{
		"slots taken": total.taken / 10, "slots of dead sessions taken": total.stolen, "sessions lost": total.lapses, "updates of the table without an answer": total.doubts,
		"pieces of work": total.works, "pauses": total.pauses, "tables deleted": total.resets * 10,
	} {
		if count < n/2 {
			t.Errorf("only %d %s in %d histories", count, what, n)
		}
	}
}

// TestHistoriesFindBrokenAssumptions plays histories that break what the members rely on. The check of
// TestHistories has to see it.
func TestHistoriesFindBrokenAssumptions(t *testing.T) {
	for name, broken := range map[string]func(*rules){
		"clocks drift five times as much": func(r *rules) { r.drift *= 5 },
		"no margin":                       func(r *rules) { r.config.ClockMargin = 0 },
		"a suspended machine forgets it":  func(r *rules) { r.sleepy = true },
		"the server ignores versions":     func(r *rules) { r.careless = true },
	} {
		t.Run(name, func(t *testing.T) {
			r := bound
			broken(&r)
			_, seed, wrong := simulate(r, 5000)
			if !strings.Contains(wrong, "both") {
				t.Errorf("no history shows two members that act on one slot: %q", wrong)
			}
			t.Logf("seed %d: %s", seed, wrong)
		})
	}
}
