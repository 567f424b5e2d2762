package cache

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

func numbered(n int) object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: strconv.Itoa(n)}}
}

func TestDeltaFIFOKeepsOrderAndLosesNothing(t *testing.T) {
	const count = 20_000
	var f DeltaFIFO[object]
	var pushing sync.WaitGroup
	pushing.Go(func() {
		for n := range count {
			f.Push(Delta[object]{Type: Added, Item: itemOf(numbered(n))})
		}
		f.Close()
	})
	defer pushing.Wait()
	seen := 0
	var batch Deltas[object]
	for {
		var err error
		if batch, err = f.Pop(t.Context(), batch); err != nil {
			if !errors.Is(err, ErrClosed) {
				t.Fatal(err)
			}
			break
		}
		for _, d := range batch {
			if d.Object.Name != strconv.Itoa(seen) {
				t.Fatalf("got %s, want %d", d.Object.Name, seen)
			}
			seen++
		}
	}
	if seen != count {
		t.Errorf("popped %d of %d", seen, count)
	}
}

func TestDeltaFIFOPopWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f DeltaFIFO[object]
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error)
		go func() {
			_, err := f.Pop(ctx, nil)
			failed <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("Pop returned %v when its context ended", err)
		}
		go func() {
			_, err := f.Pop(t.Context(), nil)
			failed <- err
		}()
		synctest.Wait()
		f.Close()
		if err := <-failed; !errors.Is(err, ErrClosed) {
			t.Errorf("Pop returned %v when the queue was closed", err)
		}
		f.Push(Delta[object]{Type: Sync})
		if f.Len() != 0 {
			t.Error("a closed queue took a delta")
		}
		if _, err := f.Pop(t.Context(), nil); !errors.Is(err, ErrClosed) {
			t.Errorf("Pop of a closed queue returned %v", err)
		}
	})
}

func TestDeltaFIFOReleasesPoppedDeltas(t *testing.T) {
	var f DeltaFIFO[object]
	f.Push(Delta[object]{Type: Added, Item: itemOf(numbered(1))}, Delta[object]{Type: Added, Item: itemOf(numbered(2))})
	first, _ := f.Pop(t.Context(), nil)
	f.Push(Delta[object]{Type: Added, Item: itemOf(numbered(3))})
	second, _ := f.Pop(t.Context(), first)
	if len(second) != 1 || first[0].Object != nil || first[1].Object != nil {
		t.Error("memory that was handed back still holds objects")
	}
}

// TestDeltaFIFOStampsTheOldest pushes deltas a second apart, while none, and then a batch, is popped.
func TestDeltaFIFOStampsTheOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f DeltaFIFO[object]
		start := stats.Now()
		expect := func(what string, got stats.Stamp, want time.Duration) {
			t.Helper()
			if got == 0 || got.Since(start) != want {
				t.Errorf("%s: %v after the start, want %v", what, got.Since(start), want)
			}
		}
		push := func() stats.Stamp { return f.push([]Delta[object]{{Type: Added, Item: itemOf(numbered(1))}}) }
		pop := func() stats.Stamp {
			batch, err := f.Pop(t.Context(), nil)
			if err != nil || len(batch) == 0 {
				t.Fatal(batch, err)
			}
			return f.oldest
		}
		if f.push(nil) != 0 || f.waiting() != 0 {
			t.Error("nothing has a stamp")
		}
		expect("the first", push(), 0)
		time.Sleep(time.Second)
		expect("the second", push(), 0)
		expect("the batch", pop(), 0)
		time.Sleep(time.Second)
		expect("a delta after it", push(), 2*time.Second)
		expect("the oldest that waits", f.waiting(), 0)
		f.processed()
		expect("the oldest after the batch", f.waiting(), 2*time.Second)
		time.Sleep(time.Second)
		for range maxReuse {
			push()
		}
		expect("a delta of the next batch", push(), 3*time.Second)
		time.Sleep(time.Second)
		expect("the oldest of two batches", f.waiting(), 2*time.Second)
		expect("the first of them", pop(), 2*time.Second)
		expect("the second of them", pop(), 3*time.Second)
		f.processed()
		if f.waiting() != 0 {
			t.Error("an empty queue has a stamp")
		}
		f.Close()
		if push() != 0 {
			t.Error("a delta after Close has a stamp")
		}
	})
}
