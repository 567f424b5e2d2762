package pack

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"reflect"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Packing packs the objects of one informer. It is a wire.Packer.
type Packing struct {
	compression Compression
	// of is the Go type of the objects, which may be an interface type, and options decode them.
	of      reflect.Type
	options wire.Options
	// withoutTypeMeta is that of the options of the informer.
	withoutTypeMeta bool
	// metadata decodes the metadata of any text.
	metadata *wire.Decoder
	classes  classes
	seed     maphash.Seed // of the hashes of texts that are made here
	buffers  sync.Pool    // of *[]byte
	// values is set by IndexWith.
	values func(obj wire.Object) *Values
	// reads is the number of objects that were decoded again.
	reads atomic.Uint64
	// kept is the number of objects of a list that have their decoded form until they are delivered.
	kept atomic.Int32

	// last is the line of the last object.
	last atomic.Pointer[line]
	mu   sync.Mutex // guards lines
	// lines has one for each form that objects have had.
	lines map[form]*line
}

// form is a Go type and an encoding.
type form struct {
	of reflect.Type
	wire.TextForm
	// own is set for texts that were made here, from objects.
	own bool
}

// New returns a Packing of objects of a Go type, which options decode.
func New(compression Compression, of reflect.Type, options wire.Options) *Packing {
	options.Packer, options.Keep, options.ReadOnly = nil, nil, false
	withoutTypeMeta := options.WithoutTypeMeta
	options.WithoutTypeMeta = false // a client has set it, or the decoder has removed it
	return &Packing{
		withoutTypeMeta: withoutTypeMeta,
		compression:     compression, of: of, options: options, lines: map[form]*line{}, seed: maphash.MakeSeed(),
		metadata: wire.NewDecoder(reflect.TypeFor[*metav1.PartialObjectMetadata](), wire.Options{}, nil),
		buffers:  sync.Pool{New: func() any { return new([]byte) }},
	}
}

// IndexWith sets a function that calls the index functions for an object that has arrived. It is called before the first object
// arrives, which several goroutines may do at one time.
func (p *Packing) IndexWith(values func(obj wire.Object) *Values) { p.values = values }

// arrived returns a packed object that has just arrived. One of a list is decoded again for handlers if too many others wait.
func (p *Packing) arrived(t *Text, obj wire.Object, listed bool) *Object {
	packed := Of(t)
	packed.names.Store(identityOf(obj))
	if p.values != nil {
		packed.values = p.values(obj)
	}
	if !listed || p.keeps() {
		packed.decoded = obj
	}
	return packed
}

// Reads returns the number of objects that were decoded again.
func (p *Packing) Reads() uint64 { return p.reads.Load() }

// maxBuffer is the capacity above which a buffer is not used again.
const maxBuffer = 256 << 10

func (p *Packing) buffer() *[]byte { return p.buffers.Get().(*[]byte) }

func (p *Packing) release(buffer *[]byte) {
	if cap(*buffer) <= maxBuffer {
		p.buffers.Put(buffer)
	}
}

// TypeOf is that of wire.Packer.
func (p *Packing) TypeOf(obj wire.Object) reflect.Type { return TypeOf(obj) }

// Pack is that of wire.Packer.
func (p *Packing) Pack(obj wire.Object, text wire.Text, listed bool) wire.Object {
	return p.arrived(p.textOf(obj, &text), obj, listed)
}

// maxKept is the number of objects of a list that are not decoded again for handlers. They take some MB, until handlers have
// returned from them.
const maxKept = 1024

// keeps reports whether one more object of a list keeps its decoded form.
func (p *Packing) keeps() bool { return p.kept.Load() < maxKept && p.kept.Add(1) <= maxKept }

// BeginList is called before a list is read. The first objects of it keep their decoded form. p may be nil.
func (p *Packing) BeginList() {
	if p != nil {
		p.kept.Store(0)
	}
}

// Settle returns the object of an initial event, which waits until its list is complete. Only the first ones keep their decoded
// form. p may be nil.
func (p *Packing) Settle(obj wire.Object) wire.Object {
	packed, is := obj.(*Object)
	if p == nil || !is || packed.decoded == nil || p.keeps() {
		return obj
	}
	settled := &Object{text: packed.text, values: packed.values}
	settled.names.Store(packed.names.Load())
	return settled
}

// Later returns a Packer that packs nothing: the caller calls Encode when it has transformed the objects.
func (p *Packing) Later() wire.Packer { return later{p} }

type later struct{ *Packing }

// Pack returns obj.
func (later) Pack(obj wire.Object, _ wire.Text, _ bool) wire.Object { return obj }

// textOf returns the Text of an object that was decoded from text.
func (p *Packing) textOf(obj wire.Object, text *wire.Text) *Text {
	if len(text.Bytes) == 0 || text.HasMore || !isOf(text.Reader.ReadIdentity(text.TextForm, text.Bytes), obj) {
		t, _ := p.encode(obj)
		return t
	}
	l := p.line(form{text.Reader.Delivers(), text.TextForm, false}, text.Reader)
	if l.choose(len(text.Bytes), func() int { return p.encodedBytes(obj) }) == encodes {
		t, _ := p.encode(obj)
		return t
	}
	return l.pack(text.Bytes)
}

