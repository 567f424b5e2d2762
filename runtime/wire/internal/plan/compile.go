package plan

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
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
	// pointers is the number of decoders of pointers to values that may be discarded.
	pointers int
}

// planKey identifies a plan.
type planKey struct {
	typ reflect.Type
	// mask is the mask of the plan, as text.
	mask string
}

var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// root returns the decoder of an object, or nil if there is none.
func (c *compiler) root(t reflect.Type, mask *fieldmask.Mask) decoder {
	if t == reflect.TypeFor[unstructured.Unstructured]() {
		return unstructuredDecoder{mask}
	}
	if d := c.masked(t, mask); d != (refusal{}) {
		return d
	}
	return nil
}

// masked returns the decoder of a type of which members are left out. It refuses a type that has a method of its own: then
// Trim removes the members.
func (c *compiler) masked(t reflect.Type, mask *fieldmask.Mask) decoder {
	pointer := reflect.PointerTo(t)
	switch {
	case mask == nil:
		return c.decoder(t)
	case mask.KeepsNothing():
		return skipped{}
	case t.Kind() != reflect.Struct && itemOf(t) == t && t.Kind() != reflect.Map && t.Kind() != reflect.Interface:
		return refusal{} // it has no members
	case t.Kind() == reflect.Pointer && t.Name() == "" && itemOf(t).Kind() == reflect.Struct: // another one may have to become nil
		return &pointerDecoder{typ: t.Elem(), elem: c.masked(t.Elem(), mask), discarded: c.newPointer(t.Elem())}
	case pointer.Implements(unmarshaler), pointer.Implements(textUnmarshaler):
		return refusal{}
	}
	switch t.Kind() {
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return anyDecoder{mask}
		}
	case reflect.Struct:
		d := &structDecoder{}
		c.complete(d, t, mask)
		return d
	case reflect.Slice:
		if t.Elem() == reflect.TypeFor[any]() {
			return anySliceDecoder{mask}
		}
		return &sliceDecoder{typ: t, buffers: c.newBuffers(), elem: c.masked(t.Elem(), mask)}
	case reflect.Map:
		return c.maskedMap(t, mask)
	}
	return refusal{}
}

func (c *compiler) maskedMap(t reflect.Type, mask *fieldmask.Mask) decoder {
	switch whole := c.decoder(t).(type) {
	case anyMapDecoder:
		return anyMapDecoder{mask}
	case stringMapDecoder:
		return stringMapDecoder{mask}
	case *mapDecoder:
		d := *whole
		d.buffers, d.mask, d.masked = c.newBuffers(), mask, map[string]decoder{}
		for key, inner := range mask.Named() {
			d.masked[key] = c.masked(t.Elem(), inner)
		}
		return &d
	}
	return refusal{}
}

// complete makes d the decoder of the struct t.
func (c *compiler) complete(d *structDecoder, t reflect.Type, mask *fieldmask.Mask) {
	found, regular := FieldsOf(t)
	if !regular || len(found) > maxFields {
		d.refuses = true
		return
	}
	var decoded []structField
	for _, f := range found {
		at, decoder := f.Offset, c.member(f, mask.At(f.Name))
		if isObject(t) && memory.IsHead(f.Name) && decoder == (stringDecoder{}) {
			decoder = headDecoder{decoder}
		}
		for _, pointer := range slices.Backward(f.through) {
			decoder = &embeddedDecoder{typ: pointer.typ, offset: at, field: decoder}
			at = pointer.offset
		}
		decoded = append(decoded, structField{name: f.Name, offset: at, decoder: decoder})
	}
	guesses := c.guesses.Add(int64(len(decoded)+1)) - int64(len(decoded)+1)
	d.set(decoded, int(guesses))
}

func (c *compiler) member(f Field, mask *fieldmask.Mask) decoder {
	if f.quoted && !mask.KeepsNothing() {
		return refusal{}
	}
	d := c.masked(f.Type, mask)
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
		c.complete(d, t, nil)
		return d
	case reflect.Pointer:
		d := &pointerDecoder{typ: t.Elem(), discarded: c.newPointer(t.Elem())}
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

// newPointer returns the number of another pointerDecoder. It is negative for a type that has a head, which is kept.
func (c *compiler) newPointer(t reflect.Type) int {
	if isObject(t) {
		return -1
	}
	c.pointers++
	return c.pointers - 1
}

// isObject reports whether a struct is an object, or the metadata of one, which also implements metav1.Object.
func isObject(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[metav1.Object]())
}
