package faults

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// errCut makes the reverse proxy close the client's connection.
var errCut = errors.New("cut by a fault")

// truncated is a body that ends inside a line.
type truncated struct {
	io.ReadCloser
	left   int   // bytes to pass before a place to cut at is looked for
	end    error // what the reader gets there
	strike func()
	over   bool
}

func (t *truncated) Read(p []byte) (int, error) {
	if t.over {
		return 0, t.end
	}
	n, err := t.ReadCloser.Read(p)
	if n <= t.left {
		t.left -= n
		return n, err
	}
	at := insideLine(p[:n], t.left)
	t.left = 0
	if at < 0 {
		return n, err
	}
	t.over = true
	t.strike()
	return at, t.end
}

// insideLine returns a place from there on that has bytes of its line before and behind it, or -1.
func insideLine(chunk []byte, from int) int {
	for from < len(chunk) {
		length := bytes.IndexByte(chunk[from:], '\n')
		if length < 0 {
			length = len(chunk) - from
		}
		if length >= 2 {
			return from + length/2
		}
		from += length + 1
	}
	return -1
}

// stalled is a body that stops to arrive, and ends with ctx.
type stalled struct {
	io.ReadCloser
	ctx    context.Context // of the request
	left   int             // bytes to pass
	strike func()
	over   bool
}

func (s *stalled) Read(p []byte) (int, error) {
	if s.left == 0 {
		if !s.over {
			s.over = true
			s.strike()
		}
		<-s.ctx.Done()
		return 0, errCut
	}
	n, err := s.ReadCloser.Read(p[:min(len(p), s.left)])
	s.left -= n
	return n, err
}

// interrupted is a watch that has another last event than the server wrote.
type interrupted struct {
	io.ReadCloser
	events int    // events to pass
	last   []byte // what is left of the last event
	strike func()
	over   bool
}

func (i *interrupted) Read(p []byte) (int, error) {
	if i.events == 0 {
		if !i.over {
			i.over = true
			i.strike()
		}
		n := copy(p, i.last)
		i.last = i.last[n:]
		if len(i.last) == 0 {
			return n, io.EOF
		}
		return n, nil
	}
	n, err := i.ReadCloser.Read(p)
	for at, b := range p[:n] {
		if b != '\n' {
			continue
		}
		if i.events--; i.events == 0 {
			return at + 1, nil
		}
	}
	return n, err
}
