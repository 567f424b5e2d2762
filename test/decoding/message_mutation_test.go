package decoding

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand"
	"slices"
	"testing"
)

// wireField is a field of a message: its tag and its value, which for wire type 2 begins with
// the length.
type wireField struct {
	number, wire uint64
	value        []byte
}

// splitMessage returns the fields of a message, or nil if it is none, or has groups.
func splitMessage(b []byte) (found []wireField) {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 {
			return nil
		}
		size := 0
		switch tag & 7 {
		case 0:
			_, size = binary.Uvarint(b[n:])
		case 1:
			size = 8
		case 2:
			length, m := binary.Uvarint(b[n:])
			if m <= 0 || length > uint64(len(b)) {
				return nil
			}
			size = m + int(length)
		case 5:
			size = 4
		}
		if size <= 0 || n+size > len(b) {
			return nil
		}
		found = append(found, wireField{tag >> 3, tag & 7, b[n : n+size]})
		b = b[n+size:]
	}
	return found
}

func joinMessage(fields []wireField) (b []byte) {
	for _, f := range fields {
		b = append(binary.AppendUvarint(b, f.number<<3|f.wire), f.value...)
	}
	return b
}

// content returns the content of a field of wire type 2, without its length.
func (f *wireField) content() []byte {
	_, n := binary.Uvarint(f.value)
	return f.value[n:]
}

// delimitedBy returns content after its length.
func delimitedBy(content []byte) []byte {
	return append(binary.AppendUvarint(nil, uint64(len(content))), content...)
}

func delimitedField(number uint64, content []byte) wireField {
	return wireField{number, 2, delimitedBy(content)}
}

// hugeVarints are lengths and integers at which some width overflows.
var hugeVarints = []uint64{
	math.MaxInt32 - 1, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32, math.MaxUint32 + 2, 1<<32 + 5,
	math.MaxInt64 - 20, math.MaxInt64, 1 << 63, math.MaxUint64 - 3, math.MaxUint64,
}

// padded returns an integer in more bytes than it needs.
func padded(r *rand.Rand, v uint64) []byte {
	b := binary.AppendUvarint(nil, v)
	b[len(b)-1] |= 0x80
	for range r.Intn(max(1, 11-len(b))) {
		b = append(b, 0x80)
	}
	return append(b, byte(r.Intn(3)))
}

