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
	var batch deltafifo.Batch
	var ended stats.Stamp // the end of the last batch with deltas
	for {
		if s.queue.Pop(ctx, &batch) != nil {
			return
		}
		// It waited for the last batch, or Pop has waited for it.
		began := batch.Oldest
		if ended != 0 {
			began = max(began, ended)
		}
		if cached := s.process(&batch); cached != 0 {
			ended = cached
			s.processing.Add(ended.Since(began), 1)
		}
		s.queue.Processed()
	}
}

// process applies a batch. It returns when the cache had its deltas, or 0 without any.
func (s *informer) process(batch *deltafifo.Batch) (cached stats.Stamp) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(batch.Deltas); n > 0 {
		s.applyDeltas(s.owned(batch.Deltas), batch.Oldest)
		cached = stats.Now()
		s.toCache.Add(cached.Since(batch.Oldest), n)
	}
	s.reach(batch.Reached)
	return cached
}

// applyDeltas applies deltas of Reflectors that own their objects. The mutex is held.
func (s *informer) applyDeltas(deltas []deltafifo.Delta, received stats.Stamp) {
	if len(deltas) == 0 {
		return
	}
	deltas = s.own.admit(deltas)
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
	s.own.restoreUnconfirmed()
}

// reach records how far scopes have got, after the deltas before that were applied. The mutex is held.
func (s *informer) reach(all []deltafifo.Reached) {
	for i := range all {
		to := &all[i]
		r := s.open[to.Scope]
		switch h := s.handovers[to.Scope]; {
		case r == nil: // it was closed
		case h != nil:
			h.reach(to.Position)
		default:
			r.frontier.Apply(to.Position)
			s.own.reach(to.Scope, to.Position)
		}
	}
	if len(s.handovers) > 0 {
		s.applyDeltas(s.handOver(nil), stats.Now())
	}
	s.endWaits()
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
	if r := s.open[deltas[0].Scope]; r != nil && !r.frontier.IsListed() { // otherwise it was closed
		r.frontier.ApplyList(deltas[0].Collection.Version) // who waits for the sync may ask for it
		if r.isWanted {
			s.unlisted--
		}
	}
	s.processor.Distribute(processor.Batch{Notes: notes, Received: received, Distinct: true, Lists: s.listed()})
	return deltas[1:]
}

// listed records which initial lists are in the cache. It returns the mark if it is news, and 0
// otherwise.
func (s *informer) listed() initial.Mark {
	mark := s.mark()
	for _, r := range s.reflectors() {
		if !r.frontier.IsListed() {
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
func (s *informer) LastSyncResourceVersion() (version string) {
	for i, r := range s.reflectors() {
		if has := r.frontier.Applied().Version; i == 0 {
			version = has
		} else {
			version = protocol.Earlier(version, has)
		}
	}
	return version
}
