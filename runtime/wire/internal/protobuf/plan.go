package protobuf

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
)

// Plan decodes objects of one type. It is made once, and may be used from several
// goroutines.
type Plan struct {
	typ reflect.Type
	// whole is the type whose messages are decoded: typ, or the type that it is a view of.
	whole reflect.Type
	// root is nil if no object can be decoded by the plan.
	root *messageDecoder
	// trim removes fields that are left out from objects of the whole type that the plan gave up on, and json decodes views of them.
	trim, json *plan.Plan
	// metadata is the number of that field.
	metadata uint64
	// canUnmarshal is set if whole has the method Unmarshal.
	canUnmarshal bool
}

// decoder reads the value that begins at b[at], after its tag, into the zero value in p,
// which has the type that the decoder was made for. It returns the index after the value,
// or gaveUp. Then the value in p is undefined. A decoded value shares no memory with b.
type decoder interface {
	decode(s *scratch, b []byte, at int, p memory.Slot) int
}

// maxDepth is how many messages may be inside each other for a plan. Each level needs
// room on the stack.
const maxDepth = 512

// For returns the plan for objects of the struct type t from messages of whole, which may be
// t. It keeps the fields of mask. There is one plan for each combination, which is
// never freed.
func For(t, whole reflect.Type, mask *fieldmask.Mask) *Plan {
	plans.Lock()
	defer plans.Unlock()
	key := planKey{t, whole, mask.String()}
	p, ok := plans.made[key]
	if !ok {
		p = &Plan{typ: t, whole: whole, root: plans.root(t, whole, mask), trim: plan.For(whole, mask), json: plan.For(t, mask)}
		p.canUnmarshal = reflect.PointerTo(whole).Implements(reflect.TypeFor[unmarshaler]())
		for _, f := range taggedFields(whole) {
			if f.name == "metadata" {
				p.metadata = f.number
			}
		}
		plans.made[key] = p
	}
	return p
}

// CanUnmarshal reports whether messages can be decoded.
func (p *Plan) CanUnmarshal() bool { return p.canUnmarshal }

// IsUsable reports whether it is worth asking a server for protobuf: messages can be
// decoded, and those of a view without decoding the whole object.
func (p *Plan) IsUsable() bool {
	return p.CanUnmarshal() && (p.typ == p.whole || p.root != nil && !p.root.refuses(map[decoder]bool{}))
}

// IsView reports whether the objects are of another type than the messages.
func (p *Plan) IsView() bool { return p.typ != p.whole }

// Decode returns a pointer to a new object with the value of message. It reports false if
// it gave up: then Unmarshal has to decode the message. If sharer is not 0, no one writes to
// the object, and it shares parts with others.
func (p *Plan) Decode(message []byte, sharer memory.Sharer) (obj any, ok bool) {
	return p.decode(message, sharer, false)
}

// Check reports whether Decode would not give up on message. Of the object it decodes no more than the fields that a plan.Head has, in
// the types of apimachinery. All others are undefined.
func (p *Plan) Check(message []byte) (obj any, ok bool) {
	return p.decode(message, 0, true)
}

func (p *Plan) decode(message []byte, sharer memory.Sharer, discard bool) (obj any, ok bool) {
	if p.root == nil {
		return nil, false
	}
	pointer := reflect.New(p.typ)
	s := takeScratch()
	s.sharer, s.Discard = sharer, discard
	end := p.root.body(s, message, 0, memory.SlotOf(pointer))
	scratches.Put(s)
	if end == gaveUp {
		return nil, false
	}
	return pointer.Interface(), true
}

// unmarshaler is the method that generated code has.
type unmarshaler interface{ Unmarshal(message []byte) error }

// Unmarshal decodes any message, slower than Decode. Its error says what is wrong with the
// message, but not where; see Fault.
func (p *Plan) Unmarshal(message []byte) (obj any, err error) {
	whole, err := p.unmarshalWhole(message)
	if err != nil {
		return nil, err
	}
	p.trim.Trim(whole)
	if p.typ == p.whole {
		return whole, nil
	}
	text, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	return p.json.Unmarshal(text)
}

// unmarshalWhole returns a pointer to a new object of the whole type.
func (p *Plan) unmarshalWhole(message []byte) (obj any, err error) {
	obj = reflect.New(p.whole).Interface()
	return obj, Unmarshal(message, obj.(unmarshaler))
}

// Unmarshal decodes message as the method of into does, without the risk that it overflows
// the stack or panics. into is a pointer to a struct.
func Unmarshal(message []byte, into unmarshaler) error {
	if isTooDeep(message, reflect.TypeOf(into).Elem()) {
		return errTooDeep
	}
	return call(into, message)
}

// call calls the method. Those of some types panic for lengths that overflow.
func call(u unmarshaler, message []byte) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("the method Unmarshal of %T panics", u) // without text of the object
		}
	}()
	return u.Unmarshal(message)
}

// scratch is memory that one goroutine at a time decodes with, object after object.
type scratch struct {
	memory.Strings
	parts  memory.Parts
	sharer memory.Sharer
	// depth is the number of open messages, and sharing that of the parts around what is decoded.
	depth, sharing int
	// habits has the habits of fields, by the number of their decoder.
	habits []memory.Habit
	// made has a nil slice of each type, in which slices are made and then moved.
	made []madeSlice
	// discarded is by the numbers of pointerDecoders and sliceDecoders.
	discarded memory.Discards
}

var scratches = sync.Pool{New: func() any { return &scratch{} }}

// habit returns the Habit of the decoder of that number.
func (s *scratch) habit(number int) *memory.Habit {
	for number >= len(s.habits) {
		s.habits = append(s.habits, memory.Habit{})
	}
	return &s.habits[number]
}

func takeScratch() *scratch {
	s := scratches.Get().(*scratch)
	now := time.Now()
	s.Age(now)
	s.parts.Age(now)
	s.depth, s.sharing, s.Private, s.Discard = 0, 0, 0, false
	return s
}
