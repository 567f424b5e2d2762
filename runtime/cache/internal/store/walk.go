package store

import (
	"iter"
	"sync/atomic"
	"unsafe"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Walk is the objects of one moment, for ranges that allocate nothing. It is a value without a generic type in it:
// packages that range over a cache would compile that type again.
type Walk struct {
	form *Form
	// table is the first of some chunks, chunks in number, of words or of objects.
	table  unsafe.Pointer
	chunks int
	n      int
	// slots has the slots of an index's objects.
	slots []uint32
}

func walkOf(all view) Walk {
	if all.form.hasWords() {
		return Walk{form: all.form, table: unsafe.Pointer(unsafe.SliceData(all.words.table)), chunks: len(all.words.table), n: all.words.n}
	}
	return Walk{form: all.form, table: unsafe.Pointer(unsafe.SliceData(all.objects.table)), chunks: len(all.objects.table), n: all.objects.n}
}

// viewOf returns the argument of walkOf. It is no method, because a package that knows the type would know the result.
func viewOf(w *Walk) view {
	if w.form.hasWords() {
		table := unsafe.Slice((*atomic.Pointer[chunk[unsafe.Pointer]])(w.table), w.chunks)
		return view{form: w.form, words: snapshot[unsafe.Pointer]{table, w.n}}
	}
	table := unsafe.Slice((*atomic.Pointer[chunk[wire.Object]])(w.table), w.chunks)
	return view{form: w.form, objects: snapshot[wire.Object]{table, w.n}}
}

// Parts returns the number of parts that Part returns.
func (w Walk) Parts() int { return (w.n + chunkSize - 1) / chunkSize }

// Part returns some of all objects. They are in memory of the store, which must not be changed.
//
//go:noinline
func (w Walk) Part(i int) Objects {
	all, n := viewOf(&w), min(chunkSize, w.n-i*chunkSize)
	if w.form.hasWords() {
		return Objects{form: w.form, words: all.words.table[i].Load().objects[:n:n]}
	}
	return Objects{form: w.form, objects: all.objects.table[i].Load().objects[:n:n]}
}

// Slots returns the number of objects that At returns, for a Walk by an index.
func (w Walk) Slots() int { return len(w.slots) }

// At returns one of the objects of an index, for a reader.
//
//go:noinline
func (w Walk) At(i int) wire.Object {
	all := viewOf(&w)
	return all.open(w.slots[i])
}

// Each ranges over all objects. Those of a Keeper are not opened.
func (w Walk) Each() iter.Seq[wire.Object] {
	return func(yield func(wire.Object) bool) {
		if w.form == nil {
			return
		}
		all := viewOf(&w)
		all.each(yield)
	}
}

// EachSlot ranges over the objects of an index. Those of a Keeper are not opened.
func (w Walk) EachSlot() iter.Seq[wire.Object] {
	return func(yield func(wire.Object) bool) {
		if w.form == nil {
			return
		}
		all := viewOf(&w)
		for _, slot := range w.slots {
			if !yield(all.at(slot)) {
				return
			}
		}
	}
}
