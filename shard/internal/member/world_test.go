package member

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
)

// world is a group of members with a server, a network and clocks, in virtual time. One seed makes
// one history.
type world struct {
	rules
	random *rand.Rand
	now    time.Duration // real time
	events events
	order  int
	calm   bool // no more faults
	server server
	nodes  []*node
	serial int
	// These are the probabilities of a fault of a request, and the time that a member waits for a response.
	lost, late, twice float64
	patience          time.Duration
	counts            counts
	broken            string // the first invariant that did not hold
	log               []string
	keep              bool // the log
}

// rules are what a history may do.
type rules struct {
	slots  int
	config Config
	// drift is how much faster or slower than real time a clock may run.
	drift float64
	// sleepy lets the wall clock of a suspended machine stand still too.
	sleepy bool
	// careless makes the server ignore versions.
	careless bool
}

// counts are what happened in histories, so that a test can see that they were not idle.
type counts struct{ taken, stolen, lapses, doubts, works, pauses, resets int }

func (c *counts) add(o counts) {
	c.taken += o.taken
	c.stolen += o.stolen
	c.lapses += o.lapses
	c.doubts += o.doubts
	c.works += o.works
	c.pauses += o.pauses
	c.resets += o.resets
}

// event is something that happens at a time.
type event struct {
	at    time.Duration
	order int
	do    func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func (w *world) after(d time.Duration, do func()) {
	w.order++
	heap.Push(&w.events, event{w.now + max(d, 0), w.order, do})
}

// upTo returns a random duration.
func (w *world) upTo(d time.Duration) time.Duration {
	return time.Duration(w.random.Int64N(int64(d) + 1))
}

// chance reports whether a fault happens, with a probability.
func (w *world) chance(p float64) bool { return !w.calm && w.random.Float64() < p }

func (w *world) logf(format string, args ...any) {
	if w.keep {
		w.log = append(w.log, fmt.Sprintf("%8.3f ", w.now.Seconds())+fmt.Sprintf(format, args...))
	}
}

// play runs the events up to a time, and checks the invariant after each one.
func (w *world) play(until time.Duration) {
	for len(w.events) > 0 && w.events[0].at <= until && w.broken == "" {
		e := heap.Pop(&w.events).(event)
		w.now = e.at
		e.do()
		w.check()
	}
	w.now = until
}

// check checks that at most one member acts on each slot.
func (w *world) check() {
	by := make([]*node, w.slots)
	for _, n := range w.nodes {
		if n.gone || n.paused {
			continue
		}
		now := n.clock()
		if !n.member.valid || n.member.ended(now) {
			continue
		}
		for slot := range by {
			if !n.acts(now, slot) {
				continue
			}
			if by[slot] != nil && w.broken == "" {
				w.broken = fmt.Sprintf("at %v both %s and %s act on slot %d", w.now, by[slot].name, n.name, slot)
				w.logf("%s", w.broken)
			}
			by[slot] = n
		}
	}
}

// server is an API server with the Leases and the table.
type server struct {
	version int
	leases  map[string]Lease
	table   *Table
}

func (w *world) next() string {
	w.server.version++
	return strconv.Itoa(w.server.version)
}

// serve does a request.
func (w *world) serve(q Request) Response {
	s := &w.server
	switch q.Kind {
	case List:
		var snapshot Snapshot
		if s.table != nil {
			table := *s.table
			table.Owners = slices.Clone(table.Owners)
			snapshot.Table = &table
		}
		for _, lease := range s.leases {
			snapshot.Leases = append(snapshot.Leases, lease)
		}
		slices.SortFunc(snapshot.Leases, func(a, b Lease) int { return cmpString(a.Identity, b.Identity) })
		return Response{Snapshot: snapshot}
	case PutLease:
		if old, ok := s.leases[q.Lease.Identity]; !w.careless && (ok != (q.Lease.Version != "") || old.Version != q.Lease.Version) {
			return Response{Result: Refused}
		}
		q.Lease.Version = w.next()
		s.leases[q.Lease.Identity] = q.Lease
		return Response{Version: q.Lease.Version}
	case DeleteLease:
		if old, ok := s.leases[q.Lease.Identity]; !ok || old.Version != q.Lease.Version {
			return Response{Result: Refused}
		}
		delete(s.leases, q.Lease.Identity)
		return Response{}
	case PutTable:
		table := q.Table
		table.Owners = slices.Clone(table.Owners)
		exists := s.table != nil
		if !w.careless && (exists != (table.Version != "") || exists && s.table.Version != table.Version) {
			return Response{Result: Refused}
		}
		if exists {
			table.UID = s.table.UID
			for i, owner := range table.Owners {
				if before := s.table.Owners[i]; owner != before && owner != "" {
					w.counts.taken++
					if before != "" {
						w.counts.stolen++
					}
				}
			}
		} else {
			table.UID = "table-" + w.next()
		}
		table.Version = w.next()
		s.table = &table
		w.logf("table %s: %v", table.Version, table.Owners)
		return Response{Version: table.Version, UID: table.UID}
	}
	panic("not a request")
}

func cmpString(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
