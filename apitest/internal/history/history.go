// Package history keeps the objects of a server, with their versions and the events that led to
// them. It knows no HTTP, checks nothing and is not safe for concurrent use.
//
//	       Put, Delete                       Restore pops
//	            │                                 ▲
//	            ▼                                 │
//	events   1 ─ 2 ─ 3 ─ 4 ─ 5 ─ 6 ─ 7 ─ 8 ─ 9 ───┘   one log for each resource
//	         dropped │       │
//	         at limit│       Oldest, after Compact
//	                 ▼
//	index    ns/a ► 9 ► 6 ► 5      the states of an object, newest first
//	         ns/b ► 8 (deleted) ► 4
//
// One counter numbers the writes of all resources, as the revision of etcd does. A state is never
// changed, so a list of an old version and the events after it cost no copies. The log of a resource
// drops its oldest event when it is full, and with it the state which that event replaced. A deleted
// object leaves the index when the event of its deletion is dropped.
package history

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// ErrExpired is returned for a version that is older than the events that are kept.
var ErrExpired = errors.New("the version has expired")

// ErrFuture is returned for a version that no write has reached.
var ErrFuture = errors.New("the version is newer than the last write")

// Event is a change of one object. Its version is the version of State, also for watch.Deleted, where
// State is the last one with the version of the deletion.
type Event struct {
	Type  watch.EventType // Added, Modified or Deleted
	State *State
	// Before is the state before the change, or nil for watch.Added.
	Before *State
	// Time is when it was written.
	Time time.Time
}

// History is the state of all resources. A History has no lock: its caller has one.
type History struct {
	limit     int
	version   uint64
	compacted uint64
	resources map[schema.GroupResource]*resource
}

// resource has the objects and events of one resource.
type resource struct {
	index index
	// events are in the order of their versions. A part of it that Events returned stays valid,
	// because elements are only appended, and never written again.
	events []Event
	// dropped is the version of the newest event that was dropped, or zero.
	dropped uint64
	// live is the number of objects that exist.
	live int
	// changed is sent by each write.
	changed Signal
}

// New returns an empty history, which keeps limit events of each resource. If limit is zero or
// less, it keeps all.
func New(limit int) *History {
	return &History{limit: limit, version: 1, resources: map[schema.GroupResource]*resource{}}
}

// Version is the version of the last write. That of an empty server is 1, because clients take 0
// for no version.
func (h *History) Version() uint64 { return h.version }

// Oldest is the oldest version of a resource that List returns and that a watch can start from.
func (h *History) Oldest(gr schema.GroupResource) uint64 {
	if r := h.resources[gr]; r != nil {
		return max(r.dropped, h.compacted)
	}
	return h.compacted
}

// Get returns the newest state of an object, or nil if there is none.
func (h *History) Get(key Key) *State {
	r := h.resources[key.GroupResource]
	if r == nil {
		return nil
	}
	if state := r.index.get(key.Path()); state != nil && !state.deleted {
		return state
	}
	return nil
}

// Len is the number of objects of a resource.
func (h *History) Len(gr schema.GroupResource) int {
	if r := h.resources[gr]; r != nil {
		return r.live
	}
	return 0
}

