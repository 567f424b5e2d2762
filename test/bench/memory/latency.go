package memory

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/typedinformers/informer-gen/test/bench/meter"
)

// loneEvents measures how long an event takes that comes alone.
func (m *measurement) loneEvents(ctx context.Context, r *running) error {
	return m.delays(ctx, r, "a lone event, source to handler", 50, 99, 99.9)
}

// loneEventsWhileListing is the same with a reader that lists all objects, at most once
// in 100 ns times their number.
func (m *measurement) loneEventsWhileListing(ctx context.Context, r *running) error {
	listing, cancel := context.WithCancel(ctx)
	var reader sync.WaitGroup
	var failed error
	reader.Go(func() {
		ticker := time.NewTicker(time.Duration(m.Objects) * 100 * time.Nanosecond)
		defer ticker.Stop()
		for listing.Err() == nil && failed == nil {
			_, failed = r.listAll()
			select {
			case <-ticker.C:
			case <-listing.Done():
			}
		}
	})
	err := m.delays(ctx, r, "a lone event while all are listed", 50, 99, 100)
	cancel()
	reader.Wait()
	return errors.Join(err, failed)
}

// delays sends events, each half a millisecond after the last one was received, and
// reports percentiles of the time until each was received.
func (m *measurement) delays(ctx context.Context, r *running, row string, percentiles ...float64) error {
	const interval = 500 * time.Microsecond
	events := m.work.next(max(minEvents, m.Events/50), m.Objects)
	runtime.GC()
	stop, err := meter.Profile(m.Profile, row)
	if err != nil {
		return err
	}
	defer stop()
	var delays []time.Duration
	for _, event := range events {
		time.Sleep(interval)
		r.counters.Expect(1)
		began := time.Now()
		r.source.events <- event
		received, err := r.counters.Await(ctx)
		if err != nil {
			return err
		}
		delays = append(delays, received.Sub(began))
	}
	slices.Sort(delays)
	for _, percentile := range percentiles {
		m.add(fmt.Sprintf("%s: p%v", row, percentile), "µs", at(delays, percentile))
	}
	return nil
}

// at returns a percentile, in microseconds.
func at(sorted []time.Duration, percentile float64) float64 {
	i := min(int(float64(len(sorted))*percentile/100), len(sorted)-1)
	return float64(sorted[i].Nanoseconds()) / 1e3
}

// getsWhileWriting measures readers next to a writer, which sends some events each
// millisecond, if the handler has received the last ones, and how fast events come
// through. There are readers for all processors but one, which is the writer's.
func (m *measurement) getsWhileWriting(ctx context.Context, r *running) error {
	const everyMillisecond = 20
	writing, cancel := context.WithCancel(ctx)
	var writer sync.WaitGroup
	var failed error
	events := m.work.next(100_000, m.Objects)
	written, began := 0, time.Now()
	writer.Go(func() {
		ticker := time.NewTicker(time.Millisecond)
		defer ticker.Stop()
		for ; writing.Err() == nil; written += everyMillisecond {
			<-ticker.C
			n := written % len(events)
			r.counters.Expect(everyMillisecond)
			for _, event := range events[n : n+everyMillisecond] {
				r.source.events <- event
			}
			if _, failed = r.counters.Await(ctx); failed != nil {
				return
			}
		}
	})
	often := m.work.oftenAsked()
	read := func(more func() bool) error {
		for first := 0; more(); first = (first + stride*atOnce) % len(often) {
			if err := r.get(often, first, atOnce); err != nil {
				return err
			}
		}
		return nil
	}
	others := make(chan error)
	count := runtime.GOMAXPROCS(0) - 2 // without the writer and the measured reader
	for range count {
		go func() { others <- read(func() bool { return writing.Err() == nil }) }()
	}
	const row = "Lister.Get, parallel, beside 20,000 events/s"
	get, err := m.benchmark(row, func(b *testing.B) error { return read(b.Loop) })
	took := time.Since(began)
	cancel()
	writer.Wait()
	err = errors.Join(err, failed)
	for range count {
		err = errors.Join(err, <-others)
	}
	if err == nil && written == 0 {
		err = errors.New("no event came through next to the readers")
	}
	if err != nil {
		return err
	}
	m.add(row, "ns", nanoseconds(get)/atOnce)
	m.add(row+": time per event that came", "µs", took.Seconds()*1e6/float64(written))
	return nil
}
