package protobuf

import (
	"reflect"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// isOwn reports whether a field is never shared: it is the labels or the annotations of metadata.
func isOwn(f taggedField) bool {
	return f.typ == reflect.TypeFor[map[string]string]() && (f.name == "labels" || f.name == "annotations")
}

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

// privates has the results of holdsPrivate: at most one entry for each type of the program.
var privates sync.Map

// holdsPrivate reports whether values of type t have a field whose text is not remembered: a shared part that has one would
// remember it. It also reports whether they have metadata: handlers write to labels and annotations most often, although
// they must not.
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
	if t == reflect.TypeFor[metav1.ObjectMeta]() {
		return true
	}
	seen[t] = true
	for _, f := range walkedFields(t) {
		if memory.IsPrivate(f.name) || reachesPrivate(f.typ, seen) {
			return true
		}
	}
	return false
}

// maxSharing is how deep a part may be in others. The text of a part is hashed, so a byte is hashed that often.
const maxSharing = 8

// sharedDecoder reads a map, a slice or a pointer. If no one writes to the objects, equal ones
// share it.
type sharedDecoder struct {
	decoder
	// tag is the tag of the field.
	tag                 uint64
	isSlice, isRepeated bool
	// number is the number of the decoder in memory.Parts.
	number int
}

func (d *sharedDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	if s.sharer == 0 || s.Private > 0 || s.sharing == maxSharing {
		return d.decoder.decode(s, b, at, p)
	}
	s.sharing++
	defer func() { s.sharing-- }()
	end := d.end(b, at)
	habit := s.habit(d.number)
	if end == gaveUp || end-at > memory.SharedBytes || !habit.Looks() {
		return d.decoder.decode(s, b, at, p)
	}
	known := s.parts.At(s.sharer, d.number, b[at:end]).CopyTo(p, d.isSlice)
	habit.Note(known)
	if known {
		return end
	}
	if d.decoder.decode(s, b, at, p) == gaveUp {
		return gaveUp
	}
	s.parts.At(s.sharer, d.number, b[at:end]).Set(p, d.isSlice) // parts of this one may have replaced it
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
