package cache

import (
	"reflect"
	"strconv"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/pending"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/reflector"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
	"github.com/typedinformers/informer-gen/runtime/wire"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// ownWrites stores the responses to the writes of this program in the cache of an informer, until
// the watch confirms them. The mutex of the informer guards all fields that are not atomic.
type ownWrites struct {
	core     *core
	observer *writes.Observer
	// scopes has one for each open Reflector, by its id. only is the only one of an informer whose scopes were never set,
	// and otherwise nil.
	scopes map[scopeID]*ownScope
	only   *ownScope
	// responses counts the responses to writes.
	responses uint64
	// unconfirmed are entries that the watch has passed without telling them.
	unconfirmed []unconfirmed
	// shown is the number of entries that change the cache.
	shown atomic.Int32
	// refused is the number of writes for which there was no room.
	refused atomic.Int64
}

// ownScope has the writes to one scope.
type ownScope struct {
	reflector *scopeReflector
	selection *pending.Selection
	table     pending.Table
}

// unconfirmed is an entry of a scope.
type unconfirmed struct {
	*pending.Entry
	scope *ownScope
	// isReplaced is set if an event has replaced the state of the entry.
	isReplaced bool
}

func newOwnWrites(c *core, observer *writes.Observer) *ownWrites {
	o := &ownWrites{core: c, observer: observer}
	o.follow(c.open)
	return o
}

// follow replaces the scopes by those of the Reflectors that are open. New ones do not run yet.
func (o *ownWrites) follow(open map[scopeID]*scopeReflector) {
	if o == nil {
		return
	}
	known := o.scopes
	o.scopes, o.only = make(map[scopeID]*ownScope, len(open)), nil
	for id, r := range open {
		scope := known[id]
		if scope == nil {
			scope = &ownScope{reflector: r}
			scope.table.Responses = &o.responses
			r.writes = &scope.table
			scope.selection = pending.NewSelection(r.config.ReadYourWrites.selects, r.config.rule.Selector())
			scope.table.Selects = scope.selection.MayLose()
		}
		if o.core.isWhole() {
			o.only = scope
		}
		o.scopes[id] = scope
	}
	if o.only == nil { // a namespace may have been removed
		for _, scope := range o.scopes {
			scope.table.ForgetAll(func(name listed.Name) bool { return o.ownerOf(name) != scope })
		}
	}
	o.count()
}

// move moves what is remembered of some names from the scope of a Reflector to that of the one that takes them over.
func (o *ownWrites) move(from, to *scopeReflector, has func(listed.Name) bool) {
	if o != nil {
		next := o.scopes[to.id]
		o.scopes[from.id].table.Move(&next.table, next.selection, to.frontier.Received().Bookmarks, has)
	}
}

// has reports whether a scope still has an object.
func (o *ownWrites) has(scope *ownScope, name listed.Name) bool {
	return o.scopeFor(name) == scope
}

// scopeFor returns the scope that has an object if that matches its selectors, or nil.
func (o *ownWrites) scopeFor(name listed.Name) *ownScope {
	scope := o.only
	if scope == nil {
		if scope = o.ownerOf(name); scope == nil {
			return nil
		}
	}
	config := scope.reflector.config
	if config.Namespace != "" && config.Namespace != name.Namespace || config.rule.Excludes(name.Namespace, name.Name) {
		return nil
	}
	return scope
}

// ownerOf returns the scope of an object when there are several. If no scope has it yet, that is the one that will.
func (o *ownWrites) ownerOf(name listed.Name) *ownScope {
	id, has := o.core.owners.Owner(name)
	if !has {
		if id, has = o.core.owners.Opening(name); !has {
			return nil
		}
	}
	return o.scopes[id]
}

// leftToWatch looks at the writes that the Reflector of a scope will take over, if only the server can evaluate its selectors. It
// returns the highest of their versions above after, and 0 without one.
func (o *ownWrites) leftToWatch(r *scopeReflector, after uint64) (version uint64) {
	if o == nil {
		return 0
	}
	selection := o.scopes[r.id].selection
	if selection.Unknown() == "" {
		return 0
	}
	for _, scope := range o.scopes {
		version = max(version, scope.table.LeftToWatch(selection, after, func(name listed.Name) bool {
			id, isOpening := o.core.owners.Opening(name)
			return isOpening && id == r.id
		}))
	}
	return version
}

// Wrote applies the response to a write. It is called in the goroutine of the writer.
func (o *ownWrites) Wrote(w writes.Write) {
	s := o.core
	name := listed.Name{Namespace: w.Object.Namespace, Name: w.Object.Name}
	if w.Gone {
		s.mu.Lock()
		defer s.mu.Unlock()
		o.end(name, &w)
		return
	}
	version, ok := frontier.Parse(w.Object.ResourceVersion)
	s.mu.Lock()
	scope := o.scopeFor(name)
	s.mu.Unlock()
	if scope == nil {
		return
	}
	if scope.selection.NeverHas(&w.Object) {
		if ok {
			o.endPredecessor(name, w.Object.UID, version)
		}
		return
	}
	selected, known := scope.selection.Matches(&w.Object)
	if !ok || !known || !isOfKind(&w, scope.reflector.config) {
		return
	}
	o.refute(scope, name, w.Object.UID, version, w.Sent)
	if o.isKnown(name, w.Object.UID, version) {
		return
	}
	e := pending.Entry{Name: name, UID: w.Object.UID, Version: version, OutOfScope: !selected}
	bodies := scope.reflector.Bodies()
	if selected {
		if bodies == nil {
			return
		}
		var err error
		if e.Item, err = scope.reflector.Item(bodies, w.Body); err != nil {
			return // the watch brings it too, and reports it; the cache keeps the last good state
		}
	}
	s.mu.Lock()
	// After SetScopes another scope may have the object.
	if !o.has(scope, name) {
		s.mu.Unlock()
		o.Wrote(w)
		return
	}
	defer s.mu.Unlock()
	o.offer(scope, e)
}

// endPredecessor ends a cached object whose name has passed to one of another shard, before a version: another program has deleted
// it, or the response to the delete was lost.
func (o *ownWrites) endPredecessor(name listed.Name, by types.UID, version uint64) {
	s := o.core
	if _, isCached := s.indexer.Get(name); !isCached { // nearly always
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	cached, isCached := s.indexer.Get(name)
	scope := o.scopeFor(name)
	if !isCached || scope == nil || cached.GetUID() == by || scope.table.IsLeftToWatch(version) {
		return
	}
	if has, ok := frontier.Parse(cached.GetResourceVersion()); ok && has < version {
		o.end(name, &writes.Write{Object: metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name, UID: cached.GetUID()}}})
	}
}

