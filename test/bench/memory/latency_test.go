package memory

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/typedinformers/informer-gen/test/bench/meter"
)

// BenchmarkLoneEvent measures how long an event takes that comes alone, also while a reader lists all objects.
func BenchmarkLoneEvent(b *testing.B) {
	for _, listing := range []bool{false, true} {
		b.Run(map[bool]string{false: "quiet", true: "listing"}[listing], func(b *testing.B) {
			eachSide(b, func(b *testing.B, m *measurement) {
				r := m.start(b, channelSize, usual, 1)
				defer r.stop()
				var reader sync.WaitGroup
				ctx, cancel := context.WithCancel(context.Background())
				if listing {
					reader.Go(func() { listOften(ctx, b, r, time.Duration(len(m.work.pods))*100*time.Nanosecond) })
				}
				delays := m.delays(b, r)
				cancel()
				reader.Wait()
				for _, percentile := range []float64{50, 99, 99.9} {
					b.ReportMetric(float64(meter.Percentile(delays, percentile)), fmt.Sprintf("p%v-ns/event", percentile))
				}
				b.ReportMetric(float64(delays[len(delays)-1]), "max-ns/event")
				b.ReportMetric(0, "ns/op")
			})
		})
	}
}

// listOften lists all objects at most once in an interval, until ctx ends.
func listOften(ctx context.Context, b *testing.B, r *running, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for ctx.Err() == nil {
		if _, err := r.listAll(); err != nil {
			b.Error(err)
			return
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
	}
}

// delays sends events, each half a millisecond after the last one was received. It returns how long it took until each was
// received, the shortest time first.
func (m *measurement) delays(b *testing.B, r *running) (delays []time.Duration) {
	pause := time.NewTicker(500 * time.Microsecond)
	defer pause.Stop()
	for b.Loop() {
		events := m.work.next(manyEvents/50, len(m.work.pods))
		runtime.GC()
		for _, event := range events {
			pause.Reset(500 * time.Microsecond)
			<-pause.C
			r.counters.Expect(1)
			began := time.Now()
			r.source.events <- event
			delays = append(delays, r.await(b, meter.Counts{Updates: 1}).Sub(began))
		}
	}
	slices.Sort(delays)
	return delays
}
