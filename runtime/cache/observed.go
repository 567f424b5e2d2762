package cache

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/internal/human"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/informer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/outage"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// Status is that of SharedIndexInformer.
func (s *sharedInformer) Status() Status {
	status := s.statusOfAll()
	status.Objects = s.core.Indexer.Len()
	s.panics.addTo(&status)
	if s.own != nil {
		status.PendingWrites, status.LateWrites = s.own.Shown(), s.own.Refused()
	}
	return status
}

// statusOfAll returns the state of the Reflectors as one.
func (s *sharedInformer) statusOfAll() Status {
	all, chosen := s.reflectors(), s.set.chosen.Load()
	if len(all) == 1 && chosen == nil {
		return all[0].Status()
	}
	scopes := make([]status.Scope, len(all))
	for i, r := range all {
		scopes[i] = status.Scope{Name: r.config.scope.name(), Namespace: r.config.Namespace, Status: r.Status()}
		isShared := r.config.scope.OtherNamespaces || i > 0 && all[i-1].config.Namespace == r.config.Namespace || i+1 < len(all) && all[i+1].config.Namespace == r.config.Namespace
		if isShared {
			scopes[i].Scope = r.config.scope.String()
		}
	}
	var choice *Status
	if chosen != nil {
		state := statusOf(chosen.State())
		choice = &state
	}
	status := status.Join(scopes, choice)
	for _, scope := range s.leaving() { // what they cannot decode may still be in the cache
		for _, state := range scope.Reflector.State().Undecodable {
			if s.set.partition.Load().Has(scope.ID, listed.Name{Namespace: state.Namespace, Name: state.Name}) {
				status.Undecodable = append(status.Undecodable, state)
			}
		}
	}
	status.SortUndecodable()
	if choice != nil && choice.Phase == Listing && len(scopes) == 0 {
		status.Awaits = s.awaitedScopes()
	}
	status.Resource = s.config.Resource
	return status
}

// NotSyncedReason is that of SharedIndexInformer.
func (s *sharedInformer) NotSyncedReason() string {
	_, waiting := s.waitsFor()
	return waiting.Reason
}

func (s *sharedInformer) waitsFor() (subject, status.NotSynced) {
	if s.HasSynced() {
		return subject{}, status.NotSynced{}
	}
	return subject{informer: s}, s.notSynced()
}

// notSynced returns the state of the informer as the reason why something is not synced.
func (s *sharedInformer) notSynced() status.NotSynced {
	now := s.Status()
	return status.NotSynced{Reason: s.name() + ": " + now.String(), Status: now}
}

// WaitFor waits until the cache has all changes up to a resourceVersion, for example that of an
// object that this or another program has written. It returns when an event or a bookmark shows
// that. If no object of the collection changes, this may take until the next bookmark: a
// kube-apiserver sends one each minute. If ctx or the informer ends first, the error has the state
// of the informer, with the reason.
//
// The version has to be of the same API server and the same resource: versions of others cannot be
// compared. It has to be a number, as all versions of Kubernetes are.
func (s *sharedInformer) WaitFor(ctx context.Context, resourceVersion string) error {
	version, ok := frontier.Parse(resourceVersion)
	if !ok {
		return fmt.Errorf("cannot wait until %s has version %q: it is not a number above 0; pass the resourceVersion of an object or a list", s.name(), resourceVersion)
	}
	err := s.core.Wait(ctx, version)
	if err == informer.ErrEnded {
		err = ErrStopped
	}
	if err != nil {
		return fmt.Errorf("%s has not reached version %d: %w; it is %s", s.name(), version, err, s.Status())
	}
	return nil
}

// Statuses is that of SharedIndexInformer.
func (s *sharedInformer) Statuses() iter.Seq[InformerStatus] {
	return func(yield func(InformerStatus) bool) { yield(s.observed()) }
}

// observed returns the state and the counters of the informer. Only a factory knows the Server.
func (s *sharedInformer) observed() InformerStatus {
	return InformerStatus{
		ID:       s.id,
		Name:     s.config.InformerName,
		Resource: s.config.Resource,
		Kind:     s.config.Decode.Kind.Kind,
		Object:   s.config.form.Type().String(),
		Status:   s.Status(),
		Stats:    s.stats(),

		Namespaces: s.namespaces(),
	}
}

// stats returns the counters. It takes no lock that is held while foreign code runs: a handler, a
// hook and an index function may call it, and it waits for none of them.
func (s *sharedInformer) stats() status.Stats {
	all := status.Stats{
		Synced: s.HasSynced(), WasSynced: s.core.HadSynced(s.core.Listed()), NotFollowing: s.outages.Lasted(),
		Queued: s.core.Queue.Len(), Processing: read(&s.counters.processing), ToCache: read(&s.counters.toCache),
	}
	addTraffic(&s.shared.traffic, &all)
	waiting := s.core.Queue.Waiting() // before now
	now := clock.Now()
	all.Staleness = now.Since(waiting)
	for _, scope := range s.core.Scopes() {
		all.Staleness = max(all.Staleness, now.Since(scope.Frontier.Heard()))
	}
	observeIndexer(s.core.Indexer, &all, now)
	s.observeHandlers(&all, now)
	return all
}

