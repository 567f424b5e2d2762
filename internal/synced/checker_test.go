package synced

import (
	"strings"
	"testing"
)

type doneChecker interface {
	Name() string
	Done() <-chan struct{}
}

// laterChecker has a method that no Checker has.
type laterChecker interface {
	doneChecker
	Err() error
}

func TestAs(t *testing.T) {
	done := make(chan struct{})
	checker := New("foos", done)
	if got := As[doneChecker](checker); got.Name() != "foos" || got.Done() != (<-chan struct{})(done) {
		t.Errorf("As returns %v", got)
	}
	As[struct{}](checker) // an older client-go
	defer func() {
		if message, ok := recover().(string); !ok || !strings.Contains(message, "upgrade informer-gen") {
			t.Errorf("a DoneChecker with another method: %q", message)
		}
	}()
	As[laterChecker](checker)
}
