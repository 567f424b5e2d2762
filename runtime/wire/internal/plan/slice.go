package plan

import (
	"reflect"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// sliceDecoder reads an array. The elements are in a buffer until their number is known,
// so that the slice is made in its final size.
type sliceDecoder struct {
	typ  reflect.Type
	elem decoder
	// buffers is the index of the free buffers in a scratch.
	buffers int
}

// sliceBuffer is a slice whose elements are zero while no decoder uses it.
type sliceBuffer struct {
	// slice can be set. Its length is its capacity.
	slice reflect.Value
	first memory.Slot
	size  uintptr
	len   int
	// made is a nil slice that can be set, and madeAt is its slot. The final slice is made
	// here and then moved.
	made   reflect.Value
	madeAt memory.Slot
}

func (d *sliceDecoder) buffer(s *scratch) *sliceBuffer {
	if b, ok := s.take(d.buffers).(*sliceBuffer); ok {
		return b
	}
	made := reflect.New(d.typ)
	b := &sliceBuffer{slice: reflect.New(d.typ).Elem(), size: d.typ.Elem().Size(), made: made.Elem(), madeAt: memory.SlotOf(made)}
	b.grow()
	return b
}

func (b *sliceBuffer) bytes() uintptr { return uintptr(b.len) * b.size }

func (b *sliceBuffer) grow() {
	b.slice.Grow(max(4, b.len))
	b.slice.SetLen(b.slice.Cap())
	b.first, b.len = memory.SlotOf(b.slice), b.slice.Len()
}

// at returns the slot of an element, which is valid until the next call.
func (b *sliceBuffer) at(i int) memory.Slot {
	if i == b.len {
		b.grow()
	}
	return b.first.Plus(uintptr(i) * b.size)
}

// move moves the first n elements to a slice of their own in p.
func (b *sliceBuffer) move(n int, p memory.Slot) {
	b.made.Grow(n)
	b.made.SetLen(n)
	b.made.SetCap(n)
	reflect.Copy(b.made, b.slice)
	memory.MoveSlice(p, b.madeAt)
	b.clear(n)
}

func (b *sliceBuffer) clear(n int) {
	b.slice.SetLen(n)
	b.slice.Clear()
	b.slice.SetLen(b.len)
}

func (d *sliceDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	if peek(b, at) != '[' {
		return null(b, at)
	}
	if s.depth++; s.depth > maxDepth {
		return gaveUp
	}
	at, more := first(b, at, ']')
	if !more {
		s.depth--
		p.Pointer(d.typ).Elem().Set(reflect.MakeSlice(d.typ, 0, 0))
		return at
	}
	buffer := d.buffer(s)
	n := 0
	for ; more; n++ {
		if s.Discard {
			n = 0 // all in one place
		}
		at, more = nextOrEnd(b, d.elem.decode(s, b, at, buffer.at(n)), ']')
	}
	if at == gaveUp {
		return gaveUp
	}
	if s.Discard {
		buffer.clear(n)
	} else {
		buffer.move(n, p)
	}
	s.putBack(d.buffers, buffer)
	s.depth--
	return at
}

// stringsDecoder reads an array of strings.
type stringsDecoder struct{}

func (stringsDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	if peek(b, at) != '[' {
		return null(b, at)
	}
	if s.depth >= maxDepth {
		return gaveUp
	}
	at, more := first(b, at, ']')
	before := len(s.strings)
	for more {
		var element string
		if peek(b, at) == '"' {
			var raw []byte
			if raw, at = s.text(b, at); at == gaveUp {
				return gaveUp
			}
			element = s.String(raw)
		} else {
			at = null(b, at)
		}
		if !s.Discard {
			s.strings = append(s.strings, element)
		}
		at, more = nextOrEnd(b, at, ']')
	}
	if at == gaveUp {
		return gaveUp
	}
	if s.Discard {
		return at
	}
	made := make([]string, len(s.strings)-before)
	copy(made, s.strings[before:])
	*memory.As[[]string](p) = made
	clear(s.strings[before:])
	s.strings = s.strings[:before]
	return at
}
