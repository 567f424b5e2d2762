package cache

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/initial"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/ledger"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/outage"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/probe"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

// scopeSet has the Reflectors of a Controller, one for each scope.
type scopeSet[T Object] struct {
	// current is sorted by scope. It is replaced and not changed.
	current atomic.Pointer[[]*Reflector[T]]
	// opened is above the ids of all scopes.
	opened atomic.Uint32
	// retry holds a token after Retry, for the source of the scopes. It is nil without one.
	retry chan struct{}
	// chosen is how far the choice of the scopes is. It is nil if they were never changed.
	chosen atomic.Pointer[statusTracker]
	// source is the informer whose objects are the scopes, or nil.
	source atomic.Pointer[sourceInformer]

	mu sync.Mutex // guards what follows, and changes of current
	// ctx is that of Run. It is nil unless the Controller runs.
	ctx   context.Context
	ended bool     // or retired
	named *[]Scope // those of the last SetScopes, or nil
	// object and unstructured are those of the last SetForm, if object is not nil.
	object       runtime.Object
	unstructured bool
	// ownFirstLists is that of the scopes that are added.
	ownFirstLists chan struct{}

	reading sync.WaitGroup // the Reflectors and what else runs with ctx
}

// reflectors returns the Reflectors, sorted by scope. The caller must not change the slice.
func (c *Controller[T]) reflectors() []*Reflector[T] { return *c.set.current.Load() }

// mark is above the ids of all scopes that the Controller has.
func (c *Controller[T]) mark() initial.Mark { return initial.Mark(c.set.opened.Load()) }

// namedScopes returns the scopes as they were set. It is called with WithClusterWatch only.
func (c *Controller[T]) namedScopes() []Scope {
	c.set.mu.Lock()
	defer c.set.mu.Unlock()
	if c.set.named == nil {
		return slices.Clone(c.config.clusterWatch.first)
	}
	return slices.Clone(*c.set.named)
}

// begin starts the Reflectors.
func (c *Controller[T]) begin(ctx context.Context) {
	set := &c.set
	set.mu.Lock()
	defer set.mu.Unlock()
	set.ctx = ctx
	c.began.Store(uint32(c.mark()))
	for _, r := range c.reflectors() {
		c.startLocked(r)
	}
	if c.config.scopeSource != nil {
		c.choose(Listing, "", nil)
	} else if set.chosen.Load() != nil {
		c.choose(Watching, "", nil)
	}
	for _, task := range c.tasks {
		c.goLocked(set.ctx, task)
	}
	if period := c.config.ResyncPeriod; period > 0 {
		c.goLocked(set.ctx, func(ctx context.Context) { c.resyncEvery(ctx, period) })
	}
}

// startLocked starts a Reflector, if the Controller runs.
func (c *Controller[T]) startLocked(r *Reflector[T]) {
	if c.set.ctx == nil {
		return
	}
	ctx, stop := context.WithCancel(c.set.ctx)
	r.stop = stop
	c.goLocked(ctx, r.Run)
}

// goLocked runs task until ctx ends. If the task ends its goroutine before, because a transform called
// runtime.Goexit, Run ends too: the others would hide that.
func (c *Controller[T]) goLocked(ctx context.Context, task func(context.Context)) {
	c.set.reading.Go(func() {
		returned := false
		defer func() {
			if !returned {
				c.queue.Close()
			}
		}()
		task(ctx)
		returned = true
	})
}

// end ends the Reflectors, and waits for them.
func (c *Controller[T]) end() {
	set := &c.set
	set.mu.Lock()
	set.ctx, set.ended = nil, true
	set.mu.Unlock()
	set.reading.Wait()
	if set.chosen.Load() != nil {
		c.choose(Stopped, "", nil)
	}
}

// choose sets the phase of the choice of the scopes.
func (c *Controller[T]) choose(phase Phase, verb string, err error) {
	tracker := c.set.chosen.Load()
	if now := tracker.get(); now.Phase == phase && textOf(now.Err) == textOf(err) && now.Verb == verb {
		return // it is no change
	}
	tracker.enterFailed(phase, verb, err)
}

