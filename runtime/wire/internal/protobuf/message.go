package protobuf

import "github.com/typedinformers/informer-gen/runtime/wire/internal/memory"

const (
	// maxFields limits the fields of a message, so that one plus the index of each fits
	// into a byte.
	maxFields = 254
	// maxNumber limits the numbers of fields, which are the indexes of a table.
	maxNumber = 4095
)

// messageDecoder reads a message into a struct.
type messageDecoder struct {
	// table has, by the number of a field, one plus its index, or 0 if it is unknown.
	table  []uint8
	fields []messageField
	// refused is set for a type that cannot be decoded.
	refused bool
}

type messageField struct {
	// wire is its type on the wire.
	wire    uint64
	offset  uintptr
	decoder decoder
}

// add adds a field. It returns false if the message has too many of them, or the same one
// twice.
func (d *messageDecoder) add(number uint64, f messageField) bool {
	if number > maxNumber || len(d.fields) == maxFields {
		return false
	}
	for uint64(len(d.table)) <= number {
		d.table = append(d.table, 0)
	}
	if d.table[number] != 0 {
		return false
	}
	d.fields = append(d.fields, f)
	d.table[number] = uint8(len(d.fields))
	return true
}

func (d *messageDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	start, end := readContent(b, at)
	if end == gaveUp {
		return gaveUp
	}
	return d.body(s, b[:end], start, p)
}

// body reads the message in b from at on.
func (d *messageDecoder) body(s *scratch, b []byte, at int, p memory.Slot) int {
	if s.depth++; s.depth > maxDepth || d.refused {
		return gaveUp
	}
	var seen [(maxFields + 63) / 64]uint64
	for at < len(b) {
		tag, value := readTag(b, at)
		if value == gaveUp {
			return gaveUp
		}
		i := 0
		if number := tag >> 3; number < uint64(len(d.table)) {
			i = int(d.table[number])
		}
		if i == 0 {
			if at = skip(b, value, tag); at == gaveUp {
				return gaveUp
			}
			continue
		}
		f := &d.fields[i-1]
		word, bit := &seen[i/64%len(seen)], uint64(1)<<(i%64)
		if tag&7 != f.wire || *word&bit != 0 {
			return gaveUp // another form of the field, or a second value that would be merged
		}
		*word |= bit
		if at = f.decoder.decode(s, b, value, p.Plus(f.offset)); at == gaveUp {
			return gaveUp
		}
	}
	s.depth--
	return at
}

// refuses reports whether any field cannot be decoded. seen has the messages that were
// asked before.
func (d *messageDecoder) refuses(seen map[decoder]bool) bool {
	if seen[d] {
		return false
	}
	seen[d] = true
	for _, f := range d.fields {
		if refuses(f.decoder, seen) {
			return true
		}
	}
	return d.refused
}

func refuses(d decoder, seen map[decoder]bool) bool {
	switch d := d.(type) {
	case refusal:
		return true
	case *messageDecoder:
		return d.refuses(seen)
	case *pointerDecoder:
		return refuses(d.elem, seen)
	case *sliceDecoder:
		return refuses(d.elem, seen)
	case *mapDecoder:
		return refuses(d.elem, seen)
	case privateDecoder:
		return refuses(d.decoder, seen)
	case *sharedDecoder:
		return refuses(d.decoder, seen)
	}
	return false
}

// refusal gives up. It is for types that no API has, or that are hard to get right.
type refusal struct{}

func (refusal) decode(*scratch, []byte, int, memory.Slot) int { return gaveUp }

// headDecoder reads a string of the head.
type headDecoder struct{ decoder }

func (d headDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	discard := s.Discard
	s.Discard = discard && s.depth > memory.HeadDepth
	end := d.decoder.decode(s, b, at, p)
	s.Discard = discard
	return end
}

// privateDecoder reads a field whose strings are not remembered.
type privateDecoder struct{ decoder }

func (d privateDecoder) decode(s *scratch, b []byte, at int, p memory.Slot) int {
	s.Private++
	end := d.decoder.decode(s, b, at, p)
	s.Private--
	return end
}
