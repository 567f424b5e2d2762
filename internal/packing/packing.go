// Package packing declares how packed objects are compressed. Package cache has aliases of its types, and documents them.
package packing

// Default is the Compression of informers that have neither WithPacking nor a transform. It is nil in programs. Tests of several
// modules set it in TestMain, so that they run with packed objects.
var Default Compression

// Compression compresses texts.
type Compression interface {
	// NewDictionary returns a Dictionary that knows a text of up to 64 KB, of objects that are like those to come. It has no
	// text at first, and never the data of Secrets. start is the beginning that most objects have.
	NewDictionary(text, start []byte) Dictionary
}

// Dictionary compresses texts that resemble its own. Its methods may be called from several goroutines.
type Dictionary interface {
	// Compress returns the compressed text. It may use the memory of buffer, and keeps none. It writes to it
	// at most 64 bytes more than the longer of its result and text, because no more is cleared.
	Compress(buffer, text []byte) []byte
	// Decompress returns the text, which is as long as buffer, and may use its memory.
	Decompress(buffer, compressed []byte) ([]byte, error)
	// Reading returns a Dictionary for Decompress alone, which takes less memory.
	Reading() Dictionary
}