// isOf reports whether an identity is that of an object. It is not if a text has two metadata, or none in the usual place.
func isOf(h wire.Identity, obj wire.Object) bool {
	return string(h.Name) == obj.GetName() && string(h.Namespace) == obj.GetNamespace() &&
		string(h.ResourceVersion) == obj.GetResourceVersion() && string(h.UID) == string(obj.GetUID())
}

// Encode packs an object that has no text, of a client or a transform. The object belongs to the Packing then. hash is that of
// its text, 0 if it has none. listed is that of Pack.
func (p *Packing) Encode(obj wire.Object, listed bool) (packed *Object, hash uint64) {
	if packed, is := obj.(*Object); is {
		return packed, 0
	}
	t, hash := p.encodeOwn(obj)
	return p.arrived(t, obj, listed), hash
}

// Text returns the Text of an object, which may be packed.
func (p *Packing) Text(obj wire.Object) *Text {
	if packed, is := obj.(*Object); is {
		return packed.text
	}
	t, _ := p.encodeOwn(obj)
	return t
}

// encodeOwn is encode of an object of a client or a transform, which may have given the two forms of a Dual different contents: no
// text has both.
func (p *Packing) encodeOwn(obj wire.Object) (t *Text, hash uint64) {
	if _, is := obj.(*wire.Dual); is {
		return p.classes.new(&format{object: obj}, nil, 0), 0
	}
	return p.encode(obj)
}

// marshaler is what types of k8s.io/api have for protobuf.
type marshaler interface{ Marshal() ([]byte, error) }

// encode returns the Text of an object. If the object cannot be encoded, or another one would be decoded from that, the Text
// has the object itself. hash is that of the text, 0 if there is none.
func (p *Packing) encode(obj wire.Object) (t *Text, hash uint64) {
	text, as, err := p.marshal(obj)
	if err == nil {
		l := p.line(form{reflect.TypeOf(obj), as, true}, nil)
		if l == nil {
			l = p.line(form{reflect.TypeOf(obj), as, true}, p.readerOf(obj))
		}
		if again, err := l.reader.Reread(as, text); err == nil && isOf(l.reader.ReadIdentity(as, text), again) && isSame(again, obj) {
			return l.pack(text), max(1, maphash.Bytes(p.seed, text))
		}
	}
	return p.classes.new(&format{object: obj}, nil, 0), 0
}

// isSame reports whether two objects have the same names.
func isSame(a, b wire.Object) bool { return *identityOf(a) == *identityOf(b) }

// marshal encodes an object.
func (p *Packing) marshal(obj wire.Object) (text []byte, as wire.TextForm, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("a method to encode it panics: %v", value)
		}
	}()
	if m, is := obj.(marshaler); is && p.options.Protobuf != nil && reflect.TypeOf(obj) == reflect.TypeOf(p.options.Protobuf) {
		kind := obj.GetObjectKind().GroupVersionKind()
		text, err = m.Marshal()
		apiVersion, kindName := kind.ToAPIVersionAndKind()
		return text, wire.TextForm{Protobuf: true, Kind: kindName, APIVersion: apiVersion}, err
	}
	if dual, is := obj.(*wire.Dual); is {
		text, err = json.Marshal(dual.Unstructured)
		return text, as, err
	}
	text, err = json.Marshal(obj)
	return text, as, err
}

// encodedBytes returns the length of the text that marshal makes of an object, and a large number if it makes none.
func (p *Packing) encodedBytes(obj wire.Object) int {
	text, _, err := p.marshal(obj)
	if err != nil {
		return 1 << 30
	}
	return len(text)
}

// readerOf returns a Decoder of texts of objects like obj.
func (p *Packing) readerOf(obj wire.Object) *wire.Decoder {
	options, of := p.options, p.of
	if dual, is := obj.(*wire.Dual); is {
		options.Object, options.Unstructured = dual.Object, true
		options.WithoutTypeMeta = p.withoutTypeMeta // the text is of the other form, which has it
		return wire.NewDecoder(reflect.TypeFor[wire.Object](), options, nil)
	}
	options.Unstructured = false
	if of.Kind() == reflect.Interface {
		of = reflect.TypeOf(obj)
	}
	return wire.NewDecoder(of, options, nil)
}

// line returns the line of a form. If there is none, it makes one with reader, or returns nil if that is nil.
func (p *Packing) line(of form, reader *wire.Decoder) *line {
	if last := p.last.Load(); last != nil && last.of == of {
		return last
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lines[of]
	if l == nil {
		if reader == nil {
			return nil
		}
		l = newLine(p, of, reader)
		p.lines[of] = l
	}
	p.last.Store(l)
	return l
}

var _ runtime.Object = (*Object)(nil)
