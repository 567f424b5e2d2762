package cache

import (
	"context"
	"sync"
	"time"
)

// firstListPatience is how long a first list may hold up those of other informers.
const firstListPatience = 10 * time.Second

// awaitFirstList takes a place among those who may read their first list. It
// returns how to give it back, which may be called twice and happens by itself
// when the list takes long: one server that hangs must not hold up the others.
func awaitFirstList(ctx context.Context, places chan struct{}) (leave func()) {
	if places == nil {
		return func() {}
	}
	select {
	case places <- struct{}{}:
	case <-ctx.Done():
		return func() {}
	}
	var once sync.Once
	giveBack := func() { once.Do(func() { <-places }) }
	patience := time.AfterFunc(firstListPatience, giveBack)
	return func() {
		patience.Stop()
		giveBack()
	}
}
