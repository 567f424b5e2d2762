package history

import (
	"iter"
	"slices"
	"strings"
)

// index is a map from paths to states that is sorted by path. It is a list of sorted blocks, so
// that adding to 100,000 objects moves some kilobytes and not a megabyte.
type index struct {
	blocks [][]entry
}

type entry struct {
	path  string
	state *State
}

// blockSize is how many entries a block has at most.
const blockSize = 256

// find returns where path is or would be. Block is len(blocks) only if the index is empty.
func (x *index) find(path string) (block, offset int, found bool) {
	// The last block that begins at or before path, or the first.
	block, found = slices.BinarySearchFunc(x.blocks, path, func(entries []entry, path string) int {
		return strings.Compare(entries[0].path, path)
	})
	if found {
		return block, 0, true
	}
	if block > 0 {
		block--
	}
	if block == len(x.blocks) {
		return 0, 0, false
	}
	offset, found = slices.BinarySearchFunc(x.blocks[block], path, func(e entry, path string) int {
		return strings.Compare(e.path, path)
	})
	return block, offset, found
}

// get returns the state of path, or nil.
func (x *index) get(path string) *State {
	block, offset, found := x.find(path)
	if !found {
		return nil
	}
	return x.blocks[block][offset].state
}

// slot returns the place of the state of path, which is nil if path is new. It is valid until the
// next call of slot or remove.
func (x *index) slot(path string) **State {
	block, offset, found := x.find(path)
	if found {
		return &x.blocks[block][offset].state
	}
	if len(x.blocks) == 0 {
		x.blocks = [][]entry{nil}
	}
	if entries := x.blocks[block]; len(entries) == blockSize {
		// A block that is filled in order is left full.
		half := blockSize / 2
		if offset == blockSize {
			half = blockSize
		}
		x.blocks = slices.Insert(x.blocks, block+1, append(make([]entry, 0, blockSize), entries[half:]...))
		clear(entries[half:])
		x.blocks[block] = entries[:half]
		if offset >= half {
			block, offset = block+1, offset-half
		}
	}
	x.blocks[block] = slices.Insert(x.blocks[block], offset, entry{path: path})
	return &x.blocks[block][offset].state
}

// remove removes path.
func (x *index) remove(path string) {
	block, offset, found := x.find(path)
	if !found {
		return
	}
	entries := slices.Delete(x.blocks[block], offset, offset+1)
	if len(entries) == 0 {
		x.blocks = slices.Delete(x.blocks, block, block+1)
		return
	}
	x.blocks[block] = entries
}

// from returns the entries from path onward.
func (x *index) from(path string) iter.Seq2[string, *State] {
	return func(yield func(string, *State) bool) {
		block, offset, _ := x.find(path)
		for ; block < len(x.blocks); block++ {
			for _, e := range x.blocks[block][offset:] {
				if !yield(e.path, e.state) {
					return
				}
			}
			offset = 0
		}
	}
}
