package informermetrics

import (
	"math"
	"slices"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// merged are the series of informers with the same labels.
type merged struct {
	informers int
	pairs     []*dto.LabelPair   // the labels of the informers
	values    map[string]bounded // of each other label
	points    [][]point          // of each of metrics
}

func newMerged(pairs []*dto.LabelPair) *merged {
	return &merged{pairs: pairs, values: map[string]bounded{}, points: make([][]point, len(metrics))}
}

// point is the value of one series.
type point struct {
	own   []*dto.LabelPair // the labels in metric.labels
	pairs []*dto.LabelPair // all labels, sorted
	value value
}

// value is a number, or a histogram of durations.
type value struct {
	number    float64
	durations *status.Histogram
}

func number[N ~int | ~int64 | ~uint64 | ~float64](n N) value { return value{number: float64(n)} }

func seconds(d time.Duration) value { return value{number: d.Seconds()} }

func truth(is bool) value {
	if is {
		return value{number: 1}
	}
	return value{}
}

// add adds the values of an informer.
func (m *merged) add(status *status.Informer) {
	m.informers++
	for i := range metrics {
		metrics[i].read(status, func(v value, labels ...string) { m.put(i, v, labels) })
	}
}

// put merges a value into the series of metrics[i] that has labels.
func (m *merged) put(i int, v value, labels []string) {
	own := make([]*dto.LabelPair, 0, 2) // no metric has more
	for l, label := range labels {
		own = append(own, m.bounded(metrics[i].labels[l], label))
	}
	for p := range m.points[i] {
		if known := &m.points[i][p]; slices.Equal(known.own, own) {
			known.value = known.value.merge(v, metrics[i].merge)
			return
		}
	}
	p := point{pairs: m.pairs, value: v}
	if len(own) > 0 {
		p.own, p.pairs = slices.Clone(own), sortedPairs(slices.Concat(m.pairs, own))
	}
	m.points[i] = append(m.points[i], p)
}

// bounded returns the pair of a label. Equal pairs are the same one.
func (m *merged) bounded(name, label string) *dto.LabelPair {
	known := m.values[name]
	if known == nil {
		known = bounded{}
		m.values[name] = known
	}
	return known.of(name, label)
}

// merge returns the value of two series as one.
func (v value) merge(with value, merge func(a, b float64) float64) value {
	if v.durations == nil {
		return value{number: merge(v.number, with.number)}
	}
	both := *v.durations
	for i, count := range with.durations.Counts {
		both.Counts[i] += count
	}
	if both.Sum += with.durations.Sum; both.Sum < 0 { // more than 292 years
		both.Sum = math.MaxInt64
	}
	return value{durations: &both}
}

func sum(a, b float64) float64 { return a + b }

func smallest(a, b float64) float64 { return min(a, b) }

func largest(a, b float64) float64 { return max(a, b) }
