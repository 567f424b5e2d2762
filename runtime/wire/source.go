package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
)

// source reads a body piece by piece, and finds the JSON values in it. The bytes of a value are in one block. The block is not changed until all holders have released it.
type source struct {
	// ctx ends the waiting for large blocks to be released. It does not end a Read.
	ctx  context.Context
	body io.Reader
	max  int
	// idle is the size of the block for the next read after all bytes were consumed.
	idle int
	// flush is called before a read, which may block. leaving reports whether source
	// releases the block then. An error ends the reading.
	flush func(leaving bool) error

	large budget
	block *block
	// What was read and is not consumed is block.bytes[at:end].
	at, end int
	// unfinished is set after value has returned an error before the end of a value. rest is
	// the number of bytes that message has not read after such an error.
	unfinished bool
	rest       int
	scan       plan.Scanner
	err        error
}

// newSource returns the source of a body whose values have at most max bytes. idle is
// blockSize, or idleSize for a body that may send nothing for a long time. With idleSize,
// flush has to take all frames even if leaving is not set.
func newSource(ctx context.Context, body io.Reader, max, idle int, flush func(leaving bool) error) *source {
	s := &source{ctx: ctx, body: body, max: max, idle: idle, flush: flush, large: newBudget()}
	s.block = newBlock(idle, &s.large)
	return s
}

// fill reads more bytes. It keeps those from the index keep on, which is at most s.at, and
// returns by how much their indexes have decreased.
func (s *source) fill(keep int) (moved int, err error) {
	if s.err != nil {
		return 0, s.err
	}
	// A large block is released as soon as nothing of it is needed. So is each block of a
	// watch, which may have to wait now.
	leaving := s.end == len(s.block.bytes) || keep == s.end && (len(s.block.bytes) > blockSize || s.idle != blockSize)
	if s.err = s.flush(leaving); s.err != nil {
		return 0, s.err
	}
	if leaving {
		if s.end-keep > s.max {
			return 0, s.tooLarge(keep, s.end)
		}
		if s.err = s.leave(keep); s.err != nil {
			return 0, s.err
		}
		moved = keep
	}
	for range maxEmptyReads {
		n, err := s.body.Read(s.block.bytes[s.end:])
		s.end += n
		s.err = err // of the next call, if there are bytes now
		if n > 0 {
			return moved, nil
		}
		if err != nil {
			return moved, err
		}
	}
	s.err = io.ErrNoProgress
	return moved, s.err
}

// leave moves the bytes from keep on to the beginning of a block with room after them.
// That is another block, unless the old one has the right size and no task holds it.
// For a large block, leave waits until the budget allows one. Tasks release theirs
// without help of this goroutine or of the consumer, so the wait ends.
func (s *source) leave(keep int) error {
	kept := s.block.bytes[keep:s.end]
	size := max(blockSize, 2*len(kept))
	if len(kept) == 0 {
		size = s.idle
	}
	for !s.fits(size, keep) && !s.large.allows(size, s.block) {
		select {
		case <-s.large.released:
		case <-s.ctx.Done():
			return context.Cause(s.ctx)
		}
	}
	if s.fits(size, keep) {
		copy(s.block.bytes, kept)
		clear(s.block.bytes[len(kept):s.end]) // a watch may wait for a long time now
	} else {
		next := newBlock(size, &s.large)
		copy(next.bytes, kept)
		s.block.release()
		s.block = next
	}
	s.at, s.end = s.at-keep, len(kept)
	return nil
}

// fits reports whether the block can be used again for the bytes from keep on. A large
// block can if they are a large part of it: a block of twice the size is only necessary for
// a value that fills all of the block.
func (s *source) fits(size, keep int) bool {
	n := len(s.block.bytes)
	return s.block.isMine() && (n == size || n > blockSize && keep > 0 && 4*(s.end-keep) > n)
}

// first returns the next byte, without consuming it.
func (s *source) first() (byte, error) {
	if s.at == s.end {
		if _, err := s.fill(s.at); err != nil {
			return 0, err
		}
	}
	return s.block.bytes[s.at], nil
}

// maxEmptyReads limits the reads in a row that return neither bytes nor an error.
const maxEmptyReads = 100

// peek returns the next byte that is not a space, without consuming it.
func (s *source) peek() (byte, error) {
	for {
		if s.at = plan.SkipSpace(s.block.bytes[:s.end], s.at); s.at < s.end {
			return s.block.bytes[s.at], nil
		}
		if _, err := s.fill(s.at); err != nil {
			return 0, err
		}
	}
}

