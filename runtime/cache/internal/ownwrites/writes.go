package ownwrites

import (
	"context"
	"iter"
	"strconv"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/informer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/reflector"
	"github.com/typedinformers/informer-gen/runtime/wire"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// Writes stores the responses to the writes of this program in the cache of an informer, until the watch confirms them. It is a
// Feature of the informer. All fields that are not atomic are used within steps only.
type Writes struct {
	host Host
	kind Kind
	from From
	// unsubscribe ends the calls of Wrote, but for those that have begun.
	unsubscribe func()
	// scopes has one for each open scope. only is the only one of an informer that has everything in one scope, and otherwise
	// nil.
	scopes map[frontier.ID]*scope
	only   *scope
	// shown is the number of entries that change the cache.
	shown atomic.Int32
	// refused is the number of writes for which there was no room.
	refused atomic.Int64
}

// Host is the informer as own writes see it. Package informer documents its methods.
type Host interface {
	Change(step func(number uint64)) bool
	Apply(deltas ...deltafifo.Delta)
	Get(name listed.Name) (wire.Object, bool)
	Owner(name listed.Name) (frontier.ID, bool)
	Opening(name listed.Name) (frontier.ID, bool)
}

// Kind tells which responses have an object of the informer.
type Kind struct {
	schema.GroupVersion
	// Kind is empty if it is not known.
	Kind string
	// IsMetadata is set if the objects are PartialObjectMetadata.
	IsMetadata bool
}

// scope has the writes to one scope.
type scope struct {
	*informer.Scope
	selection *Selection
	table     Table
}

// From is where an informer learns of the writes of this program.
type From struct {
	// Observer sees the responses. It is nil for a fake, to whose writes no one responds.
	Observer *writes.Observer
	// Server is the base URL of the API server, such as https://10.0.0.1:6443.
	Server   string
	Resource schema.GroupVersionResource
	// Name names the collection in logs.
	Name func() string
}

// New returns the own writes of an informer. Follow tells it the scopes.
func New(host Host, kind Kind, from From) *Writes {
	return &Writes{host: host, kind: kind, from: from, unsubscribe: func() {}}
}

// Start implements informer.Feature: it subscribes to the writes.
func (o *Writes) Start(ctx context.Context) {
	if o.from.Observer == nil {
		return
	}
	logger := klog.FromContext(ctx)
	if !o.from.Observer.Attached() {
		logger.Error(nil, "WithReadYourWrites has no effect: no client has the transport of its Observer; call config.Wrap(own.Transport) before the clients are made", "resource", o.from.Name())
	}
	if field := o.unknown(); field != "" {
		logger.Info("WithReadYourWrites shows deletes only: new states come from the watch, because only the server can evaluate the field selector", "resource", o.from.Name(), "field", field)
	}
	o.unsubscribe = o.from.Observer.Subscribe(o.from.Server, o.from.Resource, o)
}

// Shown returns the number of writes that the cache shows and that the watch has not confirmed. Refused is the number of those
// for which there was no room. Any goroutine may call them.
func (o *Writes) Shown() int { return int(o.shown.Load()) }

// Refused is documented with Shown.
func (o *Writes) Refused() int { return int(o.refused.Load()) }

// unknown returns a field of the selectors that only the server can evaluate; empty if there is none.
func (o *Writes) unknown() (field string) {
	var open map[frontier.ID]*scope // Follow replaces it
	o.host.Change(func(uint64) { open = o.scopes })
	for _, s := range open { // without the lock, because the selectors are set by foreign code
		if field = s.selection.Unknown(); field != "" {
			break
		}
	}
	return field
}

// Follow replaces the scopes by those that are open now: those whose objects are wanted, and those that have objects which another
// one will take over. New ones do not run yet. isWhole is set if there is only one, which has everything.
func (o *Writes) Follow(open iter.Seq[*informer.Scope], isWhole bool) {
	known := o.scopes
	o.scopes, o.only = map[frontier.ID]*scope{}, nil
	for s := range open {
		next := known[s.ID]
		if next == nil {
			next = &scope{Scope: s, selection: NewSelection(s.Selects, s.Rule.Selector())}
			next.table.Selects = next.selection.MayLose()
		}
		if isWhole {
			o.only = next
		}
		o.scopes[s.ID] = next
	}
	if o.only == nil { // a namespace may have been removed
		for _, s := range o.scopes {
			s.table.ForgetAll(func(name listed.Name) bool { return o.ownerOf(name) != s })
		}
	}
	o.count()
}

// Move moves the entries of some names from a scope to the one that takes them over. It is called before the list of that
// is admitted.
func (o *Writes) Move(from, to frontier.ID, has func(listed.Name) bool) {
	next := o.scopes[to]
	o.scopes[from].table.Move(&next.table, next.selection, next.Frontier.Received().Bookmarks, has)
}

// Behind looks at the writes that a scope will take over, if only the server can evaluate its selectors: only its watch tells
// what became of them. It returns the highest of their versions above after, and 0 without one.
func (o *Writes) Behind(id frontier.ID, after uint64) (version uint64) {
	selection := o.scopes[id].selection
	if selection.Unknown() == "" {
		return 0
	}
	for _, s := range o.scopes {
		version = max(version, s.table.LeftToWatch(selection, after, func(name listed.Name) bool {
			opening, isOpening := o.host.Opening(name)
			return isOpening && opening == id
		}))
	}
	return version
}

// scopeFor returns the scope that has an object if that matches its selectors, or nil.
func (o *Writes) scopeFor(name listed.Name) *scope {
	s := o.only
	if s == nil {
		if s = o.ownerOf(name); s == nil {
			return nil
		}
	}
	if s.Namespace != "" && s.Namespace != name.Namespace || s.Rule.Excludes(name.Namespace, name.Name) {
		return nil
	}
	return s
}

// ownerOf returns the scope of an object when there are several. If no scope has it yet, that is the one that will.
func (o *Writes) ownerOf(name listed.Name) *scope {
	id, has := o.host.Owner(name)
	if !has {
		if id, has = o.host.Opening(name); !has {
			return nil
		}
	}
	return o.scopes[id]
}

// Wrote applies the response to a write. It is called in the goroutine of the writer.
func (o *Writes) Wrote(w writes.Write) {
	name := listed.Name{Namespace: w.Object.Namespace, Name: w.Object.Name}
	if w.Gone {
		o.host.Change(func(number uint64) { o.end(number, name, &w) })
		return
	}
	var s *scope
	if !o.host.Change(func(uint64) { s = o.scopeFor(name) }) || s == nil {
		return
	}
	version, ok := frontier.Parse(w.Object.ResourceVersion)
	if s.selection.NeverHas(&w.Object) {
		if ok {
			o.endPredecessor(name, w.Object.UID, version)
		}
		return
	}
	selected, known := s.selection.Matches(&w.Object)
	if !ok || !known || !o.kind.accepts(&w) {
		return
	}
	o.host.Change(func(uint64) { o.refute(s, name, w.Object.UID, version, w.Sent) })
	if o.isKnown(name, w.Object.UID, version) {
		return
	}
	e := Entry{Name: name, UID: w.Object.UID, Version: version, OutOfScope: !selected}
	if selected {
		var err error
		if e.Item, err = s.Reflector.Decode(w.Body); err != nil {
			return // the watch brings it too, and reports it; the cache keeps the last good state
		}
	}
	if !o.Offer(s.ID, e) { // after SetScopes another scope may have the object
		o.Wrote(w)
	}
}

// Offer applies a new state of an object. It returns false, and applies nothing, if the object is not of a scope, or no longer.
func (o *Writes) Offer(id frontier.ID, e Entry) bool {
	isOf := true
	o.host.Change(func(number uint64) {
		s := o.scopeFor(e.Name)
		if isOf = s != nil && s.ID == id; isOf {
			o.offer(number, s, e)
		}
	})
	return isOf
}

// accepts reports whether a response has an object of the kind, and not, for example, a Scale.
func (k *Kind) accepts(w *writes.Write) bool {
	got := schema.FromAPIVersionAndKind(w.Object.APIVersion, w.Object.Kind)
	if got.Group == metav1.GroupName { // only metadata was requested
		return got.Kind == "PartialObjectMetadata" && k.IsMetadata
	}
	if got.GroupVersion() != k.GroupVersion {
		return false
	}
	if k.Kind != "" {
		return got.Kind == k.Kind
	}
	return w.Subresource == "" || w.Subresource == "status"
}

// isKnown reports whether the cache has a state of an object, or a later one. It saves decoding the
// response if the event was faster.
func (o *Writes) isKnown(name listed.Name, uid types.UID, version uint64) bool {
	cached, found := o.host.Get(name)
	if !found || cached.GetUID() != uid {
		return false
	}
	has, ok := frontier.Parse(cached.GetResourceVersion())
	return ok && version <= has
}

// endPredecessor ends a cached object whose name has passed to one of another shard, before a version: another program has deleted
// it, or the response to the delete was lost.
func (o *Writes) endPredecessor(name listed.Name, by types.UID, version uint64) {
	if _, isCached := o.host.Get(name); !isCached { // nearly always
		return
	}
	o.host.Change(func(number uint64) {
		cached, isCached := o.host.Get(name)
		s := o.scopeFor(name)
		if !isCached || s == nil || cached.GetUID() == by || s.table.IsLeftToWatch(version) {
			return
		}
		if has, ok := frontier.Parse(cached.GetResourceVersion()); ok && has < version {
			last := metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name, UID: cached.GetUID()}
			o.end(number, name, &writes.Write{Object: metav1.PartialObjectMetadata{ObjectMeta: last}})
		}
	})
}

