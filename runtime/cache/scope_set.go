package cache

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/informer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/outage"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scopes"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// scopeSet has the Reflectors of an informer, one for each scope.
type scopeSet struct {
	// chosen is how far the choice of the scopes is. It is nil if they were never changed.
	chosen atomic.Pointer[progress.Tracker]
	// objects is the informer whose objects are the scopes, or nil.
	objects atomic.Pointer[sharedInformer]

	// current has the Reflectors of the present scopes, sorted by scope. They are replaced and not changed.
	current atomic.Pointer[[]*scopeReflector]
	// partition is nil if there is one scope, which was never changed.
	partition atomic.Pointer[scopes.Partition]

	mu        sync.Mutex // guards what follows, and changes of what comes before
	isRunning bool
	ended     bool     // or retired
	named     *[]Scope // those of the last SetScopes, or nil
	err       error    // of SetScopesError, until it or SetScopes takes that back
	// ownFirstLists is that of the scopes that are added.
	ownFirstLists chan struct{}
}

// reflectors returns the Reflectors, sorted by scope. The caller must not change the slice.
func (s *sharedInformer) reflectors() []*scopeReflector { return *s.set.current.Load() }

// leaving returns the scopes that were removed, from which others will take over.
func (s *sharedInformer) leaving() []*informer.Scope {
	if p := s.set.partition.Load(); p != nil {
		return p.Left()
	}
	return nil
}

// open opens the first scopes. It is called once, before Run.
func (s *sharedInformer) open(first []*scopeReflector) {
	s.set.current.Store(&first)
	if len(s.config.scopes) > 0 || s.config.scopesLater {
		s.set.partition.Store(scopes.New(s.core, wantedOf(first), s.config.scopesLater))
	} else {
		only := []*informer.Scope{first[0].Scope}
		s.core.Follow(only, 1, 0)
		if s.own != nil {
			s.own.Follow(slices.Values(only), true)
		}
	}
	if s.config.scopesLater {
		s.newChoice()
	}
}

func wantedOf(all []*scopeReflector) []*scopes.Wanted {
	wanted := make([]*scopes.Wanted, len(all))
	for i, r := range all {
		wanted[i] = &r.Wanted
	}
	return wanted
}

// namedScopes returns the scopes as they were set, sorted.
func (s *sharedInformer) namedScopes() []Scope {
	s.set.mu.Lock()
	defer s.set.mu.Unlock()
	return slices.Clone(s.namedLocked())
}

// namedLocked is namedScopes while the mutex of set is held.
func (s *sharedInformer) namedLocked() []Scope {
	if s.set.named != nil {
		return *s.set.named
	}
	all := s.reflectors()
	named := make([]Scope, len(all))
	for i, r := range all {
		named[i] = r.config.scope
	}
	return named
}

// setRunning records that the informer runs, or has ended.
func (s *sharedInformer) setRunning(isRunning bool) {
	s.set.mu.Lock()
	defer s.set.mu.Unlock()
	if s.set.isRunning = isRunning; isRunning {
		s.chooseLocked()
		return
	}
	s.set.ended = true
	if s.set.chosen.Load() != nil {
		s.choose(Stopped, "", nil)
	}
}

// chooseLocked sets the phase of the choice of the scopes, if the informer runs and they may change.
func (s *sharedInformer) chooseLocked() {
	verb := ""
	if followed := (*advice.SourceError)(nil); errors.As(s.set.err, &followed) {
		verb = followed.Verb
	}
	switch set := &s.set; {
	case !set.isRunning || set.chosen.Load() == nil:
	case set.err != nil:
		s.choose(Degraded, verb, &ScopesError{Err: set.err})
	case set.named == nil && s.config.scopesLater:
		s.choose(Listing, "", nil)
	default:
		s.choose(Watching, "", nil)
	}
}

// choose sets the phase of the choice of the scopes.
func (s *sharedInformer) choose(phase Phase, verb string, err error) {
	tracker := s.set.chosen.Load()
	if now := tracker.State(); now.Phase == string(phase) && textOf(now.Err) == textOf(err) && now.Verb == verb {
		return // it is no change
	}
	tracker.Enter(string(phase), failureOf(verb, err))
}

// newChoice makes the scopes ones that may change.
func (s *sharedInformer) newChoice() {
	part := outage.Part{Log: &s.outages}
	tracker := progress.New(func() {
		part.Note()
		s.changed()
	})
	part.Reflector = tracker
	s.set.chosen.Store(tracker)
}

// configOf returns the config of a scope that is added. The mutex of set is held.
func (s *sharedInformer) configOf(scope Scope) (config, error) {
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
func (s *sharedInformer) setScopes(wanted []Scope, isLenient bool) error {
	set := &s.set
	of := &options{object: s.config.form.Type()}
	normal, err := normalScopes("SetScopes", of, wanted)
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
	next, err := s.plan(normal)
	if err != nil {
		return err
	}
	if set.chosen.Load() == nil {
		s.newChoice()
		s.chooseLocked()
	}
	s.replaceScopes(next)
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

// plan returns the Reflectors of scopes that are normal. Some are new. The mutex of set is held.
func (s *sharedInformer) plan(wanted []Scope) (next []*scopeReflector, err error) {
	known := map[Scope]*scopeReflector{}
	for _, r := range s.reflectors() {
		known[r.config.scope] = r
	}
	regions := make([]scopes.Region, len(wanted))
	for i, scope := range wanted {
		regions[i] = scope.region(s.config.isNamespaced)
	}
	partition := s.set.partition.Load()
	extends := partition != nil && partition.Extends(regions) // only setScopes changes what it reads
	var errs []error
	id := frontier.ID(s.core.Mark())
	for i, scope := range wanted {
		r := known[scope]
		if r == nil || extends && regions[i].IsWide {
			config, err := s.configOf(scope)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			r = s.newReflector(&config, id)
			id++
		}
		next = append(next, r)
	}
	return next, asSetScopes(errors.Join(errs...))
}

// asSetScopes names SetScopes in mistakes of scopes that are reported for an option otherwise.
func asSetScopes(err error) error {
	if mistake := (*OptionError)(nil); errors.As(err, &mistake) && mistake.Option == "WithNamespaces" {
		return &OptionError{Option: "SetScopes", Object: mistake.Object, Err: mistake.Err}
	}
	return err
}

// replaceScopes replaces the Reflectors of the informer in one step. The mutex of set is held.
func (s *sharedInformer) replaceScopes(next []*scopeReflector) {
	s.core.Change(func(uint64) {
		if s.set.partition.Load() == nil {
			s.set.partition.Store(scopes.New(s.core, wantedOf(s.reflectors()), false))
		}
		s.set.current.Store(&next)
		s.set.partition.Load().Set(wantedOf(next))
	})
}

// awaitedScopes returns what the informer waits for. It is called before the first SetScopes.
func (s *sharedInformer) awaitedScopes() *status.NotSynced {
	objects := s.set.objects.Load()
	if objects == nil {
		return &status.NotSynced{}
	}
	_, awaited := objects.waitsFor() // empty if SetScopes is about to be called
	return &awaited
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
func (s *sharedInformer) SetScopes(scopes ...Scope) error { return s.setScopes(scopes, false) }

// SetScopesError is that of SharedIndexInformer.
func (s *sharedInformer) SetScopesError(err error) {
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
func (s *sharedInformer) Scopes() []Scope { return s.namedScopes() }
