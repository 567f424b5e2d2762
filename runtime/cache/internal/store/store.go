package store

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Store holds objects of one kind by name, with indexes. The methods in this file may be called from any goroutine, except for
// Find, ContentHash and KeepHashes. The other methods are for one writer at a time. Those that change the store are called
// between Begin and End, unless their comment says otherwise.
type Store struct {
	// mu keeps readers out from Begin to End, and guards the fields below against them. Get
	// reads without it if it can.
	mu           sync.RWMutex
	objects      slots
	names        names
	fingerprints fingerprints
	// indexes begin with the one by namespace.
	indexes []*index
	// hashes has the content hashes of the objects by slot, 0 where one is not known. It is
	// empty unless keepsHashes is set.
	hashes      []uint64
	keepsHashes bool
	// steps is odd from Begin to End. length is the number of objects at the last End.
	steps  atomic.Uint64
	length atomic.Int64

	// nameHashes are by slot. Only the writer uses them.
	nameHashes []uint32
	// touched are the slots that were changed since Match, unless allTouched is set: other objects, UIDs or values are
	// there.
	touched    []uint32
	allTouched bool
}

// New returns an empty Store of objects of one form, with an index by namespace, of that name.
func New(namespaceIndex string, form Form) *Store {
	return &Store{objects: newSlots(form), indexes: []*index{newIndex(namespaceIndex)}}
}

// KeepHashes makes an empty Store keep the content hash of each object.
func (s *Store) KeepHashes() { s.keepsHashes = true }

// Get returns the object of that name, for a reader. See Indexer.Get of package cache.
func (s *Store) Get(namespace, name string) (wire.Object, bool) {
	hash, fingerprint, form := HashOf(namespace, name), fingerprintOf(namespace, name), &s.objects.form
	if form.hasWords() {
		step := s.steps.Load()
		word := s.objects.find(s.slotOf(hash, fingerprint))
		if step%2 == 0 && s.steps.Load() == step {
			if word == nil {
				return nil, false
			}
			return form.open(word), true
		}
		// The writer may have moved the entry or the object meanwhile.
		if word != nil && form.keeper == nil {
			if obj := form.object(word); obj.GetName() == name && obj.GetNamespace() == namespace {
				return obj, true
			}
		}
	}
	s.mu.RLock()
	slot := s.slotOf(hash, fingerprint)
	if slot == NoSlot {
		s.mu.RUnlock()
		return nil, false
	}
	obj := s.objects.at(slot)
	s.mu.RUnlock()
	if form.keeper != nil {
		obj = form.open(form.word(obj)) // without the lock, because it may take long
	}
	return obj, true
}

// slotOf returns the slot of a name, or NoSlot, for a reader. It compares hashes of the name, of 96 bits in all, so it reads
// neither an object nor a text of it. If the writer moves objects meanwhile, it may miss the slot or return another one.
func (s *Store) slotOf(hash uint32, fingerprint uint64) uint32 {
	search := s.names.probe(hash)
	slot := search.next()
	for slot != NoSlot && !s.fingerprints.is(slot, fingerprint) {
		slot = search.next()
	}
	return slot
}

// Find returns the object of that name, with its HashOf, and its slot, NoSlot if there is
// none. It is for the writer, also before Begin.
func (s *Store) Find(namespace, name string, hash uint32) (slot uint32, found wire.Object, ok bool) {
	search := s.names.probe(hash)
	for slot = search.next(); slot != NoSlot; slot = search.next() {
		if obj := s.objects.at(slot); obj.GetName() == name && obj.GetNamespace() == namespace {
			return slot, obj, true
		}
	}
	return NoSlot, found, false
}

// Held returns the object of that name, which is not opened if it is one of a Keeper, and its content hash, 0 if that is not
// known. Both are of one moment.
func (s *Store) Held(namespace, name string) (obj wire.Object, contentHash uint64, ok bool) {
	hash := HashOf(namespace, name)
	s.mu.RLock()
	defer s.mu.RUnlock()
	slot, obj, ok := s.Find(namespace, name, hash)
	if ok {
		contentHash = s.ContentHash(slot)
	}
	return obj, contentHash, ok
}

// ContentHash returns the content hash of the object in a slot, 0 if it is not known.
// The caller is the writer or holds mu.
func (s *Store) ContentHash(slot uint32) uint64 {
	if !s.keepsHashes {
		return 0
	}
	return s.hashes[slot]
}

// maxLocked is the number of objects that are copied under the read lock, which takes
// microseconds. A larger result is copied from a snapshot, while the writer continues.
const maxLocked = 4096

// List returns all objects, in no particular order. The slice belongs to the caller.
func (s *Store) List() Objects {
	s.mu.RLock()
	if s.objects.len() <= maxLocked {
		defer s.mu.RUnlock()
		all := s.objects.now()
		return all.list()
	}
	all := s.objects.snapshot()
	s.mu.RUnlock()
	return all.list()
}

// All returns the objects that are there.
func (s *Store) All() Walk {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return walkOf(s.objects.snapshot())
}

// Len returns the number of objects.
func (s *Store) Len() int { return int(s.length.Load()) }

