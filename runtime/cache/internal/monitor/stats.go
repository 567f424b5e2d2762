package monitor

import (
	"cmp"
	"slices"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/pack"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Stats returns the counters of an informer. It takes no lock that is held while foreign code runs: a handler, a
// hook and an index function may call it, and it waits for none of them.
func (m *Monitor) Stats() status.Stats {
	core := m.core
	all := status.Stats{
		Synced: core.HasSynced(), WasSynced: core.HadSynced(core.Listed()), NotFollowing: m.outages.Lasted(),
		Queued: core.Queue.Len(), Processing: histogramOf(&m.processing), ToCache: histogramOf(&m.toCache),
	}
	m.addTraffic(&all)
	waiting := core.Queue.Waiting() // before now
	now := clock.Now()
	all.Staleness = now.Since(waiting)
	for _, scope := range core.Scopes() {
		all.Staleness = max(all.Staleness, now.Since(scope.Frontier.Heard()))
	}
	m.addObjects(&all, now)
	m.handlers.AddStats(&all, core, now)
	return all
}

func histogramOf(h *stats.Histogram) (read status.Histogram) {
	read.Counts, read.Sum = h.Read()
	return read
}

// addObjects adds the memory of the objects, and the sizes of the indexes.
func (m *Monitor) addObjects(all *status.Stats, now clock.Stamp) {
	x := m.core.Indexer
	for _, index := range x.Sizes() {
		all.Indexes = append(all.Indexes, status.IndexStats(index))
	}
	packing := m.options.Packing
	if packing == nil {
		all.ObjectBytes = m.estimate(now, x.Len(), x.Sample)
		return
	}
	all.Packed = status.PackedStats(packing.Stats())
	if count := int(all.Packed.Values); count > 0 {
		all.Packed.Bytes += m.estimate(now, count, func(n int) []wire.Object { return pack.SampleValues(x.All().Each(), n) })
	}
	all.ObjectBytes = all.Packed.Bytes
}

// sampleSize is the number of objects of which estimate reads the memory.
const sampleSize = 32

// estimate returns an estimate of the memory of count objects, of which sample returns up to n.
func (m *Monitor) estimate(now clock.Stamp, count int, sample func(n int) []wire.Object) int64 {
	return m.size.Bytes(now, count, func(yield func(any) bool) {
		for _, obj := range sample(sampleSize) {
			if !yield(obj) {
				return
			}
		}
	})
}

// ForgetSize makes the next Stats read the objects. It is for benchmarks.
func (m *Monitor) ForgetSize() { m.size = stats.Estimate{} }

// addTraffic adds the traffic of the Reflectors.
func (m *Monitor) addTraffic(all *status.Stats) {
	t := &m.Traffic
	all.BytesRead = t.Bytes.Load()
	all.Added, all.Updated, all.Deleted, all.Bookmarks = t.Added.Load(), t.Updated.Load(), t.Deleted.Load(), t.Bookmarks.Load()
	all.Dropped = t.Dropped.Load()
	all.Lists, all.DecodeFailures = t.Lists.Load(), t.Undecodable.Load()
	if m.check != nil {
		all.DecoderDifferences = m.check.different.Load()
		all.DecoderChecks = all.DecoderDifferences + m.check.equal.Load()
	}
	for cause, count := range t.Relists() {
		if all.Relists == nil {
			all.Relists = map[status.Reason]uint64{}
		}
		all.Relists[status.Reason(cause)] = count
	}
	for failure, count := range t.Failures() {
		all.Failures = append(all.Failures, status.FailureCount{Verb: failure.Verb, Reason: status.Reason(failure.Reason), Count: count})
	}
	slices.SortFunc(all.Failures, func(a, b status.FailureCount) int {
		return cmp.Or(cmp.Compare(a.Verb, b.Verb), cmp.Compare(a.Reason, b.Reason))
	})
}
