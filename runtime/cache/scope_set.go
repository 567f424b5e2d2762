package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/outage"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/partition"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

// scopeSet has the Reflectors of an informer, one for each scope.
type scopeSet struct {
	// chosen is how far the choice of the scopes is. It is nil if they were never changed.
	chosen atomic.Pointer[progress.Tracker]
	// objects is the informer whose objects are the scopes, or nil.
	objects atomic.Pointer[informer]

	mu sync.Mutex // guards what follows, and changes of current
	// ctx is that of Run. It is nil unless the informer runs.
	ctx   context.Context
	ended bool     // or retired
	named *[]Scope // those of the last SetScopes, or nil
	err   error    // of SetScopesError, until it or SetScopes takes that back
	// ownFirstLists is that of the scopes that are added.
	ownFirstLists chan struct{}

	reading sync.WaitGroup // the Reflectors and what else runs with ctx
}

// namedScopes returns the scopes as they were set, sorted.
func (s *informer) namedScopes() []Scope {
	s.set.mu.Lock()
	defer s.set.mu.Unlock()
	return slices.Clone(s.namedLocked())
}

// namedLocked is namedScopes while the mutex of set is held.
func (s *informer) namedLocked() []Scope {
	if s.set.named != nil {
		return *s.set.named
	}
	all := s.reflectors()
	scopes := make([]Scope, len(all))
	for i, r := range all {
		scopes[i] = r.config.scope
	}
	return scopes
}

// begin starts the Reflectors.
func (s *informer) begin(ctx context.Context) {
	set := &s.set
	set.mu.Lock()
	defer set.mu.Unlock()
	set.ctx = ctx
	s.began.Store(uint32(s.mark()))
	for _, r := range s.reflectors() {
		s.startLocked(r)
	}
	s.chooseLocked()
}

// startLocked starts a Reflector, if the informer runs.
func (s *informer) startLocked(r *scopeReflector) {
	if s.set.ctx == nil {
		return
	}
	ctx, stop := context.WithCancel(s.set.ctx)
	r.stop.Store(&stop)
	if r.closed.Load() {
		stop()
	}
	s.goLocked(ctx, r.Run)
}

// goLocked runs task until ctx ends. If the task ends its goroutine before, because a transform called
// runtime.Goexit, Run ends too: the others would hide that.
func (s *informer) goLocked(ctx context.Context, task func(context.Context)) {
	s.set.reading.Go(func() {
		returned := false
		defer func() {
			if !returned {
				s.queue.Close()
			}
		}()
		task(ctx)
		returned = true
	})
}

// end ends the Reflectors, and waits for them.
func (s *informer) end() {
	set := &s.set
	set.mu.Lock()
	set.ctx, set.ended = nil, true
	set.mu.Unlock()
	set.reading.Wait()
	if set.chosen.Load() != nil {
		s.choose(Stopped, "", nil)
	}
}

// chooseLocked sets the phase of the choice of the scopes, if the informer runs and they may change.
func (s *informer) chooseLocked() {
	verb := ""
	if followed := (*followedError)(nil); errors.As(s.set.err, &followed) {
		verb = followed.verb
	}
	switch set := &s.set; {
	case set.ctx == nil || set.chosen.Load() == nil:
	case set.err != nil:
		s.choose(Degraded, verb, &ScopesError{set.err})
	case set.named == nil && s.config.scopesLater:
		s.choose(Listing, "", nil)
	default:
		s.choose(Watching, "", nil)
	}
}

// choose sets the phase of the choice of the scopes.
func (s *informer) choose(phase Phase, verb string, err error) {
	tracker := s.set.chosen.Load()
	if now := tracker.State(); now.Phase == string(phase) && textOf(now.Err) == textOf(err) && now.Verb == verb {
		return // it is no change
	}
	tracker.Enter(string(phase), failureOf(verb, err))
}

// newChoice makes the scopes ones that may change.
func (s *informer) newChoice() {
	part := outage.Part{Log: &s.outages}
	tracker := progress.New(func() {
		part.Note()
		s.changed()
	})
	part.Reflector = tracker
	s.set.chosen.Store(tracker)
}

// configOf returns the config of a scope that is added. The mutex of set is held.
func (s *informer) configOf(scope Scope) (config, error) {
	base := *s.config
	if s.set.ownFirstLists == nil {
		s.set.ownFirstLists = newOwnFirstLists()
	}
	base.ownFirstLists = s.set.ownFirstLists
	config, err := base.configOf(base, scope)
	config.isScope = true
	return config, err
}

// setScopes replaces the scopes. If isLenient is set, a namespace that is in several of them keeps the scopes that it has, and
// the others are set. Then that is an error of the scopes, as of SetScopesError.
func (s *informer) setScopes(scopes []Scope, isLenient bool) error {
	set := &s.set
	of := &options{object: s.config.form.Type()}
	normal, err := normalScopes("SetScopes", of, scopes)
	if err != nil {
		return err
	}
	set.mu.Lock()
	defer set.mu.Unlock()
	if set.ended {
		return fmt.Errorf("cannot set the scopes of %s: %w", s.name(), ErrStopped)
	}
	contradiction := checkScopes("SetScopes", of, normal, s.config.isNamespaced)
	if contradiction != nil {
		found := contradictions(normal, s.config.isNamespaced)
		if _, isWide := found[""]; isWide || !isLenient {
			return contradiction
		}
		normal = withoutContradictions(normal, found, s.namedLocked())
	}
	next, opened, err := s.plan(normal)
	if err != nil {
		return err
	}
	if set.chosen.Load() == nil {
		s.newChoice()
		s.chooseLocked()
	}
	s.replaceScopes(next, opened)
	for _, r := range opened {
		s.startLocked(r)
	}
	set.named, set.err = &normal, contradiction
	s.chooseLocked()
	s.changed()
	return nil
}