// refute ends the entries of an earlier response that a later write contradicts.
func (o *Writes) refute(s *scope, name listed.Name, uid types.UID, version uint64, sent time.Time) {
	e, isAlive := s.table.Refute(name, uid, version, sent)
	if e != nil || isAlive {
		defer o.count()
	}
	if e != nil {
		o.host.Apply(o.restored(nil, s, e)...)
	}
	if isAlive {
		s.noteUnconfirmed(name, 0)
		s.relist()
	}
}

// offer applies a new state of an object.
func (o *Writes) offer(number uint64, s *scope, e Entry) {
	defer o.count()
	cached, isCached := o.host.Get(e.Name)
	e.Response = Response{number, s.NewClaim()}
	switch s.table.Offer(e, cached, isCached) {
	case Store:
		o.store(s, &e)
	case Remove:
		o.host.Apply(s.removal(cached))
	}
}

// store stores the object of an entry. If an index function panics, and the writer recovers, the
// event still has to come.
func (o *Writes) store(s *scope, e *Entry) {
	stored := false
	defer func() {
		if !stored {
			s.table.Forget(e.Name)
		}
	}()
	o.host.Apply(deltafifo.Delta{Type: deltafifo.Updated, Scope: s.ID, Item: e.Item})
	stored = true
}

