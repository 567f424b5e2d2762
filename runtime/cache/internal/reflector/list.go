package reflector

import (
	"context"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

const (
	// ListTimeout is the timeout of a list in one piece, or of a page, twice that of an API
	// server by default. slowListTimeout is for a list whose pages have expired.
	// Without them, a connection that broke silently would block forever.
	ListTimeout     = 2 * time.Minute
	slowListTimeout = 10 * time.Minute
)

// beginList begins a list, or begins the list under way again. cause is the reason for a new one.
func (r *Reflector) beginList(cause string) {
	if r.partial == nil {
		r.partial = &partialList{}
		if r.committed {
			r.partial.cause = cause
			r.settings.Observer.AddRelist(cause)
		}
	}
	r.partial.restart()
}

// list reads the collection, or a page of it.
func (r *Reflector) list(ctx context.Context, next *protocol.Action, in *protocol.Input) {
	timeout := ListTimeout
	if next.IsSlow {
		timeout = slowListTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, protocol.ErrListStalled)
	defer cancel()
	ctx, interrupt := context.WithCancelCause(ctx)
	defer interrupt(nil)
	r.relist.interruptible(interrupt)
	if next.Options.Continue == "" {
		r.partial.began = r.settings.Changes.Load()
	}
	page, err := r.settings.Source.List(ctx, next.Options)
	if err != nil {
		if cause := context.Cause(ctx); cause == protocol.ErrListStalled {
			err = cause
		}
		in.Err = protocol.RequestError(next.Verb.String(), err)
		return
	}
	r.settings.Observer.AddDropped(page.Dropped)
	for i := range page.Items {
		r.note(ctx, &page.Items[i])
	}
	isNew, err := r.partial.addPage(&page)
	if err != nil {
		in.Err = protocol.RequestError(next.Verb.String()+" "+r.settings.Resource.GroupResource().String(), err)
		return
	}
	in.ResourceVersion, in.ContinueToken = page.ResourceVersion, page.Continue
	in.Idle = !isNew
}

// note reports a state that cannot be decoded, once.
func (r *Reflector) note(ctx context.Context, item *wire.Item) {
	if item.Err != nil && !r.undecodable.IsKnown(item.Err) {
		r.settings.Observer.AddUndecodable()
		r.sink.Failed(ctx, item.Err)
	}
}

// noteEvent does so for an event about an object, unless that is only known not to be of the shard any more.
func (r *Reflector) noteEvent(ctx context.Context, event *wire.Event) {
	if event.Type != wire.NoLongerKept {
		r.note(ctx, &event.Item)
	}
}

// commit gives the list that was read to the Sink.
func (r *Reflector) commit(resourceVersion string) {
	r.leaveFirst()
	list := r.partial
	collection := &deltafifo.Collection{Items: list.listed.Items(), IsFirst: !r.committed, Began: list.began, Version: resourceVersion}
	r.committed, r.partial = true, nil
	r.settings.Observer.AddList()
	r.position.Version = resourceVersion
	r.claim, r.claimedBy = frontier.Claim{At: clock.Now(), Bookmarks: r.position.Bookmarks}, listed.Name{}
	// Publish undecodable objects first: a caller that waits for the informer to sync sees them then.
	r.undecodable.Replace(&list.listed.Undecodable)
	r.sink.Listed(collection, r.position)
}