// withoutContradictions replaces the scopes of namespaces in found by those that have has of them.
func withoutContradictions(scopes []Scope, found map[string]error, has []Scope) []Scope {
	isFound := func(scope Scope) bool { return found[scope.Namespace] != nil }
	kept := slices.DeleteFunc(scopes, isFound)
	for _, scope := range has {
		if isFound(scope) {
			kept = append(kept, scope)
		}
	}
	slices.SortFunc(kept, Scope.compare)
	return kept
}

// plan returns the Reflectors of scopes that are normal: all, and those that are new. The mutex of set is held.
func (s *informer) plan(scopes []Scope) (next, opened []*scopeReflector, err error) {
	known := map[Scope]*scopeReflector{}
	for _, r := range s.reflectors() {
		known[r.config.scope] = r
	}
	regions := make([]partition.Region, len(scopes))
	for i, scope := range scopes {
		regions[i] = scope.region(s.config.isNamespaced)
	}
	extends := s.owners.Extends(regions) // only setScopes changes what it reads
	var errs []error
	for i, scope := range scopes {
		r := known[scope]
		if r == nil || extends && regions[i].IsWide {
			config, err := s.configOf(scope)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			r = s.newReflector(&config, scopeID(int(s.opened.Load())+len(opened)))
			opened = append(opened, r)
		}
		next = append(next, r)
	}
	return next, opened, asSetScopes(errors.Join(errs...))
}

// asSetScopes names SetScopes in mistakes of scopes that are reported for an option otherwise.
func asSetScopes(err error) error {
	if mistake := (*OptionError)(nil); errors.As(err, &mistake) && mistake.Option == "WithNamespaces" {
		return &OptionError{Option: "SetScopes", Object: mistake.Object, Err: mistake.Err}
	}
	return err
}

// replaceScopes replaces the Reflectors of the informer in one step.
func (s *informer) replaceScopes(next, opened []*scopeReflector) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened.Add(uint32(len(opened)))
	for _, r := range s.reflectors() {
		if r.isWanted = slices.Contains(next, r); !r.isWanted && !r.frontier.IsListed() {
			s.unlisted--
		}
	}
	s.current.Store(&next)
	s.isChosen = true
	change := s.assignScopes(next, opened)
	var parts []deltafifo.Part
	for _, namespace := range change.Namespaces {
		parts = append(parts, deltafifo.Part{Namespace: namespace, Has: s.isOver})
	}
	if change.IsWide {
		parts = []deltafifo.Part{{Has: s.isOver}}
	}
	s.processor.Distribute(processor.Batch{Notes: s.indexer.Forget(parts...), Received: stats.Now(), Distinct: true, Lists: s.listed()})
	s.applyDeltas(s.handOver(nil), stats.Now()) // what is left of a region may be ready
	s.endWaits()                                // a scope that is gone may have been the last one behind
}

// newReflector returns the Reflector of a scope. It is opened later.
func (s *informer) newReflector(config *config, id scopeID) *scopeReflector {
	r := &scopeReflector{queue: s.queue, mu: &s.mu, id: id}
	r.begin(config, config.reflector(id, &s.shared, s.indexer), r, &s.audience)
	return r
}

// awaitedScopes returns what the informer waits for. It is called before the first SetScopes.
func (s *informer) awaitedScopes() *awaitedScopes {
	objects, reason := s.set.objects.Load(), ""
	if objects != nil {
		reason = objects.NotSyncedReason()
	}
	if reason == "" { // SetScopes is about to be called
		return &awaitedScopes{"SetScopes was not called yet", advice.NoScopes("", false)}
	}
	return &awaitedScopes{
		"its scopes come from an informer that is not synced: " + reason,
		advice.NoScopes(objects.Resource().GroupResource().String(), objects.Status().Phase == Pending),
	}
}

// SetScopes replaces the scopes of the informer. It may be called at any time before the informer ends.
// The informer lists and watches each new scope separately, closes the watch of each removed one, and
// does not interrupt the others. Handlers get OnDelete, with the last cached state and an unknown final
// state, for each object that no scope has any more. If a namespace gets another scope, with other selectors for
// example, its old one goes on until the new one is listed. Then handlers get the difference. Without scopes the
// informer has no objects.
//
// HasSynced is false until the lists of the new scopes are in the cache. Their objects are added with
// isInInitialList set. Package healthz reports the informer as ready meanwhile.
//
// The error is an *OptionError, or joins several of them, or wraps ErrStopped. Nothing has changed then.
// A handler may call SetScopes. An index function, a transform or a hook must not.
func (s *informer) SetScopes(scopes ...Scope) error { return s.setScopes(scopes, false) }

// SetScopesError is that of SharedIndexInformer.
func (s *informer) SetScopesError(err error) {
	set := &s.set
	set.mu.Lock()
	defer set.mu.Unlock()
	if set.ended {
		return
	}
	if set.err = err; set.chosen.Load() == nil {
		s.newChoice()
	}
	s.chooseLocked()
}

// Scopes returns the scopes of the informer, sorted.
func (s *informer) Scopes() []Scope { return s.namedScopes() }
