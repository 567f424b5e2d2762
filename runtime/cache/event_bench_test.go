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

// startFed runs an informer of all that gets the events of a feed. Each of its handlers
// sends to heard whenever it has got that many updates.
func startFed(tb testing.TB, all []object, node IndexFunc[object], handlers, updates int) (f *feed, heard chan struct{}, stop func()) {
	f = &feed{page: Page[object]{Items: itemsOf(all...), ResourceVersion: "1"}, events: make(chan []Event[object], 16)}
	s := NewSharedIndexInformer(Config[object]{ListerWatcher: f, Resource: widgets, Indexers: Indexers[object]{"node": node}, Settings: Settings{WithoutStreamingList: true}, WatchErrorHandler: quiet})
	heard = make(chan struct{}, handlers)
	for range handlers {
		left := updates
		if _, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{UpdateFunc: func(_, _ object) {
			if left--; left == 0 {
				left = updates
				heard <- struct{}{}
			}
		}}); err != nil {
			tb.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(tb.Context())
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	stop = func() {
		cancel()
		running.Wait()
	}
	if err := WaitForCacheSync(ctx, s); err != nil {
		stop()
		tb.Fatal(err)
	}
	return f, heard, stop
}

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
	f, heard, stop := startFed(b, all, byNode, handlers, b.N)
	defer stop()
	batches := make([][]Event[object], 0, objects/size+1)
	for i := 0; i < objects; i += size {
		var batch []Event[object]
		for j := i; j < i+size; j++ {
			batch = append(batch, Event[object]{Type: watch.Modified, Item: itemOf(all[j%objects]), ResourceVersion: "2"})
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
	for range handlers {
		<-heard
	}
	b.StopTimer()
}