// end applies a deletion. Its response may have the name and the UID only.
func (o *Writes) end(number uint64, name listed.Name, w *writes.Write) {
	s := o.scopeFor(name)
	if s == nil || s.selection.NeverHas(&w.Object) {
		return
	}
	defer o.count()
	cached, isCached := o.host.Get(name)
	isCached = isCached && cached.GetUID() == w.Object.UID
	deleted := Deletion{Name: name, UID: w.Object.UID, Response: Response{number, s.NewClaim()}}
	if s.table.End(deleted, cached, isCached) {
		o.host.Apply(s.removal(cached))
	}
}

// removal returns the delta that removes a cached object of the scope, whose final state is not known.
func (s *scope) removal(obj wire.Object) deltafifo.Delta {
	return deltafifo.Delta{Type: deltafifo.Deleted, Scope: s.ID, Item: wire.Item{Err: &wire.DecodeError{
		Namespace: obj.GetNamespace(), Name: obj.GetName(), UID: string(obj.GetUID()), ResourceVersion: obj.GetResourceVersion(),
	}}}
}

// Admit implements informer.Feature: an event may be older than a write, and a list lacks the writes after its request.
func (o *Writes) Admit(deltas []deltafifo.Delta, reached []deltafifo.Reached) ([]deltafifo.Delta, []deltafifo.Reached) {
	if len(deltas) == 0 || o.only != nil && o.only.table.IsEmpty() && deltafifo.AreStates(deltas) { // nearly always
		return deltas, reached
	}
	n := 0
	for i := range deltas {
		d := &deltas[i]
		if d.Type == deltafifo.Replaced {
			o.replace(d)
		} else if !o.isNews(d) {
			continue
		}
		if n != i {
			deltas[n] = *d
		}
		n++
	}
	o.count()
	return deltas[:n], reached
}

