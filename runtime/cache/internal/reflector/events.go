package reflector

import (
	"context"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// forward gives a batch of events to the Sink as deltas, and records the version that the watch has
// reached.
func (r *Reflector) forward(ctx context.Context, events []wire.Event, in *protocol.Input) {
	deltas := r.freeDeltas.Take(len(events))
	latest, bookmarked, isBehind := -1, false, false
	var counts eventCounts
	for i := range events {
		event := &events[i]
		change := deltaTypeOf(event.Type)
		countEvent(&counts, event, change)
		if change != 0 {
			r.noteEvent(ctx, event)
			listed.Note(&r.undecodable, &event.Item, change == deltafifo.Deleted)
			if change == deltafifo.Deleted || event.Err == nil || r.settings.KeepsUndecodable {
				deltas = append(deltas, deltafifo.Delta{Type: change, Scope: r.settings.Scope, Item: event.Item})
			}
		}
		if protocol.IsLater(event.ResourceVersion, in.ResourceVersion) {
			if !in.MadeProgress {
				in.MadeProgress = true
				r.enter(progress.Watching)
			}
			in.ResourceVersion, latest = event.ResourceVersion, i
		}
		if event.Type == watch.Bookmark {
			bookmarked, isBehind = true, protocol.IsEarlier(event.ResourceVersion, in.ResourceVersion)
		}
	}
	r.settings.Observer.AddDropped(counts.dropped)
	r.settings.Observer.AddEvents(counts.added, counts.updated, counts.deleted, counts.bookmarks) // before a handler can see one
	before := r.position.Bookmarks
	r.position.Version = in.ResourceVersion
	if bookmarked {
		r.position.Bookmarks++
	}
	received := r.sink.Events(deltas, r.position)
	clear(deltas)
	r.freeDeltas.Give(deltas)
	if latest >= 0 {
		r.claim, r.claimedBy = frontier.Claim{At: received, Bookmarks: before}, listed.Name{}
		if latest := &events[latest]; deltaTypeOf(latest.Type) != 0 {
			r.claimedBy = listed.NameOf(&latest.Item)
		}
	}
	if bookmarked {
		r.confirm(in.ResourceVersion, isBehind)
	}
}

// confirm is called after a bookmark. The bookmark of a server is never behind the events of the same watch. If the highest
// version has no bookmark in time, the Reflector lists again: no watch can resume there.
func (r *Reflector) confirm(highest string, isBehind bool) {
	switch {
	case !isBehind:
		r.claim.Bookmarks = r.position.Bookmarks
	case r.claim.IsOverdue(r.position.Bookmarks):
		r.NoteUnconfirmed(r.claimedBy, highest)
		r.Relist(Unconfirmed)
	}
}

// deltaTypeOf returns the type of the delta of an event, 0 for an event that carries no
// object. It is called for each event, so it uses no map.
func deltaTypeOf(event watch.EventType) deltafifo.Type {
	switch event {
	case watch.Added:
		return deltafifo.Added
	case watch.Modified:
		return deltafifo.Updated
	case watch.Deleted, wire.NoLongerKept:
		return deltafifo.Deleted
	}
	return 0
}

// eventCounts has the numbers of events in a batch.
type eventCounts struct{ added, updated, deleted, bookmarks, dropped int }

// countEvent counts an event. change is the type of its delta.
func countEvent(counts *eventCounts, event *wire.Event, change deltafifo.Type) {
	counts.dropped += int(event.Dropped)
	switch {
	case event.Type == wire.NoLongerKept:
		counts.dropped++
	case change == deltafifo.Updated:
		counts.updated++
	case change == deltafifo.Added:
		counts.added++
	case change == deltafifo.Deleted:
		counts.deleted++
	case event.Type == watch.Bookmark:
		counts.bookmarks++
	}
}
