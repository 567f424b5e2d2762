package plan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// This file reads JSON text. Functions with an index return the index after the value that they
// read, or gaveUp. Only skip, and the functions that it calls, check that a value is valid: the
// Scanner counts brackets, which is faster and can stop and resume anywhere.

const gaveUp = -1

// peek returns b[at]. Outside of b it returns 0, with which nothing in JSON begins.
func peek(b []byte, at int) byte {
	if uint(at) < uint(len(b)) {
		return b[at]
	}
	return 0
}

// SkipSpace returns the index of the first byte from b[at] on that is no white space.
func SkipSpace(b []byte, at int) int {
	for uint(at) < uint(len(b)) && isSpace(b[at]) {
		at++
	}
	return at
}

// isSpace uses a bit set, so that the functions that skip white space can be inlined.
func isSpace(b byte) bool {
	const spaces uint64 = 1<<' ' | 1<<'\n' | 1<<'\r' | 1<<'\t'
	return spaces>>b&1 != 0
}

// space is SkipSpace for text that has white space in few places.
func space(b []byte, at int) int {
	if uint(at) < uint(len(b)) && b[at] > ' ' {
		return at
	}
	return SkipSpace(b, at)
}

// null returns the end of null, which leaves each zero value as it is.
func null(b []byte, at int) int { return literal(b, at, "null") }

func literal(b []byte, at int, want string) int {
	if len(b)-at >= len(want) && string(b[at:at+len(want)]) == want {
		return at + len(want)
	}
	return gaveUp
}

// first returns the start of the first member or element of the object or array that
// begins at b[at], and whether there is one. Without one, it returns the index after the
// closing bracket.
func first(b []byte, at int, closing byte) (after int, more bool) {
	if at = space(b, at+1); at < len(b) && b[at] == closing {
		return at + 1, false
	}
	return at, true
}

// nextOrEnd returns the start of the next member or element, and that there is one. The
// previous one ended before b[at]. After the last one, nextOrEnd returns the index after
// the closing bracket. It gives up if at is gaveUp.
func nextOrEnd(b []byte, at int, closing byte) (after int, more bool) {
	c := peek(b, at)
	if c <= ' ' {
		at = space(b, at)
		c = peek(b, at)
	}
	switch c {
	case ',':
		return space(b, at+1), true
	case closing:
		return at + 1, false
	}
	return gaveUp, false
}

// nameAt returns the name of the member that begins at b[at], with its quotes, and the
// start of its value.
func nameAt(b []byte, at int) (quoted []byte, value int) {
	if peek(b, at) != '"' {
		return nil, gaveUp
	}
	end := skipText(b, at)
	if end == gaveUp {
		return nil, gaveUp
	}
	return b[at:end], colon(b, end)
}

// colon returns the start of the value whose name ends before b[at].
func colon(b []byte, at int) int {
	if at = space(b, at); peek(b, at) != ':' {
		return gaveUp
	}
	return space(b, at+1)
}

// Eight bytes are compared at once, as the digits of one number.
const (
	eachByte = 0x0101010101010101
	highBits = 0x8080808080808080
)

// special returns a number whose lowest bit that is set is in the first byte of x that is
// not plain: a quote, a backslash, a control character or not ASCII. Bits above that one
// mean nothing.
func special(x uint64) uint64 {
	quotes, backslashes := x^(eachByte*'"'), x^(eachByte*'\\')
	return (x | (x - eachByte*' ') | (quotes - eachByte) | (backslashes - eachByte)) & highBits
}

