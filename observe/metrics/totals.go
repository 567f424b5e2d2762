package informermetrics

import (
	"math"
	"slices"

	dto "github.com/prometheus/client_model/go"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// totals are the counters and histograms that several informers had together in the last scrape, of
// each of metrics. If one of them goes, their sum falls to that of the others, and Prometheus would
// take all of that for an increase. So what it has counted is kept as long as there are others. An
// informer that shares its labels with no one needs no totals, which are nil then.
type totals [][]total

// total is one series.
type total struct {
	labels []string // the values of metric.labels
	// sent is the value of the last scrape. missing is its part that no present informer has.
	sent, missing value
}

// keep raises the series of m to those of the last scrape, and returns the totals of this one.
func (m *merged) keep(last totals) totals {
	if m.informers < 2 && last == nil {
		return nil
	}
	now, isNeeded := make(totals, len(metrics)), m.informers > 1
	for i := range metrics {
		if metrics[i].kind == dto.MetricType_GAUGE {
			continue
		}
		for p := range m.points[i] {
			point := &m.points[i][p]
			next := total{labels: valuesOf(point.own), sent: point.value.copied()}
			if before := last.of(i, p, next.labels); before != nil {
				next.sent, next.missing = point.value.atLeast(before)
				isNeeded = isNeeded || next.missing.number > 0 || next.missing.durations != nil
			}
			point.value = next.sent
			now[i] = append(now[i], next)
		}
	}
	if !isNeeded {
		return nil
	}
	return now
}

// of returns the total of metrics[i] with these labels, or nil. It is probably at p.
func (t totals) of(i, p int, labels []string) *total {
	if t == nil {
		return nil
	}
	is := func(known total) bool { return slices.Equal(known.labels, labels) }
	if p >= len(t[i]) || !is(t[i][p]) {
		p = slices.IndexFunc(t[i], is)
	}
	if p < 0 {
		return nil
	}
	return &t[i][p]
}

func valuesOf(pairs []*dto.LabelPair) (values []string) {
	for _, pair := range pairs {
		values = append(values, pair.GetValue())
	}
	return values
}

// copied returns v without a pointer into the status of an informer.
func (v value) copied() value {
	if v.durations != nil {
		durations := *v.durations
		v.durations = &durations
	}
	return v
}

// atLeast returns the value of a series that has v now and must not fall, and the part of it that is
// not in v.
func (v value) atLeast(before *total) (sent, missing value) {
	if v.durations == nil {
		sent.number = max(v.number+before.missing.number, before.sent.number)
		missing.number = sent.number - v.number
		return sent, missing
	}
	gone, all, rest := before.missing.durations, *v.durations, status.Histogram{}
	if gone == nil {
		gone = &status.Histogram{}
	}
	for i, count := range v.durations.Counts {
		all.Counts[i] = max(count+gone.Counts[i], before.sent.durations.Counts[i])
		rest.Counts[i] = all.Counts[i] - count
	}
	if all.Sum += gone.Sum; all.Sum < 0 {
		all.Sum = math.MaxInt64
	}
	all.Sum = max(all.Sum, before.sent.durations.Sum)
	if rest.Sum = all.Sum - v.durations.Sum; rest != (status.Histogram{}) {
		missing.durations = &rest
	}
	sent.durations = &all
	return sent, missing
}
