package plan

import (
	"encoding/base64"
	"math"
	"reflect"
	"strconv"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

type stringDecoder struct{}

func (stringDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	if peek(b, at) != '"' {
		return null(b, at)
	}
	raw, end := s.text(b, at)
	if end != gaveUp {
		*memory.As[string](p) = s.String(raw)
	}
	return end
}

// bytesDecoder reads bytes in base64.
type bytesDecoder struct{}

func (bytesDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	if peek(b, at) != '"' {
		return null(b, at)
	}
	raw, end := s.text(b, at)
	if end == gaveUp {
		return gaveUp
	}
	decoded := make([]byte, base64.StdEncoding.DecodedLen(len(raw)))
	n, err := base64.StdEncoding.Decode(decoded, raw)
	if err != nil {
		return gaveUp
	}
	if !s.Discard {
		*memory.As[[]byte](p) = decoded[:n:n]
	}
	return end
}

type boolDecoder struct{}

func (boolDecoder) decode(_ *scratch, b []byte, at int, p memory.Slot) int {
	end := gaveUp
	switch peek(b, at) {
	case 't':
		if end = literal(b, at, "true"); end != gaveUp {
			*memory.As[bool](p) = true
		}
	case 'f':
		end = literal(b, at, "false")
	default:
		end = null(b, at)
	}
	return end
}

// integer has the types of integers.
type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

type integerDecoder[I integer] struct{}

func (integerDecoder[I]) decode(_ *scratch, b []byte, at int, p memory.Slot) int {
	if peek(b, at) == 'n' {
		return null(b, at)
	}
	n, end := readInteger(b, at)
	if end == gaveUp || int64(I(n)) != n || I(n) < 0 != (n < 0) {
		return gaveUp
	}
	if b[at] == '-' && I(0)-1 > 0 {
		return gaveUp // -0 is not unsigned
	}
	*memory.As[I](p) = I(n)
	return end
}

// readInteger reads an integer that fits into int64.
func readInteger(b []byte, at int) (n int64, end int) {
	negative := peek(b, at) == '-'
	if negative {
		at++
	}
	first := at
	var size uint64
	for at < len(b) && '0' <= b[at] && b[at] <= '9' && at-first < 20 {
		size = 10*size + uint64(b[at]-'0')
		at++
	}
	switch digits := at - first; {
	case digits == 0, digits > 19, digits > 1 && b[first] == '0':
		return 0, gaveUp
	}
	switch peek(b, at) {
	case '.', 'e', 'E':
		return 0, gaveUp
	}
	switch {
	case size <= -math.MinInt64 && negative:
		return -int64(size), at
	case size <= math.MaxInt64:
		return int64(size), at
	}
	return 0, gaveUp
}

type floatDecoder[F float32 | float64] struct{}

func (floatDecoder[F]) decode(_ *scratch, b []byte, at int, p memory.Slot) int {
	if peek(b, at) == 'n' {
		return null(b, at)
	}
	end := numberEnd(b, at)
	if end == gaveUp {
		return gaveUp
	}
	f, err := strconv.ParseFloat(string(b[at:end]), int(8*memory.SizeOf[F]()))
	if err != nil {
		return gaveUp
	}
	*memory.As[F](p) = F(f)
	return end
}

// pointerDecoder allocates a value for the pointer, unless that is null.
type pointerDecoder struct {
	elem decoder
	typ  reflect.Type
	// discarded is the number of the decoder in memory.Discards. It is negative if the value is kept.
	discarded int
}

func (d *pointerDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	if peek(b, at) == 'n' {
		return null(b, at)
	}
	if s.Discard && d.discarded >= 0 {
		return d.elem.decode(s, b, at, s.discarded.At(d.discarded, d.typ))
	}
	elem := memory.SlotOf(reflect.New(d.typ))
	*memory.As[memory.Slot](p) = elem
	return d.elem.decode(s, b, at, elem)
}

// embeddedDecoder reads a field of an embedded pointer to a struct. It allocates the
// struct for the first of its fields, even if that is null.
type embeddedDecoder struct {
	typ reflect.Type
	// offset is the offset of the field in the struct.
	offset uintptr
	field  decoder
}

func (d *embeddedDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	embedded := memory.As[memory.Slot](p)
	if *embedded == (memory.Slot{}) {
		*embedded = memory.SlotOf(reflect.New(d.typ))
	}
	return d.field.decode(s, b, at, embedded.Plus(d.offset))
}

var scalars = map[reflect.Kind]decoder{
	reflect.String:  stringDecoder{},
	reflect.Bool:    boolDecoder{},
	reflect.Int:     integerDecoder[int]{},
	reflect.Int8:    integerDecoder[int8]{},
	reflect.Int16:   integerDecoder[int16]{},
	reflect.Int32:   integerDecoder[int32]{},
	reflect.Int64:   integerDecoder[int64]{},
	reflect.Uint:    integerDecoder[uint]{},
	reflect.Uint8:   integerDecoder[uint8]{},
	reflect.Uint16:  integerDecoder[uint16]{},
	reflect.Uint32:  integerDecoder[uint32]{},
	reflect.Uint64:  integerDecoder[uint64]{},
	reflect.Uintptr: integerDecoder[uintptr]{},
	reflect.Float32: floatDecoder[float32]{},
	reflect.Float64: floatDecoder[float64]{},
}
