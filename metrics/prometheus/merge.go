package informermetrics

import (
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// reading has the series of all informers at the time of a scrape.
type reading struct {
	informers map[labels]*merged
	order     []labels
}

// add adds the values of an informer to those of others with the same labels.
func (r *reading) add(key labels, status *cache.InformerStatus) {
	into := r.informers[key]
	if into == nil {
		into = &merged{points: make([][]point, len(metrics)), values: map[string]bounded{}}
		r.informers[key], r.order = into, append(r.order, key)
	}
	for i := range metrics {
		m := &metrics[i]
		m.read(status, func(v value, labels ...string) { into.put(i, v, labels) })
	}
}

// merged are the series of informers with the same labels.
type merged struct {
	points [][]point // of each of metrics
	values map[string]bounded
}

// point is the value of one series.
type point struct {
	labels []string // the values of metric.labels
	value  value
}

// value is a number, or a histogram of durations with the upper bounds.
type value struct {
	number    float64
	durations cache.Histogram
	bounds    []time.Duration
}

func number[N ~int | ~int64 | ~uint64 | ~float64](n N) value { return value{number: float64(n)} }

func seconds(d time.Duration) value { return value{number: d.Seconds()} }

func truth(is bool) value {
	if is {
		return value{number: 1}
	}
	return value{}
}

// put merges a value into the series of metrics[i] that has labels.
func (m *merged) put(i int, v value, labels []string) {
	for l := range labels {
		name := metrics[i].labels[l]
		if m.values[name] == nil {
			m.values[name] = bounded{}
		}
		labels[l] = m.values[name].of(labels[l])
	}
	for p := range m.points[i] {
		if known := &m.points[i][p]; slices.Equal(known.labels, labels) {
			known.value = known.value.merge(v, metrics[i].merge)
			return
		}
	}
	m.points[i] = append(m.points[i], point{labels, v})
}

// merge returns the value of two series as one.
func (v value) merge(with value, merge func(a, b float64) float64) value {
	if v.bounds == nil {
		v.number = merge(v.number, with.number)
		return v
	}
	for i, count := range with.durations.Counts {
		v.durations.Counts[i] += count
	}
	v.durations.Sum += with.durations.Sum
	return v
}

func sum(a, b float64) float64 { return a + b }

func smallest(a, b float64) float64 { return min(a, b) }

func largest(a, b float64) float64 { return max(a, b) }

// allBounds are the upper bounds of the durations that informers count.
var allBounds = cache.HistogramBounds()

// metric returns the series with the values of all of its labels.
func (p *point) metric(desc *prometheus.Desc, kind prometheus.ValueType, labels []string) prometheus.Metric {
	if p.value.bounds == nil {
		return prometheus.MustNewConstMetric(desc, kind, p.value.number, labels...)
	}
	buckets := make(map[float64]uint64, len(p.value.bounds))
	count := uint64(0)
	for i, n := range p.value.durations.Counts {
		count += n
		if i < len(allBounds) && slices.Contains(p.value.bounds, allBounds[i]) {
			buckets[allBounds[i].Seconds()] = count
		}
	}
	return prometheus.MustNewConstHistogram(desc, count, p.value.durations.Sum.Seconds(), buckets, labels...)
}
