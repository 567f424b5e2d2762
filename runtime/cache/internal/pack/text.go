package pack

import (
	"fmt"
	"reflect"
	"sync/atomic"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/compression"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Text is a packed object. It has size bytes after its fields, in the same allocation. It does not change.
type Text struct {
	format *format
	// size is the number of bytes, and raw that of the text.
	size, raw uint32
}

const headBytes = unsafe.Sizeof(Text{})

// format tells how to decode a Text.
type format struct {
	encoding *encoding
	// dictionary is nil if the bytes are the text itself.
	dictionary atomic.Pointer[compression.Dictionary]
	// object, if it is not nil, is the object of the only Text of the format: it has no text of the server, and encoding is nil.
	object wire.Object
}

// newText returns a Text with a copy of bytes.
func newText(c *classes, f *format, bytes []byte, raw int) *Text {
	t := (*Text)(reflect.New(c.typeOf(roundedSize(int(headBytes) + len(bytes)))).UnsafePointer())
	t.format, t.size, t.raw = f, uint32(len(bytes)), uint32(raw)
	copy(t.bytes(), bytes)
	return t
}

// bytes returns the bytes, which the caller must not change.
func (t *Text) bytes() []byte {
	if t.size == 0 {
		return nil // the pointer would be past the allocation
	}
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(t), headBytes)), t.size)
}

// sizes returns the number of bytes in memory, without those of a Go value, and that of the text.
func (t *Text) sizes() (packed, raw int) {
	_, _, rounded := roundedSize(int(headBytes) + int(t.size))
	if t.format.object != nil {
		rounded += int(unsafe.Sizeof(format{}))
	}
	return rounded, int(t.raw)
}

// text returns the text. It is valid until the caller gives up buffer.
func (t *Text) text(buffer *[]byte) []byte {
	dictionary := t.format.dictionary.Load()
	if dictionary == nil {
		return t.bytes()
	}
	if cap(*buffer) < int(t.raw) {
		*buffer = make([]byte, t.raw)
	}
	*buffer = (*buffer)[:t.raw]
	text, err := (*dictionary).Decompress(*buffer, t.bytes())
	if err != nil {
		panic(fmt.Sprintf("cache: a packed object of %d bytes cannot be decompressed: %v", t.raw, err))
	}
	return text
}

// typeOf returns the Go type of the object.
func (t *Text) typeOf() reflect.Type {
	if obj := t.format.object; obj != nil {
		return reflect.TypeOf(obj)
	}
	return t.format.encoding.reader.Delivers()
}

// Decode returns a new object, which belongs to the caller.
func (t *Text) Decode() wire.Object {
	if obj := t.format.object; obj != nil {
		return obj.DeepCopyObject().(wire.Object)
	}
	e := t.format.encoding
	buffer := e.buffer()
	defer e.release(buffer)
	return e.decode(t.text(buffer))
}

// metadata returns the metadata of the object, which is not written to. It decodes nothing else.
func (t *Text) metadata() (metav1.Object, error) {
	if obj := t.format.object; obj != nil {
		return obj, nil
	}
	e := t.format.encoding
	buffer := e.buffer()
	defer e.release(buffer)
	return e.metadata.Reread(e.TextForm, t.text(buffer))
}

// identity has the names of an object.
type identity struct {
	namespace, name, resourceVersion string
	uid                              types.UID
}

// identity returns the names of the object.
func (t *Text) identity() *identity {
	if obj := t.format.object; obj != nil {
		return identityOf(obj)
	}
	e := t.format.encoding
	buffer := e.buffer()
	defer e.release(buffer)
	h := e.identityIn(t.text(buffer))
	// One allocation for all names.
	n, m, v := len(h.Namespace), len(h.Name), len(h.ResourceVersion)
	all := make([]byte, 0, n+m+v+len(h.UID))
	all = append(append(append(append(all, h.Namespace...), h.Name...), h.ResourceVersion...), h.UID...)
	text := string(all)
	return &identity{text[:n], text[n : n+m], text[n+m : n+m+v], types.UID(text[n+m+v:])}
}

func identityOf(obj wire.Object) *identity {
	return &identity{obj.GetNamespace(), obj.GetName(), obj.GetResourceVersion(), obj.GetUID()}
}