// refute ends what an earlier response has left, and a later write contradicts.
func (o *ownWrites) refute(scope *ownScope, name listed.Name, uid types.UID, version uint64, sent time.Time) {
	o.core.mu.Lock()
	defer o.core.mu.Unlock()
	e, isAlive := scope.table.Refute(name, uid, version, sent)
	if e != nil || isAlive {
		defer o.count()
	}
	if e != nil {
		o.restore(scope, e)
	}
	if isAlive {
		scope.noteUnconfirmed(name, 0)
		scope.relist()
	}
}

// isKnown reports whether the cache has a state of an object, or a later one. It saves decoding the
// response if the event was faster.
func (o *ownWrites) isKnown(name listed.Name, uid types.UID, version uint64) bool {
	cached, found := o.core.indexer.Get(name)
	if !found || cached.GetUID() != uid {
		return false
	}
	has, ok := frontier.Parse(cached.GetResourceVersion())
	return ok && version <= has
}

// isOfKind reports whether a response has an object of the kind, and not, for example, a Scale.
func isOfKind(w *writes.Write, config *config) bool {
	got := schema.FromAPIVersionAndKind(w.Object.APIVersion, w.Object.Kind)
	if got.Group == metav1.GroupName { // only metadata was requested
		return got.Kind == "PartialObjectMetadata" && config.objectType() == reflect.TypeFor[*metav1.PartialObjectMetadata]()
	}
	if got.GroupVersion() != config.Resource.GroupVersion() {
		return false
	}
	if kind := config.Decode.Kind.Kind; kind != "" {
		return got.Kind == kind
	}
	return w.Subresource == "" || w.Subresource == "status"
}

// offer applies a new state of an object.
func (o *ownWrites) offer(scope *ownScope, e pending.Entry) {
	s := o.core
	if s.processor.Stopped() {
		return
	}
	defer o.count()
	cached, isCached := s.indexer.Get(e.Name)
	e.Claim = scope.reflector.newClaim()
	switch scope.table.Offer(e, cached, isCached) {
	case pending.Store:
		o.store(scope, &e)
	case pending.Remove:
		o.remove(scope, cached)
	}
}

// store stores the object of an entry. If an index function panics, and the writer recovers, the
// event still has to come.
func (o *ownWrites) store(scope *ownScope, e *pending.Entry) {
	stored := false
	defer func() {
		if !stored {
			scope.table.Forget(e.Name)
		}
	}()
	o.core.distribute([]deltafifo.Delta{{Type: deltafifo.Updated, Scope: scope.reflector.id, Item: e.Item}}, stats.Now())
	stored = true
}

// end applies a deletion. Its response may have the name and the UID only.
func (o *ownWrites) end(name listed.Name, w *writes.Write) {
	s := o.core
	scope := o.scopeFor(name)
	if scope == nil || scope.selection.NeverHas(&w.Object) || s.processor.Stopped() {
		return
	}
	defer o.count()
	cached, isCached := s.indexer.Get(name)
	isCached = isCached && cached.GetUID() == w.Object.UID
	deleted := pending.Deletion{Name: name, UID: w.Object.UID, Claim: scope.reflector.newClaim()}
	if scope.table.End(deleted, cached, isCached) {
		o.remove(scope, cached)
	}
}

