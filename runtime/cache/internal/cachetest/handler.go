package cachetest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
)

// WantLines checks lines, in their order.
func WantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Recorder is a handler that records its calls.
type Recorder struct {
	mu    sync.Mutex
	lines []string
}

// OnAdd records an add.
func (r *Recorder) OnAdd(obj Object, initial bool) {
	r.write(fmt.Sprintf("add %s@%s initial=%v", Key(obj), obj.ResourceVersion, initial))
}

// OnUpdate records an update.
func (r *Recorder) OnUpdate(oldObj, newObj Object) {
	r.write(fmt.Sprintf("update %s@%s->%s", Key(newObj), oldObj.ResourceVersion, newObj.ResourceVersion))
}

// OnDelete records a delete.
func (r *Recorder) OnDelete(obj Object, unknown bool) {
	r.write(fmt.Sprintf("delete %s@%s unknown=%v", Key(obj), obj.ResourceVersion, unknown))
}

func (r *Recorder) write(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
}

// Drain returns the text that was written since it was last called.
func (r *Recorder) Drain() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.lines
	r.lines = nil
	return lines
}
