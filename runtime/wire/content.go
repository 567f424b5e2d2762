package wire

import "hash/maphash"

var contentSeed = maphash.MakeSeed()

// contentHash returns the hash of the text of an object, or 0 if no one asks for it.
func (d *Decoder[T]) contentHash(frame []byte) uint64 {
	if d.cached == nil {
		return 0
	}
	return contentHash(frame)
}

// contentHash returns the hash of the text of an object, which is never 0. It leaves out
// kind and apiVersion in front: in a LIST, items of built-in kinds do not have them, but
// in a WATCH they do.
func contentHash(frame []byte) uint64 {
	return max(1, maphash.Bytes(contentSeed, frame[afterTypeMeta(frame):]))
}

// afterTypeMeta returns where the first member of an object begins that is neither kind
// nor apiVersion. If frame is no object, it returns where that shows.
func afterTypeMeta(frame []byte) (at int) {
	if at = skipSpace(frame, 0); at >= len(frame) || frame[at] != '{' {
		return at
	}
	at = skipSpace(frame, at+1)
	for {
		quoted, value := nameAt(frame, at)
		if value < 0 || string(quoted) != `"kind"` && string(quoted) != `"apiVersion"` {
			return at
		}
		end := valueEnd(frame, value)
		if end < 0 {
			return at
		}
		if end = skipSpace(frame, end); end >= len(frame) || frame[end] != ',' {
			return at
		}
		at = skipSpace(frame, end+1)
	}
}
