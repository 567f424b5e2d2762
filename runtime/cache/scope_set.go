package cache

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/typedinformers/informer-gen/internal/human"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/informer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/monitor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scopes"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// scopeSet has the Reflectors of an informer, one for each scope.
type scopeSet struct {
	config  *config
	core    *informer.Informer
	monitor *monitor.Monitor
	pace    protocol.Pace // of all Reflectors
	// awaited is the informer whose objects are the scopes, or nil.
	awaited atomic.Pointer[waiter]
	// current has the Reflectors of the present scopes, sorted by scope. They are replaced and not changed.
	current atomic.Pointer[[]*scopeReflector]
	// partition is nil if there is one scope, which was never changed.
	partition atomic.Pointer[scopes.Partition]

	mu    sync.Mutex // guards the fields below, and changes of the fields above; it is locked before that of the core
	named *[]Scope   // those of the last SetScopes, or nil
	err   error      // of SetScopesError, until it or SetScopes takes that back
	// ownFirstLists is the setting of each scope that is added.
	ownFirstLists chan struct{}
}

// open opens the first scopes. It is called once, before Run.
func (s *scopeSet) open() {
	var first []*scopeReflector
	for i := range s.config.scopes {
		scope := &s.config.scopes[i]
		scope.Transform = s.config.Transform
		first = append(first, newReflector(s.core, s.monitor, &s.pace, scope, frontier.ID(i)))
	}
	isPlain := len(first) == 0 && !s.config.scopesLater
	if isPlain {
		first = append(first, newReflector(s.core, s.monitor, &s.pace, s.config, 0))
	}
	s.current.Store(&first)
	if isPlain {
		s.core.Follow([]*informer.Scope{first[0].wanted.Scope}, 1, 0)
	} else {
		s.partition.Store(scopes.New(s.core, wantedOf(first), s.config.scopesLater))
	}
	if s.config.scopesLater {
		s.chooseLocked()
	}
}

// reflectors returns the Reflectors, sorted by scope. The caller must not change the slice.
func (s *scopeSet) reflectors() []*scopeReflector { return *s.current.Load() }

// monitored returns their Scopes in the Monitor.
func (s *scopeSet) monitored() []*monitor.Scope {
	all := s.reflectors()
	known := make([]*monitor.Scope, len(all))
	for i, r := range all {
		known[i] = r.Scope
	}
	return known
}

// leaving returns the scopes that were removed, from which others will take over.
func (s *scopeSet) leaving() []*informer.Scope {
	if p := s.partition.Load(); p != nil {
		return p.Left()
	}
	return nil
}

// has reports whether one of several scopes has an object.
func (s *scopeSet) has(id frontier.ID, name listed.Name) bool {
	return s.partition.Load().Has(id, name)
}

func wantedOf(all []*scopeReflector) []*scopes.Wanted {
	wanted := make([]*scopes.Wanted, len(all))
	for i, r := range all {
		wanted[i] = &r.wanted
	}
	return wanted
}

// Scopes returns the scopes as they were set, sorted.
func (s *scopeSet) Scopes() []Scope {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.namedLocked())
}

// namedLocked is Scopes while the mutex is held.
func (s *scopeSet) namedLocked() []Scope {
	if s.named != nil {
		return *s.named
	}
	all := s.reflectors()
	named := make([]Scope, len(all))
	for i, r := range all {
		named[i] = r.config.scope
	}
	return named
}

// chooseLocked reports how the choice of the scopes is.
func (s *scopeSet) chooseLocked() {
	verb := ""
	if followed := (*advice.SourceError)(nil); errors.As(s.err, &followed) {
		verb = followed.Verb
	}
	switch {
	case s.err != nil:
		s.monitor.Choose(progress.Degraded, failureOf(verb, &status.ScopesError{Err: s.err}))
	case s.named == nil && s.config.scopesLater:
		s.monitor.Choose(progress.Listing, progress.Failure{})
	default:
		s.monitor.Choose(progress.Watching, progress.Failure{})
	}
}

// configOf returns the config of a scope that is added. The mutex of set is held.
func (s *scopeSet) configOf(scope Scope) (config, error) {
	base := *s.config
	if s.ownFirstLists == nil {
		s.ownFirstLists = newOwnFirstLists()
	}
	base.ownFirstLists = s.ownFirstLists
	config, err := base.configOf(base, scope)
	config.isScope = true
	return config, err
}

