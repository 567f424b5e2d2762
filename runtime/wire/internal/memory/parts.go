package memory

import (
	"hash/maphash"
	"math/rand/v2"
	"time"
)

const (
	// SharedBytes limits the length of the text of a part that is shared.
	SharedBytes = 4 << 10
	partsBits   = 10
)

// Parts has parts of decoded objects that are likely to come again: pods that were made of
// one template differ in little else than their names and states. Objects of one informer that no one writes
// to share them. One goroutine at a time uses it.
type Parts struct {
	parts [1 << partsBits]Part
	// met has a bit for each part that was met since agedAt.
	met    [(1 << partsBits) / 64]uint64
	agedAt time.Time
}

// Sharer is a random number of a decoder whose objects may share parts: those of one informer. It is 0 if they may not.
type Sharer uint64

// NewSharer returns a number that no other sharer has.
func NewSharer() Sharer { return Sharer(rand.Uint64() | 1) }

// Part is a map, a slice or a pointer, and the text from which it was decoded.
type Part struct {
	// of is the sharer, and decoder the number of the decoder. hashes are two hashes of the text. No two texts
	// of a program have the same two hashes, because their seeds are random.
	of      Sharer
	decoder int
	hashes  [2]uint64
	// value is a map or a pointer, and slice a slice of any type.
	value Slot
	slice []byte
}

var partSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// At returns the part that a decoder makes of a text. The decoders of a sharer have different numbers. The
// result is valid until the next call.
func (p *Parts) At(of Sharer, decoder int, text []byte) *Part {
	hashes := [2]uint64{maphash.Bytes(partSeeds[0], text), maphash.Bytes(partSeeds[1], text)}
	i := (hashes[0] + uint64(of) + uint64(decoder)) % uint64(len(p.parts))
	p.met[i/64] |= 1 << (i % 64)
	found := &p.parts[i]
	if found.of != of || found.decoder != decoder || found.hashes != hashes {
		*found = Part{of: of, decoder: decoder, hashes: hashes}
	}
	return found
}

// CopyTo copies the part to a slot, if it is known. isSlice is set for a slice.
func (p *Part) CopyTo(to Slot, isSlice bool) bool {
	switch {
	case isSlice && p.slice != nil:
		*As[[]byte](to) = p.slice
	case !isSlice && p.value != Slot{}:
		*As[Slot](to) = p.value
	default:
		return false
	}
	return true
}

// Set remembers the value in a slot.
func (p *Part) Set(from Slot, isSlice bool) {
	if isSlice {
		p.slice = *As[[]byte](from)
	} else {
		p.value = *As[Slot](from)
	}
}

// Age forgets parts as Strings.Age forgets strings.
func (p *Parts) Age(now time.Time) {
	if since := now.Sub(p.agedAt); 0 <= since && since < AgeEvery {
		return
	}
	p.agedAt = now
	for i := range p.parts {
		if p.met[i/64]&(1<<(i%64)) == 0 {
			p.parts[i] = Part{}
		}
	}
	clear(p.met[:])
}
