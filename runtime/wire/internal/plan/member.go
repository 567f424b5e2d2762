package plan

import "bytes"

// Member is one member of an object. Both parts are parts of the object's text.
type Member struct {
	// quoted is the name as it is written, with its quotes.
	quoted []byte
	// Value is the text after the colon.
	Value []byte
}

// Members calls visit for each member of the object that b begins with, until visit returns
// false. It returns the index after the object, or after the value that was visited last. It
// returns -1 if b has no object, or not all of it. If b ends in a value, visit gets the part
// that is there. Names are checked, but of values only brackets are.
func Members(b []byte, visit func(m Member) bool) int {
	at := SkipSpace(b, 0)
	if peek(b, at) != '{' {
		return -1
	}
	at, more := first(b, at, '}')
	for more {
		var m Member
		if m.quoted, at = nameAt(b, at); at == gaveUp {
			return -1
		}
		end := ValueEnd(b, at)
		if end < 0 {
			m.Value = b[at:]
			visit(m)
			return -1
		}
		m.Value = b[at:end]
		if !visit(m) {
			return end
		}
		at, more = nextOrEnd(b, end, '}')
	}
	return at
}

// MemberAt returns the start of the value of a member of the object that b begins with, or
// -1 if there is no such member. It does not look for the end of the value.
func MemberAt(b []byte, name string) int {
	at := SkipSpace(b, 0)
	if peek(b, at) != '{' {
		return -1
	}
	at, more := first(b, at, '}')
	for more {
		quoted, value := nameAt(b, at)
		if value == gaveUp || isName(quoted, name) {
			return value
		}
		at, more = nextOrEnd(b, ValueEnd(b, value), '}')
	}
	return -1
}

// Is reports whether the member has that name.
func (m Member) Is(name string) bool { return isName(m.quoted, name) }

// isName reports whether a quoted name is name, which has neither quotes nor escape
// sequences. Such a sequence makes a name longer by at most five bytes, so that few names
// have to be unquoted.
func isName(quoted []byte, name string) bool {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner) == name
	}
	if len(inner) <= len(name) || len(inner) > 6*len(name) {
		return false
	}
	buffer := make([]byte, 0, 64)
	raw, _ := unquoted(&buffer, quoted, 1, true)
	return string(raw) == name
}

// Text returns the value of a quoted text, which is part of quoted if the text has no escape
// sequences. It reports false if quoted is something else.
func Text(quoted []byte) ([]byte, bool) {
	if len(quoted) < 2 || quoted[0] != '"' || quoted[len(quoted)-1] != '"' {
		return nil, false
	}
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return inner, true
	}
	var buffer []byte
	if raw, end := unquoted(&buffer, quoted, 1, false); end == len(quoted) {
		return raw, true
	}
	var value string
	err := Unmarshal(quoted, &value)
	return []byte(value), err == nil
}
