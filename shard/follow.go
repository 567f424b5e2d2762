package shard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// narrowAfter is how long the caches keep the objects of slots that went to other members. To drop them, an
// informer lists the rest again, so the follower waits until no slot has moved for this long.
const narrowAfter = time.Minute

// Informer is the part of an informer that a Coordinator uses. A *cache.SharedIndexInformer implements it.
type Informer interface {
	cache.Syncer
	Scopes() []cache.Scope
	SetScopes(scopes ...cache.Scope) error
}

// follower sets the scopes of the informers by the slots of the member.
type follower struct {
	cached []uint64 // by slot: the hold whose objects the caches have, or 0; of the goroutine of follow

	mu        sync.Mutex // guards the fields below
	informers []followed
	handlers  []gate
	opening   map[gate]bool // those that run
	waitErr   error

	openings sync.WaitGroup // of the goroutines of gates
}

type followed struct {
	Informer
	base []cache.Scope
}

// gate is a handler of an informer that passes on only the objects that the member owns.
type gate interface {
	// open sets the holds, by slot, whose objects the handler gets from now on. It does not wait for the handler.
	open(holds []uint64)
	// run calls the handler after open, until ctx ends.
	run(ctx context.Context, running *sync.WaitGroup)
	// hangs returns the call of the handler that has not returned, for errors.
	hangs() string
	// registration returns nil as long as there is none.
	registration() cache.ResourceEventHandlerRegistration
}

// reason returns why the caches are not filled.
func (f *follower) reason() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.waitErr
}

// Follow limits an informer to the objects that this member owns, in some scopes; without any, in those that
// it has. From now on only the Coordinator of this member calls SetScopes of it. Call Follow before Run, and before the informer runs. It returns the error of SetScopes.
func (c *Coordinator) Follow(informer Informer, scopes ...cache.Scope) error {
	if len(scopes) == 0 {
		scopes = informer.Scopes()
	}
	for _, scope := range scopes {
		if scope.ShardSelector != "" {
			return fmt.Errorf("shard: Follow sets the ShardSelector of each scope, but that of namespace %q has %s already; remove it", scope.Namespace, scope.ShardSelector)
		}
	}
	if c.running.Load() {
		return errors.New("shard: Follow was called after Run; call it before")
	}
	if c.follows(informer) {
		return fmt.Errorf("shard: Follow was called twice with one informer (%T), and would replace its scopes; pass all scopes to one call", informer)
	}
	holds := make([]uint64, c.slots.count)
	holds[0] = 1
	all, err := c.slots.scopes(scopes, holds)
	if err == nil {
		err = informer.SetScopes(all...) // so that a mistake in a scope is found now
	}
	if err == nil {
		err = informer.SetScopes()
	}
	if err != nil {
		return fmt.Errorf("shard: Follow: %w", err)
	}
	c.follower.mu.Lock()
	defer c.follower.mu.Unlock()
	c.informers = append(c.informers, followed{informer, slices.Clone(scopes)})
	return nil
}

// follows reports whether Follow was called with an informer.
func (c *Coordinator) follows(informer any) bool {
	return slices.ContainsFunc(c.followed(), func(f followed) bool { return any(f.Informer) == informer })
}

// follow fills the caches with the objects of slots that the member has taken, and then lets work on them begin.
func (c *Coordinator) follow(ctx context.Context) {
	narrow := time.NewTimer(narrowAfter)
	defer narrow.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-narrow.C:
			c.set(ctx, c.kept(c.heldNow()))
		case <-c.changed:
			c.fill(ctx)
			narrow.Reset(narrowAfter)
		}
	}
}

func (c *Coordinator) heldNow() []uint64 {
	holds := make([]uint64, len(c.holds))
	for slot := range holds {
		holds[slot] = c.holds[slot].Load()
	}
	return holds
}

// kept returns the holds whose objects the caches have.
func (c *Coordinator) kept(holds []uint64) []uint64 {
	kept := slices.Clone(holds)
	for slot, hold := range c.cached {
		if hold != kept[slot] {
			kept[slot] = 0
		}
	}
	return kept
}

// fill fills the caches if the member has taken slots, and lets work on them begin. The objects of a slot that was lost
// and taken back leave the caches first. They may be behind what another member wrote, and handlers get OnAdd
// only of an object that is new in the cache.
func (c *Coordinator) fill(ctx context.Context) {
	holds := c.heldNow()
	taken, takenBack := false, false
	for slot, hold := range holds {
		if cached := c.cached[slot]; hold != 0 && hold != cached {
			taken, takenBack = true, takenBack || cached != 0
		}
	}
	if takenBack && !c.set(ctx, c.kept(holds)) || taken && !c.set(ctx, holds) {
		return
	}
	c.mu.Lock()
	now := c.now()
	for slot, hold := range holds {
		if hold != 0 && !c.member.Synced(now, slot, hold) {
			holds[slot] = 0
		}
	}
	c.publish(now)
	c.mu.Unlock()
	for _, g := range c.gates() {
		c.start(ctx, g)
		g.open(holds)
	}
}

