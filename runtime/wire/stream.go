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

// Stream is an open watch. Next reads the body itself and decodes an event that arrives alone. So
// a watch that waits for the server has no goroutine. When more than one event has arrived, a
// goroutine reads and finds the events. Those that have arrived together are one task. Several
// tasks run in parallel. The goroutine ends when an event arrives alone.
type Stream struct {
	decoder *Decoder
	ctx     context.Context
	// done is the Done channel of the context of Watch.
	done    <-chan struct{}
	release func() // ends ctx and closes the body
	closed  bool   // source is closed

	// Only the goroutine that reads uses these fields: that of Next, or else reading.
	source *source
	// hasBegun is set after the first byte, and isProtobuf if the events are in protobuf. They are
	// set before the first task.
	hasBegun, isProtobuf bool
	// frames are parts of the source's block that no task has yet.
	frames [][]byte

	reading sync.WaitGroup
	workers workers
	// tasks are in the order of the body. The channel is nil while Next reads. It is closed after
	// the last task. Then end is the reason, or nil if Next reads again.
	tasks chan *task[result]
	end   error

	// Only Next uses the fields below. Next returns the results of current, from the index
	// at on. single is the memory of a task with the events that Next has read.
	current *task[result]
	single  task[result]
	at      int
	failed  error
	// dropped are the events that Options.Keep has left out since the last one of a batch, and
	// reached is the version of the last of them.
	dropped int32
	reached string
}

// result is the event of one frame of a watch, or the error that it has in place of the event.
type result struct {
	event Event
	err   error
}

// Watch reads the body of a WATCH response. The caller ends it with Stop. It also ends
// when ctx ends, with the cause of ctx. Then it closes the body, which must make a
// running Read return.
func (d *Decoder) Watch(ctx context.Context, body io.ReadCloser) *Stream {
	s := &Stream{decoder: d, done: ctx.Done()}
	s.single.done = alreadyDone
	s.ctx, s.release = closeWith(ctx, body)
	s.source = newSource(s.ctx, body, d.max, idleSize, s.flush)
	return s
}

// alreadyDone is the channel of a task that was run before anyone waits for it.
var alreadyDone = func() chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}()

// Stop ends the watch, closes the body, and returns when all goroutines of the watch
// have ended. It may be called twice, but not while Next runs.
func (s *Stream) Stop() {
	s.release()
	s.reading.Wait()
	s.workers.wait()
	if !s.closed {
		s.closed = true
		s.source.close()
	}
}

// readSingle waits for an event and decodes it, in the goroutine of Next. If more has arrived,
// it starts a goroutine that reads on.
func (s *Stream) readSingle() {
	if s.ctx.Err() != nil {
		s.failed = context.Cause(s.ctx)
		return
	}
	frame, err := s.next()
	_, isLarge := err.(*TooLargeError)
	switch {
	case isLarge || err == nil && s.source.at < s.source.end:
		s.startReading(frame, err)
	case err != nil:
		s.end = s.decoder.withoutText(err)
		s.receive(nil, false)
	default:
		s.single.results = s.appendEvents(s.single.results[:0], frame)
		s.current = &s.single
	}
}

// startReading starts a goroutine that reads. frame and err are results of next, or both are nil.
func (s *Stream) startReading(frame []byte, err error) {
	tasks := make(chan *task[result], maxAhead)
	s.tasks, s.end = tasks, nil
	if s.workers.slots == nil {
		s.workers = newWorkers()
	}
	s.reading.Go(func() {
		defer close(tasks) // after it, Next may use the source
		s.end = s.read(frame, err)
	})
}

// read finds the events until one arrives alone, and returns nil then, or until the body ends.
// Without an error of the body it returns io.EOF. It flushes the events that arrived before an
// error. frame and err are results of next, or both are nil.
func (s *Stream) read(frame []byte, err error) error {
	if frame == nil && err == nil { // Next has read nothing
		frame, err = s.next()
	}
	for ; ; frame, err = s.next() {
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
		if s.isQuiet() {
			return s.flush(true)
		}
	}
}

