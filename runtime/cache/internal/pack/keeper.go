package pack

import (
	"iter"
	"reflect"
	"unsafe"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

var _ store.Keeper = (*Packing)(nil)

// TypeOf returns the Go type of an object, packed or not.
func (p *Packing) TypeOf(obj wire.Object) reflect.Type {
	if packed, is := obj.(*Object); is {
		return packed.text.typeOf()
	}
	return reflect.TypeOf(obj)
}

// Word returns the Text of an object, packed or not.
func (p *Packing) Word(obj wire.Object) unsafe.Pointer {
	if packed, is := obj.(*Object); is {
		return unsafe.Pointer(packed.text)
	}
	return unsafe.Pointer(p.value(obj))
}

// Object returns the Object of a Text.
func (p *Packing) Object(word unsafe.Pointer) wire.Object { return Of((*Text)(word)) }

// Open returns a new object, decoded from a Text.
func (p *Packing) Open(word unsafe.Pointer) wire.Object { return (*Text)(word).Decode() }

// Count adds n to the number of times that the cache has a Text, which is 0 or 1.
func (p *Packing) Count(word unsafe.Pointer, n int) {
	t := (*Text)(word)
	packed, raw := t.sizes()
	p.bytes.Add(int64(n * packed))
	p.textBytes.Add(int64(n * raw))
	e := t.format.encoding
	if e == nil {
		p.values.Add(int64(n))
		return
	}
	if e.live += n; e.live == 0 {
		p.line(e.form, e.reader).restart()
	}
}

// Clear tells that the cache has no object any more.
func (p *Packing) Clear() {
	p.bytes.Store(0)
	p.textBytes.Store(0)
	p.values.Store(0)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lines {
		l.live = 0
		l.restart()
	}
}

// Stats has the sizes of the objects of the cache. Bytes lacks those of the Values, which are objects that stay Go values. Package
// status documents it as PackedStats.
type Stats struct {
	Bytes, TextBytes, Values int64
	Reads                    uint64
}

// Stats returns the sizes. Any goroutine may call it.
func (p *Packing) Stats() Stats {
	return Stats{p.bytes.Load(), p.textBytes.Load(), p.values.Load(), p.reads.Load()}
}

// SampleValues returns up to n of the objects that stay Go values. No one writes to them.
func SampleValues(objs iter.Seq[wire.Object], n int) (values []wire.Object) {
	for obj := range objs {
		if len(values) == n {
			break
		}
		if packed, is := obj.(*Object); is && packed.text.format.object != nil {
			values = append(values, packed.text.format.object)
		}
	}
	return values
}
