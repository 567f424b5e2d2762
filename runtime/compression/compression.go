// Package compression declares how packed objects are compressed; see cache.WithPacking. Package runtime/packed has a Method.
package compression

// Method makes the dictionaries of one way to compress texts. Its methods may be called from several goroutines.
type Method interface {
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
