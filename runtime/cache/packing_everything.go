//go:build packeverything

package cache

import (
	"encoding/binary"
	"errors"
)

// defaultPacking returns a Compression for all informers, for tests.
func defaultPacking() Compression { return prefixes{} }

// prefixes leaves out of a text the beginning that it has in common with the dictionary. It is not S2: modules that require this
// one would require that too, because go mod tidy reads all files.
type prefixes struct{ text string }

func (prefixes) NewDictionary(text, _ []byte) Dictionary { return prefixes{string(text)} }

func (p prefixes) Reading() Dictionary { return p }

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
