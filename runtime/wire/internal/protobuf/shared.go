package protobuf

import (
	"reflect"
	"sync"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// isShareable reports whether a value of type t is worth sharing: a map, a slice, or a
// pointer to a message. A small map takes room for eight entries, which is 640 bytes for
// quantities.
func isShareable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Map:
		return true
	case reflect.Slice:
		return t.Elem().Kind() != reflect.Uint8
	case reflect.Pointer:
		_, isTime := known[t.Elem()].(timeDecoder)
		return t.Elem().Kind() == reflect.Struct && !isTime
	}
	return false
}

// privates has what holdsPrivate returned: at most one entry for each type of the program.
var privates sync.Map

// holdsPrivate reports whether values of type t have a field whose text is not remembered.
// A shared part that has one would remember it.
func holdsPrivate(t reflect.Type) bool {
	if known, ok := privates.Load(t); ok {
		return known.(bool)
	}
	holds := reachesPrivate(t, map[reflect.Type]bool{})
	privates.Store(t, holds)
	return holds
}

func reachesPrivate(t reflect.Type, seen map[reflect.Type]bool) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return reachesPrivate(t.Elem(), seen)
	}
	if seen[t] || t.Kind() != reflect.Struct {
		return false
	}
	seen[t] = true
	for _, f := range walkedFields(t) {
		if memory.IsPrivate(f.name) || reachesPrivate(f.typ, seen) {
			return true
		}
	}
	return false
}

// sharedDecoder reads a map, a slice or a pointer. If no one writes to the objects, equal ones
// share it.
type sharedDecoder struct {
	decoder
	// tag is that of the field.
	tag                 uint64
	isSlice, isRepeated bool
	// number is that of the decoder in memory.Parts.
	number int
}

func (d *sharedDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	if !s.readOnly || s.Private > 0 {
		return d.decoder.decode(s, b, at, p)
	}
	end := d.end(b, at)
	if end == gaveUp || end-at > memory.SharedBytes {
		return d.decoder.decode(s, b, at, p)
	}
	if s.parts.At(d.number, b[at:end]).CopyTo(p, d.isSlice) {
		return end
	}
	if d.decoder.decode(s, b, at, p) == gaveUp {
		return gaveUp
	}
	s.parts.At(d.number, b[at:end]).Set(p, d.isSlice) // parts of this one may have replaced it
	return end
}

// end returns the index after the values of the field, which begin at b[at].
func (d *sharedDecoder) end(b []byte, at int) int {
	for {
		if at = skip(b, at, d.tag); at == gaveUp || !d.isRepeated {
			return at
		}
		next, value := readTag(b, at)
		if value == gaveUp || next != d.tag {
			return at
		}
		at = value
	}
}
