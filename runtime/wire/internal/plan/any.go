package plan

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// anyDecoder reads a value of any type without the members that mask, which may be nil, leaves out.
type anyDecoder struct{ mask *fieldmask.Mask }

func (d anyDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	v, end := s.value(b, at, d.mask)
	if v != (emptied{}) {
		*memory.As[any](p) = v
	}
	return end
}

// anyMapDecoder reads a map of values of any type.
type anyMapDecoder struct{ mask *fieldmask.Mask }

func (d anyMapDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	if peek(b, at) != '{' {
		return null(b, at)
	}
	m, end := s.object(b, at, d.mask)
	*memory.As[map[string]any](p) = m
	return end
}

// anySliceDecoder reads a slice of values of any type.
type anySliceDecoder struct{ mask *fieldmask.Mask }

func (d anySliceDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	if peek(b, at) != '[' {
		return null(b, at)
	}
	l, end := s.array(b, at, d.mask)
	*memory.As[[]any](p) = l
	return end
}

// emptied stands for a map of which no key is left.
type emptied struct{}

// value reads a value without the members that mask leaves out.
func (s *scratch) value(b []byte, at int, mask *fieldmask.Mask) (v any, end int) {
	switch peek(b, at) {
	case '"':
		raw, end := s.text(b, at)
		if end == gaveUp {
			return nil, gaveUp
		}
		return s.Boxed(raw), end
	case '{':
		m, end := s.object(b, at, mask)
		if m == nil && end != gaveUp {
			return emptied{}, end
		}
		return m, end
	case '[':
		l, end := s.array(b, at, mask)
		return l, end
	case 't':
		return true, literal(b, at, "true")
	case 'f':
		return false, literal(b, at, "false")
	case 'n':
		return nil, null(b, at)
	}
	return number(b, at)
}

// number reads a number. It is an int64 if it is an integer that fits, and otherwise a
// float64.
func number(b []byte, at int) (v any, end int) {
	if n, end := readInteger(b, at); end != gaveUp {
		return n, end
	}
	if end = numberEnd(b, at); end == gaveUp {
		return nil, gaveUp
	}
	f, err := strconv.ParseFloat(string(b[at:end]), 64)
	if err != nil {
		return nil, gaveUp
	}
	return f, end
}

// entry is one entry of a map.
type entry struct {
	key   string
	value any
}

// object reads an object without the members that mask leaves out. It returns nil if that are all keys of a map.
func (s *scratch) object(b []byte, at int, mask *fieldmask.Mask) (m map[string]any, end int) {
	if s.depth++; s.depth > maxDepth {
		return nil, gaveUp
	}
	at, more := first(b, at, '}')
	before, isCut := len(s.entries), false
	for more {
		var raw []byte
		if raw, at = s.name(b, at); at == gaveUp {
			return nil, gaveUp
		}
		var inner *fieldmask.Mask
		if mask != nil {
			inner = mask.AtText(raw)
		}
		if inner.KeepsNothing() {
			isCut = true
			at = skip(b, at, maxDepth-s.depth)
		} else if s.Discard && !s.leadsToHead(raw) {
			_, at = s.value(b, at, inner)
		} else {
			discard := s.Discard
			s.Discard = false
			e := entry{key: s.String(raw)}
			s.Discard = discard && !memory.IsHead(e.key)
			private := memory.IsPrivate(e.key)
			if private {
				s.Private++
			}
			if s.sharer != 0 && inner == nil && peek(b, at) == '{' && e.key == fieldsMember && s.depth == fieldsDepth {
				e.value, at = s.untypedFields(b, at)
			} else {
				e.value, at = s.value(b, at, inner)
			}
			if private {
				s.Private--
			}
			s.Discard = discard
			s.entries = append(s.entries, e)
		}
		at, more = nextOrEnd(b, at, '}')
	}
	if at == gaveUp {
		return nil, gaveUp
	}
	entries := s.entries[before:]
	if s.Discard && len(entries) == 0 {
		s.depth--
		return nil, at
	}
	m = make(map[string]any, len(entries))
	for i := range entries {
		if m[entries[i].key] = entries[i].value; mask != nil && entries[i].value == (emptied{}) {
			isCut = true
			delete(m, entries[i].key)
		}
	}
	if isCut && len(m) == 0 && mask.IsMap() {
		m = nil
	}
	clear(entries)
	s.entries = s.entries[:before]
	s.depth--
	return m, at
}

// array reads an array without the members of its objects that mask leaves out.
func (s *scratch) array(b []byte, at int, mask *fieldmask.Mask) (l []any, end int) {
	if s.depth++; s.depth > maxDepth {
		return nil, gaveUp
	}
	at, more := first(b, at, ']')
	before := len(s.values)
	for more {
		var v any
		if v, at = s.value(b, at, mask); v == (emptied{}) {
			v = nil
		}
		if !s.Discard {
			s.values = append(s.values, v)
		}
		at, more = nextOrEnd(b, at, ']')
	}
	if at == gaveUp {
		return nil, gaveUp
	}
	if !s.Discard {
		l = make([]any, len(s.values)-before)
		copy(l, s.values[before:])
		clear(s.values[before:])
		s.values = s.values[:before]
	}
	s.depth--
	return l, at
}

// unstructuredDecoder reads an object of an unknown type. The object has to have a kind,
// and no apiVersion with two slashes: the type's own method refuses the others.
type unstructuredDecoder struct{ mask *fieldmask.Mask }

func (d unstructuredDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	m, end := s.object(b, at, d.mask)
	if end == gaveUp {
		return gaveUp
	}
	if kind, _ := m["kind"].(string); kind == "" {
		return gaveUp
	}
	if version, _ := m["apiVersion"].(string); strings.Count(version, "/") > 1 {
		return gaveUp
	}
	memory.As[unstructured.Unstructured](p).Object = m
	return end
}
