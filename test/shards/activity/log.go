package activity

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// Work is one reconcile of one object.
type Work struct {
	// ID is unique in its process.
	ID      int64
	Process string
	// Object is NAMESPACE/NAME. A name is not used again for another object.
	Object string
	// Seen is the resourceVersion of the object that the process has read.
	Seen string
	// Began and Ended are times of the machine. Ended is zero if the process did not come to it.
	Began, Ended time.Time
	// Fenced is set if the context of the work was canceled before its end.
	Fenced bool

	// first and last are versions of the server: of the record of the beginning, and of
	// the record of the end. 0 if the server did not accept it.
	first, last int64
	// recorded is when the server accepted the record of the end. Zero if it did not.
	recorded time.Time
	// writes are the versions of the writes to the object and its children.
	writes []int64
}

// Log collects what processes do. Its methods may be called from any goroutine.
type Log struct {
	mu     sync.Mutex // guards the fields below
	works  map[workID]*Work
	open   map[workID]*Work // of works, those that have begun and not ended
	last   map[string]*Work // of works, the last one of each object that ended in good order
	begun  map[string]int   // number of works of each process
	writes []write
	// versions are those of all writes.
	versions map[int64]bool
	killed   map[string]time.Time
	paused   map[string][]span
}

type workID struct {
	process string
	id      int64
}

type write struct {
	process, object string
	version         int64
}

// span is a time during which a process was paused.
type span struct{ from, to time.Time }

// NewLog returns an empty Log.
func NewLog() *Log {
	return &Log{works: map[workID]*Work{}, open: map[workID]*Work{}, last: map[string]*Work{}, begun: map[string]int{}, versions: map[int64]bool{}, killed: map[string]time.Time{}, paused: map[string][]span{}}
}

// work returns a work, which may be a new one. mu is held.
func (l *Log) work(process string, id int64) *Work {
	key := workID{process, id}
	w := l.works[key]
	if w == nil {
		w = &Work{ID: id, Process: process}
		l.works[key] = w
	}
	return w
}

// Began notes that a process began to work on an object, which it read at a version.
func (l *Log) Began(process string, id int64, object, seen string, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.work(process, id)
	w.Object, w.Seen, w.Began = object, seen, at
	l.open[workID{process, id}] = w
	l.begun[process]++
}

// Ended notes that a process ended a work. fenced is set if the context of the work was canceled.
func (l *Log) Ended(process string, id int64, fenced bool, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.work(process, id)
	w.Ended, w.Fenced = at, fenced
	delete(l.open, workID{process, id})
	l.noteLast(w)
}

// RecordedBegin notes the version of the server's record of a beginning. A record that was sent again counts
// from the last time: the process waited for it.
func (l *Log) RecordedBegin(process string, id, version int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.work(process, id)
	w.first = max(w.first, version)
	l.noteLast(w)
}

// noteLast notes the last work on an object. The journal of a process may be read before or after its
// records arrive. mu is held.
func (l *Log) noteLast(w *Work) {
	if w.Ended.IsZero() || w.Fenced || w.first == 0 {
		return
	}
	if before := l.last[w.Object]; before == nil || before.first < w.first {
		l.last[w.Object] = w
	}
}

// RecordedEnd notes the version of the server's record of an end, and when it was accepted. A record that was sent again counts from the
// first time: the work was over.
func (l *Log) RecordedEnd(process string, id, version int64, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w := l.work(process, id); w.last == 0 || version < w.last {
		w.last, w.recorded = version, at
	}
}

// Wrote notes that the server accepted a write of a process to an object or one of its children. A write that
// changes nothing gets the version of an earlier one, and does not count.
func (l *Log) Wrote(process, object string, version int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.versions[version] {
		l.versions[version] = true
		l.writes = append(l.writes, write{process, object, version})
	}
}

// WroteElsewhere notes the version of a write that is not by a process.
func (l *Log) WroteElsewhere(version int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.versions[version] = true
}

// Killed notes that a process was killed.
func (l *Log) Killed(process string, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.killed[process] = at
}

// Paused notes that a process did not run from a time to another one.
func (l *Log) Paused(process string, from, to time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.paused[process] = append(l.paused[process], span{from, to})
}

// Open returns the works of a process that have begun and not ended.
func (l *Log) Open(process string) (open []Work) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.open {
		if w.Process == process {
			open = append(open, *w)
		}
	}
	return open
}

// Count returns the number of works that a process has begun.
func (l *Log) Count(process string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begun[process]
}

// Total returns the number of works that all processes have begun.
func (l *Log) Total() (total int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.begun {
		total += n
	}
	return total
}

// Last returns the work on each object that began last, of those that ended in good order.
func (l *Log) Last() map[string]Work {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := make(map[string]Work, len(l.last))
	for object, w := range l.last {
		last[object] = *w
	}
	return last
}

// Summary counts what a Log has.
type Summary struct {
	Works, Fenced, Writes int
	// Handed is how often an object was worked on by another process than before.
	Handed int
}

// String returns the Summary as a text.
func (s Summary) String() string {
	return fmt.Sprintf("%d reconciles, of which %d were canceled; %d writes; objects changed their process %d times", s.Works, s.Fenced, s.Writes, s.Handed)
}

// Summary returns how much the Log has.
func (l *Log) Summary() (s Summary) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Writes = len(l.writes)
	for _, w := range l.works {
		s.Works++
		if w.Fenced {
			s.Fenced++
		}
	}
	for _, works := range l.byObject() {
		slices.SortFunc(works, func(a, b *Work) int { return a.Began.Compare(b.Began) })
		for i := 1; i < len(works); i++ {
			if works[i].Process != works[i-1].Process {
				s.Handed++
			}
		}
	}
	return s
}

// byObject returns the works that have begun. mu is held.
func (l *Log) byObject() map[string][]*Work {
	all := map[string][]*Work{}
	for _, w := range l.works {
		if !w.Began.IsZero() {
			all[w.Object] = append(all[w.Object], w)
		}
	}
	return all
}
