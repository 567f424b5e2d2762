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

// statusOfAll returns the state of the Reflectors as one.
func (c *Controller[T]) statusOfAll() Status {
	if len(c.reflectors) == 1 {
		return c.reflectors[0].Status()
	}
	scopes := make([]ScopeStatus, len(c.reflectors))
	for i, r := range c.reflectors {
		scopes[i] = ScopeStatus{r.config.Namespace, r.Status()}
	}
	return joined(scopes)
}

// rank orders phases. That of several Reflectors is the one of the highest rank: all have to be
// Watching. They end together, so one that is Stopped counts for all.
var rank = map[Phase]int{Watching: 1, Pending: 2, Listing: 3, Degraded: 4, Stopped: 5}

// joined returns the state of several namespaces as one: the state of the worst, with its
// error. The ResourceVersion is the earliest.
func joined(scopes []ScopeStatus) Status {
	worst := slices.MaxFunc(scopes, func(a, b ScopeStatus) int { return cmp.Compare(rank[a.Status.Phase], rank[b.Status.Phase]) })
	all, failed := worst.Status, worst
	all.Scopes, all.Undecodable = scopes, nil
	untilLast := all.Phase == Watching || all.Phase == Stopped
	for i := range scopes {
		s := &scopes[i].Status
		if s.Phase == all.Phase && s.Since.Before(all.Since) != untilLast {
			all.Since = s.Since
		}
		if failed.Status.Err == nil {
			failed = scopes[i]
		}
		if next := s.NextAttempt; !next.IsZero() && (all.NextAttempt.IsZero() || next.Before(all.NextAttempt)) {
			all.NextAttempt = next
		}
		if s.ResourceVersion == "" || isEarlier(s.ResourceVersion, all.ResourceVersion) {
			all.ResourceVersion = s.ResourceVersion
		}
		all.Undecodable = append(all.Undecodable, s.Undecodable...)
	}
	if err := failed.Status.Err; err != nil {
		all.Err, all.Reason = fmt.Errorf("namespace %s: %w", failed.Namespace, err), failed.Status.Reason
	}
	slices.SortFunc(all.Undecodable, func(a, b *DecodeError) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	return all
}

// where returns the namespaces that are in the phase of s, unless all are.
func (s *Status) where() string {
	n, one := 0, ""
	for i := range s.Scopes {
		if scope := &s.Scopes[i]; scope.Status.Phase == s.Phase {
			n, one = n+1, scope.Namespace
		}
	}
	switch n {
	case 0, len(s.Scopes):
		return ""
	case 1:
		return " in namespace " + one
	}
	return fmt.Sprintf(" in %d of %d namespaces", n, len(s.Scopes))
}
