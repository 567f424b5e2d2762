package cache

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// ScopeStatus is the state of one of the namespaces that an informer follows.
type ScopeStatus struct {
	Namespace string
	// Status has neither Objects nor Scopes.
	Status Status
}

// statusOfAll returns the state of the Reflectors as one: the state of the worst, with its
// error. The ResourceVersion is the earliest.
func (c *Controller[T]) statusOfAll() Status {
	if len(c.reflectors) == 1 {
		return c.reflectors[0].Status()
	}
	var all Status
	for i, r := range c.reflectors {
		scope := ScopeStatus{r.config.Namespace, r.Status()}
		if i == 0 {
			all = scope.named()
		} else {
			all = all.with(scope.named())
		}
		all.Scopes = append(all.Scopes, scope)
	}
	slices.SortFunc(all.Undecodable, func(a, b *DecodeError) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	return all
}

// named returns the Status with the namespace in its error.
func (s ScopeStatus) named() Status {
	status := s.Status
	if status.Err != nil {
		status.Err = fmt.Errorf("namespace %s: %w", s.Namespace, status.Err)
	}
	status.Undecodable = slices.Clone(status.Undecodable)
	return status
}

// rank orders phases. That of several Reflectors is the one of the highest rank: all have to be
// Watching, or Stopped.
var rank = map[Phase]int{Stopped: 0, Watching: 1, Pending: 2, Listing: 3, Degraded: 4}

// with returns the state of s and another Reflector.
func (s Status) with(other Status) Status {
	worse, better := s, other
	if rank[other.Phase] > rank[s.Phase] {
		worse, better = other, s
	}
	worse.Scopes = s.Scopes
	if better.Phase == worse.Phase && better.Since.Before(worse.Since) != (worse.Phase == Watching || worse.Phase == Stopped) {
		worse.Since = better.Since
	}
	if worse.Err == nil {
		worse.Err, worse.Reason = better.Err, better.Reason
	}
	if next := better.NextAttempt; !next.IsZero() && (worse.NextAttempt.IsZero() || next.Before(worse.NextAttempt)) {
		worse.NextAttempt = next
	}
	if better.ResourceVersion == "" || isEarlier(better.ResourceVersion, worse.ResourceVersion) {
		worse.ResourceVersion = better.ResourceVersion
	}
	worse.Undecodable = append(s.Undecodable, other.Undecodable...)
	return worse
}
