package stats

import (
	"io"
	"sync/atomic"
)

// Body counts the bytes of a response as they are read: after the HTTP client has decompressed
// them.
type Body struct {
	io.ReadCloser
	Bytes *atomic.Int64
}

func (b *Body) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	b.Bytes.Add(int64(n))
	return n, err
}
