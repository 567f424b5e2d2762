package deltafifo

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

func TestQueueKeepsOrderAndLosesNothing(t *testing.T) {
	const count = 20_000
	var q Queue[*int]
	var pushing sync.WaitGroup
	pushing.Go(func() {
		for n := range count {
			q.Push([]*int{&n})
		}
		q.Close()
	})
	defer pushing.Wait()
	seen := 0
	var batch []*int
	for {
		var err error
		if batch, err = q.Pop(t.Context(), batch); err != nil {
			if !errors.Is(err, ErrClosed) {
				t.Fatal(err)
			}
			break
		}
		for _, d := range batch {
			if *d != seen {
				t.Fatalf("got %d, want %d", *d, seen)
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
		var q Queue[*int]
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error)
		go func() {
			_, err := q.Pop(ctx, nil)
			failed <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("Pop returned %v when its context ended", err)
		}
		go func() {
			_, err := q.Pop(t.Context(), nil)
			failed <- err
		}()
		synctest.Wait()
		q.Close()
		if err := <-failed; !errors.Is(err, ErrClosed) {
			t.Errorf("Pop returned %v when the queue was closed", err)
		}
		q.Push(numbers(0))
		if q.Len() != 0 {
			t.Error("a closed queue took an element")
		}
		if _, err := q.Pop(t.Context(), nil); !errors.Is(err, ErrClosed) {
			t.Errorf("Pop of a closed queue returned %v", err)
		}
	})
}

func TestQueueReleasesPoppedElements(t *testing.T) {
	var q Queue[*int]
	q.Push(numbers(1, 2))
	first, _ := q.Pop(t.Context(), nil)
	q.Push(numbers(3))
	second, _ := q.Pop(t.Context(), first)
	if len(second) != 1 || first[0] != nil || first[1] != nil {
		t.Error("memory that was handed back still holds elements")
	}
}

// TestQueueStampsTheOldest pushes elements a second apart, while none, and then a batch, is popped.
func TestQueueStampsTheOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue[*int]
		start := stats.Now()
		expect := func(what string, got stats.Stamp, want time.Duration) {
			t.Helper()
			if got == 0 || got.Since(start) != want {
				t.Errorf("%s: %v after the start, want %v", what, got.Since(start), want)
			}
		}
		push := func() stats.Stamp { return q.Push(numbers(1)) }
		pop := func() stats.Stamp {
			batch, err := q.Pop(t.Context(), nil)
			if err != nil || len(batch) == 0 {
				t.Fatal(batch, err)
			}
			return q.Oldest
		}
		if q.Push(nil) != 0 || q.Waiting() != 0 {
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

// numbers returns pointers to numbers.
func numbers(values ...int) []*int {
	pointers := make([]*int, len(values))
	for i := range values {
		pointers[i] = &values[i]
	}
	return pointers
}
