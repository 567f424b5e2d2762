package wire

import "sync"

// scratch is memory that one goroutine at a time decodes with, object after object.
// It holds nothing of an object that has been decoded but strings that are likely
// to come again.
type scratch struct {
	// depth is how many objects and arrays are open.
	depth int
	// unquoted is the last text that had escapes in it.
	unquoted []byte
	// guesses are those of all structs, by structDecoder.guesses.
	guesses []uint8
	// shelves have the buffers that are not in use, by the shelf of the decoder.
	shelves [][]any

	// Elements of values that are not complete yet. They are stacks, as values are
	// nested.
	strings []string
	values  []any
	entries []entry
}

var scratches = sync.Pool{New: func() any { return &scratch{} }}

func takeScratch() *scratch { return scratches.Get().(*scratch) }

func (s *scratch) give() { scratches.Put(s) }

// fit makes room for what the decoders have that there are now.
func (s *scratch) fit() {
	s.depth = 0
	if n := int(plans.guesses.Load()); n > len(s.guesses) {
		s.guesses = append(s.guesses, make([]uint8, n-len(s.guesses))...)
	}
	if n := int(plans.shelves.Load()); n > len(s.shelves) {
		s.shelves = append(s.shelves, make([][]any, n-len(s.shelves))...)
	}
}

// abandon drops what a decoder has left behind that gave up.
func (s *scratch) abandon() {
	s.shelves = nil
	s.strings, s.values, s.entries = nil, nil, nil
}

// take returns a buffer that was put back on the shelf, or nil.
func (s *scratch) take(shelf int) any {
	free := s.shelves[shelf]
	if len(free) == 0 {
		return nil
	}
	last := free[len(free)-1]
	s.shelves[shelf] = free[:len(free)-1]
	return last
}

func (s *scratch) putBack(shelf int, buffer any) {
	s.shelves[shelf] = append(s.shelves[shelf], buffer)
}

// string makes a string of what text returned.
func (s *scratch) string(raw []byte) string { return string(raw) }

func (s *scratch) boxed(raw []byte) any { return string(raw) }
