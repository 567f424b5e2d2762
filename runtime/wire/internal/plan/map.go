package plan

import (
	"reflect"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// mapDecoder reads an object into a map of any type whose keys are strings. The entries
// are in a buffer until their number is known, so that the map is made in its final size.
type mapDecoder struct {
	typ    reflect.Type
	values sliceDecoder
	elem   decoder
	// buffers is the index of the free buffers in a scratch.
	buffers int
	// mask, if it is not nil, leaves out keys. masked has the decoders of the values of those that have a mask.
	mask   *fieldmask.Mask
	masked map[string]decoder
}

// mapBuffer has the entries of a map.
type mapBuffer struct {
	// key is set to each key in turn.
	key    reflect.Value
	keys   []string
	values *sliceBuffer
}

func (d *mapDecoder) buffer(s *scratch) *mapBuffer {
	if b, ok := s.take(d.buffers).(*mapBuffer); ok {
		return b
	}
	return &mapBuffer{key: reflect.New(d.typ.Key()).Elem(), values: d.values.buffer(s)}
}

func (b *mapBuffer) bytes() uintptr {
	return b.values.bytes() + uintptr(cap(b.keys))*memory.SizeOf[string]()
}

func (d *mapDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	if peek(b, at) != '{' {
		return null(b, at)
	}
	if s.depth++; s.depth > maxDepth {
		return gaveUp
	}
	buffer := d.buffer(s)
	at, more := first(b, at, '}')
	isCut := false
	for more {
		var raw []byte
		if raw, at = s.name(b, at); at == gaveUp {
			return gaveUp
		}
		if s.Discard {
			at = d.check(s, buffer, raw, b, at)
		} else if d.mask != nil {
			before := len(buffer.keys)
			at = d.decodeMasked(s, buffer, raw, b, at)
			isCut = isCut || len(buffer.keys) == before
		} else {
			buffer.keys = append(buffer.keys, s.String(raw))
			at = d.elem.decode(s, b, at, buffer.values.at(len(buffer.keys)-1))
		}
		at, more = nextOrEnd(b, at, '}')
	}
	if at == gaveUp {
		return gaveUp
	}
	if s.Discard || isCut && len(buffer.keys) == 0 {
		d.putBack(s, buffer)
		s.depth--
		return at
	}
	made := reflect.MakeMapWithSize(d.typ, len(buffer.keys))
	for i, key := range buffer.keys {
		buffer.key.SetString(key)
		made.SetMapIndex(buffer.key, buffer.values.slice.Index(i))
	}
	p.Pointer(d.typ).Elem().Set(made)
	d.putBack(s, buffer)
	s.depth--
	return at
}

// check checks the value of a key.
func (d *mapDecoder) check(s *scratch, buffer *mapBuffer, key, b []byte, at int) int {
	elem, _ := d.elemOf(key)
	at = elem.decode(s, b, at, buffer.values.at(0))
	buffer.values.clear(1)
	return at
}

// elemOf returns the decoder of the value of a key, and the mask of the value.
func (d *mapDecoder) elemOf(key []byte) (decoder, *fieldmask.Mask) {
	if d.mask == nil {
		return d.elem, nil
	}
	switch mask := d.mask.AtText(key); {
	case mask.KeepsNothing():
		return skipped{}, mask
	case mask != nil:
		return d.masked[string(key)], mask
	}
	return d.elem, nil
}

// decodeMasked reads the value of a key, unless it is left out.
func (d *mapDecoder) decodeMasked(s *scratch, buffer *mapBuffer, key, b []byte, at int) int {
	elem, mask := d.elemOf(key)
	if mask.KeepsNothing() {
		return skip(b, at, maxDepth-s.depth)
	}
	isNull := peek(b, at) == 'n'
	buffer.keys = append(buffer.keys, s.String(key))
	n := len(buffer.keys) - 1
	at = elem.decode(s, b, at, buffer.values.at(n))
	if mask != nil && mask.IsMap() && !isNull && at != gaveUp && buffer.values.slice.Index(n).IsZero() {
		return gaveUp // no key of a map in a map is left, so that it is left out itself
	}
	return at
}

func (d *mapDecoder) putBack(s *scratch, b *mapBuffer) {
	b.key.SetZero()
	b.values.clear(len(b.keys))
	clear(b.keys)
	b.keys = b.keys[:0]
	s.putBack(d.buffers, b)
}

// stringMapDecoder reads a map of strings without the keys that mask, which may be nil, leaves out.
type stringMapDecoder struct{ mask *fieldmask.Mask }

func (d stringMapDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	if peek(b, at) != '{' {
		return null(b, at)
	}
	if s.depth >= maxDepth {
		return gaveUp
	}
	at, more := first(b, at, '}')
	before, isCut := len(s.strings), false
	for more {
		var raw []byte
		if raw, at = s.name(b, at); at == gaveUp {
			return gaveUp
		}
		switch {
		case d.mask != nil && d.mask.AtText(raw).KeepsNothing():
			isCut = true
			at = skip(b, at, maxDepth-s.depth)
		case peek(b, at) == '"':
			key := s.String(raw)
			if raw, at = s.text(b, at); at == gaveUp {
				return gaveUp
			}
			if !s.Discard {
				s.strings = append(s.strings, key, s.String(raw))
			}
		case s.Discard:
			at = null(b, at)
		default:
			s.strings = append(s.strings, s.String(raw), "")
			at = null(b, at)
		}
		at, more = nextOrEnd(b, at, '}')
	}
	if at == gaveUp {
		return gaveUp
	}
	entries := s.strings[before:]
	if s.Discard || isCut && len(entries) == 0 {
		return at
	}
	made := make(map[string]string, len(entries)/2)
	for i := 0; i < len(entries); i += 2 {
		made[entries[i]] = entries[i+1]
	}
	*memory.As[map[string]string](p) = made
	clear(entries)
	s.strings = s.strings[:before]
	return at
}
