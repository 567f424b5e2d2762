package cache

import (
	"context"
	"fmt"
	"io"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// feed is a source in memory: a list, and batches of events that are sent to it.
type feed struct {
	page   Page[object]
	events chan []Event[object]
}

func (f *feed) List(context.Context, metav1.ListOptions) (Page[object], error) { return f.page, nil }

func (f *feed) Watch(context.Context, metav1.ListOptions) (EventStream[object], error) { return f, nil }

func (f *feed) Next(ctx context.Context, reuse []Event[object]) ([]Event[object], error) {
	select {
	case batch, open := <-f.events:
		if !open {
			return nil, io.EOF
		}
		return append(reuse[:0], batch...), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f *feed) Stop() {}

// BenchmarkEvents passes updates of 10,000 objects through to handlers, in batches
// as a watch under load has them. An operation is one event.
func BenchmarkEvents(b *testing.B) {
	for _, size := range []int{1, 30} {
		for _, handlers := range []int{1, 8} {
			b.Run(fmt.Sprintf("%d in a batch/%d handlers", size, handlers), func(b *testing.B) { benchmarkEvents(b, size, handlers) })
		}
	}
}

func benchmarkEvents(b *testing.B, size, handlers int) {
	const objects = 10_000
	_, all := filled(objects)
	f := &feed{page: Page[object]{Items: all, ResourceVersion: "1"}, events: make(chan []Event[object], 16)}
	s := NewSharedIndexInformer(Config[object]{ListerWatcher: f, Resource: widgets, Indexers: Indexers[object]{"node": byNode}, DisableStreamingList: true, WatchErrorHandler: quiet})
	var heard sync.WaitGroup
	heard.Add(handlers)
	for range handlers {
		left := b.N
		if _, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{UpdateFunc: func(_, _ object) {
			if left--; left == 0 {
				heard.Done()
			}
		}}); err != nil {
			b.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(b.Context())
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	if err := WaitForCacheSync(ctx, s); err != nil {
		b.Fatal(err)
	}
	batches := make([][]Event[object], 0, objects/size+1)
	for i := 0; i < objects; i += size {
		var batch []Event[object]
		for j := i; j < i+size; j++ {
			batch = append(batch, Event[object]{Type: watch.Modified, Object: all[j%objects], ResourceVersion: "2"})
		}
		batches = append(batches, batch)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for sent := 0; sent < b.N; {
		for _, batch := range batches {
			batch = batch[:min(len(batch), b.N-sent)]
			if sent += len(batch); len(batch) == 0 {
				break
			}
			f.events <- batch
		}
	}
	heard.Wait()
	b.StopTimer()
	cancel()
	running.Wait()
}
