package wire

import (
	"context"
	"io"
	"sync"
)

const (
	// maxAhead is how many tasks may wait for a slow consumer; what comes after stays
	// in the connection.
	maxAhead = 16
	// maxBatch is how many events one Next returns at most. The caller's memory for
	// them, which it keeps while it waits, stays small.
	maxBatch = 32
)

// Stream is an open watch. One goroutine reads the body and finds the events in
// it; those that have arrived together are decoded together, beside those before
// and after them.
type Stream[T Object] struct {
	decoder *Decoder[T]
	source  *source
	ctx     context.Context
	release func() // ends ctx and closes the body
	reading sync.WaitGroup
	workers workers
	// frames are of the source's block, and of no task yet. Only the reading
	// goroutine touches them.
	frames [][]byte

	// tasks are in the order of the body. It is closed after the last one; then
	// end says why.
	tasks chan *task[result[T]]
	end   error

	// Only Next touches what follows. current is the task whose results are to be
	// returned next, from at on.
	current *task[result[T]]
	at      int
	failed  error
}

// result is what one frame of a watch becomes: an event, or why there is none.
type result[T Object] struct {
	event Event[T]
	err   error
}

// Watch reads the body of a WATCH response. The caller ends it with Stop; it ends
// by itself when ctx does, with the cause of ctx; the body is closed then, beside a
// Read, which has to end.
func (d *Decoder[T]) Watch(ctx context.Context, body io.ReadCloser) *Stream[T] {
	s := &Stream[T]{decoder: d, workers: newWorkers(), tasks: make(chan *task[result[T]], maxAhead)}
	s.ctx, s.release = closeWith(ctx, body)
	s.source = newSource(s.ctx, body, d.max, idleSize, s.flush)
	s.reading.Go(func() {
		defer close(s.tasks)
		defer s.source.close()
		s.end = s.read()
	})
	return s
}

// Stop ends the watch, closes the body, and returns when no goroutine of the watch
// is left. It may be called twice, but not beside Next.
func (s *Stream[T]) Stop() {
	s.release()
	s.reading.Wait()
	s.workers.wait()
}

// read finds one event after the other until the body ends, which is io.EOF if all
// is well. What arrived before an error is handed over before it.
func (s *Stream[T]) read() error {
	for {
		frame, err := s.next()
		if large, ok := err.(*TooLargeError); ok {
			if err = s.skip(frame, large); err == nil {
				continue
			}
		}
		if err != nil {
			if flushed := s.flush(true); flushed != nil {
				return flushed
			}
			return s.decoder.withoutText(err)
		}
		s.frames = append(s.frames, frame)
	}
}

// skip delivers the event that is too large as one that cannot be decoded, after those
// before it, and goes over the rest of it.
func (s *Stream[T]) skip(begin []byte, large *TooLargeError) error {
	event, err := s.decoder.skipLargeEvent(begin, large)
	if err != nil {
		return err
	}
	if err := s.flush(true); err != nil {
		return err
	}
	t := &task[result[T]]{results: []result[T]{{event: event}}, done: make(chan struct{})}
	close(t.done)
	select {
	case s.tasks <- t:
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
	return s.source.skipRest()
}

// next returns a frame. It is an event; or a line, which API servers end each event
// with, and which is found much faster. What is in it is for the worker to see.
func (s *Stream[T]) next() ([]byte, error) {
	switch next, err := s.source.peek(); {
	case err != nil:
		return nil, err
	case next != '{':
		return nil, &SyntaxError{Near: s.source.near(), Want: "an event"}
	}
	if !s.decoder.byValue.Load() {
		if frame, ok := s.source.line(); ok {
			return frame, nil
		}
	}
	return s.source.value()
}

// flush hands over the events that have arrived, before the next read. It decodes
// a lone one here if nobody is ahead of it, which saves a change of goroutines.
func (s *Stream[T]) flush(bool) error {
	if len(s.frames) == 0 {
		return nil
	}
	t := newTask[result[T]](s.source.block, s.frames)
	if len(s.frames) == 1 && len(s.tasks) == 0 {
		t.run(s.decoder.appendEvents)
		s.frames[0] = nil // or the block would live on
		s.frames = s.frames[:0]
	} else {
		t.start(&s.workers, s.decoder.appendEvents)
		s.frames = nil
	}
	select {
	case s.tasks <- t:
		return nil
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
}

// Next blocks until there are events and returns those that have arrived, at most 32,
// appended to reuse[:0]. It returns io.EOF when the server closed the watch in good order, an
// apierrors.APIStatus for an ERROR event, the cause of ctx or of the context of
// Watch, and otherwise the errors of List. Events that came before an error are
// returned before it.
func (s *Stream[T]) Next(ctx context.Context, reuse []Event[T]) ([]Event[T], error) {
	batch := reuse[:0]
	for s.failed == nil && s.current == nil {
		select {
		case t, open := <-s.tasks:
			s.receive(t, open)
		case <-ctx.Done():
			return batch, context.Cause(ctx)
		}
	}
	if s.failed != nil {
		return batch, s.failed
	}
	<-s.current.done
	for batch = s.take(batch); s.failed == nil && len(batch) < maxBatch && s.hasMore(); {
		batch = s.take(batch)
	}
	if len(batch) == 0 {
		return batch, s.failed
	}
	return batch, nil
}

// receive takes the next task, or, after the last one, what ended the watch.
func (s *Stream[T]) receive(t *task[result[T]], open bool) {
	switch {
	case open:
		s.current = t
	case s.ctx.Err() != nil:
		s.failed = context.Cause(s.ctx)
	default:
		s.failed = s.end
	}
}

// hasMore says whether there is another task that is done, without waiting.
func (s *Stream[T]) hasMore() bool {
	if s.current == nil {
		select {
		case t, open := <-s.tasks:
			s.receive(t, open)
		default:
		}
	}
	return s.current != nil && s.current.isDone()
}

// take appends results of the current task, up to the first error, as far as batch may
// grow.
func (s *Stream[T]) take(batch []Event[T]) []Event[T] {
	results := s.current.results
	for ; s.at < len(results) && s.failed == nil && len(batch) < maxBatch; s.at++ {
		if s.failed = results[s.at].err; s.failed == nil {
			batch = append(batch, results[s.at].event)
		}
	}
	if s.failed != nil || s.at == len(results) {
		s.current, s.at = nil, 0
	}
	return batch
}