// plainEnd returns the index of the first byte from b[i] on that is not plain, or len(b).
func plainEnd(b []byte, i int) int {
	for len(b)-i >= 8 {
		if found := special(binary.LittleEndian.Uint64(b[i:])); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
		i += 8
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' && b[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// textEnd returns the index after the closing quote of the text that b[i] is inside of. A
// text that is not closed in b ends at len(b), or one byte later if a backslash ends b.
// The text is valid if it is closed and has neither control characters nor unknown escape
// sequences. Half a surrogate pair and bytes that are not UTF-8 are valid, as they are for
// encoding/json.
func textEnd(b []byte, i int) (end int, closed, valid bool) {
	valid = true
	for i = plainEnd(b, i); i < len(b); i = plainEnd(b, i) {
		switch c := b[i]; {
		case c == '\\' && peek(b, i+1) == '"': // as in JSON inside of a text
			i += 2
		case c == '"':
			return i + 1, true, valid
		case c == '\\':
			if after := escapeEnd(b, i); after != gaveUp {
				i = after
			} else {
				i, valid = i+2, false
			}
		case c >= utf8.RuneSelf:
			i = asciiStart(b, i+1)
		default:
			i, valid = i+1, false
		}
	}
	return i, false, false
}

// asciiStart returns the index of the first ASCII character from b[i] on, or len(b).
func asciiStart(b []byte, i int) int {
	for i < len(b) && b[i] >= utf8.RuneSelf {
		i++
	}
	return i
}

// escapeEnd returns the index after the escape sequence whose backslash is b[at]. Half a
// surrogate pair is one.
func escapeEnd(b []byte, at int) int {
	switch peek(b, at+1) {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return at + 2
	case 'u':
		if hexRune(b, at+2) >= 0 {
			return at + 6
		}
	}
	return gaveUp
}

// escape reads the escape sequence whose backslash is b[at]. It gives up at half a
// surrogate pair.
func escape(b []byte, at int) (r rune, end int) {
	switch c := peek(b, at+1); c {
	case '"', '\\', '/':
		return rune(c), at + 2
	case 'b':
		return '\b', at + 2
	case 'f':
		return '\f', at + 2
	case 'n':
		return '\n', at + 2
	case 'r':
		return '\r', at + 2
	case 't':
		return '\t', at + 2
	case 'u':
		switch r = hexRune(b, at+2); {
		case r < 0:
			return 0, gaveUp
		case !utf16.IsSurrogate(r):
			return r, at + 6
		case peek(b, at+6) != '\\' || peek(b, at+7) != 'u':
			return 0, gaveUp
		}
		if r = utf16.DecodeRune(r, hexRune(b, at+8)); r != utf8.RuneError {
			return r, at + 12
		}
	}
	return 0, gaveUp
}

// hexRune reads four hexadecimal digits. It returns -1 if they are not.
func hexRune(b []byte, at int) (r rune) {
	for i := range 4 {
		c := peek(b, at+i)
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// unquoted returns the value of the text that begins at b[at], after its opening quote. It
// is part of b, or of *buffer if the text has escape sequences.
//
// unquoted gives up at text that encoding/json changes or refuses. With lenient it does not:
// half a surrogate pair becomes U+FFFD, and so does the rest of a text from an unknown
// escape sequence on. The text may end with b.
func unquoted(buffer *[]byte, b []byte, at int, lenient bool) (raw []byte, end int) {
	*buffer = (*buffer)[:0]
	copied, i := at, plainEnd(b, at)
	for ; i < len(b) && b[i] != '"'; i = plainEnd(b, i) {
		if b[i] >= utf8.RuneSelf {
			i = asciiStart(b, i+1)
			continue
		}
		if b[i] != '\\' {
			if !lenient {
				return nil, gaveUp
			}
			i++
			continue
		}
		r, after := escape(b, i)
		if after == gaveUp {
			if !lenient {
				return nil, gaveUp
			}
			if r, after = utf8.RuneError, escapeEnd(b, i); after == gaveUp {
				after = len(b)
			}
		}
		*buffer = utf8.AppendRune(append(*buffer, b[copied:i]...), r)
		copied, i = after, after
	}
	if i == len(b) && !lenient {
		return nil, gaveUp
	}
	raw = b[copied:i]
	if copied > at {
		*buffer = append(*buffer, raw...)
		raw = *buffer
	}
	if !lenient && !utf8.Valid(raw) {
		return nil, gaveUp // each wrong byte becomes U+FFFD
	}
	return raw, i + 1
}

// numberEnd returns the index after the number that begins at b[at].
func numberEnd(b []byte, at int) int {
	if peek(b, at) == '-' {
		at++
	}
	switch c := peek(b, at); {
	case c == '0':
		at++
	case '1' <= c && c <= '9':
		at = digitsEnd(b, at)
	default:
		return gaveUp
	}
	if peek(b, at) == '.' {
		fraction := at + 1
		if at = digitsEnd(b, fraction); at == fraction {
			return gaveUp
		}
	}
	if c := peek(b, at); c == 'e' || c == 'E' {
		at++
		if c := peek(b, at); c == '+' || c == '-' {
			at++
		}
		exponent := at
		if at = digitsEnd(b, exponent); at == exponent {
			return gaveUp
		}
	}
	return at
}

func digitsEnd(b []byte, at int) int {
	for at < len(b) && '0' <= b[at] && b[at] <= '9' {
		at++
	}
	return at
}

// skip returns the index after the value that begins at b[at]. It gives up if that is not
// valid JSON, or has more than depth objects and arrays inside each other.
func skip(b []byte, at, depth int) int {
	switch c := peek(b, at); c {
	case '"':
		return skipText(b, at)
	case '{', '[':
		if depth == 0 {
			return gaveUp
		}
		return skipElements(b, at, depth-1, c+2) // which is the closing bracket
	case 't':
		return literal(b, at, "true")
	case 'f':
		return literal(b, at, "false")
	case 'n':
		return null(b, at)
	}
	return numberEnd(b, at)
}

// skipText returns the index after the text whose opening quote is b[at]. It gives up if the
// text is not valid.
func skipText(b []byte, at int) int {
	if i := plainEnd(b, at+1); i < len(b) && b[i] == '"' { // as nearly always
		return i + 1
	}
	if end, _, valid := textEnd(b, at+1); valid {
		return end
	}
	return gaveUp
}

func skipElements(b []byte, at, depth int, closing byte) int {
	at, more := first(b, at, closing)
	for more {
		if closing == '}' {
			if peek(b, at) != '"' {
				return gaveUp
			}
			at = colon(b, skipText(b, at))
		}
		at, more = nextOrEnd(b, skip(b, at, depth), closing)
	}
	return at
}

// Scanner finds the end of a JSON value that arrives in pieces of any size. It checks
// brackets only, not even whether they match: a decoder checks the value.
type Scanner struct {
	depth  int
	inText bool
	// escaped is set if the last piece ended in a text, after the backslash of an escape
	// sequence.
	escaped bool
	// scalar is set in a number, true, false or null.
	scalar bool
}

// InScalar reports whether the value is a number, true, false or null. Only the byte after
// it, which may be the end of the body, ends such a value.
func (s *Scanner) InScalar() bool { return s.scalar }

// Scan reads the next piece. It returns how many of its bytes belong to the value, and
// whether the value is complete.
func (s *Scanner) Scan(b []byte) (n int, complete bool) {
	i, depth := 0, s.depth
	for {
		if s.inText {
			if i = s.text(b, i); s.inText {
				break
			}
			if depth == 0 {
				return i, true
			}
		}
		for i < len(b) && class[b[i]] == other && (depth > 0 || s.scalar) {
			i++
		}
		if i >= len(b) {
			break
		}
		kind := class[b[i]]
		if s.scalar && kind != other {
			return i, true
		}
		switch kind {
		case quote:
			if i = plainEnd(b, i+1); i == len(b) || b[i] != '"' {
				s.inText = true
				continue
			}
			if depth == 0 {
				return i + 1, true
			}
		case open:
			depth++
		case closing:
			if depth <= 1 {
				return i + depth, true // of nothing, if nothing was opened
			}
			depth--
		case separator:
			if depth == 0 {
				return i, true
			}
		default:
			s.scalar = true
		}
		i++
	}
	s.depth = depth
	return len(b), false
}

// text returns the end of the text that b[i] is inside of.
func (s *Scanner) text(b []byte, i int) int {
	if s.escaped && i < len(b) {
		s.escaped = false
		i++
	}
	end, closed, _ := textEnd(b, i)
	s.inText = !closed
	s.escaped = end > len(b)
	return end
}

// Classes of bytes outside of texts.
const (
	other     = iota
	quote     // "
	open      // { [
	closing   // } ]
	separator // white space, comma, colon
)

var class = func() (c [256]uint8) {
	c['"'] = quote
	c['{'], c['['] = open, open
	c['}'], c[']'] = closing, closing
	for _, b := range " \t\r\n,:" {
		c[b] = separator
	}
	return c
}()

// ValueEnd returns the end of the value that begins at b[at], or -1 if it does not end in
// b. A number at the end of b ends there. Like a Scanner, it checks brackets only.
func ValueEnd(b []byte, at int) int {
	var s Scanner
	n, complete := s.Scan(b[at:])
	if !complete && !(s.scalar && n > 0) || n == 0 {
		return -1
	}
	return at + n
}
