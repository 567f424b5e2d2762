package cache

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

const (
	// probeAfter is how long an object waits for a scope before the scope is asked for it.
	probeAfter = 250 * time.Millisecond
	// probeTimeout is that of a request for one object.
	probeTimeout = 10 * time.Second
	// awaitListFor is the time after which a scope that was not listed yet is looked at again.
	awaitListFor = time.Second
	// maxProbes is the largest number of objects that a scope is asked for one by one. For more, the
	// whole scope is listed.
	maxProbes = 100
	// maxProbed is the number of scopes that are asked at one time.
	maxProbed = 4
)

// prober asks scopes for objects that have left another scope. The cache keeps such an object until it
// is known whether it has moved, and a quiet scope would show that only with its next bookmark.
type prober[T Object] struct {
	informer *SharedIndexInformer[T]
	wake     chan struct{} // holds a token when objects have begun to wait
	// asked is about the scopes that have failed, or are listed. Only the goroutine of run uses it.
	asked map[scopeID]*askedScope
}

// askedScope is a scope that could not answer at once.
type askedScope struct {
	failures int
	next     time.Time
	listing  atomic.Bool
}

func newProber[T Object](s *SharedIndexInformer[T]) *prober[T] {
	return &prober[T]{informer: s, wake: make(chan struct{}, 1), asked: map[scopeID]*askedScope{}}
}

// awaitScopes notes whether objects wait for scopes, and lists scopes again that have to be. The mutex is held.
func (s *SharedIndexInformer[T]) awaitScopes() {
	if s.prober == nil {
		return // there is one scope
	}
	if stale := s.indexer.staleScopes(); len(stale) > 0 {
		for _, r := range s.controller.reflectors() {
			if slices.Contains(stale, r.id) {
				r.relist(Restored)
			}
		}
	}
	leaving, hasRecords := s.indexer.departed()
	isAwaiting := leaving > 0
	if s.awaiting.Load() != isAwaiting {
		s.awaiting.Store(isAwaiting)
	}
	if s.recalls.Load() != hasRecords {
		s.recalls.Store(hasRecords)
	}
	if isAwaiting {
		select {
		case s.prober.wake <- struct{}{}:
		default:
		}
	}
}

// reachScopes tells the cache which versions the scopes have reached, if no deltas wait. Otherwise it
// is called again when they were processed.
func (s *SharedIndexInformer[T]) reachScopes() {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.controller.reflectors()
	versions := make([]string, len(all))
	for i, r := range all {
		versions[i] = r.status.version()
	}
	if !s.controller.queue.IsIdle() { // a Reflector pushes the deltas before it sets their version
		return
	}
	var notes []processor.Notification[T]
	for i, r := range all {
		if r.listed && versions[i] != "" {
			notes = append(notes, s.indexer.reachScope(r.id, versions[i])...)
		}
	}
	s.processor.Deliver(processor.Batch[T]{Notes: notes, Received: stats.Now()}, nil)
	s.awaitScopes()
}

// run asks until ctx ends.
func (p *prober[T]) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		next := time.Now().Add(probeAfter)
		for p.informer.awaiting.Load() {
			timer := time.NewTimer(time.Until(next))
			select {
			case <-ctx.Done():
				timer.Stop()
				return
			case <-p.wake:
				if soon := time.Now().Add(probeAfter); next.After(soon) {
					next = soon
				}
			case <-timer.C:
				next = p.ask(ctx)
			}
			timer.Stop()
		}
	}
}

// ask asks all scopes that objects wait for, unless they have failed before, and returns when to ask
// again.
func (p *prober[T]) ask(ctx context.Context) (next time.Time) {
	s := p.informer
	now := time.Now()
	next = now.Add(protocol.MaxRetryAfter)
	limit := make(chan struct{}, maxProbed)
	var probes sync.WaitGroup
	known := map[scopeID]*askedScope{}
	for _, r := range s.controller.reflectors() {
		state := p.asked[r.id]
		if state == nil {
			state = &askedScope{}
		}
		known[r.id] = state
		if r.Status().Reason == Forbidden {
			p.release(r, now.Add(-probeAfter))
			continue
		}
		if state.next.After(now) || state.listing.Load() {
			continue
		}
		s.mu.Lock()
		awaited := s.indexer.awaitedFrom(r.id, now.Add(-probeAfter))
		s.mu.Unlock()
		all := len(awaited)
		awaited = slices.DeleteFunc(awaited, func(o awaitedObject) bool { return o.version == "" })
		if len(awaited) < all { // its list is to come, or may be refused
			next = now.Add(awaitListFor)
		}
		if len(awaited) > maxProbes {
			state.listing.Store(true)
			r.relist(Moved, func() { state.listing.Store(false) })
			continue
		}
		if len(awaited) == 0 {
			continue
		}
		probes.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			p.askScope(ctx, r, state, awaited)
		})
	}
	probes.Wait()
	p.asked = known
	for _, state := range known {
		if !state.next.IsZero() && state.next.Before(next) {
			next = state.next
		}
	}
	if soon := time.Now().Add(probeAfter); next.Before(soon) || p.hasOthers(now) {
		next = soon
	}
	return next
}

