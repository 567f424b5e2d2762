package cache

import (
	"context"
	"fmt"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/informer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
)

// Lookup returns an object of the cache. If there is none, isKnown reports whether the server had none either: a scope has the
// name, and its first list is in the cache. Otherwise only the server can tell. It is for informers whose scopes change.
func (s *SharedIndexInformer[T]) Lookup(name ObjectName) (obj T, exists, isKnown bool) {
	found, isKnown := s.machine.lookup(name)
	if found == nil {
		return obj, false, isKnown
	}
	return indexer.Open(found).(T), true, true
}

// Follows reports whether a scope has an object of a name now. Its list need not be in the cache.
func (s *SharedIndexInformer[T]) Follows(name ObjectName) bool {
	return s.machine.follows(name)
}

// WaitForNamespace waits until the cache has the first list of the scope of a namespace. It returns false if there is no such
// scope, or no longer. Scopes of other namespaces do not matter. The error has the state of the informer if ctx or the informer ends first.
func (s *SharedIndexInformer[T]) WaitForNamespace(ctx context.Context, namespace string) (isFollowed bool, err error) {
	return s.machine.waitForNamespace(ctx, namespace)
}

func (s *sharedInformer) follows(name ObjectName) bool { return s.scopeFor(listed.Name(name)) != nil }

func (s *sharedInformer) lookup(of ObjectName) (obj Object, isKnown bool) {
	name := listed.Name(of)
	if obj, found := s.core.Indexer.Get(name); found { // nearly always, so no scope is looked for
		return obj, true
	}
	scope := s.scopeOf(name)
	if scope == nil || !scope.Frontier.IsListed() {
		return nil, false
	}
	if obj, found := s.core.Indexer.Get(name); found {
		return obj, true
	}
	// The scope may have been removed, with its objects, before the cache was read.
	return nil, s.scopeOf(name) == scope && !isClosed(s.Ended())
}

// scopeOf returns the scope that speaks about an object now, or nil. Its list may not be in the cache yet.
func (s *sharedInformer) scopeOf(name listed.Name) *informer.Scope {
	partition := s.set.partition.Load()
	if partition == nil {
		return s.scopeFor(name)
	}
	id, has := partition.Owner(name)
	if !has {
		return nil
	}
	for _, all := range [][]*informer.Scope{s.core.Scopes(), s.set.leaving()} {
		for _, scope := range all {
			if scope.ID == id && !scope.Rule.Excludes(name.Namespace, name.Name) {
				return scope
			}
		}
	}
	return nil // it was removed meanwhile
}

// scopeFor returns the wanted scope of an object, or nil. Another one may still speak about the object.
func (s *sharedInformer) scopeFor(name listed.Name) *informer.Scope {
	for _, r := range s.set.reflectors() {
		has := r.wanted.IsWide || r.wanted.Region.Namespace == name.Namespace
		if has && (name.Name == "" || !r.wanted.Scope.Rule.Excludes(name.Namespace, name.Name)) {
			return r.wanted.Scope
		}
	}
	return nil
}

func (s *sharedInformer) waitForNamespace(ctx context.Context, namespace string) (bool, error) {
	for {
		scope := s.scopeFor(listed.Name{Namespace: namespace})
		if scope == nil {
			return false, nil
		}
		settled := scope.Frontier.Settled()
		if settled == nil && !scope.Frontier.IsListed() {
			continue // it was removed meanwhile
		}
		if settled == nil {
			return true, nil
		}
		cause := ErrStopped
		select {
		case <-settled:
			continue
		case <-ctx.Done():
			cause = context.Cause(ctx)
		case <-s.Ended():
		}
		return true, fmt.Errorf("%s has not listed namespace %s: %w; it is %s", s.name(), namespace, cause, s.Status())
	}
}
