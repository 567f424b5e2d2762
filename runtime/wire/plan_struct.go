package wire

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
	"unsafe"
)

// maxFields is how many fields a struct may have, so that one plus the index of each
// fits into a byte, and there is one more for a member of none.
const maxFields = 254

// structDecoder reads an object into a struct.
//
// A server writes the members of a type in one order, and most objects of a kind
// have the same ones. So after each member the one is guessed that followed it the
// last time, which is right nearly always and costs one comparison. If it is wrong,
// the name is looked up.
type structDecoder struct {
	// fields ends with one for members of no field, so that there is always a guess.
	fields []structField
	// table has for the hash of a name one plus the index of its field, or in one
	// of the places behind it; 0 is an empty place.
	table []uint8
	shift int
	// guesses is where the struct's guesses begin in those of a scratch; the first
	// one is for the beginning of the object, and then there is one for each field.
	guesses int
	// refuses is set if the type is none that can be decoded.
	refuses bool
}

type structField struct {
	// token is the name with its quotes and the colon.
	token   string
	name    string
	offset  uintptr
	decoder decoder
}

// noField is the token of a member that no field is for, as fields have names. It is
// the guess of a struct without fields.
const noField = `"":`

// set completes the decoder.
func (d *structDecoder) set(fields []structField, guesses int) {
	width := bits.Len(uint(2 * len(fields)))
	d.table, d.shift = make([]uint8, 1<<width), 64-width
	for i, f := range fields {
		at := d.hash([]byte(f.name))
		for d.table[at] != 0 {
			at = (at + 1) % len(d.table)
		}
		d.table[at] = uint8(i + 1)
		fields[i].token = `"` + f.name + `":`
	}
	d.fields = append(fields, structField{token: noField, decoder: refusal{}})
	d.guesses = guesses
}

func (d *structDecoder) decode(s *scratch, b []byte, at int, p unsafe.Pointer) int {
	if peek(b, at) != '{' {
		return null(b, at)
	}
	if s.depth++; s.depth > maxDepth || d.refuses {
		return gaveUp
	}
	if at = space(b, at+1); peek(b, at) == '}' {
		s.depth--
		return at + 1
	}
	guesses := s.guesses[d.guesses : d.guesses+len(d.fields)]
	last := 0
	var seen [(maxFields + 63) / 64]uint64
	for more := true; more; {
		i := int(guesses[last])
		f := &d.fields[i]
		if end := at + len(f.token); end <= len(b) && string(b[at:end]) == f.token {
			at = space(b, end)
		} else {
			if i, at = d.find(b, at); at == gaveUp {
				return gaveUp
			}
			f = &d.fields[i]
			if i < len(d.fields)-1 {
				guesses[last] = uint8(i)
			}
		}
		if i < len(d.fields)-1 {
			word, bit := &seen[i/64%len(seen)], uint64(1)<<(i%64)
			if *word&bit != 0 {
				return gaveUp // the second value would be merged into the first
			}
			*word |= bit
			at = f.decoder.decode(s, b, at, unsafe.Add(p, f.offset))
			last = i + 1
		} else {
			at = skip(b, at, maxDepth-s.depth)
		}
		if at == gaveUp {
			return gaveUp
		}
		at, more = nextOrEnd(b, at, '}')
	}
	s.depth--
	return at
}

// find returns the index of the field whose name begins at b[at] with the quote,
// and where its value begins. For a name that no field has, it is the index of the
// last one.
func (d *structDecoder) find(b []byte, at int) (i, value int) {
	if peek(b, at) != '"' {
		return 0, gaveUp
	}
	end := plainEnd(b, at+1)
	for end < len(b) && b[end] >= utf8.RuneSelf {
		end = plainEnd(b, end+1)
	}
	if peek(b, end) != '"' {
		return 0, gaveUp // an escape may make it any name
	}
	name := b[at+1 : end]
	if value = colon(b, end+1); value == gaveUp {
		return 0, gaveUp
	}
	for at := d.hash(name); d.table[at] != 0; at = (at + 1) % len(d.table) {
		if i = int(d.table[at] - 1); string(name) == d.fields[i].name {
			return i, value
		}
	}
	if !utf8.Valid(name) {
		return 0, gaveUp
	}
	return len(d.fields) - 1, value
}

// hash is of the length, the first and the last bytes of a name.
func (d *structDecoder) hash(name []byte) int { return int(hash(name) >> d.shift) }

// hash is good in its upper bits.
func hash(name []byte) uint64 {
	var first, last uint64
	switch n := len(name); {
	case n >= 8:
		first, last = binary.LittleEndian.Uint64(name), binary.LittleEndian.Uint64(name[n-8:])
	case n >= 4:
		first, last = uint64(binary.LittleEndian.Uint32(name)), uint64(binary.LittleEndian.Uint32(name[n-4:]))
	case n > 0:
		first, last = uint64(name[0])<<8|uint64(name[n/2]), uint64(name[n-1])
	}
	const odd, odder = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
	h := (first ^ uint64(len(name))<<56) * odd
	return (bits.RotateLeft64(h, 32) ^ last) * odder
}
