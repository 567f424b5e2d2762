package deltafifo

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
)

func TestQueueKeepsOrderAndLosesNothing(t *testing.T) {
	const count = 20_000
	var q Queue
	var pushing sync.WaitGroup
	pushing.Go(func() {
		for n := range count {
			q.Push(numbers(n), Reached{})
		}
		q.Close()
	})
	defer pushing.Wait()
	seen := 0
	var batch Batch
	for {
		if err := q.Pop(t.Context(), &batch); err != nil {
			if !errors.Is(err, ErrClosed) {
				t.Fatal(err)
			}
			break
		}
		for _, d := range batch.Deltas {
			if int(d.Scope) != seen {
				t.Fatalf("got %d, want %d", d.Scope, seen)
			}
			seen++
		}
	}
	if seen != count {
		t.Errorf("popped %d of %d", seen, count)
	}
}

func TestQueuePopWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error)
		go func() {
			failed <- q.Pop(ctx, &Batch{})
		}()
		synctest.Wait()
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("Pop returned %v when its context ended", err)
		}
		go func() {
			failed <- q.Pop(t.Context(), &Batch{})
		}()
		synctest.Wait()
		q.Close()
		if err := <-failed; !errors.Is(err, ErrClosed) {
			t.Errorf("Pop returned %v when the queue was closed", err)
		}
		q.Push(numbers(0), Reached{})
		if q.Len() != 0 {
			t.Error("a closed queue took an element")
		}
		if err := q.Pop(t.Context(), &Batch{}); !errors.Is(err, ErrClosed) {
			t.Errorf("Pop of a closed queue returned %v", err)
		}
	})
}

func TestQueueReleasesPoppedElements(t *testing.T) {
	var q Queue
	q.Push(numbers(1, 2), Reached{})
	var batch Batch
	_ = q.Pop(t.Context(), &batch)
	first := batch.Deltas
	q.Push(numbers(3), Reached{})
	_ = q.Pop(t.Context(), &batch)
	if len(batch.Deltas) != 1 || first[0].Type != 0 || first[1].Type != 0 {
		t.Error("memory that was handed back still holds elements")
	}
}

// TestQueueStampsTheOldest pushes elements a second apart, while none, and then a batch, is popped.
func TestQueueStampsTheOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		start := clock.Now()
		expect := func(what string, got clock.Stamp, want time.Duration) {
			t.Helper()
			if got == 0 || got.Since(start) != want {
				t.Errorf("%s: %v after the start, want %v", what, got.Since(start), want)
			}
		}
		push := func() clock.Stamp { return q.Push(numbers(1), Reached{}) }
		pop := func() clock.Stamp {
			var batch Batch
			if err := q.Pop(t.Context(), &batch); err != nil || len(batch.Deltas) == 0 {
				t.Fatal(batch, err)
			}
			return batch.Oldest
		}
		if q.Push(nil, Reached{}) != 0 || q.Waiting() != 0 {
			t.Error("nothing has a stamp")
		}
		expect("the first", push(), 0)
		time.Sleep(time.Second)
		expect("the second", push(), 0)
		expect("the batch", pop(), 0)
		time.Sleep(time.Second)
		expect("an element after it", push(), 2*time.Second)
		expect("the oldest that waits", q.Waiting(), 0)
		q.Processed()
		expect("the oldest after the batch", q.Waiting(), 2*time.Second)
		time.Sleep(time.Second)
		for range MaxReuse {
			push()
		}
		expect("an element of the next batch", push(), 3*time.Second)
		time.Sleep(time.Second)
		expect("the oldest of two batches", q.Waiting(), 2*time.Second)
		expect("the first of them", pop(), 2*time.Second)
		expect("the second of them", pop(), 3*time.Second)
		q.Processed()
		if q.Waiting() != 0 {
			t.Error("an empty queue has a stamp")
		}
		q.Close()
		if push() != 0 {
			t.Error("an element after Close has a stamp")
		}
	})
}

// TestQueuePositions: each scope has its last position, with the deltas before it or after them.
func TestQueuePositions(t *testing.T) {
	at := func(scope int, version string) Reached {
		return Reached{Scope: frontier.ID(scope), Position: frontier.Position{Version: version}}
	}
	var q Queue
	want := func(what string, deltas int, positions ...Reached) {
		t.Helper()
		var batch Batch
		if err := q.Pop(t.Context(), &batch); err != nil || len(batch.Deltas) != deltas || !slices.Equal(batch.Reached, positions) {
			t.Errorf("%s: %d deltas, %v, %v; want %d and %v", what, len(batch.Deltas), batch.Reached, err, deltas, positions)
		}
	}
	q.Push(nil, at(1, "5"))
	if q.Len() != 0 || q.Waiting() != 0 {
		t.Error("a position is no change")
	}
	want("a bookmark", 0, at(1, "5"))
	q.Push(numbers(1), at(1, "6"))
	q.Push(numbers(2), at(2, "7"))
	q.Push(nil, at(1, "8"))
	want("two scopes", 2, at(1, "8"), at(2, "7"))
	for n := range MaxReuse {
		q.Push(numbers(n), at(1, strconv.Itoa(10+n)))
	}
	q.Push(numbers(0), at(1, "5000"))
	want("a full batch", MaxReuse, at(1, strconv.Itoa(9+MaxReuse)))
	want("after it", 1, at(1, "5000"))
}

func TestQueueReusesItsMemory(t *testing.T) {
	var fifo Queue
	ctx := t.Context()
	delta := numbers(1)
	var batch Batch
	push := func(n int) {
		for range n {
			fifo.Push(delta, Reached{})
		}
		for fifo.Len() > 0 {
			_ = fifo.Pop(ctx, &batch)
		}
	}
	push(3 * MaxReuse)
	for _, n := range []int{1, 100, 3 * MaxReuse} {
		if got := testing.AllocsPerRun(100, func() { push(n) }); got > float64(n/MaxReuse) { // the positions of a full batch
			t.Errorf("%d deltas allocate %v times", n, got)
		}
	}
}

// numbers returns deltas that are told apart by their scopes.
func numbers(values ...int) []Delta {
	deltas := make([]Delta, len(values))
	for i, value := range values {
		deltas[i] = Delta{Type: Added, Scope: frontier.ID(value)}
	}
	return deltas
}