// newChoice makes the scopes ones that may change.
func (c *Controller[T]) newChoice() {
	tracker := newStatusTracker()
	part := outage.Part{Log: &c.outages, Reflector: tracker}
	tracker.changed = func() {
		part.Note()
		c.changed()
	}
	c.set.chosen.Store(tracker)
}

// changed is called when the Status has changed, without a lock.
func (c *Controller[T]) changed() {
	c.hooks.Changed()
	c.observers.Changed()
}

// newReflector returns the Reflector of a scope. It is opened later.
func (c *Controller[T]) newReflector(config Config[T]) *Reflector[T] {
	r := newReflector(config, c.queue, c.counters)
	r.use(c.hooks, &c.outages)
	r.observers = &c.observers
	r.reached = c.reached
	return r
}

// configOf returns the Config of a scope that is added. The mutex of set is held.
func (c *Controller[T]) configOf(scope Scope) (Config[T], error) {
	if c.first != nil {
		c.first.mu.Lock() // it has c.config
	}
	base := *c.config
	if c.first != nil {
		c.first.mu.Unlock()
	}
	if c.set.object != nil {
		base.Decode.Object, base.Decode.Unstructured = c.set.object, c.set.unstructured
	}
	if c.set.ownFirstLists == nil {
		c.set.ownFirstLists = newOwnFirstLists()
	}
	base.ownFirstLists = c.set.ownFirstLists
	config, err := base.configOf(base, scope)
	config.isScope = true
	return config, err
}

// decodes reports whether the scopes are read from bodies, also those that are added later. The mutex of
// set is held.
func (c *Controller[T]) decodes() bool {
	if all := c.reflectors(); len(all) > 0 {
		return all[0].config.Open != nil
	}
	config, err := c.configOf(Scope{})
	return err == nil && config.Open != nil
}

// setScopes replaces the scopes.
func (s *SharedIndexInformer[T]) setScopes(scopes []Scope) error {
	c, set := s.controller, &s.controller.set
	of := &options{object: reflect.TypeFor[T]()}
	if c.config.configOf == nil {
		return optionError("SetScopes", of.object, "%s was made of a Config, whose Open or ListerWatcher is for one scope; make it of a Kind", s.name())
	}
	normal, err := normalScopes("SetScopes", of, scopes)
	if err != nil {
		return err
	}
	set.mu.Lock()
	defer set.mu.Unlock()
	if set.ended {
		return fmt.Errorf("cannot set the scopes of %s: %w", s.name(), ErrStopped)
	}
	watched := make([]Scope, 0, len(c.reflectors()))
	for _, r := range c.reflectors() {
		watched = append(watched, *r.config.scope)
	}
	planned, gone := c.config.clusterWatch.plan(normal, watched)
	next, opened, closed, err := c.plan(planned)
	if err != nil {
		return err
	}
	set.named = &normal
	if set.chosen.Load() == nil {
		c.newChoice()
		if set.ctx != nil {
			c.choose(Watching, "", nil)
		}
	}
	if s.prober == nil {
		s.mu.Lock()
		s.prober = &prober[T]{s, probe.New()}
		s.mu.Unlock()
		c.tasks = append(c.tasks, s.prober.run)
		if set.ctx != nil {
			c.goLocked(set.ctx, s.prober.run)
		}
	}
	s.replaceScopes(next, opened, closed, gone)
	if own := s.own.Load(); own != nil {
		s.advance(own) // a scope that is gone may have been the last one behind
	}
	for _, r := range opened {
		c.startLocked(r)
	}
	for _, r := range closed {
		if r.stop != nil {
			r.stop()
		} else {
			r.retire(nil)
		}
	}
	c.changed()
	return nil
}

