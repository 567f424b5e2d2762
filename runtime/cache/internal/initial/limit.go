package initial

import (
	"context"
	"sync"
	"time"
)

// Timeout is how long a first list may delay those of other informers.
const Timeout = 10 * time.Second

// Join waits until limit has room for a token; nil is no limit. leave removes the token, and may
// be called twice. After Timeout the token is removed anyway: one server that hangs must not delay
// the other informers.
func Join(ctx context.Context, limit chan struct{}) (leave func()) {
	if limit == nil {
		return func() {}
	}
	select {
	case limit <- struct{}{}:
	case <-ctx.Done():
		return func() {}
	}
	var once sync.Once
	remove := func() { once.Do(func() { <-limit }) }
	timeout := time.AfterFunc(Timeout, remove)
	return func() {
		timeout.Stop()
		remove()
	}
}
