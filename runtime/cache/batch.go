package cache

import (
	"context"
	"slices"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/initial"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

// processAll processes what is read, until ctx or the reading ends.
func (s *informer) processAll(ctx context.Context) {
	var deltas []deltafifo.Delta
	var ended stats.Stamp // the end of the last batch
	for isFirst := true; ; isFirst = false {
		var err error
		if deltas, err = s.queue.Pop(ctx, deltas); err != nil {
			return
		}
		// It waited for the last batch, or Pop has waited for it.
		began := s.queue.Oldest
		if !isFirst {
			began = max(began, ended)
		}
		ended = s.process(deltas)
		s.processing.Add(ended.Since(began), 1)
		s.queue.Processed()
		s.afterBatch()
	}
}

// process applies a batch. It returns when the cache had it.
func (s *informer) process(deltas []deltafifo.Delta) (cached stats.Stamp) {
	s.mu.Lock()
	defer s.mu.Unlock()
	received, n := s.queue.Oldest, len(deltas)
	s.applyDeltas(s.owned(deltas), received)
	cached = stats.Now()
	s.toCache.Add(cached.Since(received), n)
	return cached
}

// applyDeltas applies deltas of Reflectors that own their objects. The mutex is held.
func (s *informer) applyDeltas(deltas []deltafifo.Delta, received stats.Stamp) {
	if len(deltas) == 0 {
		return
	}
	own := s.own.Load()
	deltas = own.admit(deltas)
	all := deltas
	for s.unlisted > 0 && len(deltas) > 0 {
		deltas = s.processFirst(deltas, received)
	}
	if len(deltas) > 0 {
		s.distribute(deltas, received)
	}
	for i := range all {
		if collection := all[i].Collection; collection != nil {
			for _, applied := range collection.Applied {
				applied()
			}
		}
	}
	own.restoreUnconfirmed()
}

// reached is called when a watch has reached a version. For entries, admit has that of a delta. A
// WaitFor may come after the batch of the delta, and before its version is known.
func (s *informer) reached(isDelta bool) {
	if !isDelta && s.isMoving.Load() {
		s.reachScopes()
	}
	if own := s.own.Load(); own != nil && (own.waiting.Load() != 0 || !isDelta && own.entries.Load() != 0) {
		s.advance(own)
	}
}

// afterBatch is called when a batch was processed.
func (s *informer) afterBatch() {
	if s.isMoving.Load() {
		s.reachScopes()
	}
	if own := s.own.Load(); own != nil && (own.behind.Load() || own.waiting.Load() != 0) {
		s.advance(own)
	}
}

// advance ends the entries and the waits for versions that the cache has reached.
func (s *informer) advance(own *ownWrites) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own.catchUp()
	own.count()
	reached := own.reached()
	for w := range own.waiters {
		if w.version <= reached {
			close(w.done)
			delete(own.waiters, w)
		}
	}
}

// distribute applies deltas and passes the changes to the handlers.
func (s *informer) distribute(deltas []deltafifo.Delta, received stats.Stamp) {
	distinct := len(deltas) == 1 && deltas[0].Type == deltafifo.Replaced
	notes := s.indexer.Apply(deltas)
	s.processor.Distribute(processor.Batch{Notes: notes, Received: received, Distinct: distinct})
}

// processFirst applies the first list of a scope, or the deltas before the next one, and
// returns the rest. Only the adds of such a list are initial. After the last one, handlers are
// synced.
func (s *informer) processFirst(deltas []deltafifo.Delta, received stats.Stamp) (rest []deltafifo.Delta) {
	isFirst := func(d deltafifo.Delta) bool { return d.Type == deltafifo.Replaced && d.Collection.IsFirst }
	if n := slices.IndexFunc(deltas, isFirst); n != 0 {
		if n < 0 {
			n = len(deltas)
		}
		s.distribute(deltas[:n], received)
		return deltas[n:]
	}
	notes := s.indexer.Apply(deltas[:1])
	markInitial(notes)
	if r := s.open[deltas[0].Scope]; r != nil && !r.listed { // otherwise it was closed
		r.listed, r.listedVersion = true, deltas[0].Collection.Version
		if r.isWanted {
			s.unlisted--
		}
	}
	s.noteListed() // who waits for the sync may ask for the version
	s.processor.Distribute(processor.Batch{Notes: notes, Received: received, Distinct: true, Lists: s.listed()})
	return deltas[1:]
}

// listed records which initial lists are in the cache. It returns the mark if it is news, and 0
// otherwise.
func (s *informer) listed() initial.Mark {
	mark := s.mark()
	for _, r := range s.reflectors() {
		if !r.listed {
			mark = min(mark, initial.Mark(r.id))
		}
	}
	if s.config.scopeSource != nil && s.lists.Reached() == 0 && (!s.isChosen || mark < s.mark()) {
		return 0 // who waits for the first scopes waits for all of them
	}
	if !s.lists.Reach(mark) {
		return 0
	}
	if s.HasSynced() && len(s.processor.Listeners()) > 0 {
		s.outages.NoteHandler()
	}
	return mark
}

func markInitial(notes []processor.Notification) {
	for i := range notes {
		notes[i].Initial = notes[i].Kind == processor.Add
	}
}

// resync enqueues every cached object for l, unless l has a backlog.
func (s *informer) resync(l *processor.Listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.indexer.Len() > 0 && l.Backlog() == 0 {
		l.Enqueue(processor.Batch{Received: stats.Now(), Distinct: true, Notes: s.cached(func(obj Object) processor.Notification {
			return processor.Notification{Kind: processor.Update, Old: obj, Obj: obj}
		})})
	}
}

// cached returns a notification for each cached object.
func (s *informer) cached(note func(Object) processor.Notification) []processor.Notification {
	notes := make([]processor.Notification, 0, s.indexer.Len())
	for obj := range s.indexer.All().Each() {
		notes = append(notes, note(obj))
	}
	return notes
}

// LastSyncResourceVersion is that of SharedIndexInformer.
func (s *informer) LastSyncResourceVersion() string { return s.appliedVersion() }

// appliedVersion returns a version of which all changes were processed, from all namespaces. It
// is the last one if no deltas wait, and otherwise the result of an earlier call.
func (s *informer) appliedVersion() string {
	s.applying.Lock()
	defer s.applying.Unlock()
	version := s.earliest(func(r *reflector) string { return r.status.Version() })
	if s.queue.IsIdle() { // a Reflector pushes the deltas before it sets their version
		s.applied = version
	}
	return s.applied
}

// noteListed makes the first lists a result of appliedVersion, if it has none and all of them are in the cache. The queue is
// not idle yet, so appliedVersion would return an empty version although the informer is synced.
func (s *informer) noteListed() {
	version := s.earliest(func(r *reflector) string { return r.listedVersion })
	s.applying.Lock()
	defer s.applying.Unlock()
	if s.applied == "" {
		s.applied = version
	}
}

// forgetApplied drops the result of earlier calls of appliedVersion: a new scope has no version yet.
func (s *informer) forgetApplied() {
	s.applying.Lock()
	defer s.applying.Unlock()
	s.applied = ""
}

// earliest returns the earliest version of all Reflectors.
func (s *informer) earliest(versionOf func(*reflector) string) (version string) {
	for i, r := range s.reflectors() {
		if has := versionOf(r); i == 0 {
			version = has
		} else {
			version = protocol.Earlier(version, has)
		}
	}
	return version
}
