package member

import (
	"fmt"
	"slices"
	"time"
)

// node is a process with a member.
type node struct {
	*world
	name   string
	member *Member
	// rate is the speed of the clock, and skew what it showed at the beginning.
	rate       float64
	skew, wall time.Duration
	suspends   bool          // its steady clock stands still in a pause, and no one sets its wall clock
	asleep     time.Duration // how long the steady clock has stood still
	gone       bool          // it has crashed, or left
	paused     bool
	later      []func() // what happens at the end of the pause
	cut        bool     // from the server
	asked      int      // number of the request that is in flight; 0 for none
	timer      int      // number of the last wake-up
	changes    uint64
	works      []work
	valid      bool
}

type work struct {
	slot int
	hold uint64
}

func (w *world) join(identity string) *node {
	w.serial++
	n := &node{world: w, name: fmt.Sprintf("%s#%d", identity, w.serial), rate: 1 + w.drift*(2*w.random.Float64()-1)}
	if w.random.IntN(3) == 0 { // the bounds are where a mistake shows
		n.rate = 1 + w.drift*float64(w.random.IntN(2)*2-1)
	}
	n.skew, n.wall = w.upTo(time.Hour), w.upTo(time.Hour)
	n.suspends = w.random.IntN(3) == 0
	config := w.config
	config.Identity = identity
	config.Jitter = w.upTo
	config.NewSession = func() string { w.serial++; return fmt.Sprint(w.serial) }
	n.member = New(config)
	w.nodes = append(w.nodes, n)
	w.logf("%s joins with a clock of %.3f", n.name, n.rate)
	n.step()
	return n
}

func (n *node) clock() Time {
	steady := n.skew + time.Duration(float64(n.now-n.asleep)*n.rate)
	return Time{Steady: steady, Wall: steady + n.wall}
}

// real returns the real duration of a local one, and a bit more.
func (n *node) real(local time.Duration) time.Duration {
	return time.Duration(float64(local)/n.rate) + time.Microsecond
}

// run does something in the process, after its pause if it is paused.
func (n *node) run(do func()) {
	switch {
	case n.gone:
	case n.paused:
		n.later = append(n.later, func() { n.run(do) })
	default:
		do()
		n.step()
	}
}

// acts reports whether the process may act on a slot now.
func (n *node) acts(now Time, slot int) bool {
	return n.member.Active(now, slot) || slices.ContainsFunc(n.works, func(w work) bool {
		return w.slot == slot && n.member.Valid(now, slot, w.hold)
	})
}

// step sends the next request.
func (n *node) step() {
	if n.asked == 0 && !n.gone {
		now := n.clock()
		switch q := n.member.Next(now); q.Kind {
		case Wait:
			n.timer++
			timer := n.timer
			n.after(n.real(q.Until-now.Steady), func() {
				if timer == n.timer {
					n.run(func() {})
				}
			})
		case Leave:
			n.gone = true
			n.logf("%s has left", n.name)
		default:
			n.send(now, q)
		}
	}
	if n.valid && !n.member.valid {
		n.counts.lapses++
		n.logf("%s has lost its session", n.name)
	}
	n.valid = n.member.valid
	if changes := n.member.Changes(); changes != n.changes {
		n.changes = changes
		n.sync()
	}
}

// sync fills the caches after a while.
func (n *node) sync() {
	for slot, hold := range n.member.Holds() {
		if hold != 0 {
			n.after(n.upTo(2*time.Second), func() { n.run(func() { n.member.Synced(n.clock(), slot, hold) }) })
		}
	}
}

// send sends a request over the network. It may be lost, late or arrive twice, and so may the response.
func (n *node) send(start Time, q Request) {
	n.serial++
	id := n.serial
	n.asked = id
	answer := func(r Response) {
		n.run(func() {
			if n.asked != id {
				return
			}
			n.asked = 0
			if q.Kind == PutTable && r.Result == Unknown {
				n.counts.doubts++
			}
			n.logf("%s: answer to %v: %v", n.name, q.Kind, r.Result)
			n.member.Answer(start, n.clock(), q, r)
		})
	}
	arrive := func() {
		r := n.serve(q)
		if !n.chance(n.lost) && (!n.cut || n.calm) {
			n.after(n.delay(), func() { answer(r) })
		}
	}
	times := 1
	if n.chance(n.twice) {
		times = 2
	}
	if n.chance(n.lost) {
		times = 0
	}
	for range times {
		late := n.delay()
		if n.cut {
			if n.chance(0.5) {
				continue
			}
			late += n.upTo(30 * time.Second) // something on the way has kept it
		}
		n.after(late, arrive)
	}
	n.after(n.real(n.patience), func() { answer(Response{Result: Unknown}) })
}

// delay returns how long a message takes.
func (n *node) delay() time.Duration {
	if n.chance(n.late) {
		return n.upTo(25 * time.Second)
	}
	return time.Millisecond + n.upTo(40*time.Millisecond)
}

// pause stops the process for a while.
func (n *node) pause(d time.Duration) {
	if n.paused || n.gone {
		return
	}
	n.paused = true
	n.counts.pauses++
	n.logf("%s pauses for %v", n.name, d)
	begin := n.now
	n.after(d, func() {
		n.paused = false
		if n.suspends {
			n.asleep += n.now - begin
			if !n.sleepy {
				n.wall += n.now - begin
			}
		}
		n.logf("%s goes on", n.name)
		later := n.later
		n.later = nil
		n.random.Shuffle(len(later), func(i, j int) { later[i], later[j] = later[j], later[i] })
		for _, do := range later {
			n.after(n.upTo(time.Millisecond), do)
		}
		n.run(func() {})
	})
}

// work begins a piece of work, if it may.
func (n *node) work(slot int, d time.Duration) {
	n.run(func() {
		hold := n.member.Begin(n.clock(), slot)
		if hold == 0 {
			return
		}
		n.counts.works++
		w := work{slot, hold}
		n.works = append(n.works, w)
		n.after(d, func() {
			n.run(func() {
				n.works = slices.Delete(n.works, slices.Index(n.works, w), slices.Index(n.works, w)+1)
				n.member.Done(slot)
			})
		})
	})
}
