package wire

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// plans makes the decoders, each once for its type.
var plans = compiler{made: map[planKey]*plan{}, decoders: map[reflect.Type]decoder{}}

type compiler struct {
	// Mutex guards what is made, and the decoders that are not complete.
	sync.Mutex
	made     map[planKey]*plan
	decoders map[reflect.Type]decoder
	// guesses and shelves are how many places the decoders have in a scratch.
	guesses, shelves atomic.Int64
}

// planKey is what a plan is made of.
type planKey struct {
	typ           reflect.Type
	managedFields bool
	// annotations are their sorted keys.
	annotations string
}

var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// root returns the decoder of an object; nil if there is none.
func (c *compiler) root(t reflect.Type, drop *dropped) decoder {
	switch {
	case t == reflect.TypeFor[unstructured.Unstructured]():
		return unstructuredDecoder{drop}
	case drop.nothing():
		d := c.decoder(t)
		if d == (refusal{}) {
			return nil
		}
		return d
	case t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(unmarshaler):
		return nil
	}
	d := &structDecoder{}
	c.complete(d, t, func(f field) decoder {
		if f.name == "metadata" && !f.quoted {
			return c.metadata(f.typ, drop)
		}
		return c.member(f)
	})
	return d
}

// metadata returns a decoder of an object's metadata that drops some of it. The type need
// not be apimachinery's. Of a type in which nothing can be dropped it decodes nothing:
// unmarshal gets a text without what is dropped.
func (c *compiler) metadata(t reflect.Type, drop *dropped) decoder {
	pointer := reflect.PointerTo(t)
	switch {
	case t.Kind() == reflect.Pointer && t.Name() == "":
		return &pointerDecoder{typ: t.Elem(), elem: c.metadata(t.Elem(), drop)}
	case t.Kind() != reflect.Struct || pointer.Implements(unmarshaler) || pointer.Implements(textUnmarshaler):
		return refusal{}
	}
	d := &structDecoder{}
	c.complete(d, t, func(f field) decoder {
		switch {
		case f.name == "managedFields" && drop.managedFields:
			return skipped{}
		case f.name != "annotations" || len(drop.annotations) == 0:
			return c.member(f)
		case f.typ == reflect.TypeFor[map[string]string]():
			return stringMapDecoder{drop.annotations}
		}
		return refusal{}
	})
	return d
}

// complete makes the decoder of a struct that of t.
func (c *compiler) complete(d *structDecoder, t reflect.Type, member func(f field) decoder) {
	found, ok := fields(t)
	if !ok || len(found) > maxFields {
		d.refuses = true
		return
	}
	var decoded []structField
	for _, f := range found {
		at, decoder := f.offset, member(f)
		for _, pointer := range slices.Backward(f.through) {
			decoder = &embeddedDecoder{typ: pointer.typ, offset: at, field: decoder}
			at = pointer.offset
		}
		decoded = append(decoded, structField{name: f.name, offset: at, decoder: decoder})
	}
	guesses := c.guesses.Add(int64(len(decoded)+1)) - int64(len(decoded)+1)
	d.set(decoded, int(guesses))
}

func (c *compiler) member(f field) decoder {
	if f.quoted {
		return refusal{}
	}
	d := c.decoder(f.typ)
	if isPrivate(f.name) && d != (refusal{}) {
		return privateDecoder{d}
	}
	return d
}

// decoder returns the decoder of a type.
func (c *compiler) decoder(t reflect.Type) decoder {
	if d, ok := known[t]; ok {
		return d
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
	d := &sliceDecoder{typ: t, shelf: c.shelf()}
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
	d := &mapDecoder{typ: t, shelf: c.shelf()}
	c.decoders[t] = d
	d.elem = c.decoder(t.Elem())
	if d.elem == (stringDecoder{}) {
		c.decoders[t] = stringMapDecoder{}
		return stringMapDecoder{}
	}
	d.values = sliceDecoder{typ: reflect.SliceOf(t.Elem()), shelf: c.shelf()}
	return d
}

func (c *compiler) shelf() int { return int(c.shelves.Add(1) - 1) }
