package informermetrics

import (
	"maps"
	"slices"
	"strconv"

	dto "github.com/prometheus/client_model/go"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// metric describes one metric, and reads its values.
type metric struct {
	name, help string
	// labels are those after the labels of the informer.
	labels []string
	kind   dto.MetricType
	// buckets are the buckets of a histogram.
	buckets buckets
	// merge returns the number of two informers or handlers with the same labels.
	merge func(a, b float64) float64
	read  func(status *status.Informer, put put)
}

// put is called with each value, and the values of metric.labels.
type put func(v value, labels ...string)

func gauge(name, help string, merge func(a, b float64) float64, read func(*status.Informer) value) metric {
	return metric{name: name, help: help, kind: dto.MetricType_GAUGE, merge: merge, read: one(read)}
}

func counter(name, help string, read func(*status.Stats) uint64) metric {
	return metric{name: name, help: help, kind: dto.MetricType_COUNTER, merge: sum,
		read: one(func(s *status.Informer) value { return number(read(&s.Stats)) })}
}

func histogram(name, help string, buckets buckets, read func(*status.Stats) *status.Histogram) metric {
	return metric{name: name, help: help, kind: dto.MetricType_HISTOGRAM, buckets: buckets,
		read: one(func(s *status.Informer) value { return value{durations: read(&s.Stats)} })}
}

// one reads the only value of an informer.
func one(read func(*status.Informer) value) func(*status.Informer, put) {
	return func(s *status.Informer, put put) { put(read(s)) }
}

var phases = []status.Phase{status.Pending, status.Listing, status.Watching, status.Degraded, status.Stopped}

// metrics are all metrics. docs/observability-reference.md has the same table.
var metrics = append([]metric{
	{
		name:   "informer_phase",
		help:   "Number of informers in each phase.",
		labels: []string{"phase"},
		kind:   dto.MetricType_GAUGE, merge: sum,
		read: func(s *status.Informer, put put) {
			for _, phase := range phases {
				put(truth(s.Status.Phase == phase), string(phase))
			}
		},
	},
	{
		name:   "informer_phase_timestamp_seconds",
		help:   "Unix time at which the informer entered its phase; of several informers in a phase, the earliest.",
		labels: []string{"phase"},
		kind:   dto.MetricType_GAUGE, merge: smallest,
		read: func(s *status.Informer, put put) {
			if since := s.Status.Since; !since.IsZero() {
				put(number(float64(since.UnixMilli())/1000), string(s.Status.Phase))
			}
		},
	},
	{
		name:   "informer_failing",
		help:   "Number of informers that have an error now, by its reason; there is a series only while there is one.",
		labels: []string{"reason"},
		kind:   dto.MetricType_GAUGE, merge: sum,
		read: readFailing,
	},
	gauge("informer_synced", "Whether the cache holds the first list (1) or not (0); 1 if all informers are synced.",
		smallest, func(s *status.Informer) value { return truth(s.Stats.Synced) }),
	{
		name: "informer_staleness_seconds",
		help: "Time since the server last sent a list, an event or a bookmark, or since the oldest change arrived that is not in the cache yet; from the first list until the informer is stopped.",
		kind: dto.MetricType_GAUGE, merge: largest,
		read: func(s *status.Informer, put put) {
			if s.Stats.Synced && s.Status.Phase != status.Stopped {
				put(seconds(s.Stats.Staleness))
			}
		},
	},
	gauge("informer_not_following_seconds", "Time since the informer, or one of its namespaces, last followed the server; 0 while all do.",
		largest, func(s *status.Informer) value { return seconds(s.Stats.NotFollowing) }),
	{
		name: "informer_store_resource_version",
		help: "The 15 least significant digits of the resourceVersion that was last read; of several namespaces, the earliest.",
		kind: dto.MetricType_GAUGE, merge: smallest,
		read: func(s *status.Informer, put put) {
			if version, ok := lastDigits(s.Status.ResourceVersion); ok {
				put(number(version))
			}
		},
	},
	gauge("informer_objects", "Number of objects in the cache.",
		sum, func(s *status.Informer) value { return number(s.Status.Objects) }),
	gauge("informer_object_bytes", "Estimate of the memory that the cached objects take.",
		sum, func(s *status.Informer) value { return number(s.Stats.ObjectBytes) }),
	gauge("informer_undecodable_objects", "Number of objects whose state on the server cannot be decoded, and was skipped.",
		sum, func(s *status.Informer) value { return number(len(s.Status.Undecodable)) }),
	gauge("informer_pending_writes", "Number of writes of this program that the cache shows and the watch has not confirmed.",
		sum, func(s *status.Informer) value { return number(s.Status.PendingWrites) }),
	counter("informer_read_bytes_total", "Bytes of responses that were read, without compression.",
		func(s *status.Stats) uint64 { return uint64(max(s.BytesRead, 0)) }),
	{
		name:   "informer_events_total",
		help:   "Events of watches: added, updated, deleted, or bookmark. Initial events of a streaming list are not counted.",
		labels: []string{"type"},
		kind:   dto.MetricType_COUNTER, merge: sum,
		read: func(s *status.Informer, put put) {
			put(number(s.Stats.Added), "added")
			put(number(s.Stats.Updated), "updated")
			put(number(s.Stats.Deleted), "deleted")
			put(number(s.Stats.Bookmarks), "bookmark")
		},
	},
	counter("informer_dropped_total", "Objects of lists, and events of watches, that the server has sent although no scope selects them; they were left out before they were decoded.",
		func(s *status.Stats) uint64 { return s.Dropped }),
	counter("informer_lists_total", "Lists that were read to their end, streamed or not.",
		func(s *status.Stats) uint64 { return s.Lists }),
	{
		name:   "informer_relists_total",
		help:   "Lists after the first one, by the cause; there is a series for each cause that has occurred.",
		labels: []string{"cause"},
		kind:   dto.MetricType_COUNTER, merge: sum,
		read: func(s *status.Informer, put put) {
			for _, cause := range slices.Sorted(maps.Keys(s.Stats.Relists)) {
				put(number(s.Stats.Relists[cause]), string(cause))
			}
		},
	},
	{
		name:   "informer_request_failures_total",
		help:   "Requests that failed, by verb and reason; there is a series for each that has occurred.",
		labels: []string{"verb", "reason"},
		kind:   dto.MetricType_COUNTER, merge: sum,
		read: func(s *status.Informer, put put) {
			for _, failed := range s.Stats.Failures {
				put(number(failed.Count), failed.Verb, string(failed.Reason))
			}
		},
	},
	{
		name: "informer_live_reads_total",
		help: "Objects that were read from the server because the cache did not know them; there is a series if there were any.",
		kind: dto.MetricType_COUNTER, merge: sum,
		read: func(s *status.Informer, put put) {
			if n := s.Stats.LiveReads; n > 0 {
				put(number(n))
			}
		},
	},
	counter("informer_decode_failures_total", "States of objects that could not be decoded.",
		func(s *status.Stats) uint64 { return s.DecodeFailures }),
	{
		name:   "informer_decoder_checks_total",
		help:   "Objects that were also decoded by apimachinery's serializers, by whether the results are equal; there are series only with WithDecoderCheck.",
		labels: []string{"result"},
		kind:   dto.MetricType_COUNTER, merge: sum,
		read: func(s *status.Informer, put put) {
			if checked := s.Stats.DecoderChecks; checked > 0 {
				put(number(checked-s.Stats.DecoderDifferences), "equal")
				put(number(s.Stats.DecoderDifferences), "different")
			}
		},
	},
	gauge("informer_queued_items", "Number of changes that were read and are not in the cache yet.",
		sum, func(s *status.Informer) value { return number(s.Stats.Queued) }),
	histogram("informer_processing_latency_seconds", "Time that a batch of changes took to be stored in the cache and passed to the queues of the handlers.",
		clientGoBuckets, func(s *status.Stats) *status.Histogram { return &s.Processing }),
	histogram("informer_cache_latency_seconds", "Time from the receipt of a change to its being in the cache.",
		allBuckets, func(s *status.Stats) *status.Histogram { return &s.ToCache }),
	{
		name:   "informer_index_values",
		help:   "Number of values of an index that have objects.",
		labels: []string{"index"},
		kind:   dto.MetricType_GAUGE, merge: sum,
		read: func(s *status.Informer, put put) {
			for _, index := range s.Stats.Indexes {
				put(number(index.Values), index.Name)
			}
		},
	},
}, handlerMetrics...)

// readFailing counts an informer once for each reason that it, or one of its namespaces, has now.
func readFailing(s *status.Informer, put put) {
	seen := map[status.Reason]bool{"": true}
	report := func(reason status.Reason) {
		if !seen[reason] {
			seen[reason] = true
			put(number(1), string(reason))
		}
	}
	report(s.Status.Reason)
	for i := range s.Status.Scopes {
		report(s.Status.Scopes[i].Status.Reason)
	}
}

// lastDigits returns the last 15 digits of a version, as client-go does. A float64 has them all.
// A version of another server than Kubernetes may be something else than a number.
func lastDigits(version string) (int64, bool) {
	for _, c := range []byte(version) {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	digits, err := strconv.ParseInt(version[max(len(version)-15, 0):], 10, 64)
	return digits, err == nil
}