// remove removes a cached object of a scope, whose final state is not known.
func (o *ownWrites) remove(scope *ownScope, obj Object) {
	o.core.distribute([]deltafifo.Delta{{Type: deltafifo.Deleted, Scope: scope.reflector.id, Item: wire.Item{Err: &DecodeError{
		Namespace: obj.GetNamespace(), Name: obj.GetName(), UID: string(obj.GetUID()), ResourceVersion: obj.GetResourceVersion(),
	}}}}, stats.Now())
}

// restoreUnconfirmed undoes the writes of unconfirmed in the cache.
func (o *ownWrites) restoreUnconfirmed() {
	if o == nil {
		return
	}
	for _, e := range o.unconfirmed {
		if e.isReplaced {
			e.scope.noteUnconfirmed(e.Name, e.Version)
		} else {
			o.restore(e.scope, e.Entry)
		}
	}
	o.unconfirmed = nil
}

// restore replaces the state of an entry in the cache by what lists and the watch have told.
func (o *ownWrites) restore(scope *ownScope, e *pending.Entry) {
	cached, found := o.core.indexer.Get(e.Name)
	isShown := found == !e.OutOfScope && (!found || e.IsStateOf(cached))
	if !isShown || !o.has(scope, e.Name) {
		return
	}
	scope.noteUnconfirmed(e.Name, e.Version)
	switch {
	case e.IsTold:
		o.core.distribute([]deltafifo.Delta{{Type: deltafifo.Updated, Scope: scope.reflector.id, Item: e.Told}}, stats.Now())
	case found:
		o.remove(scope, cached)
	}
}

// admit returns the deltas that change the cache. It reuses the slice.
func (o *ownWrites) admit(deltas []deltafifo.Delta) []deltafifo.Delta {
	if o == nil || o.only != nil && o.only.table.IsEmpty() && deltafifo.AreStates(deltas) { // nearly always
		return deltas
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
	return deltas[:n]
}

// reach records that the cache has all changes of a scope up to a position. The caller calls reached after the last scope.
func (o *ownWrites) reach(id scopeID, to frontier.Position) {
	if o == nil {
		return
	}
	scope := o.scopes[id]
	for _, e := range scope.table.Reach(to.Number()) {
		o.unconfirmed = append(o.unconfirmed, unconfirmed{e, scope, false})
	}
	// If the watch has not confirmed a write in time, the scope lists again.
	overdue := scope.table.Bookmarks(to.Bookmarks)
	for _, claim := range overdue {
		scope.noteUnconfirmed(claim.Name, claim.Version)
	}
	if len(overdue) > 0 {
		scope.relist()
	}
}

// reached ends what the watches have passed without telling it.
func (o *ownWrites) reached() {
	if o != nil {
		o.restoreUnconfirmed()
		o.count()
	}
}

// isNews reports whether an event is news for the cache.
func (o *ownWrites) isNews(d *deltafifo.Delta) bool {
	scope := o.scopes[d.Scope]
	if scope == nil {
		return true // it was closed in this batch
	}
	if d.Type != deltafifo.Deleted && scope.table.IsEmpty() {
		return true
	}
	isNews, refuted := scope.table.Admit(&d.Item, d.Type == deltafifo.Deleted, isSameAsOwn)
	if refuted != nil {
		o.unconfirmed = append(o.unconfirmed, unconfirmed{refuted, scope, true})
	}
	return isNews
}

// isSameAsOwn reports whether an event has the state that a write has left, with the same content.
func isSameAsOwn(e *pending.Entry, item *wire.Item) bool {
	return item.Err == nil && indexer.IsSame(e.Item.Object, e.Item.ContentHash, item)
}

// replace adds to a list the writes that it does not have.
func (o *ownWrites) replace(d *deltafifo.Delta) {
	scope, all := o.scopes[d.Scope], d.Collection
	if scope == nil {
		return
	}
	version, _ := frontier.Parse(all.Version) // 0 if it cannot be compared
	all.Items = scope.table.Replace(all.Items, version, all.Began)
}

// noteUnconfirmed notes a write that the watch did not confirm. version is 0 for a delete.
func (scope *ownScope) noteUnconfirmed(name listed.Name, version uint64) {
	text := ""
	if version > 0 {
		text = strconv.FormatUint(version, 10)
	}
	scope.reflector.NoteUnconfirmed(name, text)
}

// relist lists the scope again, because what it has told is not of this server.
func (scope *ownScope) relist() { scope.reflector.Relist(reflector.Unconfirmed) }

// count sets shown and refused.
func (o *ownWrites) count() {
	shown := 0
	for _, scope := range o.scopes {
		o.refused.Add(int64(scope.table.TakeRefused()))
		shown += scope.table.Len()
	}
	o.shown.Store(int32(shown))
}

// addTo adds what is known of own writes to the Status of the informer.
func (o *ownWrites) addTo(status *Status) {
	if o != nil {
		status.PendingWrites, status.LateWrites = int(o.shown.Load()), int(o.refused.Load())
	}
}

// clear forgets all entries: the informer has ended.
func (o *ownWrites) clear() {
	if o == nil {
		return
	}
	for _, scope := range o.scopes {
		scope.table.Clear()
	}
	o.unconfirmed = nil
	o.count()
}
