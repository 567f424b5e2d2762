package plan

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// These parts are shared between objects that no one writes to. They are the numbers of their
// decoders in memory.Parts.
const (
	// sharedFields is a *metav1.FieldsV1. The writers of a kind set the same fields of all its
	// objects, so nearly all managedFields are equal. They take as much room as the fields.
	sharedFields = 1 + iota
	// sharedUntyped is the map of an unstructured object for the same text.
	sharedUntyped
)

// fieldsMember is the name of a *metav1.FieldsV1 in managedFields.
const fieldsMember = "fieldsV1"

// share returns the part for the text b[at:end], or nil if it is not shared.
func (s *scratch) share(number int, b []byte, at, end int) *memory.Part {
	if s.sharer == 0 || s.Private > 0 || end == gaveUp || end-at > memory.SharedBytes {
		return nil
	}
	return s.parts.At(s.sharer, number, b[at:end])
}

// lookAhead returns the end of a value that is decoded after that.
func (s *scratch) lookAhead(b []byte, at int) (end int) {
	end = skip(b, at, maxDepth-s.depth)
	s.ahead += max(end-at, 0)
	return end
}

// fieldsDecoder reads a *metav1.FieldsV1. The end of its value has to be found in any case.
type fieldsDecoder struct{ pointer pointerDecoder }

var fieldsPointer = reflect.TypeFor[*metav1.FieldsV1]()

func newFieldsDecoder() *fieldsDecoder {
	return &fieldsDecoder{pointerDecoder{typ: fieldsPointer.Elem(), elem: known[fieldsPointer.Elem()]}}
}

func (d *fieldsDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	if s.Discard {
		return skip(b, at, maxDepth-s.depth) // its method takes any value
	}
	if s.sharer == 0 || peek(b, at) != '{' {
		return d.pointer.decode(s, b, at, p)
	}
	end := s.lookAhead(b, at)
	part := s.share(sharedFields, b, at, end)
	if part == nil {
		return d.pointer.decode(s, b, at, p)
	}
	if part.CopyTo(p, false) {
		return end
	}
	if d.pointer.decode(s, b, at, p) != end {
		return gaveUp
	}
	part.Set(p, false)
	return end
}

// fieldsDepth is how many objects and arrays are open at metadata.managedFields[].fieldsV1.
const fieldsDepth = 4

// untypedFields is value for the member fieldsMember at fieldsDepth, if it is an object. Its text is read twice. That would be quadratic
// for objects of that name in each other.
func (s *scratch) untypedFields(b []byte, at int) (m map[string]any, end int) {
	end = s.lookAhead(b, at)
	part := s.share(sharedUntyped, b, at, end)
	if part == nil {
		return s.object(b, at, nil)
	}
	slot := memory.SlotOf(reflect.ValueOf(&m))
	if part.CopyTo(slot, false) {
		return m, end
	}
	if m, end = s.object(b, at, nil); end != gaveUp {
		s.parts.At(s.sharer, sharedUntyped, b[at:end]).Set(slot, false)
	}
	return m, end
}
