package store

import (
	"iter"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Store holds objects of one kind by name, with indexes. The methods in this file may be
// called from any goroutine, except for Find and KeepHashes. The other methods are for one
// writer at a time. Those that change the store are called between Begin and End, unless
// their comment says otherwise.
type Store[T wire.Object] struct {
	// mu keeps readers out from Begin to End, and guards what follows against them. Get
	// reads without it.
	mu      sync.RWMutex
	objects chunked[T]
	names   names
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

// New returns an empty Store with an index by namespace, of that name.
func New[T wire.Object](namespaceIndex string) *Store[T] {
	s := &Store[T]{indexes: []*index{newIndex(namespaceIndex)}}
	s.objects.loadable = isPointer[T]()
	return s
}

// KeepHashes makes an empty Store keep the content hash of each object.
func (s *Store[T]) KeepHashes() { s.keepsHashes = true }

// Get returns the object of that name. See Indexer.Get of package cache.
func (s *Store[T]) Get(namespace, name string) (T, bool) {
	hash := HashOf(namespace, name)
	if s.objects.loadable {
		step := s.steps.Load()
		obj, found := s.look(namespace, name, hash)
		if found || step%2 == 0 && s.steps.Load() == step {
			return obj, found
		}
		// The writer may have moved the entry meanwhile.
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, obj, found := s.Find(namespace, name, hash)
	return obj, found
}

// look is Find without the lock. It may miss an object that the writer moves.
func (s *Store[T]) look(namespace, name string, hash uint32) (found T, ok bool) {
	search := s.names.probe(hash)
	for slot := search.next(); slot != NoSlot; slot = search.next() {
		if obj, ok := s.objects.load(slot); ok && obj.GetName() == name && obj.GetNamespace() == namespace {
			return obj, true
		}
	}
	return found, false
}

// Find returns the object of that name, with its HashOf, and its slot, NoSlot if there is
// none. It is for the writer, also before Begin.
func (s *Store[T]) Find(namespace, name string, hash uint32) (slot uint32, found T, ok bool) {
	search := s.names.probe(hash)
	for slot = search.next(); slot != NoSlot; slot = search.next() {
		if obj := s.objects.at(slot); obj.GetName() == name && obj.GetNamespace() == namespace {
			return slot, obj, true
		}
	}
	return NoSlot, found, false
}

// Held returns the object of that name and its content hash, 0 if that is not known. Both
// are of one moment.
func (s *Store[T]) Held(namespace, name string) (obj T, contentHash uint64, ok bool) {
	hash := HashOf(namespace, name)
	s.mu.RLock()
	defer s.mu.RUnlock()
	slot, obj, ok := s.Find(namespace, name, hash)
	if ok {
		contentHash = s.ContentHash(slot)
	}
	return obj, contentHash, ok
}

// maxLocked is the number of objects that are copied under the read lock, which takes
// microseconds. A larger result is copied from a snapshot, while the writer continues.
const maxLocked = 4096

// List returns all objects, in no particular order. The slice belongs to the caller.
func (s *Store[T]) List() []T {
	s.mu.RLock()
	if s.objects.n <= maxLocked {
		defer s.mu.RUnlock()
		return s.objects.now().list()
	}
	all := s.objects.snapshot()
	s.mu.RUnlock()
	return all.list()
}

// All ranges over the objects that are there when the range begins. It allocates
// nothing.
func (s *Store[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		s.snapshot().all()(yield)
	}
}

func (s *Store[T]) snapshot() snapshot[T] {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.objects.snapshot()
}

// Len returns the number of objects.
func (s *Store[T]) Len() int { return int(s.length.Load()) }

// ByIndex returns the objects that the index has under value, in no particular order.
// The slice belongs to the caller. It returns false if there is no such index.
func (s *Store[T]) ByIndex(name, value string) ([]T, bool) {
	s.mu.RLock()
	idx := s.index(name)
	if idx == nil {
		s.mu.RUnlock()
		return nil, false
	}
	list := idx.lists[value]
	if list == nil {
		s.mu.RUnlock()
		return []T{}, true
	}
	if len(list.slots) <= maxLocked {
		objs := s.objects.now().collect(list.slots)
		s.mu.RUnlock()
		return objs, true
	}
	slots, all := list.share(), s.objects.snapshot()
	s.mu.RUnlock()
	return all.collect(slots), true
}

// AllByIndex ranges over the objects that ByIndex returns. It allocates nothing.
func (s *Store[T]) AllByIndex(name, value string) iter.Seq[T] {
	return func(yield func(T) bool) {
		slots, all := s.snapshotByIndex(name, value)
		for _, slot := range slots {
			if !yield(all.at(slot)) {
				return
			}
		}
	}
}

func (s *Store[T]) snapshotByIndex(name, value string) (slots []uint32, all snapshot[T]) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if idx := s.index(name); idx != nil {
		if list := idx.lists[value]; list != nil {
			return list.share(), s.objects.snapshot()
		}
	}
	return nil, all
}

// HasValue reports whether an index has objects under value. It also returns the number
// of values of the index.
func (s *Store[T]) HasValue(name, value string) (has bool, values int) {
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
func (s *Store[T]) Values(name string) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	idx := s.index(name)
	if idx == nil {
		return nil
	}
	return slices.Collect(maps.Keys(idx.lists))
}

// Indexes returns the names of the indexes, first that of the one by namespace.
func (s *Store[T]) Indexes() []string {
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
func (s *Store[T]) IndexSizes() []IndexSize {
	s.mu.RLock()
	defer s.mu.RUnlock()
	sizes := make([]IndexSize, len(s.indexes))
	for i, idx := range s.indexes {
		sizes[i] = IndexSize{idx.name, len(idx.lists)}
	}
	return sizes
}

// Sample returns up to n objects, from slots at equal distances.
func (s *Store[T]) Sample(n int) []T {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n = min(n, s.objects.n)
	sample := make([]T, n)
	for i := range sample {
		sample[i] = s.objects.at(uint32(i * s.objects.n / n))
	}
	return sample
}

// index returns the index of that name, or nil. The caller is the writer or holds mu.
func (s *Store[T]) index(name string) *index {
	for _, idx := range s.indexes {
		if idx.name == name {
			return idx
		}
	}
	return nil
}
