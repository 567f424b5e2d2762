package memory

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// Options are what one process measures.
type Options struct {
	// Side is report.Ours or report.Theirs.
	Side    string
	Objects int
	// Rounds are for rows that are measured once a round; the median is reported.
	Rounds int
	// Events are how many go to one handler in a round, and BenchTime is how long
	// each query is repeated.
	Events    int
	BenchTime time.Duration
	// Profile is how the names of CPU profiles begin, one a row; none are written if
	// it is empty.
	Profile string
}

// minEvents leave some for each of 64 handlers, and for each percentile.
const minEvents = 1000

// measurement is one process.
type measurement struct {
	Options
	side   side
	work   *workload
	result *report.Memory
}

// Run measures all rows of one side.
func Run(ctx context.Context, o Options) (*report.Memory, error) {
	m := &measurement{Options: o, result: &report.Memory{Contents: map[string]string{}}}
	switch o.Side {
	case report.Ours:
		m.side = ours{}
	case report.Theirs:
		m.side = theirs{}
	default:
		return nil, fmt.Errorf("there is no side %q", o.Side)
	}
	if o.Objects < onNode || o.Rounds < 1 || o.Events < minEvents {
		return nil, fmt.Errorf("%d objects, %d rounds and %d events are too few", o.Objects, o.Rounds, o.Events)
	}
	if err := m.heap(); err != nil { // while there is nothing else
		return nil, err
	}
	if err := m.idle(ctx); err != nil {
		return nil, err
	}
	m.work = newWorkload(o.Objects)
	for _, rows := range []func(context.Context) error{m.first, m.typicalInformer, m.sources, m.handlers, m.indexes} {
		if err := rows(ctx); err != nil {
			return nil, err
		}
	}
	runtime.KeepAlive(m.work)
	return m.result, nil
}

// add reports a figure.
func (m *measurement) add(row, unit string, value float64) {
	m.result.Figures = append(m.result.Figures, report.Figure{Row: row, Unit: unit, Value: value})
}

// addOwn reports a figure of ours that is compared with another row of the peer.
func (m *measurement) addOwn(row, peer, unit string, value float64) {
	m.result.Figures = append(m.result.Figures, report.Figure{Row: row, Peer: peer, Unit: unit, Value: value})
}

// cost is what a piece of work took.
type cost struct {
	wall        time.Duration
	allocations float64
}

// measure begins a piece of work, which returns when it ended.
func (m *measurement) measure(row string, work func() (time.Time, error)) (cost, error) {
	runtime.GC()
	stop, err := m.profile(row)
	if err != nil {
		return cost{}, err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	ended, err := work()
	runtime.ReadMemStats(&after)
	stop()
	return cost{ended.Sub(began), float64(after.Mallocs - before.Mallocs)}, err
}

func (m *measurement) profile(row string) (stop func(), err error) {
	if m.Profile == "" {
		return func() {}, nil
	}
	name := strings.Map(func(r rune) rune {
		if r == ' ' || r == '/' {
			return '-'
		}
		return r
	}, row)
	file, err := os.Create(m.Profile + name + ".pprof")
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		file.Close()
	}, nil
}

// running is an informer that has read its first list.
type running struct {
	instance
	source   *source
	counters []*counter
	cancel   context.CancelFunc
	ended    sync.WaitGroup
}

// stop returns when the informer has ended.
func (r *running) stop() {
	r.cancel()
	r.ended.Wait()
}

// start runs an informer, and returns when all of its handlers have heard the first
// list. It measures that.
func (m *measurement) start(ctx context.Context, kind sourceKind, indexes, handlers int) (*running, cost, error) {
	r := &running{source: newSource(kind, m.work), counters: newCounters(handlers)}
	var err error
	if r.instance, err = m.side.informer(r.source, indexes, r.counters); err != nil {
		return nil, cost{}, err
	}
	expect(r.counters, m.Objects)
	running, cancel := context.WithCancel(ctx)
	r.cancel = cancel
	took, err := m.measure(fmt.Sprintf("sync %d %d %d", kind, indexes, handlers), func() (time.Time, error) {
		r.ended.Go(func() { r.run(running) })
		return await(ctx, r.counters)
	})
	if err == nil {
		err = check(r.counters, m.Objects, 0, 0)
	}
	if err != nil {
		r.stop()
		return nil, cost{}, err
	}
	return r, took, nil
}

// median of the rounds.
func median[E any](samples []E, figure func(E) float64) float64 {
	var values []float64
	for _, sample := range samples {
		values = append(values, figure(sample))
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // of this process, it cannot fail
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
