package cache

import (
	"math/bits"
	"weak"
)

const (
	// fewElements is the capacity of memory that an idle informer keeps.
	fewElements = 8
	// maxSmall is how many pieces of that capacity a freeList keeps: one is in use while
	// the next one fills.
	maxSmall = 2
	// maxFree is how many larger pieces it keeps, and maxElements is the largest
	// capacity of one.
	maxFree     = 4
	maxElements = 8 * maxReuse
)

// freeList keeps memory for batches, so that a steady flow of events allocates nothing.
// Small pieces stay. Larger pieces are kept by a weak pointer, until the next garbage
// collection: an idle informer keeps no memory of a burst, and needs no timer for that.
// The zero value is ready for use. Its owner keeps out other goroutines.
type freeList[E any] struct {
	small [][]E
	large weak.Pointer[[][]E]
}

// take returns an empty slice with room for n elements, which may be nil if n is 0.
func (f *freeList[E]) take(n int) []E {
	if n <= fewElements {
		last := len(f.small) - 1
		switch {
		case n == 0:
			return nil
		case last < 0:
			return make([]E, 0, fewElements)
		}
		memory := f.small[last]
		f.small = f.small[:last]
		return memory
	}
	if large := f.large.Value(); large != nil {
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

// grow moves what memory has to memory with room for n elements or more.
func (f *freeList[E]) grow(memory []E, n int) []E {
	larger := append(f.take(n), memory...)
	clear(memory)
	f.give(memory)
	return larger
}

// give takes memory back. The caller has cleared it.
func (f *freeList[E]) give(memory []E) {
	memory = memory[:0]
	switch n := cap(memory); {
	case n == fewElements && len(f.small) < maxSmall:
		f.small = append(f.small, memory)
		return
	case n <= fewElements || n > maxElements:
		return
	}
	large := f.large.Value()
	if large == nil {
		list := make([][]E, 0, maxFree)
		large = &list
		f.large = weak.Make(large)
	}
	if len(*large) < maxFree {
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
