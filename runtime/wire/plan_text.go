package wire

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// Eight bytes are looked at in one step, as the digits of one number.
const (
	eachByte = 0x0101010101010101
	highBits = 0x8080808080808080
)

// special returns a number whose lowest bit that is set is in the first byte of x
// that is not plain: a quote, a backslash, a control character or not ASCII. What
// is above it says nothing.
func special(x uint64) uint64 {
	quotes, backslashes := x^(eachByte*'"'), x^(eachByte*'\\')
	return (x | (x - eachByte*' ') | (quotes - eachByte) | (backslashes - eachByte)) & highBits
}

// plainEnd returns the index of the first byte from b[i] on that is not plain, or
// len(b).
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

// text reads the string whose opening quote is b[at]. What it returns is part of b
// or of the scratch, and good until the next call.
func (s *scratch) text(b []byte, at int) (raw []byte, end int) {
	if i := plainEnd(b, at+1); i < len(b) && b[i] == '"' {
		return b[at+1 : i], i + 1
	}
	return s.unusualText(b, at+1)
}

// unusualText reads the string that begins at b[at], behind the quote, and is not
// all plain.
func (s *scratch) unusualText(b []byte, at int) (raw []byte, end int) {
	s.written = max(s.written, len(s.unquoted))
	s.unquoted = s.unquoted[:0]
	copied := at
	for i := plainEnd(b, at); i < len(b); i = plainEnd(b, i) {
		switch c := b[i]; {
		case c >= utf8.RuneSelf:
			i++
		case c == '"':
			raw = b[copied:i]
			if copied > at {
				s.unquoted = append(s.unquoted, raw...)
				raw = s.unquoted
			}
			if !utf8.Valid(raw) {
				return nil, gaveUp // each wrong byte becomes U+FFFD
			}
			return raw, i + 1
		case c == '\\':
			s.unquoted = append(s.unquoted, b[copied:i]...)
			r, after := escape(b, i)
			if after == gaveUp {
				return nil, gaveUp
			}
			s.unquoted = utf8.AppendRune(s.unquoted, r)
			copied, i = after, after
		default:
			return nil, gaveUp
		}
	}
	return nil, gaveUp
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
		r = hexRune(b, at+2)
		if r < 0 || !utf16.IsSurrogate(r) {
			if r < 0 {
				return 0, gaveUp
			}
			return r, at + 6
		}
		if peek(b, at+6) != '\\' || peek(b, at+7) != 'u' {
			return 0, gaveUp
		}
		if r = utf16.DecodeRune(r, hexRune(b, at+8)); r != utf8.RuneError {
			return r, at + 12
		}
	}
	return 0, gaveUp
}

// hexRune reads four hexadecimal digits; -1 if they are not.
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
