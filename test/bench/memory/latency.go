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
)

// typicalInformer measures what is asked of an informer with two indexes and one
// handler, one after the other.
func (m *measurement) typicalInformer(ctx context.Context) error {
	r, _, err := m.start(ctx, m.ownSource(), usual, 1)
	if err != nil {
		return err
	}
	defer r.stop()
	// Every informer begins with the first states.
	m.work.reset()
	if err := m.digest("after the first list", r, usual); err != nil {
		return err
	}
	if err := m.reads(r); err != nil {
		return err
	}
	took, err := m.sendAll(ctx, r, rowEvents, updates{m.Events, often})
	if err != nil {
		return err
	}
	m.add(rowEvents, "ns", median(took, sent.each))
	m.add(rowAllocated, "allocs", median(took, sent.allocationsEach))
	const all = rowEvents + ", all objects in turn"
	if took, err = m.sendAll(ctx, r, all, updates{m.Events, m.Objects}); err != nil {
		return err
	}
	m.add(all, "ns", median(took, sent.each))
	if err := m.digest("after updates", r, usual); err != nil {
		return err
	}
	if err := m.lone(ctx, r); err != nil {
		return err
	}
	if err := m.whileListing(ctx, r); err != nil {
		return err
	}
	return m.getWhileWriting(ctx, r)
}

// lone measures how long an event takes that comes alone.
func (m *measurement) lone(ctx context.Context, r *running) error {
	delays, err := m.delays(ctx, r, "lone event")
	if err != nil {
		return err
	}
	for _, percentile := range []float64{50, 99, 99.9} {
		m.add(fmt.Sprintf("a lone event, source to handler: p%v", percentile), "µs", at(delays, percentile))
	}
	return nil
}

// whileListing is the same beside a reader who lists all objects again and again, at
// most once in 100 ns times their number.
func (m *measurement) whileListing(ctx context.Context, r *running) error {
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
	delays, err := m.delays(ctx, r, "lone event while listing")
	cancel()
	reader.Wait()
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	for _, percentile := range []float64{50, 99, 100} {
		m.add(fmt.Sprintf("a lone event while all are listed: p%v", percentile), "µs", at(delays, percentile))
	}
	return nil
}

// delays sends events, each half a millisecond after the one before was heard, and
// returns how long it took until each was heard, the shortest first.
func (m *measurement) delays(ctx context.Context, r *running, row string) ([]time.Duration, error) {
	const interval = 500 * time.Microsecond
	pods := m.work.next(max(minEvents, m.Events/50), m.Objects)
	runtime.GC()
	stop, err := m.profile(row)
	if err != nil {
		return nil, err
	}
	defer stop()
	var delays []time.Duration
	for _, pod := range pods {
		time.Sleep(interval)
		expect(r.counters, 1)
		began := time.Now()
		r.source.watch.events <- modified(pod)
		heard, err := await(ctx, r.counters)
		if err != nil {
			return nil, err
		}
		delays = append(delays, heard.Sub(began))
	}
	slices.Sort(delays)
	return delays, nil
}

// at returns a percentile, in microseconds.
func at(sorted []time.Duration, percentile float64) float64 {
	place := min(int(float64(len(sorted))*percentile/100), len(sorted)-1)
	return float64(sorted[place].Nanoseconds()) / 1e3
}

// getWhileWriting measures readers beside a writer, and how fast the writer came
// through: it sends some events each millisecond, if those before have been heard.
// There are readers for all processors but one: more would keep the writer from it.
func (m *measurement) getWhileWriting(ctx context.Context, r *running) error {
	const everyMillisecond = 20
	writing, cancel := context.WithCancel(ctx)
	var writer sync.WaitGroup
	var failed error
	events := allModified(m.work.next(100_000, m.Objects))
	written, began := 0, time.Now()
	writer.Go(func() {
		ticker := time.NewTicker(time.Millisecond)
		defer ticker.Stop()
		for ; writing.Err() == nil; written += everyMillisecond {
			<-ticker.C
			n := written % len(events)
			expect(r.counters, everyMillisecond)
			for _, event := range events[n : n+everyMillisecond] {
				r.source.watch.events <- event
			}
			if _, failed = await(ctx, r.counters); failed != nil {
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
	others := make(chan error, runtime.GOMAXPROCS(0))
	for range cap(others) - 2 { // besides the one that is measured, and the writer
		go func() { others <- read(func() bool { return writing.Err() == nil }) }()
	}
	get, err := m.benchmark("get while writing", func(b *testing.B) error { return read(b.Loop) })
	took := time.Since(began)
	cancel()
	writer.Wait()
	err = errors.Join(err, failed)
	for range cap(others) - 2 {
		err = errors.Join(err, <-others)
	}
	if err != nil {
		return err
	}
	if written == 0 {
		return errors.New("no event came through beside the reader")
	}
	const row = "Lister.Get, parallel, beside 20,000 events/s"
	m.add(row, "ns", nanoseconds(get)/atOnce)
	m.add(row+": time per event that came", "µs", took.Seconds()*1e6/float64(written))
	return nil
}
