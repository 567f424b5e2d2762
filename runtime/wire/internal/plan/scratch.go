package plan

import (
	"sync"
	"time"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// scratch is memory that one goroutine at a time decodes with, object after object. It
// holds nothing of a decoded object except short strings and parts that are likely to come
// again, for a while.
type scratch struct {
	memory.Strings
	parts  memory.Parts
	sharer memory.Sharer
	// ahead is the number of bytes that were read before they are decoded. It is for tests.
	ahead int
	// depth is the number of open objects and arrays.
	depth int
	// unquoted is the last text that had escape sequences. Its first written bytes have
	// been written to since it was cleared.
	unquoted []byte
	written  int
	// guesses has the guesses of all structs; see structDecoder.guesses.
	guesses []uint8
	// discarded is by pointerDecoder.discarded.
	discarded memory.Discards
	// free has the buffers that are not in use, by sliceDecoder.buffers and
	// mapDecoder.buffers, and freeBytes is their size.
	free      [][]buffer
	freeBytes uintptr

	// These stacks have the elements of values that are not complete.
	strings []string
	values  []any
	entries []entry
}

var scratches = sync.Pool{New: func() any { return &scratch{} }}

func takeScratch() *scratch {
	s := scratches.Get().(*scratch)
	now := time.Now()
	s.Age(now)
	s.parts.Age(now)
	s.Discard = false
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
		uintptr(cap(s.strings))*memory.SizeOf[string]() +
		uintptr(cap(s.values))*memory.SizeOf[any]() +
		uintptr(cap(s.entries))*memory.SizeOf[entry]()
}

// prepare makes room for the guesses and buffers of all decoders that exist.
func (s *scratch) prepare() {
	s.depth, s.ahead, s.Private = 0, 0, 0
	if n := int(plans.guesses.Load()); n > len(s.guesses) {
		s.guesses = append(s.guesses, make([]uint8, n-len(s.guesses))...)
	}
	if n := int(plans.buffers.Load()); n > len(s.free) {
		s.free = append(s.free, make([][]buffer, n-len(s.free))...)
	}
}

// abandon drops the state of a decoder that gave up.
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

// privateDecoder reads a member whose strings are not remembered.
type privateDecoder struct{ decoder }

func (d privateDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	s.Private++
	end := d.decoder.decode(s, b, at, p)
	s.Private--
	return end
}

// leadsToHead reports whether a member of an untyped object has a part of the head.
func (s *scratch) leadsToHead(member []byte) bool {
	return s.depth <= memory.HeadDepth && (memory.IsHead(string(member)) || string(member) == "metadata")
}

// headDecoder reads a member of the head.
type headDecoder struct{ decoder }

func (d headDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	discard := s.Discard
	s.Discard = discard && s.depth > memory.HeadDepth
	end := d.decoder.decode(s, b, at, p)
	s.Discard = discard
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
