// Package packingtest runs tests with packed objects in all informers, as make test-packed does. TestMain of a package sets
// packing.Default to Compression().
package packingtest

import (
	"encoding/binary"
	"errors"
	"os"
	"reflect"

	"github.com/typedinformers/informer-gen/internal/packing"
	"github.com/typedinformers/informer-gen/runtime/compression"
)

// Compression returns a Method if the environment variable INFORMER_TEST_PACKED is set, and nil otherwise. If it is set, one object of
// each list stays decoded.
func Compression() compression.Method {
	if os.Getenv("INFORMER_TEST_PACKED") == "" {
		return nil
	}
	packing.KeptOfList = 1
	return prefixes{}
}

// IsState reports whether two objects are one state of an object: the same Go value, because no one copies the objects of a
// cache. Each reader of a packed object has a Go value of its own, so equal values are one state of those.
func IsState(a, b any) bool {
	if packing.Default == nil {
		return a == b
	}
	return reflect.DeepEqual(a, b)
}

// prefixes leaves out of a text the beginning that it has in common with the dictionary. It is not S2, which modules
// whose tests import this package would have to require.
type prefixes struct{ text string }

func (prefixes) NewDictionary(text, _ []byte) compression.Dictionary { return prefixes{string(text)} }

func (p prefixes) Reading() compression.Dictionary { return p }

func (p prefixes) Compress(buffer, text []byte) []byte {
	n := 0
	for n < min(len(text), len(p.text)) && text[n] == p.text[n] {
		n++
	}
	return append(binary.AppendUvarint(buffer[:0], uint64(n)), text[n:]...)
}

func (p prefixes) Decompress(buffer, compressed []byte) ([]byte, error) {
	n, length := binary.Uvarint(compressed)
	if length <= 0 || n > uint64(len(p.text)) {
		return nil, errors.New("the dictionary is another one")
	}
	return append(append(buffer[:0], p.text[:n]...), compressed[length:]...), nil
}
