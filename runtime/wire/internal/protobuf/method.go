package protobuf

import (
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// methodDecoder calls the type's own method, for types without protobuf tags and those
// whose method is not a generated one.
type methodDecoder struct {
	typ reflect.Type
	// isFlat is set for a type that has no messages in it, whose depth need not be checked.
	isFlat bool
}

func (d *methodDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	start, end := readContent(b, at)
	pointer := p.Pointer(d.typ)
	if d.typ.Kind() == reflect.Slice {
		pointer.Elem().Set(reflect.MakeSlice(d.typ, 0, 0)) // generated code has no nil here
	}
	if s.Discard {
		defer pointer.Elem().SetZero() // for the next one
	}
	if end == gaveUp || !d.isFlat && isTooDeep(b[start:end], d.typ) || call(pointer.Interface().(unmarshaler), b[start:end:end]) != nil {
		return gaveUp
	}
	return end
}

// known has types of apimachinery whose methods were written by hand.
var known = map[reflect.Type]decoder{
	reflect.TypeFor[metav1.Time]():       timeDecoder{},
	reflect.TypeFor[metav1.MicroTime]():  microTimeDecoder{},
	reflect.TypeFor[metav1.FieldsV1]():   &methodDecoder{typ: reflect.TypeFor[metav1.FieldsV1](), isFlat: true},
	reflect.TypeFor[resource.Quantity](): quantityDecoder{},
}

// readTimestamp reads a message of seconds and nanoseconds. A message of no bytes is the zero
// time.
func readTimestamp(b []byte, at int) (seconds int64, nanos int32, isZero bool, end int) {
	at, end = readContent(b, at)
	if end == gaveUp || at == end {
		return 0, 0, true, end
	}
	for at < end {
		var v uint64
		tag := b[at]
		switch v, at = readVarint(b[:end], at+1); {
		case at == gaveUp:
			return 0, 0, false, gaveUp
		case tag == 1<<3|varint:
			seconds = int64(v)
		case tag == 2<<3|varint:
			nanos = int32(v)
		default:
			return 0, 0, false, gaveUp
		}
	}
	return seconds, nanos, false, end
}

// timeDecoder reads a time in whole seconds, as that of JSON.
type timeDecoder struct{}

func (timeDecoder) decode(_ *scratch, b []byte, at int, p memory.Slot) int {
	seconds, _, isZero, end := readTimestamp(b, at)
	if !isZero {
		memory.As[metav1.Time](p).Time = time.Unix(seconds, 0).Local()
	}
	return end
}

type microTimeDecoder struct{}

func (microTimeDecoder) decode(_ *scratch, b []byte, at int, p memory.Slot) int {
	seconds, nanos, isZero, end := readTimestamp(b, at)
	if !isZero {
		whole := time.Duration(nanos).Truncate(time.Microsecond)
		memory.As[metav1.MicroTime](p).Time = time.Unix(seconds, int64(whole)).Local()
	}
	return end
}

// quantityDecoder reads a message of one string.
type quantityDecoder struct{}

func (quantityDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	start, end := readContent(b, at)
	if end == gaveUp || start == end {
		return end
	}
	if b[start] != 1<<3|delimited {
		return gaveUp
	}
	text, textEnd := readContent(b[:end], start+1)
	if textEnd != end {
		return gaveUp
	}
	discard := s.Discard
	s.Discard = false
	q, err := resource.ParseQuantity(s.String(b[text:end]))
	s.Discard = discard
	if err != nil {
		return gaveUp
	}
	*memory.As[resource.Quantity](p) = q
	return end
}