// plan returns the Reflectors of scopes that are normal: all, those that are new, and those that are no
// longer needed. The mutex of set is held.
func (c *Controller[T]) plan(scopes []Scope) (next, opened, closed []*Reflector[T], err error) {
	known := map[Scope]*Reflector[T]{}
	for _, r := range c.reflectors() {
		known[r.config.of()] = r
	}
	var errs []error
	var configs []Config[T]
	for _, scope := range scopes {
		r := known[scope]
		if r == nil {
			config, err := c.configOf(scope)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			r = c.newReflector(config)
			opened = append(opened, r)
		}
		delete(known, scope)
		next, configs = append(next, r), append(configs, Config[T]{scope: &scope, rule: r.config.rule})
	}
	errs = append(errs, c.config.checkOwnWrites("SetScopes", configs))
	for _, r := range c.reflectors() {
		if known[r.config.of()] == r {
			closed = append(closed, r)
		}
	}
	return next, opened, closed, asSetScopes(errors.Join(errs...))
}

// asSetScopes names SetScopes in mistakes of scopes that are reported for an option otherwise.
func asSetScopes(err error) error {
	if mistake := (*OptionError)(nil); errors.As(err, &mistake) && mistake.Option == "WithNamespaces" {
		return &OptionError{Option: "SetScopes", Object: mistake.Object, Err: mistake.Err}
	}
	return err
}

// replaceScopes replaces the Reflectors of the informer in one step. New scopes open before old ones
// close: what a new one may have stays until its first list. gone are removed from sets of namespaces.
func (s *SharedIndexInformer[T]) replaceScopes(next, opened, closed []*Reflector[T], gone map[*scoping.Namespaces][]string) {
	set := &s.controller.set
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range opened {
		r.id = scopeID(set.opened.Add(1) - 1)
		s.indexer.openScope(r.id, r.traits())
	}
	set.current.Store(&next)
	if len(opened) > 0 {
		s.controller.forgetApplied()
	}
	s.unlisted += int32(len(opened))
	var notes []processor.Notification[T]
	for _, r := range next {
		if among := r.config.of().among; len(gone[among]) > 0 {
			among.Remove(gone[among])
			notes = append(notes, s.indexer.narrowScope(r.id, gone[among])...)
		}
	}
	for _, r := range closed {
		if !r.listed {
			s.unlisted--
		}
		notes = append(notes, s.indexer.closeScope(r.id)...)
		for _, form := range s.forms {
			form.done(r)
		}
	}
	s.forms = slices.DeleteFunc(s.forms, (*formChange[T]).isDone)
	if own := s.own.Load(); own != nil {
		own.follow(next)
	}
	s.isChosen = true
	s.processor.Deliver(processor.Batch[T]{Notes: notes, Received: stats.Now(), Distinct: true, Lists: s.listed()}, nil)
	s.awaitScopes()
}

// followSource follows the source of the scopes, until ctx ends or they do not change any more.
func (s *SharedIndexInformer[T]) followSource(ctx context.Context) {
	c := s.controller
	var told, known atomic.Bool // by this call of the source, and by any; set may be called by several goroutines
	report := func(err error) {
		verb, source := "", (*scopeSourceError)(nil)
		if errors.As(err, &source) {
			verb = source.verb
		}
		switch {
		case ctx.Err() != nil:
		case err != nil:
			c.choose(Degraded, verb, &ScopeSourceError{err})
		case !known.Load():
			c.choose(Listing, "", nil)
		default:
			c.choose(Watching, "", nil)
		}
	}
	set := func(scopes ...Scope) error {
		err := s.setScopes(scopes)
		if err == nil {
			told.Store(true)
			known.Store(true)
		}
		report(err)
		return err
	}
	of := func(informer sourceInformer) { c.set.source.Store(&informer) }
	for failures := 0; ; failures++ {
		begin := time.Now()
		err := c.config.scopeSource.Follow(context.WithValue(ctx, sourceKey{}, sourceReport{report, of}), set)
		if ctx.Err() != nil {
			return
		}
		if err == nil && known.Load() {
			return
		}
		if err == nil {
			err = errNoScopes
		}
		if told.Swap(false) && time.Since(begin) >= sourceWorked {
			failures = 0
		}
		report(err)
		wait := waitsOf(c.config.Backoffs).After(err, failures, 0).Pick(rand.N[time.Duration])
		tracker := c.set.chosen.Load()
		tracker.AwaitAttempt(time.Now().Add(wait))
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-c.set.retry:
		case <-timer.C:
		}
		timer.Stop()
		tracker.AwaitAttempt(time.Time{})
		if ctx.Err() != nil {
			return
		}
	}
}

