package cache

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