// start runs a gate, once.
func (c *Coordinator) start(ctx context.Context, g gate) {
	c.follower.mu.Lock()
	defer c.follower.mu.Unlock()
	if !c.opening[g] {
		c.opening[g] = true
		c.openings.Go(func() { g.run(ctx, &c.openings) })
	}
}

// awaitOpenings waits until no handler is called to open a slot. The error names those that do not return.
func (c *Coordinator) awaitOpenings() error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.openings.Wait()
	}()
	timer := time.NewTimer(c.options.DrainTimeout)
	defer timer.Stop()
	select {
	case <-done:
		return nil
	case <-timer.C:
	}
	c.follower.mu.Lock()
	defer c.follower.mu.Unlock()
	var errs []error
	for g := range c.opening {
		if hangs := g.hangs(); hangs != "" {
			errs = append(errs, fmt.Errorf("shard: the handler %s within %v after the end of Run (Options.DrainTimeout); end the call when the context of the informer ends", hangs, c.options.DrainTimeout))
		}
	}
	return errors.Join(errs...)
}

// watchInformer tells Run if an informer ends. Its cache does not change any more, so this member can neither
// work by it nor take further slots.
func (c *Coordinator) watchInformer(ctx context.Context, informer Informer) {
	select {
	case <-ctx.Done():
	case <-informer.Ended():
		select {
		case c.stopped <- fmt.Errorf("shard: an informer of Follow (%T) has ended before Run, so %s has given up its slots; end the context of Run first, or both at once", informer, c.options.Identity):
		default:
		}
	}
}

// followed returns the informers of Follow.
func (c *Coordinator) followed() []followed {
	c.follower.mu.Lock()
	defer c.follower.mu.Unlock()
	return slices.Clone(c.informers)
}

// set limits the informers to the slots whose hold is not 0, and waits until they are synced. It reports whether they
// are. If the slots change meanwhile, it goes on: otherwise frequent changes would let no list end.
func (c *Coordinator) set(ctx context.Context, holds []uint64) bool {
	informers := c.followed()
	for _, informer := range informers {
		scopes, err := c.slots.scopes(informer.base, holds)
		if err == nil {
			err = informer.SetScopes(scopes...)
		}
		if err != nil {
			c.report(ctx, fmt.Errorf("shard: cannot set the scopes of an informer: %w", err))
			return false
		}
	}
	for _, informer := range informers {
		if !c.await(ctx, informer) {
			return false
		}
	}
	c.report(ctx, nil)
	c.cached = slices.Clone(holds)
	return true
}

func (f *follower) addGate(g gate) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handlers = append(f.handlers, g)
}

func (f *follower) removeGate(g gate) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handlers = slices.DeleteFunc(f.handlers, func(other gate) bool { return other == g })
}

// gates returns the handlers that were not removed.
func (c *Coordinator) gates() []gate {
	c.follower.mu.Lock()
	defer c.follower.mu.Unlock()
	c.handlers = slices.DeleteFunc(c.handlers, func(g gate) bool {
		r := g.registration()
		gone := r != nil && isClosed(r.Gone())
		if gone {
			delete(c.opening, g)
		}
		return gone
	})
	return slices.Clone(c.handlers)
}

// await waits until s is synced. It returns false if ctx ended first. It does not wait for handlers: a handler that hangs
// must not stop the work on all objects.
func (c *Coordinator) await(ctx context.Context, s cache.Syncer) bool {
	reasons := time.NewTicker(c.options.RenewPeriod)
	defer reasons.Stop()
	for !s.HasSynced() {
		if reason := s.NotSyncedReason(); reason != "" {
			c.report(ctx, errors.New("shard: "+reason))
		}
		select {
		case <-s.Synced():
		case <-reasons.C: // the reason may have changed
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// report stores the reason why the caches are not filled, for Status.
func (c *Coordinator) report(ctx context.Context, err error) {
	c.follower.mu.Lock()
	defer c.follower.mu.Unlock()
	if err != nil && c.waitErr == nil {
		klog.FromContext(ctx).V(2).Info("The caches are not filled yet", "reason", err)
	}
	c.waitErr = err
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