// release ends the wait of objects for a scope that the server forbids: it would last until someone grants
// the rights, and objects that were deleted would stay. The list of the scope adds what it has then.
func (p *prober[T]) release(r *Reflector[T], before time.Time) {
	s := p.informer
	s.mu.Lock()
	defer s.mu.Unlock()
	var notes []processor.Notification[T]
	for _, object := range s.indexer.awaitedFrom(r.id, before) {
		notes = append(notes, s.indexer.absentFrom(r.id, object.name, object.version)...)
	}
	s.processor.Deliver(processor.Batch[T]{Notes: notes, Received: stats.Now()}, nil)
	s.awaitScopes()
}

// hasOthers reports whether objects wait that no scope was asked for.
func (p *prober[T]) hasOthers(asked time.Time) bool {
	s := p.informer
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.controller.reflectors() {
		for _, object := range s.indexer.awaitedFrom(r.id, time.Now()) {
			if object.since.After(asked.Add(-probeAfter)) && object.version != "" {
				return true
			}
		}
	}
	return false
}

// askScope asks one scope for objects. After a failure it gives up.
func (p *prober[T]) askScope(ctx context.Context, r *Reflector[T], state *askedScope, awaited []awaitedObject) {
	for _, object := range awaited {
		if err := p.probe(ctx, r, object); err != nil {
			if ctx.Err() != nil {
				return
			}
			wait := waitsOf(r.config.Backoffs).After(err, state.failures)
			state.failures++
			state.next = time.Now().Add(protocol.WithJitter(wait, rand.N[time.Duration]))
			r.traffic.fail(verbList, err)
			r.onError(ctx, r.config.Resource, fmt.Errorf("%s: %w", r.config.of().name(), err))
			return
		}
	}
	state.failures, state.next = 0, time.Time{}
}

// probe asks for one object, and applies the answer.
func (p *prober[T]) probe(ctx context.Context, r *Reflector[T], object awaitedObject) error {
	ctx, cancel := context.WithTimeoutCause(ctx, probeTimeout, protocol.ErrListStalled)
	defer cancel()
	from := r.currentSource()
	item, version, err := r.find(ctx, object)
	if err != nil {
		if cause := context.Cause(ctx); cause == protocol.ErrListStalled {
			err = cause
		}
		return requestError(verbList, err)
	}
	s := p.informer
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.controller.reflectors(), r) || r.currentSource() != from {
		return nil // the scope was closed, or its objects get another form
	}
	if item != nil {
		s.distribute(Deltas[T]{{Type: Updated, aside: true, scope: r.id, Item: *item}}, stats.Now())
	} else {
		notes := s.indexer.absentFrom(r.id, object.name, version)
		s.processor.Deliver(processor.Batch[T]{Notes: notes, Received: stats.Now()}, nil)
	}
	s.awaitScopes()
	return nil
}

// find lists one object of the scope. The item is nil if the scope does not have it at that version.
func (r *Reflector[T]) find(ctx context.Context, object awaitedObject) (item *Item[T], version string, err error) {
	one := fields.OneTermEqualSelector("metadata.name", object.name.Name).String()
	if object.name.Namespace != "" && r.config.Namespace == "" {
		one = scoping.And(one, fields.OneTermEqualSelector("metadata.namespace", object.name.Namespace).String())
	}
	page, err := r.finder().List(ctx, metav1.ListOptions{
		FieldSelector: one, ResourceVersion: object.version, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	})
	if err != nil {
		return nil, "", err
	}
	if isEarlier(page.ResourceVersion, object.version) {
		return nil, "", fmt.Errorf("the server answered with version %s to a request for one not older than %s", page.ResourceVersion, object.version)
	}
	for i := range page.Items {
		item := &page.Items[i]
		if nameOf(item) != object.name || r.excludes(item) {
			continue // the server ignores field selectors
		}
		if item.Err == nil && !item.Held {
			item.Object, err = r.transformed(item.Object)
		}
		return item, page.ResourceVersion, err
	}
	return nil, page.ResourceVersion, nil
}

// finder returns a source for requests besides those of Run.
func (r *Reflector[T]) finder() ListerWatcher[T] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.config.Open == nil {
		return r.source // which Run does not change
	}
	return r.sourceOf(func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
		body, err := r.config.Open(ctx, options, accept)
		if err != nil {
			return nil, err
		}
		return &stats.Body{ReadCloser: body, Bytes: &r.traffic.Bytes}, nil
	}, r.config.Decode)
}
