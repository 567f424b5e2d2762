package wire

import (
	"sync"
	"sync/atomic"
)

// blockSize is how much of a body is read into one piece of memory. Blocks of that
// size are used again.
const blockSize = 64 << 10

// block is memory that frames stand in. It goes back when nobody holds it.
type block struct {
	bytes   []byte
	holders atomic.Int32
}

var blocks = sync.Pool{New: func() any { return &block{bytes: make([]byte, blockSize)} }}

// newBlock returns a block that the caller holds.
func newBlock(size int) *block {
	var b *block
	if size == blockSize {
		b = blocks.Get().(*block)
	} else {
		b = &block{bytes: make([]byte, size)}
	}
	b.holders.Store(1)
	return b
}

func (b *block) hold() { b.holders.Add(1) }

func (b *block) release() {
	if b.holders.Add(-1) == 0 && len(b.bytes) == blockSize {
		blocks.Put(b)
	}
}
