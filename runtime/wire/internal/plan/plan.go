package plan

import (
	"reflect"

	kjson "sigs.k8s.io/json"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// Plan decodes objects of one type. It is made once, and may be used from several
// goroutines.
type Plan struct {
	typ  reflect.Type
	mask *fieldmask.Mask
	// root is nil for a type of which no object can be decoded.
	root decoder
}

// decoder reads the value that begins at b[at] into the zero value in p, which has the
// type that the decoder was made for. It returns the index after the value, or gaveUp.
// Then the value in p is undefined. A decoded value shares no memory with b.
type decoder interface {
	decode(s *scratch, b []byte, at int, p memory.Slot) int
}

// maxDepth is how many objects and arrays may be inside each other. encoding/json takes
// more, but no API object needs them, and each level needs room on the stack.
const maxDepth = 512

// For returns the plan for a struct type, which keeps the fields of mask. There
// is one plan for each type and mask, which is never freed.
func For(t reflect.Type, mask *fieldmask.Mask) *Plan {
	plans.Lock()
	defer plans.Unlock()
	key := planKey{t, mask.String()}
	p, ok := plans.made[key]
	if !ok {
		p = &Plan{typ: t, mask: mask, root: plans.root(t, mask)}
		plans.made[key] = p
	}
	return p
}

// Decode returns a pointer to a new object with the value of text. It reports false if it
// gave up: then Unmarshal has to decode the text. If sharer is not 0, no one writes to the
// object, and it shares parts with others of the sharer.
func (p *Plan) Decode(text []byte, sharer memory.Sharer) (obj any, ok bool) {
	return p.decodeTo(text, sharer, false)
}

// Check reports whether Decode would not give up on text. Of the object it decodes no more than the members that a Head has, in the
// types of apimachinery. All others are undefined.
func (p *Plan) Check(text []byte) (obj any, ok bool) {
	return p.decodeTo(text, 0, true)
}

func (p *Plan) decodeTo(text []byte, sharer memory.Sharer, discard bool) (obj any, ok bool) {
	pointer := reflect.New(p.typ)
	s := takeScratch()
	s.sharer, s.Discard = sharer, discard
	end := p.decode(s, text, memory.SlotOf(pointer))
	s.release()
	if end == gaveUp || SkipSpace(text, end) != len(text) {
		return nil, false
	}
	return pointer.Interface(), true
}

// decode reads the object that text begins with into the zero value in p. It returns the
// index after the object, or gaveUp.
func (p *Plan) decode(s *scratch, text []byte, into memory.Slot) int {
	at := SkipSpace(text, 0)
	if p.root == nil || peek(text, at) != '{' {
		return gaveUp
	}
	s.prepare()
	end := p.root.decode(s, text, at, into)
	if end == gaveUp {
		s.abandon()
	}
	return end
}

// Unmarshal decodes any text, slower than Decode. Its error says what is wrong with the
// text, but not where; see Fault.
func (p *Plan) Unmarshal(text []byte) (obj any, err error) {
	obj = reflect.New(p.typ).Interface()
	if err := Unmarshal(text, obj); err != nil {
		return nil, err
	}
	p.Trim(obj)
	return obj, nil
}

// Unmarshal decodes text as apimachinery's JSON serializer does, which defines what a text
// means. The case of names matters, the last one of duplicates wins, and integers in
// untyped values stay integers.
func Unmarshal(text []byte, into any) error {
	return kjson.UnmarshalCaseSensitivePreserveInts(text, into)
}

// refusal gives up. It is for types that no API has, or that are hard to get right.
type refusal struct{}

func (refusal) decode(*scratch, []byte, int, memory.Slot) int { return gaveUp }

// skipped checks a value and leaves it out.
type skipped struct{}

func (skipped) decode(s *scratch, b []byte, at int, _ memory.Slot) int {
	return skip(b, at, maxDepth-s.depth)
}
