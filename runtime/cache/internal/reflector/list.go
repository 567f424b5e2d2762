package reflector

import (
	"context"
	"io"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

const (
	// ListTimeout is the timeout of a list in one piece, or of a page, twice that of an API
	// server by default. patientListTimeout is that of a list whose pages have expired.
	// Without them, a connection that broke silently would block forever.
	ListTimeout        = 2 * time.Minute
	patientListTimeout = 10 * time.Minute
)

// partialList is a list under way, with all requests until one of them succeeds.
type partialList struct {
	listed listed.List
	trail  protocol.PageTrail
	// began is the number of Settings.Changes before the request.
	began uint64
	// cause is why the collection is listed again. It is empty for the first list.
	cause string
}

// beginList begins a list, or begins the list under way again. cause is the reason for a new one.
func (r *Reflector) beginList(cause string) {
	if r.partial == nil {
		r.partial = &partialList{}
		if r.committed {
			r.partial.cause = cause
			r.settings.Traffic.Relist(cause)
		}
	}
	r.partial.listed.Clear()
	r.partial.trail.Begin()
	store.PackingOf(&r.settings.Form).BeginList()
}

// list reads the collection, or a page of it.
func (r *Reflector) list(ctx context.Context, next *protocol.Action, in *protocol.Input) {
	in.Token = next.Options.Continue
	timeout := ListTimeout
	if next.Patient {
		timeout = patientListTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, protocol.ErrListStalled)
	defer cancel()
	ctx, interrupt := context.WithCancelCause(ctx)
	defer interrupt(nil)
	r.relist.interruptible(interrupt)
	if next.Options.Continue == "" {
		r.partial.began = r.settings.Changes.Load()
	}
	page, err := r.source.List(ctx, next.Options)
	if err == nil {
		err = source.CheckShard(&page, r.settings.Rule.Selector())
	}
	if err != nil {
		if cause := context.Cause(ctx); cause == protocol.ErrListStalled {
			err = cause
		}
		in.Err = protocol.RequestError(in.Verb.String(), err)
		return
	}
	r.settings.Traffic.Dropped.Add(uint64(page.Dropped))
	first := page.First
	if first == "" && len(page.Items) > 0 {
		first = listed.NameOf(&page.Items[0]).String()
	}
	page.Items = slices.DeleteFunc(page.Items, func(item wire.Item) bool { return r.gate.excludes(&item) })
	for i := range page.Items {
		if in.Err = r.accept(ctx, &page.Items[i], true); in.Err != nil {
			return
		}
	}
	isNew, err := r.partial.trail.Note(page.Continue, first)
	if err != nil {
		in.Err = protocol.RequestError(in.Verb.String()+" "+r.settings.Resource.GroupResource().String(), err)
		return
	}
	r.partial.listed.AddPage(page.Items)
	in.ResourceVersion, in.ContinueToken = page.ResourceVersion, page.Continue
	in.Idle = !isNew
}

// request sends a request by Settings.Open, and counts the bytes of the response.
func (r *Reflector) request(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
	body, err := r.settings.Open(ctx, options, accept)
	if err != nil {
		return nil, err
	}
	return &stats.Body{ReadCloser: body, Bytes: &r.settings.Traffic.Bytes}, nil
}

// accept lets an item through the gate. It reports a state that cannot be decoded, once.
func (r *Reflector) accept(ctx context.Context, item *wire.Item, listed bool) error {
	if err := r.gate.admit(item, listed); err != nil {
		return err
	}
	if item.Err != nil && !r.undecodable.IsKnown(item.Err) {
		r.settings.Traffic.Undecodable.Add(1)
		r.sink.Failed(ctx, item.Err)
	}
	return nil
}

// addInitial adds one of the initial events of a streaming list. Their versions are those
// of the objects, in no order. Only the bookmark has that of the list.
func (r *Reflector) addInitial(event *wire.Event, change deltafifo.Type, in *protocol.Input) error {
	switch {
	case change != 0:
		event.Object = store.PackingOf(&r.settings.Form).Settle(event.Object) // thousands of others may follow
		r.partial.listed.Apply(event.Type, &event.Item)
	case event.InitialEventsEnd && event.ResourceVersion == "":
		return protocol.ErrNoListVersion // a watch from there would miss changes
	case event.InitialEventsEnd:
		in.Listed, in.ResourceVersion = true, event.ResourceVersion
		r.commit(event.ResourceVersion)
		r.enter(progress.Watching)
	}
	return nil
}

// commit gives the list that was read to the Sink.
func (r *Reflector) commit(resourceVersion string) {
	r.leaveFirst()
	list := r.partial
	collection := &deltafifo.Collection{Items: list.listed.Items(), IsFirst: !r.committed, Began: list.began, Version: resourceVersion}
	r.committed, r.partial = true, nil
	r.settings.Traffic.Lists.Add(1)
	r.position.Version = resourceVersion
	r.claim, r.claimant = frontier.Claim{At: clock.Now(), Bookmarks: r.position.Bookmarks}, listed.Name{}
	// Who sees the list applied, and so who waits for the informer to sync, sees its undecodable objects.
	r.undecodable.Replace(&list.listed.Undecodable)
	r.sink.Listed(collection, r.position)
}
