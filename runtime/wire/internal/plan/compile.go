package plan

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// plans has all plans, and makes each decoder once for its type.
var plans = compiler{made: map[planKey]*Plan{}, decoders: map[reflect.Type]decoder{}}

type compiler struct {
	// Mutex guards made, decoders, and the decoders that are not complete.
	sync.Mutex
	made     map[planKey]*Plan
	decoders map[reflect.Type]decoder
	// guesses and buffers are the numbers of guesses and lists of free buffers that the
	// decoders have in a scratch.
	guesses, buffers atomic.Int64
}

// planKey identifies a plan.
type planKey struct {
	typ reflect.Type
	// omission is an Omission as text, with sorted names.
	omission string
}

var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// root returns the decoder of an object, or nil if there is none.
func (c *compiler) root(t reflect.Type, omit Omission) decoder {
	var d decoder
	switch {
	case t == reflect.TypeFor[unstructured.Unstructured]():
		return unstructuredDecoder{omit}
	case omit == nil:
		d = c.decoder(t)
	case t.Kind() == reflect.Struct:
		d = c.omitting(t, omit)
	}
	if d == (refusal{}) {
		return nil
	}
	return d
}

// omitting returns the decoder of a type of which members are left out. The type of the
// metadata need not be apimachinery's. The decoder refuses a type that is neither a struct
// nor a map of strings: then Trim removes the members.
func (c *compiler) omitting(t reflect.Type, omit Omission) decoder {
	pointer := reflect.PointerTo(t)
	switch {
	case t == reflect.TypeFor[map[string]string]():
		return stringMapDecoder{omit}
	case t.Kind() == reflect.Pointer && t.Name() == "":
		return &pointerDecoder{typ: t.Elem(), elem: c.omitting(t.Elem(), omit)}
	case t.Kind() != reflect.Struct || pointer.Implements(unmarshaler) || pointer.Implements(textUnmarshaler):
		return refusal{}
	}
	d := &structDecoder{}
	c.complete(d, t, func(f Field) decoder {
		switch within, omitted := omit[f.Name]; {
		case !omitted || f.quoted:
			return c.member(f)
		case within == nil:
			return skipped{}
		default:
			return c.omitting(f.Type, within)
		}
	})
	return d
}

// complete makes d the decoder of the struct t.
func (c *compiler) complete(d *structDecoder, t reflect.Type, member func(f Field) decoder) {
	found, regular := FieldsOf(t)
	if !regular || len(found) > maxFields {
		d.refuses = true
		return
	}
	var decoded []structField
	for _, f := range found {
		at, decoder := f.Offset, member(f)
		for _, pointer := range slices.Backward(f.through) {
			decoder = &embeddedDecoder{typ: pointer.typ, offset: at, field: decoder}
			at = pointer.offset
		}
		decoded = append(decoded, structField{name: f.Name, offset: at, decoder: decoder})
	}
	guesses := c.guesses.Add(int64(len(decoded)+1)) - int64(len(decoded)+1)
	d.set(decoded, int(guesses))
}

func (c *compiler) member(f Field) decoder {
	if f.quoted {
		return refusal{}
	}
	d := c.decoder(f.Type)
	if memory.IsPrivate(f.Name) && d != (refusal{}) {
		return privateDecoder{d}
	}
	return d
}

// decoder returns the decoder of a type.
func (c *compiler) decoder(t reflect.Type) decoder {
	if d, ok := known[t]; ok {
		return d
	}
	if t == fieldsPointer {
		return newFieldsDecoder()
	}
	pointer := reflect.PointerTo(t)
	switch {
	case pointer.Implements(unmarshaler) && t.Name() != "" && t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface:
		return &methodDecoder{t}
	case pointer.Implements(unmarshaler), pointer.Implements(textUnmarshaler), t == reflect.TypeFor[json.Number]():
		return refusal{}
	}
	if d, ok := scalars[t.Kind()]; ok {
		return d
	}
	if d, ok := c.decoders[t]; ok {
		return d
	}
	switch t.Kind() {
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return anyDecoder{}
		}
	case reflect.Struct:
		d := &structDecoder{}
		c.decoders[t] = d
		c.complete(d, t, c.member)
		return d
	case reflect.Pointer:
		d := &pointerDecoder{typ: t.Elem()}
		c.decoders[t] = d
		d.elem = c.decoder(t.Elem())
		return d
	case reflect.Slice:
		return c.slice(t)
	case reflect.Map:
		return c.mapping(t)
	}
	return refusal{}
}

func (c *compiler) slice(t reflect.Type) decoder {
	switch elem := t.Elem(); {
	case elem == reflect.TypeFor[byte]():
		return bytesDecoder{}
	case elem.Kind() == reflect.Uint8:
		return refusal{}
	case elem == reflect.TypeFor[any]():
		return anySliceDecoder{}
	}
	d := &sliceDecoder{typ: t, buffers: c.newBuffers()}
	c.decoders[t] = d
	d.elem = c.decoder(t.Elem())
	if d.elem == (stringDecoder{}) {
		c.decoders[t] = stringsDecoder{}
		return stringsDecoder{}
	}
	return d
}

func (c *compiler) mapping(t reflect.Type) decoder {
	key := reflect.PointerTo(t.Key())
	if t.Key().Kind() != reflect.String || key.Implements(textUnmarshaler) {
		return refusal{}
	}
	if t.Elem() == reflect.TypeFor[any]() {
		return anyMapDecoder{}
	}
	d := &mapDecoder{typ: t, buffers: c.newBuffers()}
	c.decoders[t] = d
	d.elem = c.decoder(t.Elem())
	if d.elem == (stringDecoder{}) {
		c.decoders[t] = stringMapDecoder{}
		return stringMapDecoder{}
	}
	d.values = sliceDecoder{typ: reflect.SliceOf(t.Elem()), buffers: c.newBuffers()}
	return d
}

// newBuffers returns the index of another list of free buffers.
func (c *compiler) newBuffers() int { return int(c.buffers.Add(1) - 1) }
