package wire

import (
	"reflect"
	"unsafe"
)

// sliceDecoder reads an array. How many elements there are is known at its end;
// until then they are in a buffer, so that the slice is made in its right size.
type sliceDecoder struct {
	typ  reflect.Type
	elem decoder
	// shelf is where the buffers are in a scratch.
	shelf int
}

// sliceBuffer is a slice of one type, whose elements are zero while nobody uses it.
type sliceBuffer struct {
	// slice can be set, and has the length of its capacity.
	slice reflect.Value
	first unsafe.Pointer
	size  uintptr
	len   int
	// made is a second slice, that is nil, and madeAt is where it is. Its header is
	// copied as that of bytes, which is the same.
	made   reflect.Value
	madeAt *[]byte
}

func (d *sliceDecoder) buffer(s *scratch) *sliceBuffer {
	if b, ok := s.take(d.shelf).(*sliceBuffer); ok {
		return b
	}
	made := reflect.New(d.typ)
	b := &sliceBuffer{
		slice: reflect.New(d.typ).Elem(), size: d.typ.Elem().Size(),
		made: made.Elem(), madeAt: (*[]byte)(made.UnsafePointer()),
	}
	b.grow(4)
	return b
}

func (b *sliceBuffer) bytes() uintptr { return uintptr(b.len) * b.size }

func (b *sliceBuffer) grow(by int) {
	b.slice.Grow(by)
	b.slice.SetLen(b.slice.Cap())
	b.first, b.len = b.slice.UnsafePointer(), b.slice.Len()
}

// at returns where the element is. It is good until the next call.
func (b *sliceBuffer) at(i int) unsafe.Pointer {
	if i == b.len {
		b.grow(b.len)
	}
	return unsafe.Add(b.first, uintptr(i)*b.size)
}

// move moves the first n elements to a slice of their own, at p.
func (b *sliceBuffer) move(n int, p unsafe.Pointer) {
	b.made.Grow(n)
	b.made.SetLen(n)
	b.made.SetCap(n)
	reflect.Copy(b.made, b.slice)
	*(*[]byte)(p) = *b.madeAt
	*b.madeAt = nil
	b.clear(n)
}

func (b *sliceBuffer) clear(n int) {
	b.slice.SetLen(n)
	b.slice.Clear()
	b.slice.SetLen(b.len)
}

func (d *sliceDecoder) decode(s *scratch, b []byte, at int, p unsafe.Pointer) int {
	if peek(b, at) != '[' {
		return null(b, at)
	}
	if s.depth++; s.depth > maxDepth {
		return gaveUp
	}
	if at = space(b, at+1); peek(b, at) == ']' {
		s.depth--
		reflect.NewAt(d.typ, p).Elem().Set(reflect.MakeSlice(d.typ, 0, 0))
		return at + 1
	}
	buffer := d.buffer(s)
	n := 0
	for more := true; more; n++ {
		if at = d.elem.decode(s, b, at, buffer.at(n)); at == gaveUp {
			return gaveUp
		}
		at, more = nextOrEnd(b, at, ']')
	}
	if at == gaveUp {
		return gaveUp
	}
	buffer.move(n, p)
	s.putBack(d.shelf, buffer)
	s.depth--
	return at
}

// stringsDecoder reads an array of strings.
type stringsDecoder struct{}

func (stringsDecoder) decode(s *scratch, b []byte, at int, p unsafe.Pointer) int {
	if peek(b, at) != '[' {
		return null(b, at)
	}
	if s.depth >= maxDepth {
		return gaveUp
	}
	if at = space(b, at+1); peek(b, at) == ']' {
		*(*[]string)(p) = []string{}
		return at + 1
	}
	before := len(s.strings)
	for more := true; more; {
		var element string
		if peek(b, at) == '"' {
			var raw []byte
			if raw, at = s.text(b, at); at == gaveUp {
				return gaveUp
			}
			element = s.string(raw)
		} else if at = null(b, at); at == gaveUp {
			return gaveUp
		}
		s.strings = append(s.strings, element)
		at, more = nextOrEnd(b, at, ']')
	}
	if at == gaveUp {
		return gaveUp
	}
	made := make([]string, len(s.strings)-before)
	copy(made, s.strings[before:])
	*(*[]string)(p) = made
	clear(s.strings[before:])
	s.strings = s.strings[:before]
	return at
}
