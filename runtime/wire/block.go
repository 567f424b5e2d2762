package wire

import (
	"sync"
	"sync/atomic"
)

const (
	// blockSize is the size of most blocks.
	blockSize = 64 << 10
	// idleSize is the size of the block of a watch that waits for the server. Most events
	// fit in.
	idleSize = 2 << 10
	// largeBudget limits the bytes of the large blocks of one body. A block is large if it
	// is above blockSize. One value may take more while no other large block is held.
	largeBudget = 16 << 20
)

// block is memory for frames. Its last holder frees it for another use.
type block struct {
	bytes   []byte
	holders atomic.Int32
	// budget counts a large block. It is nil for the others.
	budget *budget
}

// Blocks of two sizes are used again, after their text was cleared. The garbage collector
// frees large ones.
var (
	blocks     = sync.Pool{New: func() any { return &block{bytes: make([]byte, blockSize)} }}
	idleBlocks = sync.Pool{New: func() any { return &block{bytes: make([]byte, idleSize)} }}
)

// newBlock returns a block that the caller holds. A block above blockSize counts in large.
func newBlock(size int, large *budget) *block {
	var b *block
	switch size {
	case blockSize:
		b = blocks.Get().(*block)
	case idleSize:
		b = idleBlocks.Get().(*block)
	default:
		b = &block{bytes: make([]byte, size), budget: large}
		large.held.Add(int64(size))
	}
	b.holders.Store(1)
	return b
}

func (b *block) hold() { b.holders.Add(1) }

// release ends one hold. The caller must not use b after it.
func (b *block) release() {
	large := b.budget
	if b.holders.Add(-1) == 0 {
		switch len(b.bytes) {
		case blockSize:
			clear(b.bytes)
			blocks.Put(b)
		case idleSize:
			clear(b.bytes)
			idleBlocks.Put(b)
		default:
			large.held.Add(-int64(len(b.bytes)))
		}
	}
	if large != nil {
		large.notify()
	}
}

// isMine reports whether the caller, which holds b, is its only holder. Only a holder
// can add another one, so that stays true until the caller does.
func (b *block) isMine() bool { return b.holders.Load() == 1 }

// budget counts the bytes of the large blocks of one body. Only the goroutine that
// reads the body makes blocks; any goroutine may release them.
type budget struct {
	held atomic.Int64
	// released has a token after a large block has lost a holder.
	released chan struct{}
}

func newBudget() budget { return budget{released: make(chan struct{}, 1)} }

func (l *budget) notify() {
	select {
	case l.released <- struct{}{}:
	default:
	}
}

// allows reports whether a block of that size may be made next to current, which the
// caller holds. A block that has to replace current may always be made when no other
// large block is held, or nothing would ever be read again.
func (l *budget) allows(size int, current *block) bool {
	held := l.held.Load()
	if size <= blockSize || held+int64(size) <= largeBudget {
		return true
	}
	if current.budget != nil && current.isMine() {
		held -= int64(len(current.bytes))
	}
	return held == 0
}
