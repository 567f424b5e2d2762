package wire

import (
	"strconv"
	"unsafe"
)

// anyDecoder reads a value of any type. Integers are int64 if they fit in, and
// other numbers are float64.
type anyDecoder struct{}

func (anyDecoder) decode(s *scratch, b []byte, at int, p unsafe.Pointer) int {
	v, end := s.value(b, at)
	*(*any)(p) = v
	return end
}

// anyMapDecoder reads a map of values of any type.
type anyMapDecoder struct{}

func (anyMapDecoder) decode(s *scratch, b []byte, at int, p unsafe.Pointer) int {
	if peek(b, at) != '{' {
		return null(b, at)
	}
	m, end := s.object(b, at, nil)
	*(*map[string]any)(p) = m
	return end
}

// anySliceDecoder reads a slice of values of any type.
type anySliceDecoder struct{}

func (anySliceDecoder) decode(s *scratch, b []byte, at int, p unsafe.Pointer) int {
	if peek(b, at) != '[' {
		return null(b, at)
	}
	l, end := s.array(b, at)
	*(*[]any)(p) = l
	return end
}

func (s *scratch) value(b []byte, at int) (v any, end int) {
	switch peek(b, at) {
	case '"':
		raw, end := s.text(b, at)
		if end == gaveUp {
			return nil, gaveUp
		}
		return s.boxed(raw), end
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

// number reads a number: an integer that fits into int64 as such, and all others
// as float64.
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

// omission says whether the member of an object is left out, and if not, what is
// left out of that if it is an object; nil for nothing.
type omission func(name []byte) (leaveOut bool, within omission)

// object reads an object. omit may be nil.
func (s *scratch) object(b []byte, at int, omit omission) (m map[string]any, end int) {
	if s.depth++; s.depth > maxDepth {
		return nil, gaveUp
	}
	at = space(b, at+1)
	more := peek(b, at) != '}'
	if !more {
		at++
	}
	before := len(s.entries)
	for more {
		var raw []byte
		if raw, at = s.name(b, at); at == gaveUp {
			return nil, gaveUp
		}
		var leaveOut bool
		var within omission
		if omit != nil {
			leaveOut, within = omit(raw)
		}
		if leaveOut {
			at = skip(b, at, maxDepth-s.depth)
		} else {
			e := entry{key: s.string(raw)}
			private := isPrivate(e.key)
			if private {
				s.private++
			}
			if within != nil && peek(b, at) == '{' {
				e.value, at = s.object(b, at, within)
			} else {
				e.value, at = s.value(b, at)
			}
			if private {
				s.private--
			}
			s.entries = append(s.entries, e)
		}
		if at == gaveUp {
			return nil, gaveUp
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
	if at = space(b, at+1); peek(b, at) == ']' {
		s.depth--
		return []any{}, at + 1
	}
	before := len(s.values)
	for more := true; more; {
		var v any
		if v, at = s.value(b, at); at == gaveUp {
			return nil, gaveUp
		}
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
