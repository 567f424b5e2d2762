package wire

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"unsafe"
)

// plan is how objects of one type are decoded: a tree of decoders, one for each
// member, that is made once and then only read.
//
//	plan ── structDecoder ─┬─ "kind"     ── stringDecoder
//	                       ├─ "metadata" ── structDecoder ─┬─ "name" ── stringDecoder
//	                       │                               └─ …
//	                       └─ "spec"     ── structDecoder ─── "containers" ── sliceDecoder ── …
//
// It is a fast path that may give up. What it decodes is what apimachinery's
// serializer makes of the same bytes. At anything unusual, an error above all, it
// gives up, and the frame is decoded anew by a library that says what is wrong.
// That keeps it small: it has no error messages and no rare cases.
type plan struct {
	// root is nil for a type of which nothing can be decoded.
	root decoder
}

// decoder reads the value that begins at b[at] into the zero value of its type at
// p. It returns the index behind the value, or gaveUp; then what is at p is
// undefined. The value that is made has nothing in common with b.
type decoder interface {
	decode(s *scratch, b []byte, at int, p unsafe.Pointer) int
}

const gaveUp = -1

// maxDepth is how deep values may be nested. encoding/json allows more, but no API
// object needs it, and each level takes room on the stack.
const maxDepth = 512

// compile returns the plan for a struct type, which leaves out what is dropped of
// the object's own metadata. It is made once and kept, but nothing else of whom it is
// made for.
func compile(t reflect.Type, drop *dropped) *plan {
	plans.Lock()
	defer plans.Unlock()
	key := planKey{t, drop.managedFields, fmt.Sprintf("%q", slices.Sorted(maps.Keys(drop.annotations)))}
	p, ok := plans.made[key]
	if !ok {
		p = &plan{root: plans.root(t, &dropped{drop.managedFields, maps.Clone(drop.annotations)})}
		plans.made[key] = p
	}
	return p
}

// decode reads the object that begins at frame[at] into the zero value of the
// plan's type at into, and returns the index behind it. If it is not ok, what is at
// into is undefined.
func (p *plan) decode(frame []byte, at int, into unsafe.Pointer, s *scratch) (end int, ok bool) {
	if p.root == nil || peek(frame, at) != '{' {
		return 0, false
	}
	s.fit()
	if end = p.root.decode(s, frame, at, into); end == gaveUp {
		s.abandon()
		return 0, false
	}
	return end, true
}

// peek returns b[at], or 0, which begins nothing in JSON, behind the end.
func peek(b []byte, at int) byte {
	if uint(at) < uint(len(b)) {
		return b[at]
	}
	return 0
}

// space returns the index of the first byte from b[at] on that is no white space.
func space(b []byte, at int) int {
	if uint(at) < uint(len(b)) && b[at] > ' ' {
		return at
	}
	return skipSpace(b, at)
}

// null returns the end of null, which leaves every zero value as it is, and gives
// up at anything else.
func null(b []byte, at int) int {
	if len(b)-at >= 4 && string(b[at:at+4]) == "null" {
		return at + 4
	}
	return gaveUp
}

// refusal gives up: it is for types that no API has, or that are hard to get right.
type refusal struct{}

func (refusal) decode(*scratch, []byte, int, unsafe.Pointer) int { return gaveUp }

// skipped checks a value and leaves it out.
type skipped struct{}

func (skipped) decode(s *scratch, b []byte, at int, _ unsafe.Pointer) int {
	return skip(b, at, maxDepth-s.depth)
}
