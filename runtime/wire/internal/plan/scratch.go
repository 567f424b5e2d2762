package plan

import (
	"sync"
	"time"
)

// scratch is memory that one goroutine at a time decodes with, object after object. It
// holds nothing of a decoded object except short strings that are likely to come again,
// for a while.
type scratch struct {
	// depth is the number of open objects and arrays.
	depth int
	// private is the number of open members whose strings are not remembered.
	private int
	// unquoted is the last text that had escape sequences. Its first written bytes have
	// been written to since it was cleared.
	unquoted []byte
	written  int
	// guesses are those of all structs; see structDecoder.guesses.
	guesses []uint8
	// free has the buffers that are not in use, by sliceDecoder.buffers and
	// mapDecoder.buffers, and freeBytes is their size.
	free      [][]buffer
	freeBytes uintptr

	// remembered and boxes have decoded strings, by their hash.
	remembered [1 << rememberedBits]string
	boxes      [1 << rememberedBits]any
	// metStrings and metBoxes have a bit for each of them that was met since agedAt.
	metStrings, metBoxes marks
	agedAt               time.Time

	// These stacks have the elements of values that are not complete.
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

// release returns the scratch for the next object, unless a large one has made it grow.
func (s *scratch) release() {
	clear(s.unquoted[:max(s.written, len(s.unquoted))])
	s.unquoted, s.written = s.unquoted[:0], 0
	if s.grown() <= keptBytes {
		scratches.Put(s)
	}
}

// keptBytes limits the size of a scratch that is used again.
const keptBytes = 1 << 20

// grown returns how many bytes objects have added to the scratch.
func (s *scratch) grown() uintptr {
	return s.freeBytes + uintptr(cap(s.unquoted)) +
		uintptr(cap(s.strings))*sizeOf[string]() +
		uintptr(cap(s.values))*sizeOf[any]() +
		uintptr(cap(s.entries))*sizeOf[entry]()
}

// prepare makes room for the guesses and buffers of all decoders that exist.
func (s *scratch) prepare() {
	s.depth, s.private = 0, 0
	if n := int(plans.guesses.Load()); n > len(s.guesses) {
		s.guesses = append(s.guesses, make([]uint8, n-len(s.guesses))...)
	}
	if n := int(plans.buffers.Load()); n > len(s.free) {
		s.free = append(s.free, make([][]buffer, n-len(s.free))...)
	}
}

// abandon drops what is left of a decoder that gave up.
func (s *scratch) abandon() {
	s.free, s.freeBytes = nil, 0
	s.strings, s.values, s.entries = nil, nil, nil
}

// buffer has elements until their number is known.
type buffer interface {
	// bytes returns its size.
	bytes() uintptr
}

// take returns a free buffer, or nil if there is none.
func (s *scratch) take(index int) buffer {
	free := s.free[index]
	if len(free) == 0 {
		return nil
	}
	last := free[len(free)-1]
	s.free[index] = free[:len(free)-1]
	s.freeBytes -= last.bytes()
	return last
}

func (s *scratch) putBack(index int, buffer buffer) {
	s.freeBytes += buffer.bytes()
	s.free[index] = append(s.free[index], buffer)
}

const (
	// rememberedBytes limits the length of strings that are remembered.
	rememberedBytes = 64
	rememberedBits  = 11
	// ageEvery is how often a scratch that is in use forgets the strings that it has not
	// met since the last time.
	ageEvery = time.Minute
)

// marks has a bit for each slot of a table of strings.
type marks [(1 << rememberedBits) / 64]uint64

func (m *marks) set(i uint64)      { m[i/64] |= 1 << (i % 64) }
func (m *marks) has(i uint64) bool { return m[i/64]&(1<<(i%64)) != 0 }

// age forgets strings that were not met for a minute, so that none is held for more than
// two: no part of a deleted object must stay in memory. The garbage collector frees a
// scratch that is not in use, for it clears a pool in two cycles.
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

// isPrivate reports whether strings below a member of that name are not remembered. They
// are the values of Secrets above all.
func isPrivate(name string) bool { return name == "data" || name == "stringData" }

// privateDecoder reads a member whose strings are not remembered.
type privateDecoder struct{ decoder }

func (d privateDecoder) decode(s *scratch, b []byte, at int, p slot) int {
	s.private++
	end := d.decoder.decode(s, b, at, p)
	s.private--
	return end
}

// text returns the value of the text whose opening quote is b[at]. It is part of b or of
// the scratch, and valid until the next call.
func (s *scratch) text(b []byte, at int) (raw []byte, end int) {
	if i := plainEnd(b, at+1); i < len(b) && b[i] == '"' {
		return b[at+1 : i], i + 1
	}
	s.written = max(s.written, len(s.unquoted))
	return unquoted(&s.unquoted, b, at+1, false)
}

// name returns the name of the member that begins at b[at], and the start of its value.
// The name is valid until the next call of text or name.
func (s *scratch) name(b []byte, at int) (raw []byte, value int) {
	if peek(b, at) != '"' {
		return nil, gaveUp
	}
	raw, at = s.text(b, at)
	if peek(b, at) == ':' {
		return raw, space(b, at+1)
	}
	return raw, colon(b, at)
}

// string returns a string with that text. It shares the memory of an equal one that it has
// returned before, if it remembers one: labels, images, managers and enumerations repeat in
// most objects. That saves half of the allocations of a Pod, and a tenth of its memory.
// Each string has memory of its own, so that a field that is cleared frees it.
func (s *scratch) string(raw []byte) string {
	if len(raw) > rememberedBytes || len(raw) == 0 || s.private > 0 {
		return string(raw)
	}
	i := hash(raw) >> (64 - rememberedBits)
	s.metStrings.set(i)
	known := &s.remembered[i]
	if *known != string(raw) {
		*known = string(raw)
	}
	return *known
}

// boxed is string for values of any type, which have to be allocated, too.
func (s *scratch) boxed(raw []byte) any {
	if len(raw) > rememberedBytes || len(raw) == 0 || s.private > 0 {
		return string(raw)
	}
	i := hash(raw) >> (64 - rememberedBits)
	s.metBoxes.set(i)
	known := &s.boxes[i]
	if text, _ := (*known).(string); text != string(raw) {
		*known = string(raw)
	}
	return *known
}
