// Package memory measures the two runtimes without a network: both sides get the same
// prepared objects from the same source in memory, and do the same work. One process
// measures one side.
//
//	workload ──▶ source ──▶ informer of a side ──▶ counters
//	(objects,     (list,          │
//	 updates)     watch)          └──▶ reads
//
// The rows are in heap.go, events.go, reads.go and latency.go. Only ours.go and theirs.go
// differ between the sides. What queries return is digested, so that the benchmark can
// check that both sides read the same.
//
// What the rows mean:
//
//   - The objects are the same pods. They exist before the measurement, in the order in which an
//     API server lists them. Both sides store the same Go values. A namespace has 1,000 of them
//     and a node has 200, for any number of objects. Each side runs in its own processes, and the
//     two sides take turns.
//   - The source of both sides is a typed client. It returns a PodList with the items in one
//     array, of which both sides copy each item, and a watch.Interface, whose channel has a buffer
//     of 1,024 events. In the row "over a channel without room" it has no buffer, like that of
//     client-go's REST client, so both sides wait for each event.
//   - Indexes: the two indexes are by namespace and by node. Our cache always has the index by
//     namespace. So in the rows "0 indexes" it has one index, and client-go has none. The one
//     allocation per event is that of the index function, which returns a slice.
//   - Events are updates, as fast as the informer takes them, until each handler has received the
//     last one. They change no value of an index. They are for 1,000 objects from all parts of the
//     collection, one after the other. In the rows "all objects in turn" they are for all objects.
//     These rows mostly wait for memory, because the objects are not in the cache of the
//     processor. In the row "deletes and adds by turns" each event changes every index.
//   - Lister.Get gets the same 1,000 objects, or all objects in turn, and reads their names. The
//     figure is the time of all processors together, divided by the number of calls. "Beside
//     20,000 events/s" has a writer, and a reader for each other processor. The writer sends 20
//     events each millisecond, if the handler has received the ones before. The row has the time
//     of one reader's call. The row "time per event that came" has the average time between two
//     events, which is 50 µs if the informer keeps up.
//   - Cache's own memory is the growth of the heap when a cache with two indexes is filled with
//     objects that already exist. What the cache adds to a garbage collection is the CPU time of a
//     collection with the cache, less that of one without the cache. These objects have only a
//     name, a namespace and a node, because the collector's work for whole pods would hide its
//     work for the cache. A difference below 10 ns per object cannot be measured. The row shows
//     such a difference as 10 ns per object, and is empty for 10,000 objects.
//   - A lone event is sent half a millisecond after the handler has received the one before. The
//     row "while all are listed" has a reader that lists all objects again and again, at most once
//     in 100 ns times the number of objects, such as 10 ms for 100,000. p100 is the longest delay.
//     The next event waits for the one before, so a long delay counts only once.
//   - Checks: each handler has to receive each event, and each query has to return the expected
//     number of objects. After the events, the benchmark reads each cache through every index. It
//     compares the result with the sent objects, including their versions, and with the other
//     side.
package memory

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// Options are what one process measures.
type Options struct {
	// Side is report.Ours or report.Theirs.
	Side    string
	Objects int
	// Rounds is how often work is repeated that has no loop of its own. The median counts.
	Rounds int
	// Events is how many one handler receives in a round.
	Events int
	// BenchTime is how long each query is repeated.
	BenchTime time.Duration
	// Profile is the prefix of CPU profiles, one a row; none are written if it is empty.
	Profile string
}

// minEvents leave some for each of 64 handlers, and for each percentile.
const minEvents = 1000

// measurement is one process.
type measurement struct {
	Options
	side   side
	work   *workload
	result *report.Report
}

// Run measures all rows of one side.
func Run(ctx context.Context, o Options) (*report.Report, error) {
	m, err := newMeasurement(o)
	if err != nil {
		return nil, err
	}
	if err := m.heap(); err != nil { // first, while the heap is empty
		return nil, err
	}
	if err := m.idle(ctx); err != nil {
		return nil, err
	}
	m.work = newWorkload(o.Objects)
	for _, rows := range []func(context.Context) error{m.syncs, m.typicalInformer, m.deletesAndAdds, m.otherEvents} {
		if err := rows(ctx); err != nil {
			return nil, err
		}
	}
	runtime.KeepAlive(m.work)
	return m.result, nil
}

func newMeasurement(o Options) (*measurement, error) {
	side, ok := sides[o.Side]
	if !ok {
		return nil, fmt.Errorf("there is no side %q", o.Side)
	}
	if o.Objects < onNode || o.Rounds < 1 || o.Events < minEvents {
		return nil, fmt.Errorf("%d objects, %d rounds and %d events are too few", o.Objects, o.Rounds, o.Events)
	}
	return &measurement{Options: o, side: side, result: &report.Report{Contents: map[string]string{}}}, nil
}

// add reports a figure.
func (m *measurement) add(row, unit string, value float64) {
	m.result.Figures = append(m.result.Figures, report.Figure{Row: row, Unit: unit, Value: value})
}

// cost is that of some work on count objects or events.
type cost struct {
	wall        time.Duration
	allocations float64
	count       int
}

func (c cost) milliseconds() float64 { return c.wall.Seconds() * 1e3 }

func (c cost) nanosecondsEach() float64 { return float64(c.wall.Nanoseconds()) / float64(c.count) }

func (c cost) allocationsEach() float64 { return c.allocations / float64(c.count) }

// measure does some work, which returns when it ended.
func (m *measurement) measure(row string, count int, work func() (time.Time, error)) (cost, error) {
	runtime.GC()
	stop, err := meter.Profile(m.Profile, row)
	if err != nil {
		return cost{}, err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	ended, err := work()
	runtime.ReadMemStats(&after)
	stop()
	return cost{ended.Sub(began), float64(after.Mallocs - before.Mallocs), count}, err
}

// running is an informer that has its first list.
type running struct {
	*informer
	source   *source
	counters meter.Counters
	cancel   context.CancelFunc
	ended    sync.WaitGroup
}

// stop returns when the informer has ended.
func (r *running) stop() {
	r.cancel()
	r.ended.Wait()
}

// start runs an informer, and returns when all handlers have received the first list. It
// measures that.
func (m *measurement) start(ctx context.Context, row string, room, indexes, handlers int) (*running, cost, error) {
	r := &running{source: newSource(room, m.work), counters: meter.NewCounters(handlers)}
	var err error
	if r.informer, err = m.side.newInformer(r.source, indexes, r.counters); err != nil {
		return nil, cost{}, err
	}
	r.counters.Expect(m.Objects)
	running, cancel := context.WithCancel(ctx)
	r.cancel = cancel
	took, err := m.measure(row, m.Objects, func() (time.Time, error) {
		r.ended.Go(func() { r.run(running) })
		return r.counters.Await(ctx)
	})
	if err == nil {
		err = r.counters.Check(meter.Counts{Adds: m.Objects})
	}
	if err != nil {
		r.stop()
		return nil, cost{}, err
	}
	return r, took, nil
}

// withInformer measures some work of a new informer.
func (m *measurement) withInformer(ctx context.Context, room, indexes, handlers int, rows func(*running) error) error {
	m.work.reset()
	r, _, err := m.start(ctx, "sync", room, indexes, handlers)
	if err != nil {
		return err
	}
	defer r.stop()
	return rows(r)
}

// median is that of a figure of some samples.
func median[E any](samples []E, figure func(E) float64) float64 {
	var values []float64
	for _, sample := range samples {
		values = append(values, figure(sample))
	}
	return report.Median(values)
}
