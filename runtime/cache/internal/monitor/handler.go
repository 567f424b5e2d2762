package monitor

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/internal/printable"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/informer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Handlers observes the handlers of an informer. The exported fields do not change after the first call of Observe.
type Handlers struct {
	// Resource and Logger are for the log. Logger is called after Run has begun.
	Resource string
	Logger   func() klog.Logger
	// Recovers is set if handlers that panic continue. Those that end their goroutine by runtime.Goexit always do.
	Recovers bool
	// Changed is called after a handler has failed, without a lock.
	Changed func()

	mu sync.Mutex // guards the fields below, and the fields of each Handler that say so
	// leaving are the handlers that were removed and may be in a call.
	leaving []*Handler
	// gone has the sums of those that are in no call any more, by name: a count that fell with each of them would be no counter.
	gone []status.HandlerStats
}

// Handler observes one handler. Its goroutine counts, and any goroutine reads.
type Handler struct {
	all      *Handlers
	listener *processor.Listener

	panics atomic.Uint64
	// began is when the call in progress began, 0 if there is none.
	began   atomic.Int64
	slowest atomic.Int64 // in nanoseconds
	latency stats.Histogram

	// Handlers.mu guards the fields below. err is the last error of a handler that has failed, and since is when it first did.
	err             error
	since           time.Time
	removed, isGone bool
}

// Observe returns the Observer of a Listener. It is processor.Options.Observer.
func (a *Handlers) Observe(l *processor.Listener) processor.Observer {
	return &Handler{all: a, listener: l}
}

// HandlerOf returns the Handler that observes a Listener.
func HandlerOf(l *processor.Listener) *Handler { return l.Observer().(*Handler) }

// Begin implements processor.Observer.
func (h *Handler) Begin() { h.began.Store(int64(clock.Now())) }

// End implements processor.Observer.
func (h *Handler) End(received clock.Stamp) {
	now := clock.Now()
	if took := int64(now.Since(clock.Stamp(h.began.Load()))); took > h.slowest.Load() {
		h.slowest.Store(took)
	}
	h.began.Store(int64(now))
	h.latency.Add(now.Since(received), 1)
}

// Rest implements processor.Observer.
func (h *Handler) Rest() { h.began.Store(0) }

// Failed implements processor.Observer.
func (h *Handler) Failed(n *processor.Notification, value any) {
	h.panics.Add(1)
	h.Panicked(n.Obj, value)
}

// Panicked logs that the handler panicked with a value on an object, or exited if value is nil. A panic ends the program then, or
// is in the Status until the handler is removed.
func (h *Handler) Panicked(obj wire.Object, value any) {
	err := &status.HandlerPanicError{Handler: h.listener.Name(), Namespace: obj.GetNamespace(), Name: obj.GetName()}
	LogPanic(h.all.Logger(), h.all.Resource, "handler", err, value, h.all.Recovers)
	h.keep(err)
	h.all.Changed()
}

func (h *Handler) keep(err error) {
	h.all.mu.Lock()
	defer h.all.mu.Unlock()
	if h.err == nil {
		h.since = time.Now()
	}
	h.err = err
}

// HasFailed reports whether the handler has panicked or exited.
func (h *Handler) HasFailed() bool {
	h.all.mu.Lock()
	defer h.all.mu.Unlock()
	return h.err != nil
}

// LogPanic completes the error of a handler or a hook (what is one of these words) that panicked with a value, or exited if value is nil, and
// logs it. A panic ends the program then, unless recovers is set. The stack of the panic is still there.
func LogPanic(logger klog.Logger, resource, what string, err *status.HandlerPanicError, value any, recovers bool) {
	err.Stack, err.Exited = debug.Stack(), value == nil
	message := "A " + what + " called runtime.Goexit"
	if !err.Exited {
		err.Value, message = fmt.Sprint(value), "A "+what+" panicked"
	}
	values := []any{"resource", resource, what, err.Handler}
	if err.Name != "" {
		values = append(values, "object", printable.Text(listed.Name{Namespace: err.Namespace, Name: err.Name}.String()))
	}
	logger.Error(err, message, append(values, "stack", string(err.Stack))...)
	if !recovers && !err.Exited {
		panic(err)
	}
}

