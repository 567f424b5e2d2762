package plan

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// anyDecoder reads a value of any type.
type anyDecoder struct{}

func (anyDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	v, end := s.value(b, at)
	*memory.As[any](p) = v
	return end
}

// anyMapDecoder reads a map of values of any type.
type anyMapDecoder struct{}

func (anyMapDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	if peek(b, at) != '{' {
		return null(b, at)
	}
	m, end := s.object(b, at, nil)
	*memory.As[map[string]any](p) = m
	return end
}

// anySliceDecoder reads a slice of values of any type.
type anySliceDecoder struct{}

func (anySliceDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	if peek(b, at) != '[' {
		return null(b, at)
	}
	l, end := s.array(b, at)
	*memory.As[[]any](p) = l
	return end
}

func (s *scratch) value(b []byte, at int) (v any, end int) {
	switch peek(b, at) {
	case '"':
		raw, end := s.text(b, at)
		if end == gaveUp {
			return nil, gaveUp
		}
		return s.Boxed(raw), end
	case '{':
		m, end := s.object(b, at, nil)
		return m, end
	case '[':
		l, end := s.array(b, at)
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

// object reads an object without the members that omit leaves out.
func (s *scratch) object(b []byte, at int, omit Omission) (m map[string]any, end int) {
	if s.depth++; s.depth > maxDepth {
		return nil, gaveUp
	}
	at, more := first(b, at, '}')
	before := len(s.entries)
	for more {
		var raw []byte
		if raw, at = s.name(b, at); at == gaveUp {
			return nil, gaveUp
		}
		var within Omission
		omitted := false
		if omit != nil {
			within, omitted = omit[string(raw)]
		}
		if omitted && within == nil {
			at = skip(b, at, maxDepth-s.depth)
		} else {
			e := entry{key: s.String(raw)}
			private := memory.IsPrivate(e.key)
			if private {
				s.Private++
			}
			switch isObject := peek(b, at) == '{'; {
			case omitted && isObject:
				e.value, at = s.object(b, at, within)
			case s.sharer != 0 && isObject && e.key == fieldsMember && s.depth == fieldsDepth:
				e.value, at = s.untypedFields(b, at)
			default:
				e.value, at = s.value(b, at)
			}
			if private {
				s.Private--
			}
			s.entries = append(s.entries, e)
		}
		at, more = nextOrEnd(b, at, '}')
	}
	if at == gaveUp {
		return nil, gaveUp
	}
	entries := s.entries[before:]
	m = make(map[string]any, len(entries))
	for i := range entries {
		m[entries[i].key] = entries[i].value
	}
	clear(entries)
	s.entries = s.entries[:before]
	s.depth--
	return m, at
}

func (s *scratch) array(b []byte, at int) (l []any, end int) {
	if s.depth++; s.depth > maxDepth {
		return nil, gaveUp
	}
	at, more := first(b, at, ']')
	before := len(s.values)
	for more {
		var v any
		v, at = s.value(b, at)
		s.values = append(s.values, v)
		at, more = nextOrEnd(b, at, ']')
	}
	if at == gaveUp {
		return nil, gaveUp
	}
	l = make([]any, len(s.values)-before)
	copy(l, s.values[before:])
	clear(s.values[before:])
	s.values = s.values[:before]
	s.depth--
	return l, at
}

// unstructuredDecoder reads an object of an unknown type. The object has to have a kind,
// and no apiVersion with two slashes: the type's own method refuses the others.
type unstructuredDecoder struct{ omit Omission }

func (d unstructuredDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	m, end := s.object(b, at, d.omit)
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