// observeHandlers adds the handlers to the counters.
func (s *sharedInformer) observeHandlers(all *status.Stats, now clock.Stamp) {
	listeners, removed := s.core.Processor.Observe()
	for _, l := range listeners {
		h := handlerStats(l, now)
		h.Synced, h.WasSynced, h.Backlog = l.Lists().Has(s.core.Mark()), s.core.HadSynced(l.Lists()), l.Backlog()
		all.Handlers = append(all.Handlers, h)
	}
	for _, gone := range removed {
		calls := &gone.Calls
		all.Removed = append(all.Removed, status.HandlerStats{
			Name: gone.Name, Unnamed: gone.Name == "",
			Processed: calls.Processed, Merged: calls.Merged, Panics: calls.Panics, Latency: status.Histogram{Counts: calls.Latency, Sum: calls.LatencySum},
		})
	}
}

func observeIndexer(x *indexer.Indexer, all *status.Stats, now clock.Stamp) {
	all.ObjectBytes = x.Bytes(now)
	all.Packed = status.PackedStats(x.Packed(now))
	for _, index := range x.Sizes() {
		all.Indexes = append(all.Indexes, status.IndexStats(index))
	}
}

// handlerStats returns the counters of a handler that do not depend on a queue.
func handlerStats(l *processor.Listener, now clock.Stamp) status.HandlerStats {
	calls := l.Calls(now)
	return status.HandlerStats{
		Name: l.Name(), Unnamed: l.Unnamed(),
		Processed: calls.Processed, Merged: calls.Merged, Panics: calls.Panics,
		Running: calls.Running, Slowest: calls.Slowest, Latency: status.Histogram{Counts: calls.Latency, Sum: calls.LatencySum},
	}
}

// addTraffic adds what the Reflectors of an informer have read.
func addTraffic(t *stats.Traffic, all *status.Stats) {
	all.BytesRead = t.Bytes.Load()
	all.Added, all.Updated, all.Deleted, all.Bookmarks = t.Added.Load(), t.Updated.Load(), t.Deleted.Load(), t.Bookmarks.Load()
	all.Dropped = t.Dropped.Load()
	all.Lists, all.DecodeFailures = t.Lists.Load(), t.Undecodable.Load()
	for cause, count := range t.Relists() {
		if all.Relists == nil {
			all.Relists = map[Reason]uint64{}
		}
		all.Relists[Reason(cause)] = count
	}
	for failure, count := range t.Failures() {
		all.Failures = append(all.Failures, status.FailureCount{Verb: failure.Verb, Reason: Reason(failure.Reason), Count: count})
	}
	slices.SortFunc(all.Failures, func(a, b status.FailureCount) int {
		return cmp.Or(cmp.Compare(a.Verb, b.Verb), cmp.Compare(a.Reason, b.Reason))
	})
}

// observedInformer is an informer as its log of outages reads it.
type observedInformer struct{ *sharedInformer }

// Failures returns the failures of lists and watches. It leaves out a handler that has panicked.
func (s observedInformer) Failures() []advice.Failure {
	all := status.Informer{Resource: s.config.Resource, Namespaces: s.namespaces(), Status: s.statusOfAll()}
	return all.Failures()
}

// About returns what to say of a list that takes long, or of scopes that are not set.
func (s observedInformer) About(lasted time.Duration) advice.Advice {
	if of := s.statusOfAll().Awaits; of != nil {
		return advice.NoScopes(of.Status.Resource.GroupResource(), of.Status.Phase == Pending)
	}
	return advice.Listing(lasted, s.HasSynced(), s.shared.traffic.Bytes.Load())
}

// Logger returns that of Run, with the name of the collection.
func (s observedInformer) Logger() klog.Logger {
	return klog.FromContext(s.panics.ctx).WithValues("resource", s.name())
}

// LateHandlers returns the handlers that have not returned from their initial list.
func (s observedInformer) LateHandlers() (late []outage.Handler) {
	for _, l := range s.core.Processor.Listeners() {
		if backlog := s.late(l); backlog > 0 {
			late = append(late, outage.Handler{ID: l, Name: l.Name(), Backlog: backlog})
		}
	}
	return late
}

// name names the informer in errors and logs.
func (s *sharedInformer) name() string {
	all, name := s.reflectors(), s.config.plainName()
	switch chosen := s.set.chosen.Load(); {
	case len(all) == 0 && s.config.scopesLater && !s.HasSynced():
		return name + " in scopes that are not set yet"
	case len(all) == 0:
		return name + " in no scope"
	case len(all) == 1 && chosen == nil:
		return s.config.name()
	case len(all) > maxNamed:
		return name + " in " + human.Plural(len(all), scopesNoun(all))
	}
	var names []string
	for _, r := range all {
		names = append(names, r.config.Namespace)
	}
	if noun := scopesNoun(all); noun != "namespace" {
		for i, r := range all {
			names[i] = r.config.scope.name()
		}
		return name + " in " + strings.Join(names, ", ")
	} else if len(all) > 1 {
		return name + " in namespaces " + strings.Join(names, ", ")
	}
	return name + " in namespace " + names[0]
}

// maxNamed is the largest number of scopes that a log line names.
const maxNamed = 5

// scopesNoun returns "namespace" if each scope is a namespace, and "scope" otherwise.
func scopesNoun(all []*scopeReflector) string {
	for i, r := range all {
		if r.config.Namespace == "" || i > 0 && r.config.Namespace == all[i-1].config.Namespace {
			return "scope"
		}
	}
	return "namespace"
}

// namespaces returns the namespaces that the informer is limited to, sorted; nil for all. It is empty and
// not nil if there is no scope.
func (s *sharedInformer) namespaces() []string {
	all := s.reflectors()
	names := make([]string, 0, len(all))
	for _, r := range all {
		names = append(names, r.config.Namespace)
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 1 && names[0] == "" {
		return nil
	}
	return names
}
