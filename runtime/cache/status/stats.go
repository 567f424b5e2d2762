package status

import (
	"slices"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

// Stats has the counters of an informer since it was made. Reading them costs the reader time, and
// counting costs the informer next to none.
type Stats struct {
	// Synced reports whether the cache holds the first list, of each present scope.
	Synced bool
	// WasSynced reports whether the cache has held the first lists of the scopes that were there when
	// Run began, or of the first ones after cache.WithScopesLater. Unlike Synced, it stays true when
	// scopes are added.
	WasSynced bool
	// Staleness is the time since the server last sent anything that shows how current the cache
	// is: a list, an event or a bookmark. With several namespaces it is that of the one that has
	// been silent for longest. A kube-apiserver sends a bookmark each minute. While changes wait to
	// be stored, it is at least the time since the receipt of the oldest of them. It is 0 before
	// the first list. In a busy collection it may be too large, by the time that a batch of
	// changes waited.
	Staleness time.Duration
	// NotFollowing is the time since the informer, or one of its namespaces, last followed the
	// server. It is 0 while all do, before the start and after the end. Unlike the time since
	// Status.Since, it does not begin again when the phase changes from Degraded to Listing.
	NotFollowing time.Duration
	// BytesRead is the number of bytes of the bodies of lists and watches, as read: after the HTTP
	// client has decompressed them. It is 0 if a ListerWatcher returns the objects.
	BytesRead int64
	// ObjectBytes is an estimate of the memory that the cached objects take, in bytes: the mean of
	// up to 32 of them, times their number. The mean is at most a minute old, or is from when there
	// were more than half and less than twice as many objects. It does not have the memory of the
	// indexes. For packed objects it is exact, and for those of them that stay Go values an estimate.
	ObjectBytes int64
	// Packed has more about packed objects; see cache.WithPacking. It is zero if objects are not packed.
	Packed PackedStats
	// Added, Updated, Deleted and Bookmarks are the numbers of events of watches. The initial
	// events of a streaming list are not counted.
	Added, Updated, Deleted, Bookmarks uint64
	// Dropped is the number of objects of lists, and of events of watches, that the server has sent
	// although they are not in the shard of the informer. A server that knows ShardSelector sends none.
	Dropped uint64
	// Lists is the number of lists that were read to their end, streamed or not.
	Lists uint64
	// Relists has the number of lists after the first one, by the cause: the reason of the failed
	// watch, or Unconfirmed. A list that fails and is retried is one, with its first cause.
	Relists map[Reason]uint64
	// Failures has the numbers of failed requests, sorted by verb and reason: those that the
	// WatchErrorHandler is called with, also of a watch that has to restart. A streaming list is a
	// watch.
	Failures []FailureCount
	// LiveReads is the number of objects that were read from the server because the cache did not know them. Only the cache of
	// module adapters/controllerruntime does so.
	LiveReads uint64
	// DecodeFailures is how often a state of an object could not be decoded, whether it failed a
	// request or was skipped. A state that fails each retry counts each time, and one that is
	// skipped counts once. Status.Undecodable has those that are skipped now.
	DecodeFailures uint64
	// DecoderChecks is the number of objects that cache.WithDecoderCheck has compared, and DecoderDifferences the number of those
	// that apimachinery's serializers decode differently. The log has the fields.
	DecoderChecks, DecoderDifferences uint64
	// Queued is the number of changes that were read and wait to be stored in the cache, without
	// those of the batch that is being stored. A list is one change, for any number of its
	// objects.
	Queued int
	// Processing is the time that a batch of changes took to be stored in the cache and passed to
	// the queues of the handlers, one duration for each batch. It has the time of the index
	// functions.
	Processing Histogram
	// ToCache is the time from the receipt of a change to its being in the cache, one duration for
	// each change. All changes of a batch have that of the first one, so it is never too small. A
	// list is one change here, too: otherwise the objects of the first list would hide the events
	// after it.
	ToCache Histogram
	// Handlers has the registered handlers, in the order in which they were added.
	Handlers []HandlerStats
	// Removed has the sums of the counters of the handlers that were removed: Processed, Merged,
	// Panics and Latency, for each name. Those without a name are together, with an empty one and
	// Unnamed, as are those of further names after 100. So the sums over Handlers and Removed
	// never fall.
	Removed []HandlerStats
	// Indexes has the indexes, the one by namespace first.
	Indexes []IndexStats
}

// FailureCount is the number of requests that failed for one reason.
type FailureCount struct {
	// Verb is "list" or "watch", or "get" for Stats.LiveReads.
	Verb   string
	Reason Reason
	Count  uint64
}

// HandlerStats has the counters of one handler since it was added.
type HandlerStats struct {
	// Name is the name given by cache.WithHandlerName. Without that option it is the Go type, and Unnamed is set.
	Name    string
	Unnamed bool
	// Synced reports whether the handler has returned from the last event of its initial list, of each
	// present scope. WasSynced leaves out scopes that were added later; see Stats.WasSynced.
	Synced, WasSynced bool
	// Backlog is the number of events that wait, with the one in progress.
	Backlog int
	// Processed is the number of calls that have ended. Merged is the number of events that
	// cache.WithBacklogLimit has merged into others, with both of an add and a delete that cancel out.
	Processed, Merged uint64
	// Panics is the number of calls that panicked or called runtime.Goexit. They are among
	// Processed.
	Panics uint64
	// Running is how long the present call has taken; 0 if there is none. Slowest is the longest
	// time of a call, with the present one.
	Running, Slowest time.Duration
	// Latency is the time from the receipt of a change to the return of the handler, one duration
	// for each call. It counts from the receipt of the oldest change of a batch, also of events
	// that were merged, so it is never too small. The objects that were cached when the handler was
	// added, and those of a resync, count from when they were put into its queue. A call counts at
	// its end, so Running shows one that hangs and Latency does not.
	Latency Histogram
}

// PackedStats has the sizes of packed objects.
type PackedStats struct {
	// Bytes is Stats.ObjectBytes, and TextBytes the length of the texts before they were compressed. Dictionaries do not count.
	// Values is the number of objects that stay Go values, because they came without a text of the server: from a ListerWatcher,
	// for example. Bytes has an estimate of their memory.
	Bytes, TextBytes, Values int64
	// Reads is the number of objects that were decoded again, for readers, handlers and index functions.
	Reads uint64
}

// IndexStats is the size of one index.
type IndexStats struct {
	Name string
	// Values is the number of values that have objects.
	Values int
}

// Histogram counts durations.
type Histogram struct {
	// Counts has the number of durations up to each of Bounds and above the one before.
	// The last one, which has no bound, is for longer ones.
	Counts [16]uint64
	// Sum is the sum of all durations.
	Sum time.Duration
}

// Bounds returns the upper bounds of Counts, but for the last one. They are the same for each Histogram.
func (*Histogram) Bounds() []time.Duration { return slices.Clone(stats.Bounds[:]) }

// Count returns the number of durations.
func (h *Histogram) Count() (n uint64) {
	for _, count := range h.Counts {
		n += count
	}
	return n
}

// Quantile returns a duration that the share q of all durations does not exceed: the upper bound of
// their bucket. It is 0 if there are no durations. For those without a bound it is the
// largest bound.
func (h *Histogram) Quantile(q float64) time.Duration {
	total := h.Count()
	if total == 0 {
		return 0
	}
	want, seen := q*float64(total), uint64(0)
	for i, count := range h.Counts {
		if seen += count; float64(seen) >= want && seen > 0 {
			return stats.Bounds[min(i, len(stats.Bounds)-1)]
		}
	}
	return stats.Bounds[len(stats.Bounds)-1]
}