// value consumes the next value and returns it, as a part of the block. If the value is
// too large, it returns the bytes that were read and a *TooLargeError. Then skipRest skips
// the rest.
func (s *source) value() ([]byte, error) {
	if _, err := s.peek(); err != nil {
		return nil, cut(err)
	}
	s.scan, s.unfinished = plan.Scanner{}, false
	start := s.at
	for {
		n, complete := s.scan.Scan(s.block.bytes[s.at:s.end])
		if s.at += n; complete {
			break
		}
		moved, err := s.fill(start)
		if start -= moved; err != nil {
			if err == io.EOF && s.scan.InScalar() {
				break // the end of the body is also that of a number
			}
			if _, tooLarge := err.(*TooLargeError); tooLarge {
				s.unfinished = true
				return s.block.bytes[start:s.at:s.at], err
			}
			return nil, cut(err)
		}
	}
	switch {
	case s.at == start:
		return nil, &SyntaxError{Near: s.near()}
	case s.at-start > s.max:
		return s.block.bytes[start:s.at:s.at], s.tooLarge(start, s.at)
	}
	return s.block.bytes[start:s.at:s.at], nil
}

// skipRest consumes the rest of a value or message that is too large. It holds at most one
// block of it.
func (s *source) skipRest() error {
	if err := s.discard(s.rest); err != nil {
		return err
	}
	s.rest = 0
	for s.unfinished {
		if _, err := s.fill(s.at); err != nil {
			return cut(err)
		}
		n, complete := s.scan.Scan(s.block.bytes[s.at:s.end])
		s.at += n
		s.unfinished = !complete
	}
	return nil
}

// bytes consumes n bytes, which are at most max, and returns them as a part of the block.
func (s *source) bytes(n int) ([]byte, error) {
	for s.end-s.at < n {
		if _, err := s.fill(s.at); err != nil {
			return nil, cut(err)
		}
	}
	s.at += n
	return s.block.bytes[s.at-n : s.at : s.at], nil
}

// message consumes a message of n bytes and returns it, as bytes does. If the message is too large, it
// returns the first bytes and a *TooLargeError. Then skipRest skips the rest.
func (s *source) message(n int) ([]byte, error) {
	held := min(n, s.max)
	message, err := s.bytes(held)
	if err == nil && held < n {
		s.rest = n - held
		err = &TooLargeError{Limit: s.max}
	}
	return message, err
}

// discard consumes n bytes. It holds at most one block of them.
func (s *source) discard(n int) error {
	for n > s.end-s.at {
		n -= s.end - s.at
		s.at = s.end
		if _, err := s.fill(s.at); err != nil {
			return cut(err)
		}
	}
	s.at += n
	return nil
}

// varint consumes an integer of at most ten bytes, and returns how many it had. The error is
// io.EOF only before its first byte.
func (s *source) varint() (v uint64, size int, err error) {
	for shift := uint(0); shift < 64; shift += 7 {
		c, err := s.first()
		switch {
		case err != nil && shift == 0:
			return 0, 0, err
		case err != nil:
			return 0, 0, cut(err)
		}
		s.at++
		size++
		if v |= uint64(c&0x7F) << shift; c < 0x80 {
			return v, size, nil
		}
	}
	return 0, 0, &SyntaxError{Near: "an integer of more than ten bytes", Want: "a list in protobuf"}
}

// line consumes and returns the rest of the line, if it has been read and looks like an
// object. The line may have several values, or the beginning of one.
func (s *source) line() ([]byte, bool) {
	rest := s.block.bytes[s.at:s.end]
	n := bytes.IndexByte(rest, '\n')
	if n < 2 || n > s.max || rest[n-1] != '}' {
		return nil, false
	}
	s.at += n + 1
	return rest[:n:n], true
}

// expect consumes the next byte, which has to be b.
func (s *source) expect(b byte, want string) error {
	switch next, err := s.peek(); {
	case err != nil:
		return cut(err)
	case next != b:
		return &SyntaxError{Near: s.near(), Want: want}
	}
	s.at++
	return nil
}

// near returns the next bytes, for an error.
func (s *source) near() string { return shown(s.block.bytes[s.at:s.end]) }

func (s *source) tooLarge(start, end int) error {
	value := s.block.bytes[start:end]
	h := plan.ReadHead(value)
	if h.Name == nil {
		h = plan.ReadEventHead(value)
	}
	return &TooLargeError{
		Limit:     s.max,
		Namespace: bounded(h.Namespace),
		Name:      bounded(h.Name),
		Begin:     shown(value),
	}
}

// close releases the block.
func (s *source) close() { s.block.release() }

// cut returns the error of a body that ended in the middle of a value.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the answer was cut off: %w", err)
	}
	return err
}
