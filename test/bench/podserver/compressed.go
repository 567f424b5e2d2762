package podserver

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"strings"
	"sync"
)

// Like the API server: how well it compresses, and which bodies are too short for it.
const (
	gzipLevel     = 4
	gzipThreshold = 128 << 10
)

// bodies are the compressed ones. The server compresses each once, because the benchmark
// measures clients.
type bodies struct {
	mu   sync.Mutex // guards all, and is held during compression
	all  map[body][]byte
	last uint64
}

// body names one. It has the items from start to end of a list, or the initial events of
// a streaming list.
type body struct {
	version     uint64
	contentType string
	start, end  int
	list        bool
}

// compressed returns a body that write writes. It is nil if the body is too short.
func (b *bodies) compressed(of body, write func(*bufio.Writer)) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all == nil || b.last != of.version {
		b.all, b.last = map[body][]byte{}, of.version
	}
	if text, ok := b.all[of]; ok {
		return text
	}
	var plain bytes.Buffer
	out := bufio.NewWriter(&plain)
	write(out)
	out.Flush()
	b.all[of] = nil
	if plain.Len() > gzipThreshold || !of.list { // initial events have no threshold
		b.all[of] = compress(plain.Bytes())
	}
	return b.all[of]
}

func compress(text []byte) []byte {
	var buffer bytes.Buffer
	w, err := gzip.NewWriterLevel(&buffer, gzipLevel)
	if err != nil {
		panic(err) // the level is one that it has
	}
	_, _ = w.Write(text) // a buffer takes everything
	_ = w.Flush()        // or a reader of a watch would wait for the next member
	_ = w.Close()
	return buffer.Bytes()
}

// acceptsGzip reads an Accept-Encoding header as the API server does.
func acceptsGzip(header string) bool {
	for token := range strings.SplitSeq(header, ",") {
		if strings.TrimSpace(token) == "gzip" {
			return true
		}
	}
	return false
}
