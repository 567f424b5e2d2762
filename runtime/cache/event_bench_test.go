package cache

import (
	"context"
	"fmt"
	"io"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/ownwrites"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// feed is a source in memory: a list, and batches of events that are sent to it. informer reads
// from it.
type feed struct {
	page     cachetest.Page[object]
	events   chan []cachetest.Event[object]
	informer *SharedIndexInformer[object]
}

// feeding is an informer of all. Each of its handlers sends to heard whenever it has got that many
// updates.
type feeding struct {
	all               []object
	node              IndexFunc[object]
	handlers, updates int
	// own is for Config.ReadYourWrites.
	own *ownWritesOf
}

func (f *feed) List(context.Context, metav1.ListOptions) (cachetest.Page[object], error) {
	return f.page, nil
}

func (f *feed) Watch(context.Context, metav1.ListOptions) (cachetest.EventStream[object], error) {
	return f, nil
}

func (f *feed) Next(ctx context.Context, reuse []cachetest.Event[object]) ([]cachetest.Event[object], error) {
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

// startFed runs an informer that gets the events of a feed.
func startFed(tb testing.TB, of feeding) (f *feed, heard chan struct{}, stop func()) {
	f = &feed{page: cachetest.Page[object]{Items: cachetest.ItemsOf(of.all...), ResourceVersion: "1"}, events: make(chan []cachetest.Event[object], 16)}
	s := informerOf(Config[object]{
		ListerWatcher: f, Resource: widgets, Indexers: Indexers[object]{"node": of.node},
		WatchErrorHandler: quiet, ReadYourWrites: of.own,
	})
	f.informer = s
	heard = make(chan struct{}, of.handlers)
	for range of.handlers {
		left := of.updates
		if _, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{UpdateFunc: func(_, _ object) {
			if left--; left == 0 {
				left = of.updates
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
			b.Run(fmt.Sprintf("%d in a batch/%d handlers", size, handlers), func(b *testing.B) {
				benchmarkEvents(b, eventLoad{size: size, handlers: handlers})
			})
		}
	}
}

// BenchmarkEventsWithOwnWrites passes the same to one handler of an informer that reads its own
// writes, with none or some that the watch has not confirmed. BenchmarkEvents is without the option.
func BenchmarkEventsWithOwnWrites(b *testing.B) {
	for _, size := range []int{1, 30} {
		for _, unconfirmed := range []int{0, 1, 1000} {
			b.Run(fmt.Sprintf("%d in a batch/%d unconfirmed", size, unconfirmed), func(b *testing.B) {
				benchmarkEvents(b, eventLoad{size: size, handlers: 1, own: &ownWritesOf{Observer: new(writes.Observer)}, unconfirmed: unconfirmed})
			})
		}
	}
}

// eventLoad is the load of a benchmark of events.
type eventLoad struct {
	size, handlers int
	own            *ownWritesOf
	// unconfirmed are own writes to objects that have no events.
	unconfirmed int
}

func benchmarkEvents(b *testing.B, load eventLoad) {
	const objects = 10_000
	_, all := filled(objects)
	f, heard, stop := startFed(b, feeding{all: all, node: byNode, handlers: load.handlers, updates: b.N, own: load.own})
	defer stop()
	for i := range load.unconfirmed {
		f.write(cachetest.Many(objects+i, 1_000_000, ""))
	}
	batches := make([][]cachetest.Event[object], 0, objects/load.size+1)
	for i := 0; i < objects; i += load.size {
		var batch []cachetest.Event[object]
		for j := i; j < i+load.size; j++ {
			batch = append(batch, cachetest.Event[object]{Type: watch.Modified, Item: cachetest.ItemOf(all[j%objects]), ResourceVersion: "2"})
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
	for range load.handlers {
		<-heard
	}
	b.StopTimer()
	if got := f.informer.Status().PendingWrites; got != load.unconfirmed {
		b.Errorf("%d writes are unconfirmed, want %d", got, load.unconfirmed)
	}
}

// write stores an own write of a version that no event reaches.
func (f *feed) write(obj object) {
	name := listed.Name{Namespace: obj.Namespace, Name: obj.Name}
	inside(f.informer).own.Offer(0, ownwrites.Entry{Name: name, UID: obj.UID, Version: 1_000_000, Item: cachetest.WireItem(obj)})
}
