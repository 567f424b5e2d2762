package wire

import (
	"cmp"
	"context"
	"io"
	"sync"

	"k8s.io/apimachinery/pkg/watch"
)

const (
	// maxAhead is how many tasks may wait for a slow consumer. Later bytes stay in the
	// connection.
	maxAhead = 16
	// maxBatch is the maximum number of events that one Next returns. It keeps the
	// caller's slice small, which stays in memory while the caller waits.
	maxBatch = 32
)

// Stream is an open watch. One goroutine reads the body and finds the events in it.
// Events that have arrived together are one task. Several tasks run in parallel.
type Stream[T Object] struct {
	decoder *Decoder[T]
	source  *source
	// isProtobuf is set if the events are in protobuf. It is set before the first task.
	isProtobuf bool
	ctx        context.Context
	release    func() // ends ctx and closes the body
	reading    sync.WaitGroup
	workers    workers
	// frames are parts of the source's block that no task has yet. Only the reading
	// goroutine uses them.
	frames [][]byte

	// tasks are in the order of the body. The channel is closed after the last one. Then
	// end is the reason.
	tasks chan *task[result[T]]
	end   error

	// Only Next uses the fields below. Next returns the results of current, from the index
	// at on.
	current *task[result[T]]
	at      int
	failed  error
	// dropped are the events that Options.Keep has left out since the last one of a batch, and
	// reached is the version of the last of them.
	dropped int
	reached string
}

// result is the event of one frame of a watch, or the reason why there is none.
type result[T Object] struct {
	event Event[T]
	err   error
}

// Watch reads the body of a WATCH response. The caller ends it with Stop. It also ends
// when ctx ends, with the cause of ctx. Then it closes the body, which must make a
// running Read return.
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

// Stop ends the watch, closes the body, and returns when all goroutines of the watch
// have ended. It may be called twice, but not while Next runs.
func (s *Stream[T]) Stop() {
	s.release()
	s.reading.Wait()
	s.workers.wait()
}

// read finds the events until the body ends. Without an error of the body it returns
// io.EOF. It flushes the events that arrived before an error.
func (s *Stream[T]) read() error {
	// The first byte of protobuf is that of the length of a frame. No frame is large enough for
	// it to be one that JSON begins with.
	first, err := s.source.first()
	s.isProtobuf = err == nil && first < '\t'
	next := s.nextOfJSON
	if s.isProtobuf {
		next = s.nextOfProtobuf
	}
	for {
		frame, err := next()
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

// skip delivers an event that is too large as an undecodable one, after the events before
// it, and skips the rest of its bytes.
func (s *Stream[T]) skip(begin []byte, large *TooLargeError) error {
	skipLarge := s.decoder.skipLargeEvent
	if s.isProtobuf {
		skipLarge = s.decoder.skipLargeProtobuf
	}
	event, err := skipLarge(begin, large)
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

// nextOfJSON returns a frame: an event, or a line. API servers end each event with a newline,
// and the end of a line is found much faster. The worker checks what the line has.
func (s *Stream[T]) nextOfJSON() ([]byte, error) {
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

// appendEvents appends the results of the events in frame.
func (s *Stream[T]) appendEvents(results []result[T], frame []byte) []result[T] {
	if s.isProtobuf {
		return s.decoder.appendProtobuf(results, frame)
	}
	return s.decoder.appendEvents(results, frame)
}

// flush makes a task of the events that have arrived, before the next read. It decodes a
// single event itself if no other task waits, which saves a switch of goroutines.
func (s *Stream[T]) flush(bool) error {
	if len(s.frames) == 0 {
		return nil
	}
	t := newTask[result[T]](s.source.block, s.frames)
	if len(s.frames) == 1 && len(s.tasks) == 0 {
		t.run(s.appendEvents)
		s.frames[0] = nil // so that the block is not kept alive
		s.frames = s.frames[:0]
	} else {
		t.start(&s.workers, s.appendEvents)
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
// appended to reuse[:0]. It returns io.EOF when the server closed the watch normally, an
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
	// Without a limit for tasks, a busy watch of which all is left out would never return.
	for tasks := 1; ; tasks++ {
		batch = s.take(batch)
		if s.failed != nil || !s.hasRoom(batch) || tasks == maxAhead || !s.hasMore() {
			break
		}
	}
	batch = s.addDropped(batch)
	if len(batch) == 0 {
		return batch, s.failed
	}
	return batch, nil
}

// receive takes the next task, or, after the last one, the reason why the watch ended.
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

// hasMore reports whether another task is done. It does not wait.
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

// hasRoom reports whether batch has room for another event, besides that of addDropped.
func (s *Stream[T]) hasRoom(batch []Event[T]) bool {
	if s.dropped > 0 {
		return len(batch) < maxBatch-1
	}
	return len(batch) < maxBatch
}

// addDropped appends an event for those that were left out, if there are any.
func (s *Stream[T]) addDropped(batch []Event[T]) []Event[T] {
	if s.dropped == 0 {
		return batch
	}
	batch = append(batch, Event[T]{Type: watch.Bookmark, ResourceVersion: s.reached, Dropped: s.dropped})
	s.dropped, s.reached = 0, ""
	return batch
}

// take appends results of the current task to batch, up to the first error and up to
// maxBatch.
func (s *Stream[T]) take(batch []Event[T]) []Event[T] {
	results := s.current.results
	for ; s.at < len(results) && s.failed == nil && s.hasRoom(batch); s.at++ {
		event := &results[s.at].event
		s.failed = results[s.at].err
		switch {
		case s.failed != nil:
		case event.Dropped > 0:
			s.dropped, s.reached = s.dropped+event.Dropped, cmp.Or(event.ResourceVersion, s.reached)
		case event.Type == watch.Bookmark && s.dropped > 0:
			batch = s.addDropped(batch)
			s.at-- // there may be no room for it
		default:
			batch = append(batch, *event)
			batch[len(batch)-1].Dropped, s.dropped, s.reached = s.dropped, 0, ""
		}
	}
	if s.failed != nil || s.at == len(results) {
		s.current, s.at = nil, 0
	}
	return batch
}
