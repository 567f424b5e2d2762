package wire

import "unicode/utf8"

// skip returns the index behind the value that begins at b[at], or gaveUp if that
// is not valid JSON or nested deeper than depth. Bytes in strings that are not
// UTF-8 are valid, as they are for encoding/json.
func skip(b []byte, at, depth int) int {
	switch peek(b, at) {
	case '"':
		return skipText(b, at)
	case '{':
		if depth == 0 {
			return gaveUp
		}
		return skipObject(b, at, depth-1)
	case '[':
		if depth == 0 {
			return gaveUp
		}
		return skipArray(b, at, depth-1)
	case 't':
		return literal(b, at, "true")
	case 'f':
		return literal(b, at, "false")
	case 'n':
		return null(b, at)
	default:
		return numberEnd(b, at)
	}
}

func literal(b []byte, at int, want string) int {
	if len(b)-at >= len(want) && string(b[at:at+len(want)]) == want {
		return at + len(want)
	}
	return gaveUp
}

func skipObject(b []byte, at, depth int) int {
	if at = space(b, at+1); peek(b, at) == '}' {
		return at + 1
	}
	for {
		if peek(b, at) != '"' {
			return gaveUp
		}
		if at = skipText(b, at); at == gaveUp {
			return gaveUp
		}
		if at = colon(b, at); at == gaveUp {
			return gaveUp
		}
		if at = skip(b, at, depth); at == gaveUp {
			return gaveUp
		}
		var more bool
		if at, more = nextOrEnd(b, at, '}'); !more {
			return at
		}
	}
}

func skipArray(b []byte, at, depth int) int {
	if at = space(b, at+1); peek(b, at) == ']' {
		return at + 1
	}
	for {
		if at = skip(b, at, depth); at == gaveUp {
			return gaveUp
		}
		var more bool
		if at, more = nextOrEnd(b, at, ']'); !more {
			return at
		}
	}
}

// colon returns where the value begins that belongs to the name before b[at].
func colon(b []byte, at int) int {
	if at = space(b, at); peek(b, at) != ':' {
		return gaveUp
	}
	return space(b, at+1)
}

// nextOrEnd returns where the next element of an array or object begins whose last
// one has ended before b[at], and that there are more; or the index behind its end,
// or gaveUp.
func nextOrEnd(b []byte, at int, end byte) (after int, more bool) {
	c := peek(b, at)
	if c <= ' ' {
		at = space(b, at)
		c = peek(b, at)
	}
	switch c {
	case ',':
		return space(b, at+1), true
	case end:
		return at + 1, false
	}
	return gaveUp, false
}

func skipText(b []byte, at int) int {
	for i := plainEnd(b, at+1); i < len(b); i = plainEnd(b, i) {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c >= utf8.RuneSelf:
			i++
		case c == '\\':
			if i = escapeEnd(b, i); i == gaveUp {
				return gaveUp
			}
		default:
			return gaveUp
		}
	}
	return gaveUp
}

// escapeEnd returns the index behind an escape sequence, of which half a surrogate
// pair is one.
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

// numberEnd returns the index behind the number that begins at b[at].
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
