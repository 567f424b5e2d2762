// Package packed lets informers keep each object as the text of the API server, compressed by S2, instead of as a Go value. Only
// programs that import it link the compression.
package packed

import (
	"github.com/klauspost/compress/s2"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/compression"
)

// WithPackedObjects lets informers keep each object as the text that the API server has sent, compressed with a dictionary of
// other objects. That takes a sixth to an eighth of the memory. Each read decodes the objects that it returns, which takes
// microseconds for each, and they belong to the caller. See cache.WithPacking for what it leaves as Go values, and for transforms.
func WithPackedObjects() cache.SharedInformerOption { return cache.WithPacking(Compression{}) }

// Compression is a compression.Method: S2, with dictionaries of other objects.
type Compression struct{}

// NewDictionary returns a dictionary of a text.
func (Compression) NewDictionary(text, start []byte) compression.Dictionary {
	return dictionary{s2.MakeDict(text, start)}
}

// dictionary is one of S2. The zero value has no text.
type dictionary struct{ *s2.Dict }

// Compress returns the compressed text.
func (d dictionary) Compress(buffer, text []byte) []byte {
	if d.Dict == nil {
		return s2.Encode(buffer, text)
	}
	return d.Encode(buffer, text)
}

// Decompress returns the text.
func (d dictionary) Decompress(buffer, compressed []byte) ([]byte, error) {
	if d.Dict == nil {
		return s2.Decode(buffer, compressed)
	}
	return d.Decode(buffer, compressed)
}

// Reading returns the dictionary without the tables for Compress.
func (d dictionary) Reading() compression.Dictionary {
	if d.Dict == nil {
		return d
	}
	return dictionary{s2.NewDict(d.Bytes())}
}
