package store

import (
	"iter"
	"unsafe"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// slots has the objects of a Store, in the form of their Go type: as words, or as objects. Above it, no one knows which.
type slots struct {
	form    Form
	words   chunked[unsafe.Pointer]
	objects chunked[wire.Object]
}

func newSlots(form Form) slots {
	return slots{
		form:    form,
		words:   chunked[unsafe.Pointer]{write: storeWord},
		objects: chunked[wire.Object]{write: func(slot *wire.Object, obj wire.Object) { *slot = obj }},
	}
}

// begin is called by the writer before it changes anything.
func (s *slots) begin() {
	s.words.begin()
	s.objects.begin()
}

// len returns the number of objects, for the writer and those that keep it out.
func (s *slots) len() int { return s.words.n + s.objects.n }

// at returns the object in a slot. The caller is the writer or keeps it out.
func (s *slots) at(slot uint32) wire.Object {
	if s.form.hasWords() {
		return s.form.object(s.words.at(slot))
	}
	return s.objects.at(slot)
}

// find returns the word in a slot, or nil if the slot is empty. A reader calls it, also while the writer continues, for a form with
// words.
func (s *slots) find(slot uint32) unsafe.Pointer {
	memory := s.words.find(slot)
	if memory == nil {
		return nil
	}
	return loadWord(memory)
}

// set changes the object in a slot.
func (s *slots) set(slot uint32, obj wire.Object) {
	if s.form.hasWords() {
		word := s.form.word(obj)
		if s.form.keeper != nil {
			s.form.keeper.Count(word, 1)
			s.form.keeper.Count(s.words.at(slot), -1)
		}
		s.words.set(slot, word)
	} else {
		s.objects.set(slot, obj)
	}
}

// push adds an object and returns its slot.
func (s *slots) push(obj wire.Object) uint32 {
	if s.form.hasWords() {
		word := s.form.word(obj)
		if s.form.keeper != nil {
			s.form.keeper.Count(word, 1)
		}
		return s.words.push(word)
	}
	return s.objects.push(obj)
}

// pop removes the last object.
func (s *slots) pop() {
	if s.form.hasWords() {
		if s.form.keeper != nil {
			s.form.keeper.Count(s.words.at(uint32(s.words.n-1)), -1)
		}
		s.words.pop()
	} else {
		s.objects.pop()
	}
}

// clear removes all objects, and releases the memory for them.
func (s *slots) clear() {
	s.words.table.Store(nil)
	s.objects.table.Store(nil)
	s.words.n, s.objects.n = 0, 0
	if s.form.keeper != nil {
		s.form.keeper.Clear()
	}
}

// chunks returns the length of the table, for tests.
func (s *slots) chunks() int { return s.words.chunks() + s.objects.chunks() }

// view is the objects of one moment.
type view struct {
	form    *Form
	words   snapshot[unsafe.Pointer]
	objects snapshot[wire.Object]
}

// snapshot returns a view that lasts; see chunked.snapshot.
func (s *slots) snapshot() view {
	if s.form.hasWords() {
		return view{form: &s.form, words: s.words.snapshot()}
	}
	return view{form: &s.form, objects: s.objects.snapshot()}
}

// now returns a view that holds while the writer is kept out.
func (s *slots) now() view {
	if s.form.hasWords() {
		return view{form: &s.form, words: s.words.now()}
	}
	return view{form: &s.form, objects: s.objects.now()}
}

// at returns the object in a slot.
func (v *view) at(slot uint32) wire.Object {
	if v.form.hasWords() {
		return v.form.object(v.words.at(slot))
	}
	return v.objects.at(slot)
}

// open returns the object in a slot, for a reader.
func (v *view) open(slot uint32) wire.Object {
	if v.form.hasWords() {
		return v.form.open(v.words.at(slot))
	}
	return v.objects.at(slot)
}

// list returns all objects.
func (v *view) list() Objects {
	if v.form.hasWords() {
		return Objects{form: v.form, words: v.words.list()}
	}
	return Objects{objects: v.objects.list()}
}

// collect returns the objects in these slots.
func (v *view) collect(slots []uint32) Objects {
	if v.form.hasWords() {
		return Objects{form: v.form, words: v.words.collect(slots)}
	}
	return Objects{objects: v.objects.collect(slots)}
}

// each calls yield with each object, until it returns false.
func (v *view) each(yield func(wire.Object) bool) {
	if !v.form.hasWords() {
		v.objects.all()(yield)
		return
	}
	for word := range v.words.all() {
		if !yield(v.form.object(word)) {
			return
		}
	}
}

// all ranges over all objects.
func (v view) all() iter.Seq[wire.Object] {
	return func(yield func(wire.Object) bool) { v.each(yield) }
}

// none returns no objects.
func (s *slots) none() Objects {
	if s.form.hasWords() {
		return Objects{form: &s.form, words: []unsafe.Pointer{}}
	}
	return Objects{objects: []wire.Object{}}
}
