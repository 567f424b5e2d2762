package memory

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/test/bench/meter"
)

// BenchmarkFirstSync measures first lists of new informers.
func BenchmarkFirstSync(b *testing.B) {
	for _, indexes := range []int{0, usual, 8} {
		b.Run(fmt.Sprintf("indexes=%d", indexes), func(b *testing.B) {
			eachSide(b, func(b *testing.B, m *measurement) {
				var r *running
				perEach(b, "object", len(m.work.pods), func() func() {
					if r != nil {
						r.stop()
					}
					return func() { r = m.start(b, channelSize, indexes, 1) }
				})
				r.stop()
			})
		})
	}
}

// BenchmarkEvents measures updates, with other channels, handlers and indexes than the typical informer has.
func BenchmarkEvents(b *testing.B) {
	for _, row := range []struct {
		name                            string
		room, indexes, handlers, events int
		all                             bool
	}{
		{"handlers=1", channelSize, usual, 1, manyEvents, false},
		{"handlers=8", channelSize, usual, 8, manyEvents / 2, false},
		{"handlers=64", channelSize, usual, 64, manyEvents / 8, false},
		{"among=all", channelSize, usual, 1, manyEvents, true},
		{"room=0", 0, usual, 1, manyEvents, false},
		{"indexes=0", channelSize, 0, 1, manyEvents, false},
		{"indexes=8", channelSize, 8, 1, manyEvents, false},
	} {
		b.Run(row.name, func(b *testing.B) {
			eachSide(b, func(b *testing.B, m *measurement) {
				r := m.start(b, row.room, row.indexes, row.handlers)
				defer r.stop()
				among := often
				if row.all {
					among = len(m.work.pods)
				}
				perEach(b, "event", row.events, func() func() {
					events := m.work.next(row.events, among)
					return func() { m.send(b, r, meter.Counts{Updates: row.events}, events) }
				})
				m.check(b, r, row.indexes)
			})
		})
	}
}

// BenchmarkDeletesAndAdds measures events that change all indexes.
func BenchmarkDeletesAndAdds(b *testing.B) {
	eachSide(b, func(b *testing.B, m *measurement) {
		r := m.start(b, channelSize, usual, 1)
		defer r.stop()
		half := manyEvents / 4
		perEach(b, "event", 2*half, func() func() {
			events := m.work.deletesAndAdds(2 * half)
			return func() { m.send(b, r, meter.Counts{Adds: half, Deletes: half}, events) }
		})
		m.check(b, r, usual)
	})
}

// send sends events as fast as the informer reads them, and returns when all handlers have received the last one.
func (m *measurement) send(t testing.TB, r *running, want meter.Counts, events []watch.Event) {
	t.Helper()
	r.counters.Expect(want.Adds + want.Updates + want.Deletes)
	go r.source.send(events) // ends before the last event is received
	r.await(t, want)
}
