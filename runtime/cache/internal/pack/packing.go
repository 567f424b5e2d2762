package pack

import (
	"iter"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/internal/packing"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Packing packs the objects of one informer. It is a wire.Packer, for the decoder, and a store.Keeper, for the cache, whose words
// are Texts.
type Packing struct {
	compression packing.Compression
	// metadata decodes the metadata of any text.
	metadata *wire.Decoder
	classes  classes
	// buffers has *[]byte, whose bytes are 0 up to the capacity.
	buffers sync.Pool
	// index is set by IndexWith.
	index func(obj wire.Object) *indexer.Values
	// bytes, textBytes and values are those of Stats, and reads the number of objects that were decoded again.
	bytes, textBytes, values atomic.Int64
	reads                    atomic.Uint64
	// kept is the number of objects of a list that have their decoded form until they are delivered.
	kept atomic.Int32

	// last is the line of the last object.
	last atomic.Pointer[line]
	mu   sync.Mutex // guards lines
	// lines has one for each form that objects have had.
	lines map[form]*line
}

// Stats has the sizes of the objects of the cache. Bytes lacks those of the Values, which are objects that stay Go values. Package
// status documents it as PackedStats.
type Stats struct {
	Bytes, TextBytes, Values int64
	Reads                    uint64
}

// form is a Go type and an encoding.
type form struct {
	of reflect.Type
	wire.TextForm
}

// New returns a Packing.
func New(compression packing.Compression) *Packing {
	return &Packing{
		compression: compression, lines: map[form]*line{},
		metadata: wire.NewDecoder(reflect.TypeFor[*metav1.PartialObjectMetadata](), wire.Options{}, nil),
		buffers:  sync.Pool{New: func() any { return new([]byte) }},
	}
}

// IndexWith sets a function that calls the index functions for an object that has arrived. It is called before the first object
// arrives, which several goroutines may do at one time.
func (p *Packing) IndexWith(index func(obj wire.Object) *indexer.Values) { p.index = index }

// arrived returns a packed object that has just arrived. One of a list is decoded again for handlers if too many others wait.
func (p *Packing) arrived(t *Text, obj wire.Object, listed bool) *Object {
	packed := Of(t)
	packed.names.Store(identityOf(obj))
	if p.index != nil {
		packed.values = p.index(obj)
	}
	if !listed || p.keeps() {
		packed.decoded = obj
	}
	return packed
}

// Count adds n to the number of times that the cache has a Text, which is 0 or 1.
func (p *Packing) Count(word unsafe.Pointer, n int) {
	t := (*Text)(word)
	packed, raw := t.sizes()
	p.bytes.Add(int64(n * packed))
	p.textBytes.Add(int64(n * raw))
	if t.format.object != nil {
		p.values.Add(int64(n))
	} else {
		t.format.line.count(n)
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
		l.count(-l.live)
	}
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

// maxBuffer is the capacity above which a buffer is not used again.
const maxBuffer = 256 << 10

func (p *Packing) buffer() *[]byte { return p.buffers.Get().(*[]byte) }

// release gives a buffer back, without the text that is in it: it may be that of a Secret, which outlives its object otherwise.
// The length of the buffer is that of what was written to it.
func (p *Packing) release(buffer *[]byte) {
	if cap(*buffer) <= maxBuffer {
		clear(*buffer)
		p.buffers.Put(buffer)
	}
}

// TypeOf returns the Go type of an object, packed or not.
func (p *Packing) TypeOf(obj wire.Object) reflect.Type {
	packed, is := obj.(*Object)
	switch {
	case !is:
		return reflect.TypeOf(obj)
	case packed.text.format.object != nil:
		return reflect.TypeOf(packed.text.format.object)
	}
	return packed.text.format.line.reader.Delivers()
}

// Pack implements wire.Packer.
func (p *Packing) Pack(obj wire.Object, text wire.Text, listed bool) wire.Object {
	return p.arrived(p.textOf(obj, &text), obj, listed)
}

// maxKept is the number of objects of a list that are not decoded again for handlers. They take some MB, until handlers have
// returned from them.
const maxKept = 1024

// keeps reports whether one more object of a list keeps its decoded form.
func (p *Packing) keeps() bool { return p.kept.Load() < maxKept && p.kept.Add(1) <= maxKept }

// beginList is called before a list is read. The first objects of it keep their decoded form.
func (p *Packing) beginList() { p.kept.Store(0) }

// settle returns the object of an initial event, which waits until its list is complete. Only the first ones keep their decoded
// form.
func (p *Packing) settle(obj wire.Object) wire.Object {
	packed, is := obj.(*Object)
	if !is || packed.decoded == nil || p.keeps() {
		return obj
	}
	settled := &Object{text: packed.text, values: packed.values}
	settled.names.Store(packed.names.Load())
	return settled
}

// textOf returns the Text of an object that was decoded from text.
func (p *Packing) textOf(obj wire.Object, text *wire.Text) *Text {
	if len(text.Bytes) == 0 || !isOf(text.Reader.ReadIdentity(text.TextForm, text.Bytes), obj) {
		return p.value(obj)
	}
	return p.line(form{text.Reader.Delivers(), text.TextForm}, text.Reader).pack(text.Bytes)
}

// isOf reports whether an identity is that of an object. It is not if a text has two metadata, or none in the usual place.
func isOf(h wire.Identity, obj wire.Object) bool {
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

// OpenNamed does the same if the object has that name, and returns false otherwise. It decompresses the text once.
func (p *Packing) OpenNamed(word unsafe.Pointer, namespace, name string) (wire.Object, bool) {
	return (*Text)(word).decodeNamed(namespace, name)
}

// value returns the Text of an object that stays a Go value.
func (p *Packing) value(obj wire.Object) *Text {
	return p.classes.new(&format{object: obj}, nil, 0)
}

// line returns the line of a form, whose texts reader decodes.
func (p *Packing) line(of form, reader *wire.Decoder) *line {
	if last := p.last.Load(); last != nil && last.of == of {
		return last
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lines[of]
	if l == nil {
		l = newLine(p, of, reader)
		p.lines[of] = l
	}
	p.last.Store(l)
	return l
}

var (
	_ store.Keeper = (*Packing)(nil)
	_ wire.Packer  = (*Packing)(nil)
	_ indexer.Kept = (*Object)(nil)
)
