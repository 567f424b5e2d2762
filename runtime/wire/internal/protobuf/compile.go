package protobuf

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
)

// plans has all plans, and makes each decoder of a message once for its types.
var plans = compiler{made: map[planKey]*Plan{}, messages: map[typePair]*messageDecoder{}}

type compiler struct {
	// Mutex guards all fields, and the decoders that are not complete.
	sync.Mutex
	made     map[planKey]*Plan
	messages map[typePair]*messageDecoder
	// slices is the number of types of slices that decoders make, discarded that of values that may be discarded, and numbered that
	// of decoders with a number: shared ones, and those of strings in fields.
	slices, discarded, numbered int
}

// planKey identifies a plan.
type planKey struct {
	typ, whole reflect.Type
	// mask is the mask of the plan, as text.
	mask string
}

// typePair is the type of a value and the type whose tags count for it.
type typePair struct{ typ, whole reflect.Type }

// taggedField is a field of a struct that has a protobuf tag. Of the tag only the number
// counts: the rest of it is not always true, and generated code follows the Go type.
type taggedField struct {
	number uint64
	// name is the name of the member in JSON. It is empty if the members of the field are
	// those of the struct.
	name   string
	typ    reflect.Type
	offset uintptr
	// isHead is set for a field of the metadata that is part of the head.
	isHead bool
}

// taggedFields returns the fields of a struct, or nil for another type.
func taggedFields(t reflect.Type) (found []taggedField) {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		sf := t.Field(i)
		parts := strings.Split(sf.Tag.Get("protobuf"), ",")
		if len(parts) < 2 || !sf.IsExported() {
			continue
		}
		number, err := strconv.ParseUint(parts[1], 10, 32)
		if err != nil {
			continue
		}
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if name == "" && !sf.Anonymous {
			name = sf.Name
		}
		isHead := t == reflect.TypeFor[metav1.ObjectMeta]() && memory.IsHead(name)
		found = append(found, taggedField{number, name, sf.Type, sf.Offset, isHead})
	}
	return found
}

// maskOf returns the mask of a field in that of its struct.
func maskOf(f *taggedField, mask *fieldmask.Mask) *fieldmask.Mask {
	if f.name == "" {
		return mask // its members are those of the struct
	}
	return mask.At(f.name)
}

// isRepeated reports whether the field may have several values: it is a slice, but not one of
// bytes, or a map.
func (f *taggedField) isRepeated() bool {
	switch {
	case ownMethod(f.typ):
		return false
	case f.typ.Kind() == reflect.Slice:
		return f.typ.Elem().Kind() != reflect.Uint8
	}
	return f.typ.Kind() == reflect.Map
}

// root returns the decoder of an object, or nil if there is none.
func (c *compiler) root(t, whole reflect.Type, mask *fieldmask.Mask) *messageDecoder {
	if len(taggedFields(whole)) == 0 {
		return nil
	}
	return c.message(t, whole, mask)
}

// message returns the decoder of a struct. Only those of whole objects are made once.
func (c *compiler) message(t, whole reflect.Type, mask *fieldmask.Mask) *messageDecoder {
	key := typePair{t, whole}
	if d := c.messages[key]; d != nil && mask == nil {
		return d
	}
	d := &messageDecoder{}
	if mask == nil {
		c.messages[key] = d
	}
	if t == whole {
		for _, f := range taggedFields(t) {
			if inner := maskOf(&f, mask); !inner.KeepsNothing() { // otherwise it is like an unknown field
				c.add(d, f, f.typ, f.offset, inner)
			}
		}
	} else {
		c.addView(d, t, whole, mask)
	}
	return d
}

// add adds a field that is decoded to a value of type t at that offset.
func (c *compiler) add(d *messageDecoder, f taggedField, t reflect.Type, offset uintptr, mask *fieldmask.Mask) {
	decoder, wire := c.field(f, t, mask)
	if isShareable(t) && !isOwn(f) && !holdsPrivate(f.typ) && decoder != (refusal{}) {
		c.numbered++
		decoder = &sharedDecoder{decoder: decoder, tag: f.number<<3 | wire, isSlice: t.Kind() == reflect.Slice, isRepeated: f.isRepeated(), number: c.numbered}
	}
	if decoder == (stringDecoder{}) {
		c.numbered++
		decoder = fieldDecoder{c.numbered}
		if f.isHead {
			decoder = headDecoder{decoder}
		}
	}
	if memory.IsPrivate(f.name) && decoder != (refusal{}) {
		decoder = privateDecoder{decoder}
	}
	if !d.add(f.number, messageField{wire: wire, offset: offset, decoder: decoder}) {
		d.refused = true
	}
}

// addView adds the fields of a view of a struct.
func (c *compiler) addView(d *messageDecoder, view, whole reflect.Type, mask *fieldmask.Mask) {
	members, regular := plan.FieldsOf(view)
	d.refused = d.refused || !regular || hasOwnText(view) || hasOwnText(whole)
	left := map[string]plan.Field{}
	for i := range members {
		if m := &members[i]; !m.IsPlain() {
			d.refused = true
		} else if !mask.At(m.Name).KeepsNothing() {
			left[m.Name] = *m
		}
	}
	c.addMembers(d, left, whole, mask)
}

