package wire

import (
	"reflect"
	"unsafe"
)

// mapDecoder reads an object into a map of any type with keys that are strings.
// How many entries there are is known at its end; until then they are in a buffer,
// so that the map is made in its right size.
type mapDecoder struct {
	typ    reflect.Type
	values sliceDecoder
	elem   decoder
	shelf  int
}

// mapBuffer is the entries of a map.
type mapBuffer struct {
	// key can be set, to each key in turn.
	key    reflect.Value
	keys   []string
	values *sliceBuffer
}

func (d *mapDecoder) buffer(s *scratch) *mapBuffer {
	if b, ok := s.take(d.shelf).(*mapBuffer); ok {
		return b
	}
	return &mapBuffer{key: reflect.New(d.typ.Key()).Elem(), values: d.values.buffer(s)}
}

func (b *mapBuffer) bytes() uintptr {
	return b.values.bytes() + uintptr(cap(b.keys))*unsafe.Sizeof("")
}

func (d *mapDecoder) decode(s *scratch, b []byte, at int, p unsafe.Pointer) int {
	if peek(b, at) != '{' {
		return null(b, at)
	}
	if s.depth++; s.depth > maxDepth {
		return gaveUp
	}
	buffer := d.buffer(s)
	at = space(b, at+1)
	more := peek(b, at) != '}'
	if !more {
		at++
	}
	for more {
		var raw []byte
		if raw, at = s.name(b, at); at == gaveUp {
			return gaveUp
		}
		buffer.keys = append(buffer.keys, s.string(raw))
		if at = d.elem.decode(s, b, at, buffer.values.at(len(buffer.keys)-1)); at == gaveUp {
			return gaveUp
		}
		at, more = nextOrEnd(b, at, '}')
	}
	if at == gaveUp {
		return gaveUp
	}
	made := reflect.MakeMapWithSize(d.typ, len(buffer.keys))
	for i, key := range buffer.keys {
		buffer.key.SetString(key)
		made.SetMapIndex(buffer.key, buffer.values.slice.Index(i))
	}
	reflect.NewAt(d.typ, p).Elem().Set(made)
	d.putBack(s, buffer)
	s.depth--
	return at
}

func (d *mapDecoder) putBack(s *scratch, b *mapBuffer) {
	b.key.SetZero()
	b.values.clear(len(b.keys))
	clear(b.keys)
	b.keys = b.keys[:0]
	s.putBack(d.shelf, b)
}

// name reads the name of a member, and finds its value. What it returns is good
// until the next text.
func (s *scratch) name(b []byte, at int) (raw []byte, value int) {
	if peek(b, at) != '"' {
		return nil, gaveUp
	}
	raw, at = s.text(b, at)
	if at == gaveUp {
		return nil, gaveUp
	}
	if peek(b, at) == ':' {
		return raw, space(b, at+1)
	}
	return raw, colon(b, at)
}

// stringMapDecoder reads a map of strings. Entries whose keys are in drop are left
// out.
type stringMapDecoder struct{ drop map[string]bool }

func (d stringMapDecoder) decode(s *scratch, b []byte, at int, p unsafe.Pointer) int {
	if peek(b, at) != '{' {
		return null(b, at)
	}
	if s.depth >= maxDepth {
		return gaveUp
	}
	at = space(b, at+1)
	more := peek(b, at) != '}'
	if !more {
		at++
	}
	before := len(s.strings)
	for more {
		var raw []byte
		if raw, at = s.name(b, at); at == gaveUp {
			return gaveUp
		}
		switch {
		case d.drop[string(raw)]:
			at = skip(b, at, maxDepth-s.depth)
		case peek(b, at) == '"':
			key := s.string(raw)
			if raw, at = s.text(b, at); at == gaveUp {
				return gaveUp
			}
			s.strings = append(s.strings, key, s.string(raw))
		default:
			s.strings = append(s.strings, s.string(raw), "")
			at = null(b, at)
		}
		if at == gaveUp {
			return gaveUp
		}
		at, more = nextOrEnd(b, at, '}')
	}
	if at == gaveUp {
		return gaveUp
	}
	entries := s.strings[before:]
	made := make(map[string]string, len(entries)/2)
	for i := 0; i < len(entries); i += 2 {
		made[entries[i]] = entries[i+1]
	}
	*(*map[string]string)(p) = made
	clear(entries)
	s.strings = s.strings[:before]
	return at
}
