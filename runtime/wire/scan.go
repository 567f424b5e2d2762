package wire

import (
	"encoding/binary"
	"math/bits"
)

// scanner finds the end of a JSON value, given in pieces of any size. It counts
// brackets and knows strings, and leaves all else to whoever decodes the value.
type scanner struct {
	depth    int
	inString bool
	// escaped is set if the piece before ended within a string after a backslash
	// that quotes what comes next.
	escaped bool
	// scalar is set while the value is a number, true, false or null.
	scalar bool
}

// scan goes on with the next piece. It returns how many of its bytes belong to the
// value, and whether the value is complete. The end of a number, true, false or
// null is the byte after it, which does not belong to it.
func (s *scanner) scan(b []byte) (n int, complete bool) {
	i, depth := 0, s.depth
	for {
		if s.inString {
			if i, s.inString = s.stringEnd(b, i); s.inString {
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
			s.inString = true
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

const (
	ones   = 0x0101010101010101
	highs  = 0x8080808080808080
	quotes = ones * '"'
	slants = ones * '\\'
)

// stringEnd returns where a string ends that b[i] is in the middle of, behind the
// closing quote, and whether it goes on behind b. It looks at eight bytes at a time.
func (s *scanner) stringEnd(b []byte, i int) (end int, goesOn bool) {
	if s.escaped && i < len(b) {
		s.escaped = false
		i++
	}
	for i+8 <= len(b) {
		word := binary.LittleEndian.Uint64(b[i:])
		q, e := word^quotes, word^slants
		// The lowest bit that is set is right, those above it may be false alarms.
		found := ((q - ones) &^ q & highs) | ((e - ones) &^ e & highs)
		if found == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(found) / 8
		if b[i] == '"' {
			return i + 1, false
		}
		if i += 2; i > len(b) {
			s.escaped = true
			return len(b), true
		}
	}
	for i < len(b) {
		switch b[i] {
		case '"':
			return i + 1, false
		case '\\':
			i++
		}
		i++
	}
	if i > len(b) {
		s.escaped = true
	}
	return len(b), true
}

// Classes of bytes outside of strings.
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

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\r' || b == '\t' }

// skipSpace returns the index of the first byte of b from i on that is no space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// valueEnd returns the end of the value that begins at b[i], or -1 if it does not
// end in b. A number at the end of b ends there.
func valueEnd(b []byte, i int) int {
	var s scanner
	n, complete := s.scan(b[i:])
	if !complete && !(s.scalar && n > 0) || n == 0 {
		return -1
	}
	return i + n
}
