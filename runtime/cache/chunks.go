package cache

import (
	"iter"
	"sync/atomic"
	"unsafe"
)

// chunkSize is how many objects stand together: as few as make a table of chunks
// short, because a chunk is copied when it changes after somebody took a snapshot.
const chunkSize = 256

// chunk is a part of a chunked. Its objects change in place as long as no snapshot
// has it.
type chunk[T Object] struct {
	objects [chunkSize]T
	// epoch is that of the chunked in which the chunk was made.
	epoch uint64
}

// chunked is objects in places 0 to n-1. There is one writer. Readers either take a
// snapshot, which never changes, or load single objects while the writer goes on.
//
//	table ─▶ [ chunk │ chunk │ chunk ]
//	             │       └────────────▶ [ object … object ]   256 places each
//	snapshot ────┴─ keeps the table and the chunks as they are: the writer copies
//	                what it changes, once for each snapshot at most
type chunked[T Object] struct {
	table atomic.Pointer[[]atomic.Pointer[chunk[T]]]
	n     int
	// loadable says whether single objects can be loaded beside the writer: if T is a
	// pointer, and no interface.
	loadable bool
	// shared is set by who takes a snapshot, beside others. The writer, who is alone
	// then, begins a new epoch: what was made in an earlier one is copied before it
	// changes.
	shared atomic.Bool
	epoch  uint64
	// tableEpoch is in which the table was made: no earlier than any chunk in it.
	tableEpoch uint64
}

// len returns how many objects there are.
func (c *chunked[T]) len() int { return c.n }

// begin is called by the writer before it changes anything.
func (c *chunked[T]) begin() {
	if c.shared.Load() {
		c.shared.Store(false)
		c.epoch++
	}
}

// at returns the object at a place, for the writer and for who keeps it out.
func (c *chunked[T]) at(place uint32) T {
	return (*c.table.Load())[place/chunkSize].Load().objects[place%chunkSize]
}

// load returns the object at a place, the zero value if there is none, beside the
// writer. The objects have to be loadable.
func (c *chunked[T]) load(place uint32) (obj T) {
	table := c.table.Load()
	if table == nil || int(place/chunkSize) >= len(*table) {
		return obj
	}
	part := (*table)[place/chunkSize].Load()
	if part == nil {
		return obj
	}
	p := atomic.LoadPointer((*unsafe.Pointer)(unsafe.Pointer(&part.objects[place%chunkSize])))
	return *(*T)(unsafe.Pointer(&p))
}

// set changes the object at a place.
func (c *chunked[T]) set(place uint32, obj T) {
	table := *c.table.Load()
	part := table[place/chunkSize].Load()
	if part.epoch != c.epoch {
		part = &chunk[T]{objects: part.objects, epoch: c.epoch}
		if c.tableEpoch != c.epoch {
			table = c.cloneTable(len(table))
		}
		table[place/chunkSize].Store(part)
	}
	if target := &part.objects[place%chunkSize]; c.loadable {
		atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(target)), *(*unsafe.Pointer)(unsafe.Pointer(&obj)))
	} else {
		*target = obj
	}
}

// push adds an object and returns its place.
func (c *chunked[T]) push(obj T) uint32 {
	place := uint32(c.n)
	if int(place/chunkSize) >= c.chunks() {
		c.cloneTable(int(place/chunkSize) + 1)
		(*c.table.Load())[place/chunkSize].Store(&chunk[T]{epoch: c.epoch})
	}
	c.set(place, obj)
	c.n++
	return place
}

// pop removes the last object.
func (c *chunked[T]) pop() {
	c.n--
	last := uint32(c.n)
	var none T
	c.set(last, none)
	// One chunk stays in reserve, for who adds and removes at its border.
	if used := int(last+chunkSize-1) / chunkSize; c.chunks() > used+1 {
		c.cloneTable(used + 1)
	}
}

func (c *chunked[T]) chunks() int {
	if table := c.table.Load(); table != nil {
		return len(*table)
	}
	return 0
}

// cloneTable makes a table of n chunks, those that there are and empty places. As long
// as no snapshot has the old one, a table that grows uses its room, and one that
// shrinks keeps it, until most of it is room.
func (c *chunked[T]) cloneTable(n int) []atomic.Pointer[chunk[T]] {
	var old []atomic.Pointer[chunk[T]]
	if table := c.table.Load(); table != nil {
		old = *table
	}
	var table []atomic.Pointer[chunk[T]]
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
		table = make([]atomic.Pointer[chunk[T]], n, room)
		for i := range min(n, len(old)) {
			table[i].Store(old[i].Load())
		}
	}
	c.table.Store(&table)
	c.tableEpoch = c.epoch
	return table
}

// snapshot is the objects of one moment.
type snapshot[T Object] struct {
	table []atomic.Pointer[chunk[T]]
	n     int
}

// snapshot is called while the writer is kept out. It costs the writer copies: those
// who only need a moment do without.
func (c *chunked[T]) snapshot() snapshot[T] {
	s := c.now()
	if s.n > 0 && !c.shared.Load() {
		c.shared.Store(true)
	}
	return s
}

// now is a snapshot that holds while the writer is kept out.
func (c *chunked[T]) now() snapshot[T] {
	s := snapshot[T]{n: c.len()}
	if s.n > 0 {
		s.table = *c.table.Load()
	}
	return s
}

// at returns the object at a place.
func (s snapshot[T]) at(place uint32) T {
	return s.table[place/chunkSize].Load().objects[place%chunkSize]
}

// list returns all objects.
func (s snapshot[T]) list() []T {
	objs := make([]T, 0, s.n)
	for i := 0; i*chunkSize < s.n; i++ {
		objs = append(objs, s.table[i].Load().objects[:min(chunkSize, s.n-i*chunkSize)]...)
	}
	return objs
}

// all ranges over all objects.
func (s snapshot[T]) all() iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := 0; i*chunkSize < s.n; i++ {
			for _, obj := range s.table[i].Load().objects[:min(chunkSize, s.n-i*chunkSize)] {
				if !yield(obj) {
					return
				}
			}
		}
	}
}