// fieldMutations change a message at its field i. The fields are those of a message that is
// not used again.
var fieldMutations = []func(r *rand.Rand, fields []wireField, i int) []byte{
	func(_ *rand.Rand, fields []wireField, i int) []byte { // a field twice
		return joinMessage(slices.Insert(fields, i, fields[i]))
	},
	func(_ *rand.Rand, fields []wireField, i int) []byte { // a field again, at the end
		return joinMessage(append(fields, fields[i]))
	},
	func(_ *rand.Rand, fields []wireField, i int) []byte { // a field later
		return joinMessage(append(slices.Delete(slices.Clone(fields), i, i+1), fields[i]))
	},
	func(_ *rand.Rand, fields []wireField, i int) []byte { // without it
		return joinMessage(slices.Delete(fields, i, i+1))
	},
	func(r *rand.Rand, fields []wireField, i int) []byte { // another type, with a value of it
		values := [][]byte{{1}, make([]byte, 8), {1, 'a'}, {0x08, 1, byte(fields[i].number<<3&0x7F | 4)}, nil, make([]byte, 4), nil, nil}
		fields[i].wire = uint64(r.Intn(8))
		fields[i].value = values[fields[i].wire]
		return joinMessage(fields)
	},
	func(r *rand.Rand, fields []wireField, i int) []byte { // another type, with this value
		fields[i].wire = uint64(r.Intn(8))
		return joinMessage(fields)
	},
	func(r *rand.Rand, fields []wireField, i int) []byte { // a length, or an integer, that overflows
		fields[i].value = binary.AppendUvarint(nil, hugeVarints[r.Intn(len(hugeVarints))])
		return joinMessage(fields)
	},
	func(r *rand.Rand, fields []wireField, i int) []byte { // a length that is nearly right
		f := &fields[i]
		if f.wire == 2 {
			content := f.content()
			f.value = append(binary.AppendUvarint(nil, uint64(max(0, len(content)+r.Intn(5)-2))), content...)
		}
		return joinMessage(fields)
	},
	func(r *rand.Rand, fields []wireField, i int) []byte { // integers with too many bytes
		f := &fields[i]
		v, n := binary.Uvarint(f.value)
		if f.wire == 0 || f.wire == 2 {
			f.value = append(padded(r, v), f.value[n:]...)
		}
		before, after := joinMessage(fields[:i]), joinMessage(fields[i+1:])
		return slices.Concat(before, padded(r, f.number<<3|f.wire), f.value, after)
	},
	func(r *rand.Rand, fields []wireField, i int) []byte { // an unknown field
		numbers := []uint64{0, 99, 4095, 4096, 1<<29 - 1, 1 << 29, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1<<32 + fields[i].number}
		f := wireField{number: numbers[r.Intn(len(numbers))], wire: fields[i].wire, value: fields[i].value}
		return joinMessage(slices.Insert(fields, i, f))
	},
	func(r *rand.Rand, fields []wireField, i int) []byte { // groups, of which not all end
		number := []uint64{99, fields[i].number}[r.Intn(2)]
		group := wireField{number: number, wire: 3, value: slices.Concat(joinMessage(fields[i:i+1]), []byte{1<<3 | 3, 2<<3 | 4})}
		if r.Intn(4) > 0 {
			group.value = binary.AppendUvarint(group.value, number<<3|4)
		}
		if r.Intn(8) == 0 {
			group = wireField{number: number, wire: 4}
		}
		return joinMessage(slices.Insert(fields, i, group))
	},
	func(r *rand.Rand, fields []wireField, i int) []byte { // packed
		var content []byte
		for range r.Intn(4) {
			content = binary.AppendUvarint(content, r.Uint64()>>r.Intn(64))
		}
		if r.Intn(4) == 0 {
			content = append(content, 0x80)
		}
		fields[i] = delimitedField(fields[i].number, content)
		return joinMessage(fields)
	},
	func(_ *rand.Rand, fields []wireField, i int) []byte { // empty
		fields[i] = wireField{number: fields[i].number, wire: 2, value: []byte{0}}
		return joinMessage(fields)
	},
	func(r *rand.Rand, fields []wireField, i int) []byte { // an entry of a map
		key, value := wireField{1, 2, []byte{1, 'k'}}, wireField{2, 2, []byte{2, '4', '2'}}
		if inner := splitMessage(fields[i].content()); fields[i].wire == 2 && len(inner) == 2 {
			key, value = inner[0], inner[1]
		}
		other := wireField{3, 2, []byte{1, 'x'}}
		entries := [][]wireField{
			{key, value}, {value, key}, {key}, {value}, {}, {key, key, value}, {key, value, value}, {other, key, value}, {key, value, other},
			{key, {2, 0, []byte{1}}}, {{1, 0, []byte{1, 'y'}}, value}, {{1, 0, []byte{1, 'y'}}, {2, 1, value.value}}, {key, {2, 5, []byte{1, 2, 3, 4}}},
			{key, {1 << 32, 0, []byte{7}}, value}, {key, {1<<32 + 2, 2, value.value}}, {key, {0, 0, []byte{7}}, value},
		}
		content := joinMessage(entries[r.Intn(len(entries))])
		fields[i] = delimitedField(fields[i].number, content)
		if r.Intn(4) == 0 { // a value that ends after its entry
			fields[i].value = append(binary.AppendUvarint(nil, uint64(max(0, len(content)-1-r.Intn(3)))), content...)
		}
		return joinMessage(fields)
	},
}

// mutatedField changes a field of a message, or of a message in it.
func mutatedField(r *rand.Rand, message []byte) []byte {
	fields := splitMessage(message)
	if len(fields) == 0 {
		return append(bytes.Clone(message), byte(r.Intn(256)))
	}
	i := r.Intn(len(fields))
	if f := &fields[i]; f.wire == 2 && r.Intn(4) > 0 {
		if content := f.content(); splitMessage(content) != nil {
			*f = delimitedField(f.number, mutatedField(r, content))
			return joinMessage(fields)
		}
	}
	return fieldMutations[r.Intn(len(fieldMutations))](r, fields, i)
}

// mutatedMessage returns a message with another form, or a broken one.
func mutatedMessage(r *rand.Rand, message []byte) []byte {
	for range 1 + r.Intn(2) {
		if len(message) > 0 && r.Intn(4) == 0 {
			message = mutations[r.Intn(5)](r, bytes.Clone(message)) // those that are not about JSON
			continue
		}
		message = mutatedField(r, message)
	}
	return message
}

// TestMessageMutations decodes messages of all kinds in odd forms, and broken ones.
func TestMessageMutations(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 40
	}
	for _, k := range protobufKinds() {
		t.Run(k.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewSource(1))
			var whole []byte
			accepted := 0
			for round := range rounds {
				if round%40 == 0 {
					whole = k.message(t, k.filled(r))
				}
				raw := mutatedMessage(r, whole)
				if difference := k.messageDifference(raw); difference != "" {
					t.Fatalf("round %d: %s\n%q", round, difference, raw)
				}
				if difference := k.limitedMessageDifference(raw); difference != "" {
					t.Fatalf("round %d, limited: %s\n%q", round, difference, raw)
				}
				if _, err := k.theirMessage(raw); err == nil {
					accepted++
				}
			}
			if accepted < rounds/10 || accepted > rounds*9/10 {
				t.Errorf("%d of %d messages can be decoded, which tests only one half", accepted, rounds)
			}
		})
	}
}
