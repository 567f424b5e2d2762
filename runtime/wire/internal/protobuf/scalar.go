package protobuf

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

type stringDecoder struct{}

func (stringDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	start, end := readContent(b, at)
	if end != gaveUp {
		*memory.As[string](p) = s.String(b[start:end])
	}
	return end
}

// fieldDecoder reads a string of a field.
type fieldDecoder struct {
	// number is the number of its habit.
	number int
}

func (d fieldDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	start, end := readContent(b, at)
	if end != gaveUp {
		*memory.As[string](p) = s.Usual(b[start:end], s.habit(d.number))
	}
	return end
}

// bytesDecoder reads bytes, which are never nil.
type bytesDecoder struct{}

func (bytesDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	start, end := readContent(b, at)
	if end != gaveUp && !s.Discard {
		copied := make([]byte, end-start)
		copy(copied, b[start:end])
		*memory.As[[]byte](p) = copied
	}
	return end
}

type boolDecoder struct{}

func (boolDecoder) decode(_ *scratch, b []byte, at int, p memory.Slot) int {
	v, end := readVarint(b, at)
	if v > math.MaxInt32 {
		return gaveUp // generated code reads it as an int, which may have 32 bits
	}
	*memory.As[bool](p) = v != 0
	return end
}

// integerDecoder reads an integer, of which it drops the bits that I does not have.
type integerDecoder[I int32 | int64 | uint32 | uint64] struct{}

func (integerDecoder[I]) decode(_ *scratch, b []byte, at int, p memory.Slot) int {
	v, end := readVarint(b, at)
	*memory.As[I](p) = I(v)
	return end
}

type doubleDecoder struct{}

func (doubleDecoder) decode(_ *scratch, b []byte, at int, p memory.Slot) int {
	if len(b)-at < 8 {
		return gaveUp
	}
	*memory.As[float64](p) = math.Float64frombits(binary.LittleEndian.Uint64(b[at:]))
	return at + 8
}

type floatDecoder struct{}

func (floatDecoder) decode(_ *scratch, b []byte, at int, p memory.Slot) int {
	if len(b)-at < 4 {
		return gaveUp
	}
	*memory.As[float32](p) = math.Float32frombits(binary.LittleEndian.Uint32(b[at:]))
	return at + 4
}

// pointerDecoder allocates a value.
type pointerDecoder struct {
	typ  reflect.Type
	elem decoder
	// discarded is the number of the decoder in memory.Discards.
	discarded int
}

func (d *pointerDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	if s.Discard {
		return d.elem.decode(s, b, at, s.discarded.At(d.discarded, d.typ))
	}
	elem := memory.SlotOf(reflect.New(d.typ))
	*memory.As[memory.Slot](p) = elem
	return d.elem.decode(s, b, at, elem)
}

// scalar has how a kind is decoded, and its type on the wire.
type scalar struct {
	decoder decoder
	wire    uint64
}

var scalars = map[reflect.Kind]scalar{
	reflect.String:  {stringDecoder{}, delimited},
	reflect.Bool:    {boolDecoder{}, varint},
	reflect.Int32:   {integerDecoder[int32]{}, varint},
	reflect.Int64:   {integerDecoder[int64]{}, varint},
	reflect.Uint32:  {integerDecoder[uint32]{}, varint},
	reflect.Uint64:  {integerDecoder[uint64]{}, varint},
	reflect.Float32: {floatDecoder{}, fixed32},
	reflect.Float64: {doubleDecoder{}, fixed64},
}
