package activity

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Violation is something that must not happen: two processes worked on one object at one time, or
// a process wrote without a work.
type Violation struct {
	Object string
	Text   string
}

// String returns the object and the reason.
func (v Violation) String() string { return v.Object + ": " + v.Text }

// Check returns all violations, sorted by object. It may be called while processes run, but an end
// that has not arrived yet then counts as one that never comes: call it when all have ended.
func (l *Log) Check() []Violation {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := l.assignWrites()
	for object, works := range l.byObject() {
		for _, text := range byServer(works) {
			found = append(found, Violation{object, text})
		}
		for _, text := range l.byClock(works) {
			found = append(found, Violation{object, text})
		}
	}
	slices.SortFunc(found, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(a.Text, b.Text))
	})
	return found
}

// assignWrites gives each write to the work of its process on the object that began last before
// it, and returns those before any work.
func (l *Log) assignWrites() (found []Violation) {
	of := map[[2]string][]*Work{} // by process and object
	for _, w := range l.works {
		w.writes = w.writes[:0]
		if w.first > 0 {
			of[[2]string{w.Process, w.Object}] = append(of[[2]string{w.Process, w.Object}], w)
		}
	}
	for _, works := range of {
		slices.SortFunc(works, func(a, b *Work) int { return cmp.Compare(a.first, b.first) })
	}
	for _, write := range l.writes {
		works := of[[2]string{write.process, write.object}]
		// The first that began later.
		i, _ := slices.BinarySearchFunc(works, write.version, func(w *Work, version int64) int { return cmp.Compare(w.first, version) })
		if i == 0 {
			found = append(found, Violation{write.object, fmt.Sprintf("%s wrote version %d before it began to work on the object", write.process, write.version)})
			continue
		}
		works[i-1].writes = append(works[i-1].writes, write.version)
	}
	return found
}

// byServer finds overlaps in the order of the server.
func byServer(works []*Work) (found []string) {
	type interval struct {
		*Work
		first, last int64
	}
	var all []interval
	for _, w := range works {
		last := w.last
		if len(w.writes) > 0 {
			// A write whose response was lost may be later than the end.
			last = max(last, slices.Max(w.writes))
		}
		if w.first > 0 && last > 0 { // otherwise it did nothing that the server knows of
			all = append(all, interval{w, w.first, last})
		}
	}
	slices.SortFunc(all, func(a, b interval) int { return cmp.Compare(a.first, b.first) })
	latest := map[string]interval{} // of each process, the one that lasts longest so far
	for _, b := range all {
		for process, a := range latest {
			if process != b.Process && a.last > b.first {
				found = append(found, fmt.Sprintf("%s worked on it in versions %d to %d (work %d), and %s in %d to %d (work %d)",
					a.Process, a.first, a.last, a.ID, b.Process, b.first, b.last, b.ID))
			}
		}
		if a, ok := latest[b.Process]; !ok || a.last < b.last {
			latest[b.Process] = b
		}
	}
	return found
}

// byClock finds overlaps in the time of the machine.
func (l *Log) byClock(works []*Work) (found []string) {
	type interval struct {
		*Work
		to time.Time
	}
	var all []interval
	for _, w := range works {
		to := w.Ended
		if !w.recorded.IsZero() && (to.IsZero() || w.recorded.Before(to)) {
			// Nothing but done comes after the record. A process may be paused between them, and call done
			// before it knows that its time is over.
			to = w.recorded
		}
		if killed, ok := l.killed[w.Process]; ok && to.IsZero() {
			to = killed
		}
		if w.recorded.IsZero() && (w.Fenced || to.IsZero()) {
			// A process that was paused, and notices after it that its time is over, has not
			// worked meanwhile. What it writes later is found in the order of the server.
			for _, pause := range l.paused[w.Process] {
				if w.Began.Before(pause.to) && (to.IsZero() || pause.from.Before(to)) {
					to = pause.from
				}
			}
		}
		if to.IsZero() {
			found = append(found, fmt.Sprintf("work %d of %s, begun at %s, never ended", w.ID, w.Process, w.Began.Format(clock)))
			continue
		}
		all = append(all, interval{w, to})
	}
	slices.SortFunc(all, func(a, b interval) int { return a.Began.Compare(b.Began) })
	latest := map[string]interval{}
	for _, b := range all {
		for process, a := range latest {
			if process != b.Process && a.to.After(b.Began) {
				found = append(found, fmt.Sprintf("%s worked on it from %s to %s (work %d), and %s from %s to %s (work %d)",
					a.Process, a.Began.Format(clock), a.to.Format(clock), a.ID, b.Process, b.Began.Format(clock), b.to.Format(clock), b.ID))
			}
		}
		if a, ok := latest[b.Process]; !ok || a.to.Before(b.to) {
			latest[b.Process] = b
		}
	}
	return found
}

const clock = "15:04:05.000000"