// Resources returns the resources that have objects, in alphabetical order.
func (h *History) Resources() []schema.GroupResource {
	var all []schema.GroupResource
	for gr, r := range h.resources {
		if r.live > 0 {
			all = append(all, gr)
		}
	}
	slices.SortFunc(all, func(a, b schema.GroupResource) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// Put stores an object as the next version, and sets its metadata.resourceVersion. It changes
// neither object nor its metadata, but the state shares all other fields with it.
func (h *History) Put(key Key, object map[string]any) *State {
	r := h.of(key.GroupResource)
	state := h.next(key, object)
	slot := r.index.slot(key.Path())
	event := Event{Type: watch.Modified, State: state, Before: *slot}
	if *slot == nil || (*slot).deleted {
		event.Type, event.Before = watch.Added, nil
		r.live++
	}
	state.before, *slot = *slot, state
	h.record(r, event)
	return state
}

// Delete deletes an object in the next version. The event has the object as it was stored last, with
// the version of the deletion. It panics if there is no such object.
func (h *History) Delete(key Key) *State {
	before := h.Get(key)
	if before == nil {
		panic(fmt.Sprintf("history: delete %s %s, which does not exist", key.GroupResource, key.Path()))
	}
	r := h.of(key.GroupResource)
	state := h.next(key, before.Object)
	state.deleted, state.before = true, before
	*r.index.slot(key.Path()) = state
	r.live--
	h.record(r, Event{Type: watch.Deleted, State: state, Before: before})
	return state
}

// Advance begins a version without an event, and returns it.
func (h *History) Advance() uint64 {
	h.version++
	return h.version
}

// List returns the objects of a resource at a version, in the order of their keys in etcd, which is
// that of namespace/name. Version 0 is the newest one. An empty namespace means all of them. The
// error is ErrExpired or ErrFuture.
func (h *History) List(gr schema.GroupResource, namespace string, version uint64) ([]*State, error) {
	switch {
	case version == 0:
		version = h.version
	case version > h.version:
		return nil, ErrFuture
	case version < h.Oldest(gr):
		return nil, ErrExpired
	}
	r := h.resources[gr]
	if r == nil {
		return nil, nil
	}
	var states []*State
	prefix := ""
	if namespace != "" {
		prefix = namespace + "/"
	} else {
		states = make([]*State, 0, r.live)
	}
	for path, state := range r.index.from(prefix) {
		if !strings.HasPrefix(path, prefix) {
			break
		}
		if state = state.at(version); state != nil {
			states = append(states, state)
		}
	}
	return states, nil
}

// Events returns the events of a resource after a version. It returns ErrExpired if some of them
// were dropped, but not because of Compact, so that a watch that runs can go on. A watch that
// starts compares its version with Oldest. The caller must not change the events.
func (h *History) Events(gr schema.GroupResource, after uint64) ([]Event, error) {
	r := h.resources[gr]
	if r == nil {
		return nil, nil
	}
	if after < r.dropped {
		return nil, ErrExpired
	}
	first := r.search(after)
	return r.events[first:len(r.events):len(r.events)], nil
}

// search returns the index of the first event after a version.
func (r *resource) search(after uint64) int {
	// A watch that keeps up asks for the last event or two.
	if n := len(r.events); n == 0 || r.events[n-1].State.Version <= after {
		return n
	}
	return sort.Search(len(r.events), func(i int) bool { return r.events[i].State.Version > after })
}

// Changed returns the signal of a resource, which each write and Wake send.
func (h *History) Changed(gr schema.GroupResource) *Signal { return &h.of(gr).changed }

// Wake sends the signals of all resources.
func (h *History) Wake() {
	for _, r := range h.resources {
		r.changed.Send()
	}
}

// Compact begins a version, and expires all versions before it for List and for watches that start.
// So the version that a client has from the last write expires too.
func (h *History) Compact() { h.compacted = h.Advance() }

// Restore returns to an older version, as a server does whose etcd is restored from a backup. What
// was written after it is forgotten, and later writes use its versions again. It calls Wake. The
// error is ErrExpired or ErrFuture, and then nothing has changed.
func (h *History) Restore(version uint64) error {
	if version > h.version {
		return ErrFuture
	}
	if version == 0 {
		return ErrExpired
	}
	for _, r := range h.resources {
		if version < r.dropped {
			return ErrExpired
		}
	}
	for _, r := range h.resources {
		r.restore(version)
	}
	h.version = version
	h.compacted = min(h.compacted, version)
	h.Wake()
	return nil
}

// CompactAfter expires all versions up to one, and those before the present. Later writes use versions after both.
func (h *History) CompactAfter(version uint64) {
	h.version = max(h.version, version)
	h.Compact()
}

func (r *resource) restore(version uint64) {
	keep := r.search(version)
	for _, event := range slices.Backward(r.events[keep:]) {
		path := event.State.Path()
		before := event.State.before
		switch event.Type {
		case watch.Added:
			r.live--
		case watch.Deleted:
			r.live++
		}
		if before == nil || before.deleted && before.Version <= r.dropped {
			// No event is left that would remove the slot of a deleted object.
			r.index.remove(path)
			continue
		}
		*r.index.slot(path) = before
	}
	// Clip, so that the next event does not overwrite one that Events has returned.
	r.events = slices.Clip(r.events[:keep])
}

// of returns a resource, which is made if need be.
func (h *History) of(gr schema.GroupResource) *resource {
	r := h.resources[gr]
	if r == nil {
		r = &resource{}
		h.resources[gr] = r
	}
	return r
}

// next returns object as the state of the next version.
func (h *History) next(key Key, object map[string]any) *State {
	h.version++
	apiVersion, _ := object["apiVersion"].(string)
	return &State{Key: key, Version: h.version, Object: withVersion(object, h.version), APIVersion: apiVersion}
}

// record appends an event, and drops the oldest one if there are too many.
func (h *History) record(r *resource, event Event) {
	event.Time = time.Now()
	r.events = append(r.events, event)
	if h.limit > 0 && len(r.events) > h.limit {
		oldest := r.events[0].State
		r.events = r.events[1:]
		r.dropped = oldest.Version
		oldest.before = nil
		if oldest.deleted {
			if path := oldest.Path(); r.index.get(path) == oldest {
				r.index.remove(path)
			}
		}
	}
	r.changed.Send()
}
