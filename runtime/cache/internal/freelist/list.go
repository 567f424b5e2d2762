// Package freelist keeps memory of batches for reuse, so that a steady flow of events
// allocates nothing, and an idle informer keeps almost no memory.
package freelist

import (
	"math/bits"
	"weak"
)

const (
	// Small is the capacity of a small slice. Most batches of an informer that is not busy have
	// one element, and an informer has about ten small slices.
	Small = 4
	// maxSmall is how many small slices a List keeps: one is in use while the next one
	// fills.
	maxSmall = 2
	// maxLarge is how many large slices a List keeps, and maxElements is the largest
	// capacity of one.
	maxLarge    = 4
	maxElements = 8192
)

// List keeps slices for reuse. Small slices stay. Large slices are kept by a weak
// pointer, until the next garbage collection, so no timer has to release the memory of
// a burst. The zero value is ready for use. A List is not safe for concurrent use.
type List[E any] struct {
	small [][]E
	large weak.Pointer[[][]E]
}

// Take returns an empty slice with room for n elements. It may be nil if n is 0.
func (l *List[E]) Take(n int) []E {
	if n <= Small {
		last := len(l.small) - 1
		switch {
		case n == 0:
			return nil
		case last < 0:
			return make([]E, 0, Small)
		}
		memory := l.small[last]
		l.small = l.small[:last]
		return memory
	}
	if large := l.large.Value(); large != nil {
		for i, memory := range *large {
			if last := len(*large) - 1; cap(memory) >= n {
				(*large)[i], (*large)[last] = (*large)[last], nil
				*large = (*large)[:last]
				return memory
			}
		}
	}
	if n > maxElements {
		return make([]E, 0, n)
	}
	return make([]E, 0, 1<<bits.Len(uint(n-1)))
}

// Grow moves the elements of memory to a slice with room for n elements or more, and
// takes memory back.
func (l *List[E]) Grow(memory []E, n int) []E {
	larger := append(l.Take(n), memory...)
	clear(memory)
	l.Give(memory)
	return larger
}

// Give takes memory back. The caller has cleared it, and must not use it any more.
func (l *List[E]) Give(memory []E) {
	memory = memory[:0]
	switch n := cap(memory); {
	case n == Small && len(l.small) < maxSmall:
		l.small = append(l.small, memory)
		return
	case n <= Small || n > maxElements:
		return
	}
	large := l.large.Value()
	if large == nil {
		list := make([][]E, 0, maxLarge)
		large = &list
		l.large = weak.Make(large)
	}
	if len(*large) < maxLarge {
		*large = append(*large, memory)
		return
	}
	for i, other := range *large {
		if cap(other) < cap(memory) {
			(*large)[i] = memory
			return
		}
	}
}