// AddError adds the error of the handler of an informer that failed first to a Status without another error.
func (a *Handlers) AddError(to *status.Status, of *informer.Informer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var first *Handler
	for _, l := range of.Processor.Listeners() {
		if h := HandlerOf(l); h.err != nil && (first == nil || h.since.Before(first.since)) {
			first = h
		}
	}
	switch {
	case first == nil:
	case to.Phase == status.Watching:
		to.Phase, to.Reason, to.Err = status.Degraded, status.HandlerPanic, first.err
		if first.since.After(to.Since) {
			to.Since = first.since
		}
	case to.Phase == status.Stopped && to.Err == nil:
		to.Reason, to.Err = status.HandlerPanic, first.err
	}
}

// Removed implements processor.Observer.
func (h *Handler) Removed() {
	a := h.all
	a.mu.Lock()
	defer a.mu.Unlock()
	if h.removed = true; h.isGone {
		a.gone = addTo(a.gone, h)
	} else {
		a.leaving = append(a.leaving, h)
	}
}

// Gone implements processor.Observer. Only the sums of a handler that was removed are kept: it may hold much memory.
func (h *Handler) Gone() {
	a := h.all
	a.mu.Lock()
	defer a.mu.Unlock()
	if h.isGone = true; h.removed {
		a.gone = addTo(a.gone, h)
		a.leaving = slices.DeleteFunc(a.leaving, func(other *Handler) bool { return other == h })
	}
}

// AddStats adds the handlers of an informer to its Stats. It waits for no handler.
func (a *Handlers) AddStats(to *status.Stats, of *informer.Informer, now clock.Stamp) {
	present, removed := a.divide(of.Processor)
	for _, h := range present {
		l := h.listener
		all := h.stats(now)
		all.Synced, all.WasSynced, all.Backlog = l.Lists().Has(of.Mark()), of.HadSynced(l.Lists()), l.Backlog()
		to.Handlers = append(to.Handlers, all)
	}
	to.Removed = removed
}

// divide returns the handlers that were not removed, and the sums of the others. Each handler is in one of both, because Removed
// is called while its Listener is still in the Processor.
func (a *Handlers) divide(p *processor.Processor) (present []*Handler, removed []status.HandlerStats) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range p.Listeners() {
		if h := HandlerOf(l); !h.removed {
			present = append(present, h)
		}
	}
	removed = slices.Clone(a.gone)
	for _, h := range a.leaving {
		removed = addTo(removed, h)
	}
	return present, removed
}

// stats returns the counters of the handler.
func (h *Handler) stats(now clock.Stamp) (all status.HandlerStats) {
	// A call is counted as processed first, and so it is read last: no other count is larger.
	all.Name, all.Unnamed = h.listener.Name(), h.listener.Unnamed()
	all.Latency.Counts, all.Latency.Sum = h.latency.Read()
	all.Panics = h.panics.Load()
	all.Running = max(0, now.Since(clock.Stamp(h.began.Load())))
	all.Slowest = max(time.Duration(h.slowest.Load()), all.Running)
	all.Merged, all.Processed = h.listener.Merged(), h.listener.Processed()
	return all
}

// maxRemoved is the number of names of removed handlers whose sums are known by name.
const maxRemoved = 100

// addTo adds the counters of a handler to the sums by name. Those without a name, and those after maxRemoved names, have one sum.
func addTo(sums []status.HandlerStats, h *Handler) []status.HandlerStats {
	all := h.stats(clock.Now())
	name := all.Name
	if all.Unnamed {
		name = ""
	}
	find := func(name string) int {
		return slices.IndexFunc(sums, func(sum status.HandlerStats) bool { return sum.Name == name })
	}
	i := find(name)
	if i < 0 && len(sums) >= maxRemoved {
		name = ""
		i = find(name)
	}
	if i < 0 {
		i, sums = len(sums), append(sums, status.HandlerStats{Name: name, Unnamed: name == ""})
	}
	sum := &sums[i]
	sum.Processed += all.Processed
	sum.Merged += all.Merged
	sum.Panics += all.Panics
	for n, count := range all.Latency.Counts {
		sum.Latency.Counts[n] += count
	}
	sum.Latency.Sum = stats.Sum(sum.Latency.Sum, all.Latency.Sum)
	return sums
}
