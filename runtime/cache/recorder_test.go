package cache

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

type gvr = schema.GroupVersionResource

// quiet is the WatchErrorHandler of tests that fail on purpose.
func quiet(context.Context, gvr, error) {}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// recorder is a handler that records its calls.
type recorder struct {
	mu    sync.Mutex
	lines []string
}

func (r *recorder) OnAdd(obj object, initial bool) {
	r.write(fmt.Sprintf("add %s@%s initial=%v", MetaObjectToName(obj), obj.ResourceVersion, initial))
}

func (r *recorder) OnUpdate(oldObj, newObj object) {
	r.write(fmt.Sprintf("update %s@%s->%s", MetaObjectToName(newObj), oldObj.ResourceVersion, newObj.ResourceVersion))
}

func (r *recorder) OnDelete(obj object, unknown bool) {
	r.write(fmt.Sprintf("delete %s@%s unknown=%v", MetaObjectToName(obj), obj.ResourceVersion, unknown))
}

func (r *recorder) write(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
}

// drain returns what was written since it was last called.
func (r *recorder) drain() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.lines
	r.lines = nil
	return lines
}
