package pack

import (
	"sync"
	"sync/atomic"

	"github.com/typedinformers/informer-gen/internal/packing"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/compression"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Packing packs the objects of one informer. The decoder knows it as a wire.Packer, and the cache as a store.Keeper.
type Packing struct {
	compression compression.Method
	shared
	// index is set by IndexWith.
	index *indexer.Arrivals
	// bytes, textBytes and values are the counts of Stats.
	bytes, textBytes, values atomic.Int64
	// kept is the number of objects of a list that have their decoded form until they are delivered.
	kept atomic.Int32

	// last is the line of the last object.
	last atomic.Pointer[line]
	mu   sync.Mutex // guards lines
	// lines has one for each form that objects have had.
	lines map[form]*line
}

// New returns a Packing.
func New(compression compression.Method) *Packing {
	p := &Packing{compression: compression, lines: map[form]*line{}}
	p.init()
	return p
}

// IndexWith sets the Arrivals that call the index functions. It is called before the first object arrives.
func (p *Packing) IndexWith(index *indexer.Arrivals) { p.index = index }

// arrived returns a packed object that has just arrived. One of a list is decoded again for handlers if too many others wait.
func (p *Packing) arrived(t *Text, obj wire.Object, listed bool) *Object {
	packed := Of(t)
	packed.names.Store(identityOf(obj))
	packed.values = p.index.Values(obj)
	if !listed || p.keeps() {
		packed.decoded = obj
	}
	return packed
}

// Pack implements wire.Packer.
func (p *Packing) Pack(obj wire.Object, text wire.Text, listed bool) wire.Object {
	return p.arrived(p.textOf(obj, &text), obj, listed)
}

// NeedsObjects implements wire.Packer.
func (p *Packing) NeedsObjects() bool {
	return p.kept.Load() < packing.KeptOfList || p.index.HasFunctions()
}

// PackText implements wire.Packer.
func (p *Packing) PackText(head wire.Object, text wire.Text) wire.Object {
	if !hasNamesOf(text, head) {
		return nil
	}
	packed := Of(p.lineOf(text).pack(text.Bytes))
	packed.names.Store(identityOf(head))
	return packed
}

// keeps reports whether one more object of a list keeps its decoded form.
func (p *Packing) keeps() bool {
	return p.kept.Load() < packing.KeptOfList && p.kept.Add(1) <= packing.KeptOfList
}

// beginList is called before a list is read. The first objects of it keep their decoded form.
func (p *Packing) beginList() { p.kept.Store(0) }

// trim returns the object of an initial event, which waits until its list is complete. Only the first ones keep their decoded
// form.
func (p *Packing) trim(obj wire.Object) wire.Object {
	packed, is := obj.(*Object)
	if !is || packed.decoded == nil || p.keeps() {
		return obj
	}
	trimmed := &Object{text: packed.text, values: packed.values}
	trimmed.names.Store(packed.names.Load())
	return trimmed
}

// textOf returns the Text of an object that was decoded from text.
func (p *Packing) textOf(obj wire.Object, text *wire.Text) *Text {
	if !hasNamesOf(*text, obj) {
		return p.value(obj)
	}
	return p.lineOf(*text).pack(text.Bytes)
}

// lineOf returns the line that compresses a text.
func (p *Packing) lineOf(text wire.Text) *line {
	return p.line(form{text.Reader.Delivers(), text.TextForm}, text.Reader)
}

// hasNamesOf reports whether a text has the names of an object where they are usual. It has not if it has two metadata, for example.
func hasNamesOf(text wire.Text, obj wire.Object) bool {
	if len(text.Bytes) == 0 {
		return false
	}
	h := text.Reader.ReadIdentity(text.TextForm, text.Bytes)
	return string(h.Name) == obj.GetName() && string(h.Namespace) == obj.GetNamespace() &&
		string(h.ResourceVersion) == obj.GetResourceVersion() && string(h.UID) == string(obj.GetUID())
}

// Keep returns an object that came without a text of the server, as one of the cache: it stays a Go value, because a text of it
// could have another value. The Packing owns the object then. listed has the meaning of that of Pack.
func (p *Packing) Keep(obj wire.Object, listed bool) *Object {
	if packed, is := obj.(*Object); is {
		return packed
	}
	return p.arrived(p.value(obj), obj, listed)
}

// value returns the Text of an object that stays a Go value.
func (p *Packing) value(obj wire.Object) *Text {
	return newText(&p.classes, &format{object: obj}, nil, 0)
}

// line returns the line of a form, whose texts reader decodes.
func (p *Packing) line(of form, reader *wire.Decoder) *line {
	if last := p.last.Load(); last != nil && last.form == of {
		return last
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lines[of]
	if l == nil {
		l = newLine(&encoding{form: of, reader: reader, metadata: reader.OfMetadata(), shared: &p.shared}, p.compression)
		p.lines[of] = l
	}
	p.last.Store(l)
	return l
}

var _ wire.Packer = (*Packing)(nil)
