package protobuf

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
)

// walker reads a message as the generated methods do, without decoding it. It finds the
// first part that they refuse, and messages that would overflow their stack.
type walker struct {
	// onlyDepth is set if only errTooDeep matters, so that methods need not be called.
	onlyDepth bool
	// steps lead to the field that is read. If a function returns false, it is the one that
	// is wrong, and err is the reason.
	steps []step
	err   error
}

// step leads to a field, an element or an entry of a map.
type step struct {
	name  string
	key   []byte // nil unless name is empty, for an entry
	index int    // -1 unless it is an element
}

// isTooDeep reports whether the method Unmarshal of t could overflow the stack. Such a
// program cannot recover.
func isTooDeep(message []byte, t reflect.Type) bool {
	w := walker{onlyDepth: true}
	return !w.message(message, t, 0) && errors.Is(w.err, errTooDeep)
}

var (
	errOverflow = errors.New("an integer has more than ten bytes, or its end is missing")
	errLength   = errors.New("its length is larger than what is left of the message")
	errGroup    = errors.New("a group ends that did not begin")
	errNumber   = errors.New("a field has no valid number")
)

// walked has the tagged fields of the types that were walked, by their numbers: at most one
// entry for each type of the program.
var walked sync.Map

func walkedFields(t reflect.Type) map[uint64]taggedField {
	if known, ok := walked.Load(t); ok {
		return known.(map[uint64]taggedField)
	}
	byNumber := map[uint64]taggedField{}
	for _, f := range taggedFields(t) {
		byNumber[f.number] = f
	}
	known, _ := walked.LoadOrStore(t, byNumber)
	return known.(map[uint64]taggedField)
}

func (w *walker) fail(err error) bool {
	w.err = err
	return false
}

// length reads the length that begins at b[at] as generated code does, which keeps it in an
// int.
func (w *walker) length(b []byte, at int) (start, end int, ok bool) {
	v, start := readVarint(b, at)
	if start == gaveUp {
		return 0, 0, w.fail(errOverflow)
	}
	end = start + int(v)
	if int(v) < 0 || end < 0 || end > len(b) {
		return 0, 0, w.fail(errLength)
	}
	return start, end, true
}

// skip returns the end of the value of an unknown field.
func (w *walker) skip(b []byte, at int, tag uint64) (end int, ok bool) {
	end, deepest := skipAny(b, at, tag)
	switch {
	case deepest > maxNested:
		return 0, w.fail(errTooDeep)
	case end == gaveUp:
		return 0, w.fail(errLength)
	}
	return end, true
}

// message reads a message of type t.
func (w *walker) message(b []byte, t reflect.Type, depth int) bool {
	if depth > maxNested {
		return w.fail(errTooDeep)
	}
	known := walkedFields(t)
	if len(known) == 0 {
		return w.method(b, t, depth)
	}
	var counts map[uint64]int // of values, by the numbers of repeated fields
	for at := 0; at < len(b); {
		tag, value := readVarint(b, at)
		if value == gaveUp {
			return w.fail(errOverflow)
		}
		number, ok := w.number(tag)
		if !ok {
			return false
		}
		f, isKnown := known[number]
		if !isKnown {
			if at, ok = w.skip(b, value, tag); !ok {
				return false
			}
			continue
		}
		index := -1
		if !w.onlyDepth && f.isRepeated() && f.typ.Kind() == reflect.Slice {
			if counts == nil {
				counts = map[uint64]int{}
			}
			index = counts[number]
			counts[number]++
		}
		if at, ok = w.field(b, value, tag&7, f, index, depth); !ok {
			return false
		}
	}
	return true
}

// number returns the number of a field from its tag, cut to 32 bits as in generated code.
func (w *walker) number(tag uint64) (number uint64, ok bool) {
	switch n := int32(tag >> 3); {
	case tag&7 == endGroup:
		return 0, w.fail(errGroup)
	case n <= 0:
		return 0, w.fail(errNumber)
	default:
		return uint64(n), true
	}
}