// isNews reports whether an event is news for the cache.
func (o *Writes) isNews(d *deltafifo.Delta) bool {
	s := o.scopes[d.Scope]
	if s == nil {
		return true // it was closed in this batch
	}
	if d.Type != deltafifo.Deleted && s.table.IsEmpty() {
		return true
	}
	isNews, refuted := s.table.Admit(&d.Item, d.Type == deltafifo.Deleted, isSameAsOwn)
	if refuted != nil {
		s.noteUnconfirmed(refuted.Name, refuted.Version)
	}
	return isNews
}

// isSameAsOwn reports whether an event has the state that a write has left, with the same content.
func isSameAsOwn(e *Entry, item *wire.Item) bool {
	return item.Err == nil && indexer.IsSame(e.Item.Object, e.Item.ContentHash, item)
}

// replace adds to a list the writes that it does not have.
func (o *Writes) replace(d *deltafifo.Delta) {
	s, all := o.scopes[d.Scope], d.Collection
	if s == nil {
		return
	}
	version, _ := frontier.Parse(all.Version) // 0 if it cannot be compared
	all.Items = s.table.Replace(all.Items, version, all.Began)
}

// Reached implements informer.Feature: it undoes writes that the watches have passed without an event. If the watch has not confirmed
// a write in time, the scope lists again.
func (o *Writes) Reached(reached []deltafifo.Reached) (undone []deltafifo.Delta, _ []deltafifo.Reached) {
	if len(reached) == 0 {
		return nil, nil
	}
	defer o.count()
	for i := range reached {
		to := &reached[i]
		s := o.scopes[to.Scope]
		for _, e := range s.table.Reach(to.Number()) {
			undone = o.restored(undone, s, e)
		}
		overdue := s.table.Bookmarks(to.Bookmarks)
		for _, claim := range overdue {
			s.noteUnconfirmed(claim.Name, claim.Version)
		}
		if len(overdue) > 0 {
			s.relist()
		}
	}
	return undone, nil
}

// restored appends a delta that replaces the state of an entry in the cache by the state that lists and the watch have reported.
func (o *Writes) restored(deltas []deltafifo.Delta, s *scope, e *Entry) []deltafifo.Delta {
	cached, found := o.host.Get(e.Name)
	isShown := found == !e.OutOfScope && (!found || e.IsStateOf(cached))
	if !isShown || o.scopeFor(e.Name) != s {
		return deltas
	}
	s.noteUnconfirmed(e.Name, e.Version)
	switch {
	case e.IsReported:
		return append(deltas, deltafifo.Delta{Type: deltafifo.Updated, Scope: s.ID, Item: e.Reported})
	case found:
		return append(deltas, s.removal(cached))
	}
	return deltas
}

// noteUnconfirmed notes a write that the watch did not confirm. version is 0 for a delete.
func (s *scope) noteUnconfirmed(name listed.Name, version uint64) {
	text := ""
	if version > 0 {
		text = strconv.FormatUint(version, 10)
	}
	s.Reflector.NoteUnconfirmed(name, text)
}

// relist lists the scope again, because its versions are not of this server.
func (s *scope) relist() { s.Reflector.Relist(reflector.Unconfirmed) }

// count sets shown and refused.
func (o *Writes) count() {
	shown := 0
	for _, s := range o.scopes {
		o.refused.Add(int64(s.table.TakeRefused()))
		shown += s.table.Len()
	}
	o.shown.Store(int32(shown))
}

// End implements informer.Feature. It forgets all entries.
func (o *Writes) End() {
	o.unsubscribe()
	for _, s := range o.scopes {
		s.table.Clear()
	}
	o.count()
}
