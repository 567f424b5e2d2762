package informermetrics

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// sample is a prometheus.Metric: one series at the time of a scrape. Those of prometheus allocate
// three times as much, because the series of an informer do not share their labels.
type sample struct {
	desc   *prometheus.Desc
	metric *metric
	point  *point
}

func (s *sample) Desc() *prometheus.Desc { return s.desc }

// Write writes the series.
func (s *sample) Write(out *dto.Metric) error {
	out.Label = s.point.pairs
	v := &s.point.value
	switch s.metric.kind {
	case dto.MetricType_GAUGE:
		out.Gauge = &dto.Gauge{Value: &v.number}
	case dto.MetricType_COUNTER:
		out.Counter = &dto.Counter{Value: &v.number}
	case dto.MetricType_HISTOGRAM:
		out.Histogram = histogramOf(v.durations, s.metric.buckets)
	default:
		return fmt.Errorf("%s has the type %v, which is not written", s.metric.name, s.metric.kind)
	}
	return nil
}

// buckets is a range of the upper bounds of status.Histogram.
type buckets struct{ first, end int }

var (
	allBuckets = buckets{0, len(bounds)}
	// clientGoBuckets are the buckets of client-go for informer_processing_latency_seconds, so that a sum
	// over informers of both is right.
	clientGoBuckets = buckets{1, 13}

	bounds = inSeconds(new(status.Histogram).Bounds())
)

func inSeconds(durations []time.Duration) (seconds []float64) {
	for _, d := range durations {
		seconds = append(seconds, d.Seconds())
	}
	return seconds
}

// histogramOf returns a histogram with some of the buckets of durations.
func histogramOf(durations *status.Histogram, in buckets) *dto.Histogram {
	count, sum := uint64(0), durations.Sum.Seconds()
	values, cumulative := make([]dto.Bucket, in.end-in.first), make([]uint64, in.end-in.first)
	written := &dto.Histogram{SampleSum: &sum, Bucket: make([]*dto.Bucket, 0, len(values))}
	for i, n := range durations.Counts {
		count += n
		if b := i - in.first; b >= 0 && b < len(values) {
			cumulative[b] = count
			values[b].UpperBound, values[b].CumulativeCount = &bounds[i], &cumulative[b]
			written.Bucket = append(written.Bucket, &values[b])
		}
	}
	written.SampleCount = &count
	return written
}