// setScopes replaces the scopes. If isLenient is set, a namespace that is in several of them keeps the scopes that it has, and
// the others are set. Then that is an error of the scopes, as of SetScopesError. And no one waits for single objects that may not be
// read.
func (s *scopeSet) setScopes(wanted []Scope, isLenient bool) error {
	of := &options{object: s.config.form.Type()}
	normal, err := normalScopes("SetScopes", of, wanted)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hasEnded() {
		return s.stopped()
	}
	contradiction := checkScopes("SetScopes", of, normal, s.config.isNamespaced)
	if contradiction != nil {
		found := contradictions(normal, s.config.isNamespaced)
		if _, isWide := found[""]; isWide || !isLenient {
			return contradiction
		}
		normal = withoutContradictions(normal, found, s.namedLocked())
	}
	next, err := s.plan(normal, isLenient)
	if err != nil {
		return err
	}
	if !s.monitor.IsChosen() {
		s.chooseLocked()
	}
	if !s.replace(next) {
		return s.stopped()
	}
	s.named, s.err = &normal, contradiction
	s.chooseLocked()
	s.monitor.Changed()
	return nil
}

// hasEnded reports whether no Reflector is started any more.
func (s *scopeSet) hasEnded() bool { return isClosed(s.core.Ended()) }

func (s *scopeSet) stopped() error {
	return fmt.Errorf("cannot set the scopes of %s: %w", s.name(), ErrStopped)
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
func (s *scopeSet) plan(wanted []Scope, isLenient bool) (next []*scopeReflector, err error) {
	known := map[Scope]*scopeReflector{}
	for _, r := range s.reflectors() {
		known[r.config.scope] = r
	}
	regions := make([]scopes.Region, len(wanted))
	for i, scope := range wanted {
		regions[i] = scope.region(s.config.isNamespaced)
	}
	partition := s.partition.Load()
	extends := partition != nil && partition.Extends(regions) // only setScopes changes the fields that it reads
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
			config.mayBeForbidden = isLenient && regions[i].Name != ""
			r = newReflector(s.core, s.monitor, &s.pace, &config, id)
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

// replace replaces the Reflectors of the informer in one step. It returns false if the informer has ended. The mutex is held.
func (s *scopeSet) replace(next []*scopeReflector) bool {
	return s.core.Change(func(uint64) {
		if s.partition.Load() == nil {
			s.partition.Store(scopes.New(s.core, wantedOf(s.reflectors()), false))
		}
		s.current.Store(&next)
		s.partition.Load().Set(wantedOf(next))
	})
}

// awaits returns the reason why the informer waits. It is called before the first SetScopes.
func (s *scopeSet) awaits() *status.NotSynced {
	objects := s.awaited.Load()
	if objects == nil {
		return &status.NotSynced{}
	}
	_, awaited := (*objects).waitsFor() // empty if SetScopes is about to be called
	return &awaited
}

// SetScopesError implements machine. SharedIndexInformer documents it.
func (s *scopeSet) SetScopesError(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.hasEnded() {
		s.err = err
		s.chooseLocked()
	}
}

// name names the informer in errors and logs.
func (s *scopeSet) name() string {
	all, name := s.reflectors(), s.config.plainName()
	switch {
	case len(all) == 0 && s.config.scopesLater && !s.core.HasSynced():
		return name + " in scopes that are not set yet"
	case len(all) == 0:
		return name + " in no scope"
	case len(all) == 1 && !s.monitor.IsChosen():
		return s.config.name()
	case len(all) > maxNamed:
		return name + " in " + human.Plural(len(all), scopesNoun(all))
	}
	var names []string
	for _, r := range all {
		names = append(names, r.config.Namespace)
	}
	if noun := scopesNoun(all); noun != "namespace" {
		for i, r := range all {
			names[i] = r.config.scope.name()
		}
		return name + " in " + strings.Join(names, ", ")
	} else if len(all) > 1 {
		return name + " in namespaces " + strings.Join(names, ", ")
	}
	return name + " in namespace " + names[0]
}

// maxNamed is the largest number of scopes that a log line names.
const maxNamed = 5

// scopesNoun returns "namespace" if each scope is a namespace, and "scope" otherwise.
func scopesNoun(all []*scopeReflector) string {
	for i, r := range all {
		if r.config.Namespace == "" || i > 0 && r.config.Namespace == all[i-1].config.Namespace {
			return "scope"
		}
	}
	return "namespace"
}

// namespaces returns the namespaces that the informer is limited to, sorted; nil for all. It is empty and
// not nil if there is no scope.
func (s *scopeSet) namespaces() []string {
	all := s.reflectors()
	names := make([]string, 0, len(all))
	for _, r := range all {
		names = append(names, r.config.Namespace)
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 1 && names[0] == "" {
		return nil
	}
	return names
}
