package cache

import (
	"hash/maphash"
	"math/bits"
	"sync/atomic"
)

// names finds the place of an object by its name: an open hash table with linear
// probing, of eight bytes a slot, without a copy of any name. There is one writer;
// readers may look beside it, and may then miss what is being moved.
type names struct {
	// A slot is the hash in the upper half and the place plus one in the lower; 0 is
	// empty. The number of slots is a power of two.
	slots atomic.Pointer[[]uint64]
	used  int
}

var nameSeed = maphash.MakeSeed()

// hashOf is the hash of a name.
func hashOf(name ObjectName) uint32 {
	h := maphash.String(nameSeed, name.Name)
	if name.Namespace != "" {
		h = bits.RotateLeft64(h, 29) ^ maphash.String(nameSeed, name.Namespace)
		h *= 0x9e3779b97f4a7c15 // so that both have a part in all bits
	}
	return uint32(h >> 32)
}

// candidates calls try with each place whose hash is that one, until it returns
// true.
func (t *names) candidates(hash uint32, try func(place uint32) bool) {
	table := t.slots.Load()
	if table == nil {
		return
	}
	slots := *table
	mask := uint32(len(slots) - 1)
	at := hash & mask
	for range slots { // not for ever, even if the writer moves them all
		slot := atomic.LoadUint64(&slots[at])
		if slot == 0 || uint32(slot>>32) == hash && try(uint32(slot)-1) {
			return
		}
		at = (at + 1) & mask
	}
}

// noPlace is where nothing stands.
const noPlace = ^uint32(0)

// first returns the first of the candidates, or noPlace, for the writer.
func (t *names) first(hash uint32) uint32 {
	first := noPlace
	t.candidates(hash, func(place uint32) bool {
		first = place
		return true
	})
	return first
}

// add says where an object stands that had no place.
func (t *names) add(hash, place uint32) {
	if n := t.len(); 16*(t.used+1) > 13*n { // fuller, a miss would take long
		t.resize(max(16, 2*n))
	}
	t.used++
	slots := *t.slots.Load()
	at := t.find(slots, hash, func(slot uint64) bool { return slot == 0 })
	atomic.StoreUint64(&slots[at], slotOf(hash, place))
}

// move says that an object stands somewhere else now.
func (t *names) move(hash, from, to uint32) {
	slots := *t.slots.Load()
	at := t.find(slots, hash, func(slot uint64) bool { return slot == slotOf(hash, from) })
	atomic.StoreUint64(&slots[at], slotOf(hash, to))
}

// remove forgets an object. What was pushed behind it moves up, so no slot is lost.
func (t *names) remove(hash, place uint32) {
	slots := *t.slots.Load()
	mask := uint32(len(slots) - 1)
	hole := t.find(slots, hash, func(slot uint64) bool { return slot == slotOf(hash, place) })
	for at := (hole + 1) & mask; slots[at] != 0; at = (at + 1) & mask {
		home := uint32(slots[at]>>32) & mask
		if (at-home)&mask >= (at-hole)&mask {
			atomic.StoreUint64(&slots[hole], slots[at])
			hole = at
		}
	}
	atomic.StoreUint64(&slots[hole], 0)
	t.used--
	if n := len(slots); n > 16 && 8*t.used < n {
		t.resize(n / 4)
	}
}

func slotOf(hash, place uint32) uint64 { return uint64(hash)<<32 | uint64(place+1) }

func (t *names) len() int {
	if slots := t.slots.Load(); slots != nil {
		return len(*slots)
	}
	return 0
}

// find returns the first slot from where hash belongs on that is wanted. There is
// one.
func (t *names) find(slots []uint64, hash uint32, wanted func(slot uint64) bool) uint32 {
	mask := uint32(len(slots) - 1)
	at := hash & mask
	for !wanted(slots[at]) {
		at = (at + 1) & mask
	}
	return at
}

func (t *names) resize(n int) {
	slots := make([]uint64, n)
	if old := t.slots.Load(); old != nil {
		for _, slot := range *old {
			if slot != 0 {
				slots[t.find(slots, uint32(slot>>32), func(slot uint64) bool { return slot == 0 })] = slot
			}
		}
	}
	t.slots.Store(&slots)
}
