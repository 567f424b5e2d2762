package informermetrics

import (
	dto "github.com/prometheus/client_model/go"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// handlerMetrics are the metrics of handlers.
var handlerMetrics = []metric{
	ofHandlers("informer_handler_synced", "Whether the handler has returned from the last event of its initial list (1) or not (0); 1 if all handlers of the name have.",
		dto.MetricType_GAUGE, smallest, func(h *status.HandlerStats) value { return truth(h.Synced) }),
	ofHandlers("informer_handler_backlog", "Number of events that wait for the handler, with the one in progress.",
		dto.MetricType_GAUGE, sum, func(h *status.HandlerStats) value { return number(h.Backlog) }),
	ofHandlers("informer_handler_processed_total", "Calls of the handler that have ended.",
		dto.MetricType_COUNTER, sum, func(h *status.HandlerStats) value { return number(h.Processed) }),
	ofHandlers("informer_handler_merged_total", "Events that a limit of the backlog has merged into others.",
		dto.MetricType_COUNTER, sum, func(h *status.HandlerStats) value { return number(h.Merged) }),
	ofHandlers("informer_handler_panics_total", "Calls of the handler that panicked or called runtime.Goexit.",
		dto.MetricType_COUNTER, sum, func(h *status.HandlerStats) value { return number(h.Panics) }),
	ofHandlers("informer_handler_running_seconds", "How long the present call of the handler has taken; 0 if there is none.",
		dto.MetricType_GAUGE, largest, func(h *status.HandlerStats) value { return seconds(h.Running) }),
	ofHandlers("informer_handler_slowest_call_seconds", "Longest time of a call of the handler since it was added.",
		dto.MetricType_GAUGE, largest, func(h *status.HandlerStats) value { return seconds(h.Slowest) }),
	ofHandlers("informer_handler_latency_seconds", "Time from the receipt of a change to the return of the handler.",
		dto.MetricType_HISTOGRAM, nil, func(h *status.HandlerStats) value { return value{durations: &h.Latency} }),
}

// unnamed is the value of the label handler for all handlers without a name. Their types would be
// names in a program.
const unnamed = "unnamed"

func ofHandlers(name, help string, kind dto.MetricType, merge func(a, b float64) float64, read func(*status.HandlerStats) value) metric {
	return metric{name: name, help: help, labels: []string{"handler"}, kind: kind, buckets: allBuckets, merge: merge,
		read: func(s *status.Informer, put put) {
			for i := range s.Stats.Handlers {
				handler := &s.Stats.Handlers[i]
				put(read(handler), labelOf(handler))
			}
			if kind == dto.MetricType_GAUGE {
				return // a handler that was removed has no state
			}
			for i := range s.Stats.Removed { // otherwise the series would fall
				handler := &s.Stats.Removed[i]
				put(read(handler), labelOf(handler))
			}
		}}
}

func labelOf(handler *status.HandlerStats) string {
	if handler.Unnamed {
		return unnamed
	}
	return handler.Name
}