// isQuiet reports whether the only event that was read and is not taken is in frames, and no
// other task waits.
func (s *Stream) isQuiet() bool {
	return len(s.frames) == 1 && s.source.at == s.source.end && len(s.tasks) == 0
}

// next returns a frame.
func (s *Stream) next() ([]byte, error) {
	if !s.hasBegun {
		// The first byte of protobuf belongs to the length of a frame. No frame is large enough for
		// it to be one that JSON begins with.
		first, err := s.source.first()
		s.hasBegun, s.isProtobuf = true, err == nil && first < '\t'
	}
	if s.isProtobuf {
		return s.nextOfProtobuf()
	}
	return s.nextOfJSON()
}

// skip delivers an event that is too large as an undecodable one, after the events before
// it, and skips the rest of its bytes.
func (s *Stream) skip(begin []byte, large *TooLargeError) error {
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
	t := &task[result]{results: []result{{event: event}}, done: make(chan struct{})}
	close(t.done)
	select {
	case s.tasks <- t:
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
	return s.source.skipRest()
}

// nextOfJSON returns a frame: an event, or a line. API servers end each event with a newline,
// and the end of a line is found much faster. The worker checks the content of the line.
func (s *Stream) nextOfJSON() ([]byte, error) {
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
func (s *Stream) appendEvents(results []result, frame []byte) []result {
	if s.isProtobuf {
		return s.decoder.appendProtobuf(results, frame)
	}
	return s.decoder.appendEvents(results, frame)
}

// flush makes a task of the events that have arrived, before the next read. It decodes a
// single event itself if no other task waits, which saves a switch of goroutines.
func (s *Stream) flush(bool) error {
	if len(s.frames) == 0 {
		return nil
	}
	t := newTask[result](s.source.block, s.frames)
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
func (s *Stream) Next(ctx context.Context, reuse []Event) ([]Event, error) {
	batch := reuse[:0]
	for s.failed == nil && s.current == nil {
		if s.tasks == nil && ctx.Done() == s.done {
			s.readSingle()
			continue
		}
		if s.tasks == nil { // a Read would not end with ctx
			s.startReading(nil, nil)
		}
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
	// Without a limit for tasks, Next would never return while Keep leaves out all events of a busy watch.
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

// receive takes the next task, or, after the last one, the reason why the watch ended. If it has
// not ended, Next reads again.
func (s *Stream) receive(t *task[result], open bool) {
	switch {
	case open:
		s.current = t
	case s.ctx.Err() != nil:
		s.failed = context.Cause(s.ctx)
	case s.end == nil:
		s.tasks = nil
	default:
		s.failed = s.end
	}
}

// hasMore reports whether another task is done. It does not wait.
func (s *Stream) hasMore() bool {
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
func (s *Stream) hasRoom(batch []Event) bool {
	if s.dropped > 0 {
		return len(batch) < maxBatch-1
	}
	return len(batch) < maxBatch
}

// addDropped appends an event for those that were left out, if there are any.
func (s *Stream) addDropped(batch []Event) []Event {
	if s.dropped == 0 {
		return batch
	}
	batch = append(batch, Event{Type: LeftOut, ResourceVersion: s.reached, Dropped: s.dropped})
	s.dropped, s.reached = 0, ""
	return batch
}

// take appends results of the current task to batch, up to the first error and up to
// maxBatch.
func (s *Stream) take(batch []Event) []Event {
	results := s.current.results
	for ; s.at < len(results) && s.failed == nil && s.hasRoom(batch); s.at++ {
		event := &results[s.at].event
		s.failed = results[s.at].err
		switch {
		case s.failed != nil:
		case event.Type == LeftOut:
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
		if s.current == &s.single {
			s.single.results = freed(results)
		}
		s.current, s.at = nil, 0
	}
	return batch
}

// freed returns the memory of results for a single event, without their objects. It returns nil if
// that would keep much memory, because the event came in one line with others.
func freed(results []result) []result {
	if cap(results) > 1 {
		return nil
	}
	clear(results)
	return results[:0]
}
