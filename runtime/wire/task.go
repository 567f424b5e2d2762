package wire

import (
	"runtime"
	"sync"
)

// workers are the goroutines that decode for one list or watch. At most GOMAXPROCS run at one time,
// and no goroutine waits for something to decode. A semaphore of the whole process would not work in a
// synctest bubble.
type workers struct {
	slots   chan struct{}
	running sync.WaitGroup
}

func newWorkers() workers { return workers{slots: make(chan struct{}, runtime.GOMAXPROCS(0))} }

// wait returns when all workers have ended.
func (w *workers) wait() { w.running.Wait() }

// task has frames of one block that are decoded together, and their results.
type task[R any] struct {
	block  *block
	frames [][]byte
	// sparse is set if most frames may have no result.
	sparse bool
	// results are valid when done is closed.
	results []R
	done    chan struct{}
}

func newTask[R any](b *block, frames [][]byte) *task[R] {
	b.hold()
	return &task[R]{block: b, frames: frames, done: make(chan struct{})}
}

// start makes one of the workers decode. It waits until a slot is free.
func (t *task[R]) start(w *workers, decode func(results []R, frame []byte) []R) {
	w.slots <- struct{}{}
	w.running.Go(func() {
		defer func() { <-w.slots }()
		t.run(decode)
	})
}

// run decodes in the calling goroutine. decode appends the result of a frame.
func (t *task[R]) run(decode func(results []R, frame []byte) []R) {
	if !t.sparse {
		t.results = make([]R, 0, len(t.frames))
	}
	for _, frame := range t.frames {
		t.results = decode(t.results, frame)
	}
	t.block.release()
	t.block, t.frames = nil, nil
	close(t.done)
}

// isDone reports whether the results are valid.
func (t *task[R]) isDone() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}
