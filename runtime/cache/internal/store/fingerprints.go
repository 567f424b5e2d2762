package store

import "sync/atomic"

// fingerprints has a hash of the name of each object, by slot. Get compares them instead of names, because the memory of an
// object and of its name is in no cache of the CPU. There is one writer. Readers may read next to it, and may then see a
// fingerprint that the object in the slot does not have.
type fingerprints struct {
	// list is written in place, and used of its elements have a slot. The writer publishes another list when it grows or shrinks.
	list atomic.Pointer[[]uint64]
	used int
}

// is reports whether a slot has a fingerprint. The slot may be gone.
func (f *fingerprints) is(slot uint32, fingerprint uint64) bool {
	list := f.list.Load()
	return list != nil && int(slot) < len(*list) && atomic.LoadUint64(&(*list)[slot]) == fingerprint
}

// at returns the fingerprint of a slot, for the writer.
func (f *fingerprints) at(slot uint32) uint64 { return (*f.list.Load())[slot] }

// set changes the fingerprint of a slot.
func (f *fingerprints) set(slot uint32, fingerprint uint64) {
	atomic.StoreUint64(&(*f.list.Load())[slot], fingerprint)
}

// push adds a slot.
func (f *fingerprints) push(fingerprint uint64) {
	var list []uint64
	if at := f.list.Load(); at != nil {
		list = *at
	}
	if f.used == len(list) {
		f.resize(append(list, 0))
	}
	f.used++
	f.set(uint32(f.used-1), fingerprint)
}

// pop removes the last slot.
func (f *fingerprints) pop() {
	f.used--
	list := *f.list.Load()
	if smaller := shrunk(list[:f.used]); cap(smaller) < len(list) {
		f.resize(smaller)
	}
}

// resize publishes a list, with all of its capacity.
func (f *fingerprints) resize(list []uint64) {
	list = list[:cap(list)]
	f.list.Store(&list)
}

// clear removes all slots, and releases the memory for them.
func (f *fingerprints) clear() {
	f.list.Store(nil)
	f.used = 0
}
