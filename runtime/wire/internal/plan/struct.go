package plan

import (
	"bytes"
	"math/bits"
	"unicode/utf8"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// maxFields limits the fields of a struct, so that one plus the index of each fits into a
// byte, and that of the entry for unknown members, too.
const maxFields = 254

// structDecoder reads an object into a struct.
//
// A server writes the members of a type in one order, and most objects of a kind have the
// same members. So the decoder guesses that a member is followed by the one that followed
// it the last time. That is nearly always right and costs one comparison. If it is wrong,
// the decoder looks the name up.
type structDecoder struct {
	// fields ends with an entry for unknown members, so that there is always a guess.
	fields []structField
	// table is a hash table with open addressing. A slot has one plus the index of a
	// field, or 0 if it is empty.
	table []uint8
	shift int
	// guesses is the index of the struct's first guess in a scratch. That is for the
	// first member of the object. The guess after it is for the member that follows the
	// first field, and so on.
	guesses int
	// refuses is set for a type that cannot be decoded.
	refuses bool
}

type structField struct {
	// token is the name with its quotes and the colon.
	token   string
	name    string
	offset  uintptr
	decoder decoder
}

// noField is the token of the entry for unknown members. No field has an empty name.
const noField = `"":`

// set completes the decoder. guesses is the index of its first guess.
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

func (d *structDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	if peek(b, at) != '{' {
		return null(b, at)
	}
	if s.depth++; s.depth > maxDepth || d.refuses {
		return gaveUp
	}
	at, more := first(b, at, '}')
	guesses := s.guesses[d.guesses : d.guesses+len(d.fields)]
	last := 0
	var seen [(maxFields + 63) / 64]uint64
	for more {
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
			at = f.decoder.decode(s, b, at, p.Plus(f.offset))
			last = i + 1
		} else {
			at = skip(b, at, maxDepth-s.depth)
		}
		at, more = nextOrEnd(b, at, '}')
	}
	s.depth--
	return at
}

// find returns the index of the field whose name begins at b[at], and the start of its
// value. For an unknown name, that is the index of the last entry.
func (d *structDecoder) find(b []byte, at int) (i, value int) {
	quoted, value := nameAt(b, at)
	if value == gaveUp || bytes.IndexByte(quoted, '\\') >= 0 {
		return 0, gaveUp // an escape sequence may make it any name
	}
	name := quoted[1 : len(quoted)-1]
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

func (d *structDecoder) hash(name []byte) int { return int(memory.Hash(name) >> d.shift) }
