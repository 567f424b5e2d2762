package wire

import (
	"runtime"
	"sync"
)

// workers are the goroutines that decode for one list or watch: at most as many as
// run in parallel, and none while there is nothing to decode. A semaphore of the
// whole process would not allow synctest.
type workers struct {
	places  chan struct{}
	running sync.WaitGroup
}

func newWorkers() workers { return workers{places: make(chan struct{}, runtime.GOMAXPROCS(0))} }

// wait returns when none is left.
func (w *workers) wait() { w.running.Wait() }

// task is frames of one block that are decoded together, and what they become.
type task[R any] struct {
	block  *block
	frames [][]byte
	// results are there when done is closed.
	results []R
	done    chan struct{}
}

func newTask[R any](b *block, frames [][]byte) *task[R] {
	b.hold()
	return &task[R]{block: b, frames: frames, done: make(chan struct{})}
}

// start lets one of the workers decode. It waits until there is a place.
func (t *task[R]) start(w *workers, decode func(results []R, frame []byte) []R) {
	w.places <- struct{}{}
	w.running.Go(func() {
		defer func() { <-w.places }()
		t.run(decode)
	})
}

// run decodes here. decode appends what becomes of a frame.
func (t *task[R]) run(decode func(results []R, frame []byte) []R) {
	t.results = make([]R, 0, len(t.frames))
	for _, frame := range t.frames {
		t.results = decode(t.results, frame)
	}
	t.block.release()
	t.block, t.frames = nil, nil
	close(t.done)
}

// isDone says whether there are results.
func (t *task[R]) isDone() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}
