package pack

import (
	"fmt"
	"math/bits"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/typedinformers/informer-gen/internal/packing"
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
	line *line
	// dictionary is nil if the bytes are the text itself.
	dictionary atomic.Pointer[packing.Dictionary]
	// object, if it is not nil, is the object of the only Text of the format: it has no text of the server.
	object wire.Object
}

// classes makes the memory of Texts. A Go type has a fixed size, so there is a type for each rounded size, whose only pointer is
// the first word. A level has the sizes from one power of two to the next.
type classes struct{ levels [24]atomic.Pointer[level] }

type level struct {
	types [65]atomic.Pointer[reflect.Type]
}

// mallocHeader is what the Go runtime adds to an allocation of more than maxWithoutHeader bytes that has a pointer.
const mallocHeader, maxWithoutHeader = 8, 512

// roundedSize rounds a size up, by 15 bytes or a thirty-second at most, and returns its level and its number there. With what the
// Go runtime adds, a rounded size is close to one of the sizes in which it allocates.
func roundedSize(n int) (at, class, rounded int) {
	if n <= maxWithoutHeader {
		class = (n + 15) / 16
		return 0, class, 16 * class
	}
	n += mallocHeader
	if n <= 1024 {
		class = (n + 15) / 16
		return 0, class, 16*class - mallocHeader
	}
	shift := bits.Len(uint(n-1)) - 6 // 32 steps from one power of two to the next
	steps := (n-1)>>shift + 1        // from 33 to 64
	return shift - 4, steps, steps<<shift - mallocHeader
}

// typeOf returns the Go type of a class.
func (c *classes) typeOf(at, class, rounded int) reflect.Type {
	l := c.levels[at].Load()
	if l == nil {
		c.levels[at].CompareAndSwap(nil, new(level))
		l = c.levels[at].Load()
	}
	of := l.types[class].Load()
	if of == nil {
		made := reflect.StructOf([]reflect.StructField{
			{Name: "Format", Type: reflect.TypeFor[*byte]()},
			{Name: "Bytes", Type: reflect.ArrayOf(rounded-int(unsafe.Sizeof(uintptr(0))), reflect.TypeFor[byte]())},
		})
		of = &made
		l.types[class].Store(of)
	}
	return *of
}

// new returns a Text with a copy of bytes.
func (c *classes) new(f *format, bytes []byte, raw int) *Text {
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
