package store

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"sync/atomic"
)

// names finds the slot of an object by its name. It is an open hash table with linear
// probing, has eight bytes an entry, and has no copy of a name. There is one writer.
// Readers may search next to it. They may then miss an entry that it moves.
type names struct {
	// An entry is the hash in the upper half and the slot plus one in the lower; 0 is
	// empty. The length of the table is a power of two.
	table atomic.Pointer[[]uint64]
	used  int
}

// Names have a hash in the table of names, and another one as fingerprint. The seeds are of this process.
var hashSeed, fingerprintSeed = maphash.MakeSeed(), maphash.MakeSeed()

// HashOf returns the hash of a name.
func HashOf(namespace, name string) uint32 {
	return uint32(seededHash(hashSeed, namespace, name) >> 32)
}

func fingerprintOf(namespace, name string) uint64 {
	return seededHash(fingerprintSeed, namespace, name)
}

func seededHash(seed maphash.Seed, namespace, name string) uint64 {
	h := maphash.String(seed, name)
	if namespace != "" {
		h = bits.RotateLeft64(h, 29) ^ maphash.String(seed, namespace)
		h *= 0x9e3779b97f4a7c15 // so that both affect all bits
	}
	return h
}

// NoSlot is the slot of an object that is not stored.
const NoSlot = ^uint32(0)

// probe is a search for the slots whose objects have a hash.
type probe struct {
	table []uint64
	hash  uint32
	// at is the index of the next entry. left is the number of entries to try: the search
	// ends even if the writer moves all of them meanwhile.
	at, left uint32
}

func (t *names) probe(hash uint32) probe {
	p := probe{hash: hash, at: hash}
	if table := t.table.Load(); table != nil {
		p.table, p.left = *table, uint32(len(*table))
	}
	return p
}

// next returns the next of the slots, or NoSlot.
func (p *probe) next() uint32 {
	mask := uint32(len(p.table) - 1)
	for ; p.left > 0; p.left-- {
		entry := atomic.LoadUint64(&p.table[p.at&mask])
		p.at++
		if entry == 0 {
			break
		}
		if uint32(entry>>32) == p.hash {
			p.left--
			return uint32(entry) - 1
		}
	}
	return NoSlot
}

// add adds an object that has no entry.
func (t *names) add(hash, slot uint32) {
	if n := t.len(); 16*(t.used+1) > 13*n { // in a fuller table a miss would take long
		t.resize(max(16, 2*n))
	}
	t.used++
	table := *t.table.Load()
	at := t.find(table, hash, 0)
	atomic.StoreUint64(&table[at], entryOf(hash, slot))
}

// move changes the slot of an object.
func (t *names) move(hash, from, to uint32) {
	table := *t.table.Load()
	at := t.find(table, hash, entryOf(hash, from))
	atomic.StoreUint64(&table[at], entryOf(hash, to))
}

// remove removes an object. Entries that were displaced by its entry move up, so there
// are no tombstones.
func (t *names) remove(hash, slot uint32) {
	table := *t.table.Load()
	mask := uint32(len(table) - 1)
	hole := t.find(table, hash, entryOf(hash, slot))
	for at := (hole + 1) & mask; table[at] != 0; at = (at + 1) & mask {
		home := uint32(table[at]>>32) & mask
		if (at-home)&mask >= (at-hole)&mask {
			atomic.StoreUint64(&table[hole], table[at])
			hole = at
		}
	}
	atomic.StoreUint64(&table[hole], 0)
	t.used--
	if n := len(table); n > 16 && 8*t.used < n {
		t.resize(n / 4)
	}
}

func entryOf(hash, slot uint32) uint64 { return uint64(hash)<<32 | uint64(slot+1) }

func (t *names) len() int {
	if table := t.table.Load(); table != nil {
		return len(*table)
	}
	return 0
}

// find returns the index of an entry of that hash, or, for 0, where one can be added.
// There is one.
func (t *names) find(table []uint64, hash uint32, entry uint64) uint32 {
	mask := uint32(len(table) - 1)
	at := hash & mask
	for table[at] != entry {
		at = (at + 1) & mask
	}
	return at
}

func (t *names) resize(n int) {
	table := make([]uint64, n)
	if old := t.table.Load(); old != nil {
		for _, entry := range *old {
			if entry != 0 {
				table[t.find(table, uint32(entry>>32), 0)] = entry
			}
		}
	}
	t.table.Store(&table)
}

// check checks the invariants that let every search in the table end: used counts its entries, there is
// one for each object, and enough of the table is empty.
func (t *names) check(objects int) error {
	n, entries := t.len(), 0
	for at := range n {
		if (*t.table.Load())[at] != 0 {
			entries++
		}
	}
	if entries != objects || t.used != objects || 16*entries > 13*n || n&(n-1) != 0 {
		return fmt.Errorf("a table of %d has %d entries, counted as %d, for %d objects", n, entries, t.used, objects)
	}
	return nil
}
