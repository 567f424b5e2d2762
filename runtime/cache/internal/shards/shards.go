// Package shards leaves out the objects that are not in a shard: before they are decoded, or from what a
// client has decoded.
package shards

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/sharding"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// IsFixed reports whether an object is in a shard, or is not, as long as it exists.
func IsFixed(shard sharding.Selector) bool { return shard.Key() != sharding.Owner }

// Decode returns options of a decoder that also leaves out the objects that are not in a shard.
func Decode(options wire.Options, shard sharding.Selector) wire.Options {
	if shard.Empty() {
		return options
	}
	hashed := func(h *wire.Head) []byte { return h.UID }
	key := shard.Key()
	switch key {
	case sharding.Namespace, sharding.SpreadNamespace:
		hashed = func(h *wire.Head) []byte { return h.Namespace }
	case sharding.Owner:
		hashed = func(h *wire.Head) []byte {
			if owner := h.Controller(); len(owner) > 0 {
				return owner
			}
			return h.UID
		}
	}
	keep := options.Keep
	options.Keep = func(h wire.Head) bool {
		return shard.Contains(sharding.HashOf(key, hashed(&h))) && (keep == nil || keep(h))
	}
	options.KeepChanges = options.KeepChanges || !IsFixed(shard)
	return options
}

// Page leaves out items of a page that a client has decoded.
func Page(page *wire.Page, shard sharding.Selector) {
	if len(page.Items) == 0 {
		return
	}
	if first := head(&page.Items[0]); page.First == "" {
		page.First = first.Namespace + "/" + first.Name
	}
	before := len(page.Items)
	page.Items = slices.DeleteFunc(page.Items, func(item wire.Item) bool { return !has(shard, &item) })
	page.Dropped += before - len(page.Items)
}

// Event leaves out the object of an event, as a decoder does.
func Event(event *wire.Event, shard sharding.Selector) {
	if event.Type == watch.Bookmark || has(shard, &event.Item) {
		return
	}
	obj := head(&event.Item)
	out := wire.Event{Type: watch.Bookmark, ResourceVersion: event.ResourceVersion, Dropped: event.Dropped + 1}
	if event.Type != watch.Added && !IsFixed(shard) {
		out.Type, out.Dropped = watch.Deleted, event.Dropped
		out.Err = &wire.DecodeError{Namespace: obj.Namespace, Name: obj.Name, UID: string(obj.UID), ResourceVersion: event.ResourceVersion, Err: wire.ErrNotKept}
	}
	*event = out
}

// has reports whether an item is in a shard. One that could not be decoded is, if it has an owner that
// would have to be known.
func has(shard sharding.Selector, item *wire.Item) bool {
	if item.Err == nil {
		return shard.Matches(item.Object)
	}
	return !IsFixed(shard) || shard.Matches(head(item))
}

// head returns the names and the UID of an item.
func head(item *wire.Item) *metav1.ObjectMeta {
	if state := item.Err; state != nil {
		return &metav1.ObjectMeta{Namespace: state.Namespace, Name: state.Name, UID: types.UID(state.UID)}
	}
	return &metav1.ObjectMeta{Namespace: item.Object.GetNamespace(), Name: item.Object.GetName(), UID: item.Object.GetUID()}
}
