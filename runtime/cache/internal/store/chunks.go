package store

import (
	"iter"
	"sync/atomic"
)

// chunkSize is the number of objects in a chunk. More would make copies of chunks
// expensive, and fewer would make the table of chunks long.
const chunkSize = 128

// chunk is a part of a chunked. Its objects change in place unless a snapshot shares it.
type chunk[E any] struct {
	objects [chunkSize]E
	// epoch is the epoch of the chunked in which the chunk was made.
	epoch uint64
}

// chunked holds objects, or their words, in the slots 0 to n-1. There is one writer. Readers either take
// a snapshot, which never changes, or load single objects while the writer continues.
//
//	table ─▶ [ chunk │ chunk │ chunk ]
//	             │       └────────────▶ [ object … object ]   128 slots each
//	snapshot ────┴─ shares the table and the chunks: the writer copies each of them
//	                before it changes it, once for each snapshot at most
type chunked[E any] struct {
	table atomic.Pointer[[]atomic.Pointer[chunk[E]]]
	n     int
	// write writes to a slot. If readers load single objects next to the writer, it is storeWord.
	write func(slot *E, obj E)
	// shared is set by readers that take a snapshot, concurrently. The next write starts a
	// new epoch: it copies chunks of an earlier epoch before it changes them.
	shared atomic.Bool
	epoch  uint64
	// tableEpoch is the epoch in which the table was made, no earlier than any of its chunks.
	tableEpoch uint64
}

// begin is called by the writer before it changes anything.
func (c *chunked[E]) begin() {
	if c.shared.Load() {
		c.shared.Store(false)
		c.epoch++
	}
}

// at returns the object in a slot. The caller is the writer or keeps it out.
func (c *chunked[E]) at(slot uint32) E {
	return (*c.table.Load())[slot/chunkSize].Load().objects[slot%chunkSize]
}

// find returns the memory of a slot, or nil if there is no such slot. The writer may continue meanwhile.
func (c *chunked[E]) find(slot uint32) *E {
	table := c.table.Load()
	if table == nil || int(slot/chunkSize) >= len(*table) {
		return nil
	}
	part := (*table)[slot/chunkSize].Load()
	if part == nil {
		return nil
	}
	return &part.objects[slot%chunkSize]
}

// set changes the object in a slot.
func (c *chunked[E]) set(slot uint32, obj E) {
	table := *c.table.Load()
	part := table[slot/chunkSize].Load()
	if part.epoch != c.epoch {
		part = &chunk[E]{objects: part.objects, epoch: c.epoch}
		if c.tableEpoch != c.epoch {
			table = c.cloneTable(len(table))
		}
		table[slot/chunkSize].Store(part)
	}
	c.write(&part.objects[slot%chunkSize], obj)
}

// push adds an object and returns its slot.
func (c *chunked[E]) push(obj E) uint32 {
	slot := uint32(c.n)
	if int(slot/chunkSize) >= c.chunks() {
		c.cloneTable(int(slot/chunkSize) + 1)
		(*c.table.Load())[slot/chunkSize].Store(&chunk[E]{epoch: c.epoch})
	}
	c.set(slot, obj)
	c.n++
	return slot
}

// pop removes the last object.
func (c *chunked[E]) pop() {
	c.n--
	last := uint32(c.n)
	var none E
	c.set(last, none)
	// One empty chunk stays, for a caller that adds and removes at its border.
	if used := int(last+chunkSize-1) / chunkSize; c.chunks() > used+1 {
		c.cloneTable(used + 1)
	}
}

func (c *chunked[E]) chunks() int {
	if table := c.table.Load(); table != nil {
		return len(*table)
	}
	return 0
}