// ByIndex returns the objects that the index has under value, in no particular order.
// The slice belongs to the caller. It returns false if there is no such index.
func (s *Store) ByIndex(name, value string) (Objects, bool) {
	s.mu.RLock()
	idx := s.index(name)
	if idx == nil {
		s.mu.RUnlock()
		return Objects{}, false
	}
	list := idx.lists[value]
	if list == nil {
		s.mu.RUnlock()
		return s.objects.none(), true
	}
	if len(list.slots) <= maxLocked {
		all := s.objects.now()
		objs := all.collect(list.slots)
		s.mu.RUnlock()
		return objs, true
	}
	slots, all := list.share(), s.objects.snapshot()
	s.mu.RUnlock()
	return all.collect(slots), true
}

// AllByIndex returns the objects that ByIndex returns.
func (s *Store) AllByIndex(name, value string) Walk {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if idx := s.index(name); idx != nil {
		if list := idx.lists[value]; list != nil {
			all := walkOf(s.objects.snapshot())
			all.slots = list.share()
			return all
		}
	}
	return Walk{}
}

// HasValue reports whether an index has objects under value. It also returns the number
// of values of the index.
func (s *Store) HasValue(name, value string) (has bool, values int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	idx := s.index(name)
	if idx == nil {
		return false, 0
	}
	return idx.lists[value] != nil, len(idx.lists)
}

// Values returns the values under which an index has objects, in no particular order. It
// returns nil if there is no such index.
func (s *Store) Values(name string) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	idx := s.index(name)
	if idx == nil {
		return nil
	}
	return slices.Collect(maps.Keys(idx.lists))
}

// Indexes returns the names of the indexes, first that of the one by namespace.
func (s *Store) Indexes() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	names := make([]string, len(s.indexes))
	for i, idx := range s.indexes {
		names[i] = idx.name
	}
	return names
}

// IndexSize is the number of values under which an index has objects.
type IndexSize struct {
	Name   string
	Values int
}

// IndexSizes returns the sizes of the indexes, first that of the one by namespace.
func (s *Store) IndexSizes() []IndexSize {
	s.mu.RLock()
	defer s.mu.RUnlock()
	sizes := make([]IndexSize, len(s.indexes))
	for i, idx := range s.indexes {
		sizes[i] = IndexSize{idx.name, len(idx.lists)}
	}
	return sizes
}

// Sample returns up to n objects, from slots at equal distances.
func (s *Store) Sample(n int) []wire.Object {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n = min(n, s.objects.len())
	sample := make([]wire.Object, n)
	for i := range sample {
		sample[i] = s.objects.at(uint32(i * s.objects.len() / n))
	}
	return sample
}

// index returns the index of that name, or nil. The caller is the writer or holds mu.
func (s *Store) index(name string) *index {
	for _, idx := range s.indexes {
		if idx.name == name {
			return idx
		}
	}
	return nil
}

// Check returns an error if an invariant of the tables is broken. It is for tests. Readers
// may go on meanwhile.
func (s *Store) Check() error {
	n, hashes := s.objects.len(), 0
	if s.keepsHashes {
		hashes = n
	}
	if len(s.nameHashes) != n || len(s.hashes) != hashes {
		return fmt.Errorf("%d objects have %d hashes of names and %d hashes of content", n, len(s.nameHashes), len(s.hashes))
	}
	return s.names.check(n)
}

// ByIndexIn returns the objects of a namespace that the index has under value, in no
// particular order. The slice belongs to the caller. It returns false if there is no such
// index. It holds the read lock for 1 to 5 ns for each entry of the shorter list: the one of
// the namespace, or the one of value.
func (s *Store) ByIndexIn(namespace, name, value string) (Objects, bool) {
	s.mu.RLock()
	idx := s.index(name)
	if idx == nil {
		s.mu.RUnlock()
		return Objects{}, false
	}
	ofNamespace := s.indexes[0]
	inNamespace, found := ofNamespace.lists[namespace], idx.lists[value]
	if inNamespace == nil || found == nil {
		s.mu.RUnlock()
		return s.objects.none(), true
	}
	both := scratch.Get().(*[]uint32)
	defer scratch.Put(both)
	if len(found.slots) <= len(inNamespace.slots) {
		*both = ofNamespace.appendIn((*both)[:0], found.slots, inNamespace)
	} else {
		*both = idx.appendIn((*both)[:0], inNamespace.slots, found)
	}
	if len(*both) <= maxLocked {
		all := s.objects.now()
		objs := all.collect(*both)
		s.mu.RUnlock()
		return objs, true
	}
	all := s.objects.snapshot()
	s.mu.RUnlock()
	return all.collect(*both), true
}

// Collect returns some objects of the store, in the form of its other reads.
func (s *Store) Collect(objs iter.Seq[wire.Object]) Objects {
	all, form := s.objects.none(), &s.objects.form
	for obj := range objs {
		if form.hasWords() {
			all.words = append(all.words, form.word(obj))
		} else {
			all.objects = append(all.objects, obj)
		}
	}
	return all
}
