package wire

import (
	"sync"
	"time"
	"unsafe"
)

// scratch is memory that one goroutine at a time decodes with, object after object.
// It holds nothing of an object that has been decoded but strings that are likely
// to come again, for a while.
type scratch struct {
	// depth is how many objects and arrays are open.
	depth int
	// private is how many members are open whose strings are not remembered.
	private int
	// unquoted is the last text that had escapes in it. Its first written bytes have been
	// written since it was cleared.
	unquoted []byte
	written  int
	// guesses are those of all structs, by structDecoder.guesses.
	guesses []uint8
	// shelves have the buffers that are not in use, by the shelf of the decoder.
	shelves [][]buffer
	// shelved is how many bytes they have.
	shelved uintptr

	// remembered and boxes are strings that have been decoded, by their hash.
	remembered [1 << rememberedBits]string
	boxes      [1 << rememberedBits]any
	// metStrings and metBoxes have a bit for each of these that was met since agedAt.
	metStrings, metBoxes marks
	agedAt               time.Time

	// Elements of values that are not complete yet. They are stacks, as values are
	// nested.
	strings []string
	values  []any
	entries []entry
}

var scratches = sync.Pool{New: func() any { return &scratch{} }}

func takeScratch() *scratch {
	s := scratches.Get().(*scratch)
	s.age(time.Now())
	return s
}

// give hands the scratch to the next one, unless a large object has made it grow.
func (s *scratch) give() {
	clear(s.unquoted[:max(s.written, len(s.unquoted))])
	s.unquoted, s.written = s.unquoted[:0], 0
	if s.grown() <= keptBytes {
		scratches.Put(s)
	}
}

// keptBytes is how far a scratch may have grown that is used again.
const keptBytes = 1 << 20

// grown is how many bytes the objects have made the scratch take that it has decoded.
func (s *scratch) grown() uintptr {
	return s.shelved + uintptr(cap(s.unquoted)) +
		uintptr(cap(s.strings))*unsafe.Sizeof("") +
		uintptr(cap(s.values))*unsafe.Sizeof(any(nil)) +
		uintptr(cap(s.entries))*unsafe.Sizeof(entry{})
}

// fit makes room for what the decoders have that there are now.
func (s *scratch) fit() {
	s.depth, s.private = 0, 0
	if n := int(plans.guesses.Load()); n > len(s.guesses) {
		s.guesses = append(s.guesses, make([]uint8, n-len(s.guesses))...)
	}
	if n := int(plans.shelves.Load()); n > len(s.shelves) {
		s.shelves = append(s.shelves, make([][]buffer, n-len(s.shelves))...)
	}
}

// abandon drops what a decoder has left behind that gave up.
func (s *scratch) abandon() {
	s.shelves, s.shelved = nil, 0
	s.strings, s.values, s.entries = nil, nil, nil
}

// buffer is where a decoder puts elements until it knows how many there are.
type buffer interface {
	// bytes is how large it is.
	bytes() uintptr
}

// take returns a buffer that was put back on the shelf, or nil.
func (s *scratch) take(shelf int) buffer {
	free := s.shelves[shelf]
	if len(free) == 0 {
		return nil
	}
	last := free[len(free)-1]
	s.shelves[shelf] = free[:len(free)-1]
	s.shelved -= last.bytes()
	return last
}

func (s *scratch) putBack(shelf int, buffer buffer) {
	s.shelved += buffer.bytes()
	s.shelves[shelf] = append(s.shelves[shelf], buffer)
}

const (
	// Strings that are as long at most are remembered, the last ones by their hash.
	rememberedBytes = 64
	rememberedBits  = 11
	// ageEvery is how often a scratch that is used forgets the strings that it has not
	// met since the last time.
	ageEvery = time.Minute
)

// marks has a bit for each place of a table of strings.
type marks [(1 << rememberedBits) / 64]uint64

func (m *marks) set(i uint64)      { m[i/64] |= 1 << (i % 64) }
func (m *marks) has(i uint64) bool { return m[i/64]&(1<<(i%64)) != 0 }

// age forgets strings that were not met for a minute, and are therefore gone after two: an
// object that was deleted must not stay in memory by its parts. A scratch that is not used
// at all is left to the garbage collector, which clears a pool in two cycles.
func (s *scratch) age(now time.Time) {
	if since := now.Sub(s.agedAt); 0 <= since && since < ageEvery {
		return
	}
	s.agedAt = now
	for i := range uint64(len(s.remembered)) {
		if !s.metStrings.has(i) {
			s.remembered[i] = ""
		}
		if !s.metBoxes.has(i) {
			s.boxes[i] = nil
		}
	}
	s.metStrings, s.metBoxes = marks{}, marks{}
}

// isPrivate reports whether what a member holds is not remembered: that of Secrets above
// all, whose values are theirs alone.
func isPrivate(name string) bool { return name == "data" || name == "stringData" }

// privateDecoder reads a member whose strings are not remembered.
type privateDecoder struct{ decoder }

func (d privateDecoder) decode(s *scratch, b []byte, at int, p unsafe.Pointer) int {
	s.private++
	end := d.decoder.decode(s, b, at, p)
	s.private--
	return end
}

// string makes a string of what text returned, or finds it among those that have
// been made before: many strings of a cluster come again and again, those of labels,
// images, managers, enumerations. That saves half of the allocations of a Pod, and a
// tenth of its memory. It is the string itself that is shared, and no memory beside
// it, so that a field that is cleared frees what it held.
func (s *scratch) string(raw []byte) string {
	if len(raw) > rememberedBytes || len(raw) == 0 || s.private > 0 {
		return string(raw)
	}
	i := hash(raw) >> (64 - rememberedBits)
	s.metStrings.set(i)
	place := &s.remembered[i]
	if *place != string(raw) {
		*place = string(raw)
	}
	return *place
}

// boxed does the same for strings in values of any type, which need more memory.
func (s *scratch) boxed(raw []byte) any {
	if len(raw) > rememberedBytes || len(raw) == 0 || s.private > 0 {
		return string(raw)
	}
	i := hash(raw) >> (64 - rememberedBits)
	s.metBoxes.set(i)
	place := &s.boxes[i]
	if known, _ := (*place).(string); known != string(raw) {
		*place = string(raw)
	}
	return *place
}