// addMembers adds those of the members that whole has. It removes them from members, so that
// each is added once.
func (c *compiler) addMembers(d *messageDecoder, members map[string]plan.Field, whole reflect.Type, mask *fieldmask.Mask) {
	for _, f := range taggedFields(whole) {
		if f.name != "" {
			if m, ok := members[f.name]; ok {
				delete(members, f.name)
				c.add(d, f, m.Type, m.Offset, mask.At(f.name))
			}
			continue
		}
		// The members of f are fields of another message, but of the same struct.
		if f.typ.Kind() != reflect.Struct {
			d.refused = true
			continue
		}
		inner := &messageDecoder{}
		c.addMembers(inner, members, f.typ, mask)
		if len(inner.fields) > 0 || inner.refused {
			d.refused = !d.add(f.number, messageField{wire: delimited, decoder: inner}) || d.refused
		}
	}
}

// field returns the decoder of a field as a value of type t, and its type on the wire.
func (c *compiler) field(f taggedField, t reflect.Type, mask *fieldmask.Mask) (d decoder, wire uint64) {
	switch {
	case !f.isRepeated():
		return c.value(t, f.typ, mask)
	case t.Kind() != f.typ.Kind(), t != f.typ && (hasOwnText(t) || hasOwnText(f.typ)):
		return refusal{}, 0
	case t.Kind() == reflect.Slice:
		return c.slice(f, t, mask)
	case t.Key() != f.typ.Key() && hasOwnText(t.Key()):
		return refusal{}, 0
	case t.Key().Kind() == reflect.String && f.typ.Key().Kind() == reflect.String:
		return c.mapping(f, t, mask), delimited
	}
	return refusal{}, 0
}

// slice returns the decoder of a repeated field, and the type of its values on the wire.
func (c *compiler) slice(f taggedField, t reflect.Type, mask *fieldmask.Mask) (d decoder, wire uint64) {
	elem, wire := c.value(t.Elem(), f.typ.Elem(), mask)
	tag := f.number<<3 | wire
	switch elem {
	case refusal{}:
		return elem, wire
	case stringDecoder{}:
		return stringsDecoder{tag}, wire
	}
	c.slices++
	return &sliceDecoder{tag: tag, typ: t, size: t.Elem().Size(), elem: elem, made: c.slices - 1, discarded: c.newDiscarded()}, wire
}

// newDiscarded returns the number of another value that may be discarded.
func (c *compiler) newDiscarded() int {
	c.discarded++
	return c.discarded - 1
}

// mapping returns the decoder of a map.
func (c *compiler) mapping(f taggedField, t reflect.Type, mask *fieldmask.Mask) decoder {
	elem, wire := c.value(t.Elem(), f.typ.Elem(), nil)
	tag := f.number<<3 | delimited
	switch elem {
	case refusal{}:
		return elem
	case stringDecoder{}:
		return &stringMapDecoder{tag, mask}
	}
	d := &mapDecoder{tag: tag, typ: t, elem: elem, wire: wire, mask: mask, masked: map[string]decoder{}}
	for key, inner := range mask.Named() {
		if !inner.KeepsNothing() {
			d.masked[key], _ = c.value(t.Elem(), f.typ.Elem(), inner)
		}
	}
	return d
}

// ownMethods has the results of ownMethod: at most one entry for each type of the program.
var ownMethods sync.Map

// ownMethod reports whether values of t are decoded by a method that does not follow tags.
func ownMethod(t reflect.Type) bool {
	if own, ok := ownMethods.Load(t); ok {
		return own.(bool)
	}
	_, own := known[t]
	own = own || reflect.PointerTo(t).Implements(reflect.TypeFor[unmarshaler]()) && len(taggedFields(t)) == 0
	ownMethods.Store(t, own)
	return own
}

// hasOwnText reports whether the text of values of t in JSON is not that of their fields or
// elements. A view that has t where the kind has another type is decoded from that text.
func hasOwnText(t reflect.Type) bool {
	if t == reflect.TypeFor[json.Number]() {
		return true
	}
	pointer := reflect.PointerTo(t)
	for _, method := range []reflect.Type{
		reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[json.Marshaler](),
		reflect.TypeFor[encoding.TextUnmarshaler](), reflect.TypeFor[encoding.TextMarshaler](),
	} {
		if pointer.Implements(method) {
			return true
		}
	}
	return false
}

// value returns the decoder of a value of type t in a message that has it as whole.
func (c *compiler) value(t, whole reflect.Type, mask *fieldmask.Mask) (d decoder, wire uint64) {
	switch {
	case t.Kind() != reflect.Pointer && whole.Kind() == reflect.Pointer:
		return c.value(t, whole.Elem(), mask) // in a view, which has the zero value for none
	case t.Kind() == reflect.Pointer && whole.Kind() == reflect.Pointer:
		if elem, wire := c.value(t.Elem(), whole.Elem(), mask); elem != (refusal{}) {
			return &pointerDecoder{t.Elem(), elem, c.newDiscarded()}, wire
		}
		return refusal{}, 0
	case ownMethod(whole):
		if t != whole || mask != nil {
			return refusal{}, 0
		}
		if d, ok := known[t]; ok {
			return d, delimited
		}
		return &methodDecoder{typ: t}, delimited
	case t.Kind() != whole.Kind(), t != whole && (hasOwnText(t) || hasOwnText(whole)):
		return refusal{}, 0
	case t.Kind() == reflect.Struct:
		if len(taggedFields(whole)) == 0 {
			return refusal{}, 0
		}
		return c.message(t, whole, mask), delimited
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && whole.Elem().Kind() == reflect.Uint8:
		return bytesDecoder{}, delimited
	}
	if s, ok := scalars[t.Kind()]; ok {
		return s.decoder, s.wire
	}
	return refusal{}, 0
}
