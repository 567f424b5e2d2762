package wire

import (
	"bytes"
	"unicode/utf8"
)

// member is one member of an object. Both parts reach to the end of the capacity
// of what they were found in.
type member struct {
	// quoted is the name as it is written, with its quotes.
	quoted []byte
	// value is what stands behind the colon.
	value []byte
}

// members goes through the members of the object that b[at:] begins with, until
// visit returns false. It returns where it is then: behind the object if visit never
// did; -1 if there is no object, or not all of it. The value that b ends in the
// middle of is visited as far as it is there.
func members(b []byte, at int, visit func(m member) bool) int {
	at = skipSpace(b, at)
	if at >= len(b) || b[at] != '{' {
		return -1
	}
	at = skipSpace(b, at+1)
	for at < len(b) && b[at] != '}' {
		var m member
		if m.quoted, at = nameAt(b, at); at < 0 {
			return -1
		}
		end := valueEnd(b, at)
		if end < 0 {
			m.value = b[at:]
			visit(m)
			return -1
		}
		m.value = b[at:end]
		if !visit(m) {
			return end
		}
		at = skipSpace(b, end)
		switch {
		case at >= len(b):
			return -1
		case b[at] == ',':
			if at = skipSpace(b, at+1); at >= len(b) || b[at] != '"' {
				return -1
			}
		case b[at] != '}':
			return -1
		}
	}
	if at >= len(b) {
		return -1
	}
	return at + 1
}

// memberAt returns where the value of a member begins in the object that b[at:]
// begins with, without looking for its end; -1 if there is no such member.
func memberAt(b []byte, at int, name string) int {
	if at = skipSpace(b, at); at >= len(b) || b[at] != '{' {
		return -1
	}
	for at = skipSpace(b, at+1); at < len(b); {
		var m member
		if m.quoted, at = nameAt(b, at); at < 0 || m.is(name) {
			return at
		}
		if at = valueEnd(b, at); at < 0 {
			return -1
		}
		if at = skipSpace(b, at); at < len(b) && b[at] == ',' {
			at = skipSpace(b, at+1)
		}
	}
	return -1
}

// nameAt returns the name of the member that b[at:] begins with, with its quotes, and
// where its value begins; -1 if there is no member.
func nameAt(b []byte, at int) (quoted []byte, value int) {
	if at >= len(b) || b[at] != '"' {
		return nil, -1
	}
	end := valueEnd(b, at)
	if end < 0 {
		return nil, -1
	}
	colon := skipSpace(b, end)
	if colon >= len(b) || b[colon] != ':' {
		return nil, -1
	}
	return b[at:end], skipSpace(b, colon+1)
}

// is reports whether the member has that name. An escape makes a name longer by at most
// five bytes for one, so that few names have to be unquoted.
func (m member) is(name string) bool {
	inner := m.quoted[1 : len(m.quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner) == name
	}
	if len(inner) <= len(name) || len(inner) > 6*len(name) {
		return false
	}
	unquoted, ok := appendUnquoted(make([]byte, 0, 64), inner, false)
	return ok && string(unquoted) == name
}

// text is the value of a string. It is part of the frame if nothing in it is
// escaped.
func text(quoted []byte) ([]byte, bool) {
	if len(quoted) < 2 || quoted[0] != '"' || quoted[len(quoted)-1] != '"' {
		return nil, false
	}
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner, true
	}
	if unquoted, ok := appendUnquoted(nil, inner, false); ok {
		return unquoted, true
	}
	var unquoted string
	err := unmarshal(quoted, &unquoted)
	return []byte(unquoted), err == nil
}

// appendUnquoted appends what stands between the quotes of a string, without its escapes.
// It stops at half a surrogate pair, unless lenient is set: then that, and what is no
// escape, becomes U+FFFD.
func appendUnquoted(to, inner []byte, lenient bool) (unquoted []byte, ok bool) {
	for {
		i := bytes.IndexByte(inner, '\\')
		if i < 0 {
			return append(to, inner...), true
		}
		to = append(to, inner[:i]...)
		r, end := escape(inner, i)
		if end == gaveUp {
			if !lenient {
				return to, false
			}
			if r, end = utf8.RuneError, escapeEnd(inner, i); end == gaveUp {
				end = len(inner)
			}
		}
		to, inner = utf8.AppendRune(to, r), inner[end:]
	}
}

// unquote is the value of a string.
func unquote(quoted []byte) string {
	value, _ := text(quoted)
	return string(value)
}
