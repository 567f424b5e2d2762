package memory

import (
	"encoding/binary"
	"math/bits"
	"time"
)

const (
	// rememberedBytes limits the length of strings that are remembered.
	rememberedBytes = 64
	rememberedBits  = 11
	// AgeEvery is how often a Strings that is in use forgets the strings that it has not
	// met since the last time.
	AgeEvery = time.Minute
)

// Strings makes the strings of decoded objects. It remembers short ones that are likely to
// come again, for a while. One goroutine at a time uses it.
type Strings struct {
	// Private is the number of open members whose strings are not remembered.
	Private int
	// Discard is set while values are only checked. Strings are empty then.
	Discard bool

	// remembered and boxes have decoded strings, by their hash.
	remembered [1 << rememberedBits]string
	boxes      [1 << rememberedBits]any
	// metStrings and metBoxes have a bit for each of them that was met since agedAt.
	metStrings, metBoxes marks
	agedAt               time.Time
}

// marks has a bit for each slot of a table of strings.
type marks [(1 << rememberedBits) / 64]uint64

func (m *marks) set(i uint64)      { m[i/64] |= 1 << (i % 64) }
func (m *marks) has(i uint64) bool { return m[i/64]&(1<<(i%64)) != 0 }

// Age forgets strings that were not met for a minute, so that none is held for more than
// two: no part of a deleted object must stay in memory. The garbage collector frees a
// Strings that is not in use, for its owners keep it in a pool, which is cleared in two
// cycles.
func (s *Strings) Age(now time.Time) {
	if since := now.Sub(s.agedAt); 0 <= since && since < AgeEvery {
		return
	}
	s.agedAt = now
	for i := range uint64(len(s.remembered)) {
		if !s.metStrings.has(i) {
			s.remembered[i] = ""
		}
		if !s.metBoxes.has(i) {
			s.boxes[i] = nil
		}
	}
	s.metStrings, s.metBoxes = marks{}, marks{}
}

// AgedAt returns when it last forgot strings.
func (s *Strings) AgedAt() time.Time { return s.agedAt }

// Held returns the strings that it remembers, for tests.
func (s *Strings) Held() (held []string) {
	for i, text := range s.remembered {
		if box, _ := s.boxes[i].(string); box != "" {
			held = append(held, box)
		}
		if text != "" {
			held = append(held, text)
		}
	}
	return held
}

// IsPrivate reports whether strings below a member of that name are not remembered. They
// are the values of Secrets above all.
func IsPrivate(name string) bool { return name == "data" || name == "stringData" }

// HeadDepth is how many objects are open at a member of the metadata.
const HeadDepth = 2

// IsHead reports whether a member of an object or of its metadata is kept also while values are only checked: the kind, and the names
// that tell an object from others.
func IsHead(name string) bool {
	switch name {
	case "kind", "apiVersion", "namespace", "name", "uid", "resourceVersion":
		return true
	}
	return false
}

// String returns a string with that text. It shares the memory of an equal one that it has
// returned before, if it remembers one: labels, images, managers and enumerations repeat in
// most objects. That saves half of the allocations of a Pod, and a tenth of its memory.
// Each string has memory of its own, so that a field that is cleared frees it.
func (s *Strings) String(raw []byte) string {
	if s.Discard {
		return ""
	}
	if !s.remembers(raw) {
		return string(raw)
	}
	text, _ := s.recall(raw)
	return text
}

// Usual is String for a field whose Habit is known.
func (s *Strings) Usual(raw []byte, habit *Habit) string {
	if s.Discard {
		return ""
	}
	if !s.remembers(raw) || !habit.Looks() {
		return string(raw)
	}
	text, found := s.recall(raw)
	habit.Note(found)
	return text
}

// remembers reports whether a string with that text may be remembered.
func (s *Strings) remembers(raw []byte) bool {
	return len(raw) <= rememberedBytes && len(raw) > 0 && s.Private == 0
}

// recall returns the string with that text, and remembers it. found is set if it was remembered before.
func (s *Strings) recall(raw []byte) (text string, found bool) {
	i := Hash(raw) >> (64 - rememberedBits)
	s.metStrings.set(i)
	known := &s.remembered[i]
	if found = *known == string(raw); !found {
		*known = string(raw)
	}
	return *known, found
}

// Boxed is String for values of any type, which have to be allocated, too.
func (s *Strings) Boxed(raw []byte) any {
	if s.Discard {
		return nil
	}
	if !s.remembers(raw) {
		return string(raw)
	}
	i := Hash(raw) >> (64 - rememberedBits)
	s.metBoxes.set(i)
	known := &s.boxes[i]
	if text, _ := (*known).(string); text != string(raw) {
		*known = string(raw)
	}
	return *known
}

// Hash returns a hash of the length, the first and the last bytes of a name. Its upper
// bits are the best.
func Hash(name []byte) uint64 {
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
