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
