package cachetest

import (
	"context"
	"testing"
)

// Run calls f in another goroutine, with a context that ends when stop is called or the test ends. Both wait for the return of f.
func Run(t *testing.T, f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(ctx)
	}()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}