// cloneTable makes a table of n chunks: the present ones, and nil. Unless a snapshot
// shares the old table, a table that grows uses its capacity, and one that shrinks keeps
// it until most of it is unused.
func (c *chunked[E]) cloneTable(n int) []atomic.Pointer[chunk[E]] {
	var old []atomic.Pointer[chunk[E]]
	if table := c.table.Load(); table != nil {
		old = *table
	}
	var table []atomic.Pointer[chunk[E]]
	if n != len(old) && n <= cap(old) && 4*n >= cap(old) && c.tableEpoch == c.epoch {
		for i := n; i < len(old); i++ {
			old[i].Store(nil)
		}
		table = old[:n]
	} else {
		room := n
		if n > len(old) {
			room += n / 4
		}
		table = make([]atomic.Pointer[chunk[E]], n, room)
		for i := range min(n, len(old)) {
			table[i].Store(old[i].Load())
		}
	}
	c.table.Store(&table)
	c.tableEpoch = c.epoch
	return table
}

// snapshot is the objects of one moment.
type snapshot[E any] struct {
	table []atomic.Pointer[chunk[E]]
	n     int
}

// snapshot returns a snapshot that lasts. The caller keeps the writer out, which then
// has to copy chunks. A caller that reads while it keeps the writer out calls now instead.
func (c *chunked[E]) snapshot() snapshot[E] {
	s := c.now()
	if s.n > 0 && !c.shared.Load() {
		c.shared.Store(true)
	}
	return s
}

// now returns a snapshot that holds while the writer is kept out.
func (c *chunked[E]) now() snapshot[E] {
	s := snapshot[E]{n: c.n}
	if s.n > 0 {
		s.table = *c.table.Load()
	}
	return s
}

// at returns the object in a slot.
func (s snapshot[E]) at(slot uint32) E {
	return s.table[slot/chunkSize].Load().objects[slot%chunkSize]
}

// list returns all objects.
func (s snapshot[E]) list() []E {
	objs := make([]E, 0, s.n)
	for i := 0; i*chunkSize < s.n; i++ {
		objs = append(objs, s.table[i].Load().objects[:min(chunkSize, s.n-i*chunkSize)]...)
	}
	return objs
}

// collect returns the objects in these slots.
func (s snapshot[E]) collect(slots []uint32) []E {
	objs := make([]E, len(slots))
	// A short list is searched for runs only if it begins with one: a search takes 3 % of
	// the time of 200 objects without runs.
	if n := len(slots); n >= chunkSize || n >= shortRun && slots[shortRun-1] == slots[0]+shortRun-1 {
		s.copyRuns(objs, slots)
		return objs
	}
	table := s.table // in a register: s.at would read it each time, for 3 % of the call
	for i, slot := range slots {
		objs[i] = table[slot/chunkSize].Load().objects[slot%chunkSize]
	}
	return objs
}

const (
	// shortRun is the length of a run that is worth a call of copyRuns.
	shortRun = 16
	// blockSize is the number of slots from one search for a run to the next.
	blockSize = 64
)

// copyRuns copies the objects in these slots to objs, and those of a run of slots at once.
// The first list of a server has the objects of each namespace one after the other.
func (s snapshot[E]) copyRuns(objs []E, slots []uint32) {
	table := s.table
	for len(slots) > 0 {
		first, n := slots[0], min(len(slots), blockSize)
		if last := slots[n-1]; last == first+uint32(n)-1 {
			at := first % chunkSize
			if run := runOf(slots[:min(len(slots), int(chunkSize-at))]); run > 1 {
				copy(objs, table[first/chunkSize].Load().objects[at:][:run])
				objs, slots = objs[run:], slots[run:]
				continue
			}
		}
		block := objs[:n]
		for i, slot := range slots[:n] {
			block[i] = table[slot/chunkSize].Load().objects[slot%chunkSize]
		}
		objs, slots = objs[n:], slots[n:]
	}
}

// runOf returns how many of the first slots follow each other.
func runOf(slots []uint32) int {
	for i, slot := range slots {
		if slot != slots[0]+uint32(i) {
			return i
		}
	}
	return len(slots)
}

// all ranges over all objects.
func (s snapshot[E]) all() iter.Seq[E] {
	return func(yield func(E) bool) {
		for i := 0; i*chunkSize < s.n; i++ {
			for _, obj := range s.table[i].Load().objects[:min(chunkSize, s.n-i*chunkSize)] {
				if !yield(obj) {
					return
				}
			}
		}
	}
}
