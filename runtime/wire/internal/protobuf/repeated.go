package protobuf

import (
	"reflect"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// sliceDecoder reads a repeated field. It counts the values first, so that the slice is made
// in its final size.
type sliceDecoder struct {
	tag  uint64
	typ  reflect.Type
	size uintptr
	elem decoder
	// made is the index of the type's nil slice in a scratch.
	made int
	// discarded is the number of an element in memory.Discards.
	discarded int
}

// madeSlice is a nil slice that can be set, and its slot.
type madeSlice struct {
	value reflect.Value
	at    memory.Slot
}

// make makes a slice of n zero values in p and returns the slot of the first.
func (d *sliceDecoder) make(s *scratch, n int, p memory.Slot) memory.Slot {
	for d.made >= len(s.made) {
		s.made = append(s.made, madeSlice{})
	}
	m := &s.made[d.made]
	if !m.value.IsValid() {
		pointer := reflect.New(d.typ)
		*m = madeSlice{pointer.Elem(), memory.SlotOf(pointer)}
	}
	m.value.Grow(n)
	m.value.SetLen(n)
	m.value.SetCap(n)
	first := memory.SlotOf(m.value)
	memory.MoveSlice(p, m.at)
	return first
}

func (d *sliceDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	n := count(b, at, d.tag)
	if n == gaveUp {
		return gaveUp
	}
	first, size := memory.Slot{}, d.size
	if s.Discard {
		first, size = s.discarded.At(d.discarded, d.typ.Elem()), 0 // all in one place
	} else {
		first = d.make(s, n, p)
	}
	for i := range n {
		if i > 0 {
			_, at = readTag(b, at)
		}
		if at = d.elem.decode(s, b, at, first.Plus(uintptr(i)*size)); at == gaveUp {
			return gaveUp
		}
	}
	return at
}

// stringsDecoder reads a repeated string.
type stringsDecoder struct{ tag uint64 }

func (d stringsDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	n := count(b, at, d.tag)
	if n == gaveUp {
		return gaveUp
	}
	var made []string
	if !s.Discard {
		made = make([]string, 0, n)
	}
	for i := range n {
		if i > 0 {
			_, at = readTag(b, at)
		}
		start, end := readContent(b, at)
		if at = end; !s.Discard {
			made = append(made, s.String(b[start:end]))
		}
	}
	*memory.As[[]string](p) = made
	return at
}

// The tags of the fields of an entry of a map.
const (
	keyTag   = 1<<3 | delimited
	valueTag = 2 << 3
)

// readEntry reads an entry of a map, whose content is the rest of b from at on, in the form
// in which servers write it. value is the start of the value after its tag, or gaveUp if
// there is none. wire is the type of values.
func readEntry(b []byte, at int, wire uint64) (key []byte, value int, ok bool) {
	if at < len(b) && b[at] == keyTag {
		start, end := readContent(b, at+1)
		if end == gaveUp {
			return nil, gaveUp, false
		}
		key, at = b[start:end], end
	}
	if at == len(b) {
		return key, gaveUp, true
	}
	if uint64(b[at]) != valueTag|wire || skip(b, at+1, wire) != len(b) {
		return nil, gaveUp, false
	}
	return key, at + 1, true
}

// entries calls visit for each entry of a map, until it returns false. It returns the index
// after the last entry, or gaveUp.
func entries(b []byte, at int, tag, wire uint64, n int, visit func(entry []byte, key []byte, value int) bool) int {
	for i := range n {
		if i > 0 {
			_, at = readTag(b, at)
		}
		start, end := readContent(b, at)
		key, value, ok := readEntry(b[:end], start, wire)
		if !ok || !visit(b[:end], key, value) {
			return gaveUp
		}
		at = end
	}
	return at
}

// maxRoom limits the entries for which a map has room at first: all of them may have the same
// key.
const maxRoom = 128

// mapDecoder reads a map of any type whose keys are strings.
type mapDecoder struct {
	tag  uint64
	typ  reflect.Type
	elem decoder
	wire uint64
	// mask, if it is not nil, leaves out keys. masked has the decoders of the values of those that have a mask.
	mask   *fieldmask.Mask
	masked map[string]decoder
}

func (d *mapDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	n := count(b, at, d.tag)
	if n == gaveUp {
		return gaveUp
	}
	var made reflect.Value
	if !s.Discard {
		made = reflect.MakeMapWithSize(d.typ, min(n, maxRoom))
	}
	key, value := reflect.New(d.typ.Key()).Elem(), reflect.New(d.typ.Elem())
	at = entries(b, at, d.tag, d.wire, n, func(entry, text []byte, from int) bool {
		elem := d.elem
		if d.mask != nil {
			switch inner := d.mask.AtText(text); {
			case inner.KeepsNothing():
				return true
			case inner != nil:
				elem = d.masked[string(text)]
			}
		}
		value.Elem().SetZero()
		if d.typ.Elem().Kind() == reflect.Slice {
			value.Elem().Set(reflect.MakeSlice(d.typ.Elem(), 0, 0)) // generated code has no nil here
		}
		if from != gaveUp && elem.decode(s, entry, from, memory.SlotOf(value)) == gaveUp {
			return false
		}
		if !s.Discard {
			key.SetString(s.String(text))
			made.SetMapIndex(key, value.Elem())
		}
		return true
	})
	if !s.Discard && made.Len() > 0 { // otherwise no key is left
		p.Pointer(d.typ).Elem().Set(made)
	}
	return at
}

// stringMapDecoder reads a map of strings without the keys that mask, which may be nil, leaves out. It is nil if no other keys are
// left, as it is without their entries.
type stringMapDecoder struct {
	tag  uint64
	mask *fieldmask.Mask
}

func (d *stringMapDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	n := count(b, at, d.tag)
	if n == gaveUp {
		return gaveUp
	}
	var made map[string]string
	for i := range n {
		if i > 0 {
			_, at = readTag(b, at)
		}
		start, end := readContent(b, at)
		key, from, ok := readEntry(b[:end], start, delimited)
		if !ok {
			return gaveUp
		}
		at = end
		if s.Discard || d.mask != nil && d.mask.AtText(key).KeepsNothing() {
			continue
		}
		value := ""
		if from != gaveUp {
			start, end = readContent(b[:end], from)
			value = s.String(b[start:end])
		}
		if made == nil {
			made = make(map[string]string, min(n, maxRoom))
			*memory.As[map[string]string](p) = made
		}
		made[s.String(key)] = value
	}
	return at
}
