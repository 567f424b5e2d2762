package plan

import (
	"encoding/json"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// methodDecoder calls the type's own method.
type methodDecoder struct{ typ reflect.Type }

func (d *methodDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	end := skip(b, at, maxDepth-s.depth)
	if end == gaveUp {
		return gaveUp
	}
	value := p.Pointer(d.typ)
	err := value.Interface().(json.Unmarshaler).UnmarshalJSON(b[at:end:end])
	if s.Discard {
		value.Elem().SetZero() // for the next one
	}
	if err != nil {
		return gaveUp
	}
	return end
}

// knownDecoder is methodDecoder for types of apimachinery, without reflection.
type knownDecoder[T any, P interface {
	*T
	json.Unmarshaler
}] struct{}

func (knownDecoder[T, P]) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	end := skip(b, at, maxDepth-s.depth)
	if end == gaveUp {
		return gaveUp
	}
	value := memory.As[T](p)
	err := P(value).UnmarshalJSON(b[at:end:end])
	if s.Discard {
		*value = *new(T) // for the next one
	}
	if err != nil {
		return gaveUp
	}
	return end
}

var known = map[reflect.Type]decoder{
	reflect.TypeFor[metav1.Time]():          timeDecoder{},
	reflect.TypeFor[metav1.MicroTime]():     microTimeDecoder{},
	reflect.TypeFor[metav1.FieldsV1]():      knownDecoder[metav1.FieldsV1, *metav1.FieldsV1]{},
	reflect.TypeFor[metav1.Duration]():      knownDecoder[metav1.Duration, *metav1.Duration]{},
	reflect.TypeFor[resource.Quantity]():    knownDecoder[resource.Quantity, *resource.Quantity]{},
	reflect.TypeFor[runtime.RawExtension](): knownDecoder[runtime.RawExtension, *runtime.RawExtension]{},
	reflect.TypeFor[intstr.IntOrString]():   intOrStringDecoder{},
}

// Times are in every object. The forms that servers write are read here, with "Z" for UTC
// and these digits. The types' methods read all others.
const (
	usualTime      = `"2006-01-02T15:04:05Z"`
	usualMicroTime = `"2006-01-02T15:04:05.000000Z"`
)

type timeDecoder struct{}

func (timeDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	if end := at + len(usualTime); end <= len(b) && b[end-2] == 'Z' && b[end-1] == '"' {
		if t, ok := dateTime(b[at:end], 0); ok {
			memory.As[metav1.Time](p).Time = t
			return end
		}
	}
	return knownDecoder[metav1.Time, *metav1.Time]{}.decode(s, b, at, p)
}

type microTimeDecoder struct{}

func (microTimeDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	const fraction = len(`"2006-01-02T15:04:05`)
	if end := at + len(usualMicroTime); end <= len(b) && b[at+fraction] == '.' && b[end-2] == 'Z' && b[end-1] == '"' {
		if micros, ok := digits(b[at+fraction+1 : end-2]); ok {
			if t, ok := dateTime(b[at:end], micros*1000); ok {
				memory.As[metav1.MicroTime](p).Time = t
				return end
			}
		}
	}
	return knownDecoder[metav1.MicroTime, *metav1.MicroTime]{}.decode(s, b, at, p)
}

// dateTime reads `"2006-01-02T15:04:05` in UTC as a local time.
func dateTime(b []byte, nanos int) (time.Time, bool) {
	if b[0] != '"' || b[5] != '-' || b[8] != '-' || b[11] != 'T' || b[14] != ':' || b[17] != ':' {
		return time.Time{}, false
	}
	year, ok1 := digits(b[1:5])
	month, ok2 := digits(b[6:8])
	day, ok3 := digits(b[9:11])
	hour, ok4 := digits(b[12:14])
	minute, ok5 := digits(b[15:17])
	second, ok6 := digits(b[18:20])
	if !(ok1 && ok2 && ok3 && ok4 && ok5 && ok6) || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, nanos, time.UTC)
	if month < 1 || month > 12 || day < 1 || day > 28 && t.Day() != day {
		return time.Time{}, false // there is no such day
	}
	return t.Local(), true
}

func digits(b []byte) (n int, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}

type intOrStringDecoder struct{}

func (intOrStringDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	v := memory.As[intstr.IntOrString](p)
	switch peek(b, at) {
	case '"':
		v.Type = intstr.String
		raw, end := s.text(b, at)
		v.StrVal = s.String(raw)
		return end
	case 'n':
		return null(b, at)
	}
	n, end := readInteger(b, at)
	v.IntVal = int32(n)
	if int64(v.IntVal) != n {
		return gaveUp
	}
	return end
}
