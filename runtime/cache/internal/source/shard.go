package source

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/sharding"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Sharded leaves out the objects that are not in a shard, because a server, and a fake, may
// ignore the ShardSelector of a request.
type Sharded struct {
	Source
	Shard sharding.Selector
}

// List reads one page.
func (s *Sharded) List(ctx context.Context, options metav1.ListOptions) (wire.Page, error) {
	page, err := s.Source.List(ctx, options)
	if err == nil {
		dropOthers(&page, s.Shard)
	}
	return page, err
}

// Watch opens a stream.
func (s *Sharded) Watch(ctx context.Context, options metav1.ListOptions) (Stream, error) {
	of, err := s.Source.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	return Each(of, func(event *wire.Event) error {
		dropOther(event, s.Shard)
		return nil
	}), nil
}

// isFixed reports whether an object is in a shard, or is not, as long as it exists.
func isFixed(shard sharding.Selector) bool { return shard.Key() != sharding.Owner }

// InShard returns options of a decoder that also leaves out the objects that are not in a shard.
func InShard(options wire.Options, shard sharding.Selector) wire.Options {
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
		if key == sharding.Owner && h.IsPartial() {
			return true // it is not known who the owner is
		}
		return shard.Contains(sharding.HashOf(key, hashed(&h))) && (keep == nil || keep(h))
	}
	options.KeepChanges = options.KeepChanges || !isFixed(shard)
	return options
}

// CheckShard returns an error for a page of another shard, which lacks objects of this one.
func CheckShard(page *wire.Page, shard sharding.Selector) error {
	if page.Shard == "" || !shard.Key().OnServers() || page.Shard == shard.String() {
		return nil
	}
	return fmt.Errorf("%w: it is %q instead of %q; look for what changes shardSelector on its way to the server", protocol.ErrOtherShard, page.Shard, shard)
}

// dropOthers leaves out items of a page that a client has decoded.
func dropOthers(page *wire.Page, shard sharding.Selector) {
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

// dropOther leaves out the object of an event, as a decoder does.
func dropOther(event *wire.Event, shard sharding.Selector) {
	if event.Type == watch.Bookmark || event.Type == wire.LeftOut || has(shard, &event.Item) {
		return
	}
	obj := head(&event.Item)
	out := wire.Event{Type: wire.LeftOut, ResourceVersion: event.ResourceVersion, Dropped: event.Dropped + 1}
	if event.Type != watch.Added && !isFixed(shard) {
		out.Type, out.Dropped = wire.NoLongerKept, event.Dropped
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
	return !isFixed(shard) || shard.Matches(head(item))
}

// head returns the names and the UID of an item.
func head(item *wire.Item) *metav1.ObjectMeta {
	if state := item.Err; state != nil {
		return &metav1.ObjectMeta{Namespace: state.Namespace, Name: state.Name, UID: types.UID(state.UID)}
	}
	return &metav1.ObjectMeta{Namespace: item.Object.GetNamespace(), Name: item.Object.GetName(), UID: item.Object.GetUID()}
}
