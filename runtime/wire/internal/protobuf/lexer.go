package protobuf

import "errors"

// gaveUp is the index that functions return if they cannot read a text.
const gaveUp = -1

// The types of fields on the wire.
const (
	varint     = 0
	fixed64    = 1
	delimited  = 2 // by its length: a string, bytes, or a message
	startGroup = 3
	endGroup   = 4
	fixed32    = 5
)

// maxTag is the largest tag that is read: the number of a field and its type on the wire.
const maxTag = 1<<32 - 1

// readVarint reads the integer that begins at b[at]. Like generated code, it takes at most
// ten bytes, and drops bits above the 64th.
func readVarint(b []byte, at int) (v uint64, end int) {
	for shift := uint(0); shift < 64 && at < len(b); shift += 7 {
		c := b[at]
		at++
		if v |= uint64(c&0x7F) << shift; c < 0x80 {
			return v, at
		}
	}
	return 0, gaveUp
}

// readTag reads the tag that begins at b[at].
func readTag(b []byte, at int) (tag uint64, end int) {
	if at < len(b) && b[at] < 0x80 {
		tag, end = uint64(b[at]), at+1
	} else {
		tag, end = readVarint(b, at)
	}
	if tag>>3 == 0 || tag > maxTag {
		return 0, gaveUp
	}
	return tag, end
}

// readContent reads the length that begins at b[at]. It returns where the content after it
// begins and ends. Like generated code, it keeps the length in an int.
func readContent(b []byte, at int) (start, end int) {
	var length uint64
	if at < len(b) && b[at] < 0x80 {
		length, start = uint64(b[at]), at+1
	} else if length, start = readVarint(b, at); start == gaveUp {
		return 0, gaveUp
	}
	n := int(length)
	if n < 0 || n > len(b)-start {
		return 0, gaveUp
	}
	return start, start + n
}

// skip returns the end of the value that begins at b[at], after its tag. It gives up on
// groups, which no API has.
func skip(b []byte, at int, tag uint64) (end int) {
	switch tag & 7 {
	case varint:
		_, end = readVarint(b, at)
	case fixed64:
		end = at + 8
	case delimited:
		_, end = readContent(b, at)
	case fixed32:
		end = at + 4
	default:
		return gaveUp
	}
	if end > len(b) {
		return gaveUp
	}
	return end
}

// maxNested is how many messages or groups may be inside each other. The generated methods
// have no limit, and end the program when its stack is full.
const maxNested = 10_000

var errTooDeep = errors.New("more than 10000 messages are inside each other")

// skipAny is skip that takes groups too, as generated code does. It returns how deep they
// are inside each other.
func skipAny(b []byte, at int, tag uint64) (end, deepest int) {
	if tag&7 != startGroup {
		return skip(b, at, tag), 0
	}
	depth := 1
	for deepest = 1; depth > 0; deepest = max(deepest, depth) {
		if tag, at = readVarint(b, at); at == gaveUp {
			return gaveUp, deepest
		}
		switch tag & 7 {
		case startGroup:
			depth++
		case endGroup:
			depth--
		default:
			if at = skip(b, at, tag); at == gaveUp {
				return gaveUp, deepest
			}
		}
	}
	return at, deepest
}

// count returns how many values with that tag come one after the other. The first one
// begins at b[at], after its tag.
func count(b []byte, at int, tag uint64) (n int) {
	for {
		if at = skip(b, at, tag); at == gaveUp {
			return gaveUp
		}
		n++
		next, value := readTag(b, at)
		if value == gaveUp || next != tag {
			return n
		}
		at = value
	}
}