// prober asks scopes for objects that have left another scope.
type prober[T Object] struct {
	informer *SharedIndexInformer[T]
	schedule *probe.Schedule
}

// run asks until ctx ends.
func (p *prober[T]) run(ctx context.Context) {
	p.schedule.Run(ctx, p.informer.awaiting.Load, p.ask, func() {
		for _, r := range p.informer.controller.reflectors() {
			r.noteAsked(nil)
		}
	})
}

// ask asks the scopes that objects wait for, as far as it is time to.
func (p *prober[T]) ask(ctx context.Context) {
	s, now := p.informer, time.Now()
	all := s.controller.reflectors()
	waiting := make([]probe.Waiting, len(all))
	s.mu.Lock()
	for i, r := range all {
		waiting[i] = probe.Waiting{Scope: r.id, IsForbidden: r.status.get().Reason == Forbidden, Objects: s.indexer.awaitedFrom(r.id, now)}
	}
	s.mu.Unlock()
	steps := p.schedule.Plan(now, waiting)
	limit := make(chan struct{}, probe.MaxScopes)
	var requests sync.WaitGroup
	for i, step := range steps {
		r := all[i]
		switch step.Action {
		case probe.Nothing:
			if len(waiting[i].Objects) == 0 {
				r.noteAsked(nil)
			}
		case probe.Release:
			p.release(r, step.Objects)
		case probe.List:
			r.relist(Moved, func() { p.schedule.Listed(r.id) })
		case probe.Ask:
			requests.Go(func() {
				limit <- struct{}{}
				defer func() { <-limit }()
				p.askScope(ctx, r, step.Objects)
			})
		}
	}
	requests.Wait()
}

// release ends the wait of objects for a scope.
func (p *prober[T]) release(r *Reflector[T], objects []ledger.Awaited) {
	s := p.informer
	s.mu.Lock()
	defer s.mu.Unlock()
	var notes []processor.Notification[T]
	for _, object := range objects {
		notes = append(notes, s.indexer.absentFrom(r.id, object.Name, object.Version)...)
	}
	s.processor.Deliver(processor.Batch[T]{Notes: notes, Received: stats.Now()}, nil)
	s.awaitScopes()
}

// askScope asks one scope for objects. After a failure it gives up, and the Status of the scope says why.
func (p *prober[T]) askScope(ctx context.Context, r *Reflector[T], objects []ledger.Awaited) {
	for _, object := range objects {
		err := p.probe(ctx, r, object)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			next := p.schedule.Failed(r.id, time.Now(), err, waitsOf(r.config.Backoffs), rand.N[time.Duration])
			r.traffic.fail(verbList, err)
			err = fmt.Errorf("cannot ask whether %s has moved here: %w", ObjectName(object.Name), err)
			r.noteAsked(&askFailure{since: time.Now(), next: next, err: err})
			r.onError(ctx, r.config.Resource, fmt.Errorf("%s: %w", r.config.of().name(), err))
			return
		}
	}
	p.schedule.Answered(r.id)
	r.noteAsked(nil)
}

// probe asks for one object, and applies the answer.
func (p *prober[T]) probe(ctx context.Context, r *Reflector[T], object ledger.Awaited) error {
	ctx, cancel := context.WithTimeoutCause(ctx, probe.Timeout, protocol.ErrListStalled)
	defer cancel()
	from := r.currentSource()
	item, version, err := r.find(ctx, object)
	if err != nil {
		if cause := context.Cause(ctx); cause == protocol.ErrListStalled {
			err = cause
		}
		return protocol.RequestError(verbList, err)
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
		notes := s.indexer.absentFrom(r.id, object.Name, ledger.Parse(version))
		s.processor.Deliver(processor.Batch[T]{Notes: notes, Received: stats.Now()}, nil)
	}
	s.awaitScopes()
	return nil
}
