package pack

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// form is a Go type and the form of a text.
type form struct {
	of reflect.Type
	wire.TextForm
}

// encoding reads the texts of one form.
type encoding struct {
	form
	reader *wire.Decoder
	// metadata decodes the metadata of texts alone.
	metadata *wire.Decoder
	*shared
	// live is the number of its Texts in the cache. Only the writer of the cache changes it.
	live int
}

// shared has the state that all encodings of a Packing use.
type shared struct {
	classes classes
	// buffers has *[]byte, whose bytes are 0 up to the capacity.
	buffers sync.Pool
	// reads is the number of objects that were decoded again.
	reads atomic.Uint64
}

// init makes a shared ready for use.
func (s *shared) init() {
	s.buffers.New = func() any { return new([]byte) }
}

// maxBuffer is the capacity above which a buffer is not used again.
const maxBuffer = 256 << 10

func (s *shared) buffer() *[]byte { return s.buffers.Get().(*[]byte) }

// release gives a buffer back, without the text that is in it: it may be that of a Secret, which outlives its object otherwise.
// The length of the buffer is the number of bytes that were written to it.
func (s *shared) release(buffer *[]byte) {
	if cap(*buffer) <= maxBuffer {
		clear(*buffer)
		s.buffers.Put(buffer)
	}
}

// identityIn returns the names that a text has.
func (e *encoding) identityIn(text []byte) wire.Identity {
	return e.reader.ReadIdentity(e.TextForm, text)
}

// decode decodes a text again.
func (e *encoding) decode(text []byte) wire.Object {
	e.reads.Add(1)
	obj, err := e.reader.Reread(e.TextForm, text)
	if err != nil {
		h := e.identityIn(text)
		panic(fmt.Sprintf("cache: the packed object %s/%s, which was decoded when it arrived, can no longer be decoded: %v", h.Namespace, h.Name, err))
	}
	return obj
}
