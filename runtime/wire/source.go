package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
)

// source reads a body piece by piece, and finds the JSON values in it. A value is
// whole in one block, which is not changed until everyone who has a part of it has
// let go of it.
type source struct {
	// ctx ends the waiting for large blocks to be released. It does not end a Read.
	ctx  context.Context
	body io.Reader
	max  int
	// idle is the size of the block that is read into after all was consumed.
	idle int
	// flush is called before a read, which may block. leaving says that the block is
	// left for another one then. An error ends the reading.
	flush func(leaving bool) error

	large budget
	block *block
	// What was read and is not consumed is block.bytes[at:end].
	at, end int
	// unfinished is set after value has refused a value before its end.
	unfinished bool
	scan       plan.Scanner
	err        error
}

// newSource returns the source of a body whose values have at most max bytes. idle is
// blockSize, or idleSize for a body that may be silent for long. With idleSize, flush
// has to leave no frame behind even if it is not told that the block is left.
func newSource(ctx context.Context, body io.Reader, max, idle int, flush func(leaving bool) error) *source {
	s := &source{ctx: ctx, body: body, max: max, idle: idle, flush: flush, large: newBudget()}
	s.block = newBlock(idle, &s.large)
	return s
}

// fill reads more. It keeps what stands from keep on, at most at, and returns how
// far that has moved down.
func (s *source) fill(keep int) (moved int, err error) {
	if s.err != nil {
		return 0, s.err
	}
	// A large block is left as soon as nothing of it is needed, and so is each block of a
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
		s.err = err // which is for the next time, if there is something to read
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

// leave moves what stands from keep on to the beginning of a block with room after it.
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
		clear(s.block.bytes[len(kept):s.end]) // a watch may wait for long now
	} else {
		next := newBlock(size, &s.large)
		copy(next.bytes, kept)
		s.block.release()
		s.block = next
	}
	s.at, s.end = s.at-keep, len(kept)
	return nil
}

// fits reports whether the block can be used again for what stands from keep on. A
// large one can if that is a large part of it, which makes one of twice the size
// unnecessary unless the value fills all of the block.
func (s *source) fits(size, keep int) bool {
	n := len(s.block.bytes)
	return s.block.isMine() && (n == size || n > blockSize && keep > 0 && 4*(s.end-keep) > n)
}

// maxEmptyReads is how often a body may have neither bytes nor an error.
const maxEmptyReads = 100

// peek returns the next byte that is no space, without consuming it.
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

// value consumes the next value and returns it. Its bytes are the block's. Of a value that
// is too large it returns what was read, with a *TooLargeError; skipRest gets over it.
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

// skipRest consumes the rest of a value that value has refused as too large. It holds
// nothing of it but a block.
func (s *source) skipRest() error {
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

// line consumes what stands until the end of the line, if that has been read and looks
// like an object. It does not look inside: the line may hold several values, or the
// beginning of one.
func (s *source) line() ([]byte, bool) {
	rest := s.block.bytes[s.at:s.end]
	n := bytes.IndexByte(rest, '\n')
	if n < 2 || n > s.max || rest[n-1] != '}' {
		return nil, false
	}
	s.at += n + 1
	return rest[:n:n], true
}

// expect consumes one byte that has to be next.
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

// near is what stands next, for a message.
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

// close lets go of the block.
func (s *source) close() { s.block.release() }

// cut is the error of a body that ended within a value.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the answer was cut off: %w", err)
	}
	return err
}
