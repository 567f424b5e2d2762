//go:build packeverything

package cache

import "github.com/klauspost/compress/s2"

// defaultPacking returns a Compression for all informers, for tests.
func defaultPacking() Compression { return everything{} }

type everything struct{ *s2.Dict }

func (everything) NewDictionary(text, start []byte) Dictionary {
	return everything{s2.MakeDict(text, start)}
}

func (d everything) Reading() Dictionary { return d }

func (d everything) Compress(buffer, text []byte) []byte {
	if d.Dict == nil {
		return s2.Encode(buffer, text)
	}
	return d.Encode(buffer, text)
}

func (d everything) Decompress(buffer, compressed []byte) ([]byte, error) {
	if d.Dict == nil {
		return s2.Decode(buffer, compressed)
	}
	return d.Decode(buffer, compressed)
}