// field reads the value of a field. It returns the index after it.
func (w *walker) field(b []byte, at int, wire uint64, f taggedField, index, depth int) (end int, ok bool) {
	w.steps = append(w.steps, step{name: f.name, index: -1})
	if index >= 0 {
		w.steps = append(w.steps, step{index: index})
	}
	before := len(w.steps)
	t := f.typ
	isRepeated := f.isRepeated()
	if isRepeated {
		if t.Kind() == reflect.Map {
			if wire != delimited {
				return 0, w.fail(wrongWire(wire))
			}
			end, ok = w.entry(b, at, t.Elem(), depth)
			return end, w.leave(ok, before, index)
		}
		t = t.Elem()
	}
	end, ok = w.value(b, at, wire, t, isRepeated, depth)
	return end, w.leave(ok, before, index)
}

// leave removes the steps to a field, unless it is the wrong one.
func (w *walker) leave(ok bool, length, index int) bool {
	if ok {
		w.steps = w.steps[:length-1]
		if index >= 0 {
			w.steps = w.steps[:length-2]
		}
	}
	return ok
}

func wrongWire(wire uint64) error {
	return fmt.Errorf("its type on the wire, %d, is not that of the field", wire)
}

// value reads a value of type t.
func (w *walker) value(b []byte, at int, wire uint64, t reflect.Type, mayBePacked bool, depth int) (end int, ok bool) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	want := uint64(delimited)
	if s, isScalar := scalars[t.Kind()]; isScalar && !ownMethod(t) {
		want = s.wire
	}
	switch {
	case mayBePacked && want != delimited && wire == delimited:
		return w.packed(b, at, want)
	case wire != want:
		return 0, w.fail(wrongWire(wire))
	case want != delimited:
		return w.skip(b, at, wire)
	}
	start, end, ok := w.length(b, at)
	if !ok {
		return 0, false
	}
	if t.Kind() == reflect.Struct || ownMethod(t) {
		return end, w.message(b[start:end], t, depth+1)
	}
	return end, true
}

// packed reads values one after the other. Generated code lets the last one end after their
// length, and reads on there.
func (w *walker) packed(b []byte, at int, wire uint64) (end int, ok bool) {
	at, end, ok = w.length(b, at)
	for ok && at < end {
		at, ok = w.skip(b, at, wire)
	}
	return at, ok
}

// entry reads an entry of a map, whose length is at b[at]. Generated code looks at the numbers
// of its fields only, and lets a field end after the entry.
func (w *walker) entry(b []byte, at int, of reflect.Type, depth int) (end int, ok bool) {
	at, end, ok = w.length(b, at)
	if !ok {
		return 0, false
	}
	w.steps = append(w.steps, step{key: []byte{}, index: -1})
	for at < end {
		tag, value := readVarint(b, at)
		if value == gaveUp {
			return 0, w.fail(errOverflow)
		}
		switch int32(tag >> 3) {
		case 1:
			start, next, ok := w.length(b, value)
			if !ok {
				return 0, false
			}
			w.steps[len(w.steps)-1].key = b[start:next]
			at = next
		case 2:
			wire := uint64(delimited)
			if s, isScalar := scalars[of.Kind()]; isScalar && !ownMethod(of) {
				wire = s.wire
			}
			if at, ok = w.value(b, value, wire, of, false, depth); !ok {
				return 0, false
			}
		default:
			if at, ok = w.skip(b, value, tag); !ok {
				return 0, false
			}
			if at > end {
				return 0, w.fail(errLength)
			}
		}
	}
	w.steps = w.steps[:len(w.steps)-1]
	return end, true
}

// method reads a message of a type that has its own method. That of a slice is a generated
// one: each element is a field of the number 1.
func (w *walker) method(b []byte, t reflect.Type, depth int) bool {
	for at := 0; at < len(b); {
		tag, value := readVarint(b, at)
		if value == gaveUp {
			break
		}
		next, deepest := skipAny(b, value, tag)
		if deepest > maxNested {
			return w.fail(errTooDeep)
		}
		if next == gaveUp {
			break
		}
		if tag == 1<<3|delimited && t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct {
			start, end := readContent(b, value)
			if !w.message(b[start:end], t.Elem(), depth+1) {
				return false
			}
		}
		at = next
	}
	if w.onlyDepth {
		return true
	}
	u, can := reflect.New(t).Interface().(unmarshaler)
	if !can {
		return true
	}
	if err := call(u, b); err != nil {
		return w.fail(err)
	}
	return true
}
