package status

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
)

// Join returns the state of several scopes as one: the state of the worst, with its
// error. The ResourceVersion is the earliest. choice, if it is not nil, is the state of the choice of the
// scopes. Its error comes first, unless it is of an outage that a scope has too.
func Join(scopes []Scope, choice *Status) Status {
	all := Status{Phase: Watching}
	if choice != nil {
		all = *choice
	}
	if len(scopes) == 0 {
		return all
	}
	worst := slices.MaxFunc(scopes, func(a, b Scope) int { return cmp.Compare(rank[a.Status.Phase], rank[b.Status.Phase]) })
	if choice == nil || rank[worst.Status.Phase] >= rank[choice.Phase] {
		all.Phase, all.Since = worst.Status.Phase, worst.Status.Since
	}
	all.ResourceVersion = worst.Status.ResourceVersion
	all.Scopes = scopes
	failed := &worst
	untilLast := all.Phase == Watching || all.Phase == Stopped
	for i := range scopes {
		s := &scopes[i].Status
		if s.Phase == all.Phase && s.Since.Before(all.Since) != untilLast {
			all.Since = s.Since
		}
		if failed.Status.Err == nil {
			failed = &scopes[i]
		}
		if next := s.NextAttempt; !next.IsZero() && (all.NextAttempt.IsZero() || next.Before(all.NextAttempt)) {
			all.NextAttempt = next
		}
		all.ResourceVersion = protocol.Earlier(all.ResourceVersion, s.ResourceVersion)
		all.Undecodable = append(all.Undecodable, s.Undecodable...)
		all.Unconfirmed += s.Unconfirmed
		if s.LastUnconfirmed.At.After(all.LastUnconfirmed.At) {
			all.LastUnconfirmed = s.LastUnconfirmed
		}
	}
	all.SortUndecodable()
	if outage := outageOf(scopes); outage != nil && isOutageOfSource(&all) {
		failed, all.Err = outage, nil
	}
	if err := failed.Status.Err; err != nil && all.Err == nil {
		all.Err, all.Reason = fmt.Errorf("%s: %w", failed.Name, err), failed.Status.Reason
		all.Verb = failed.Status.Verb
	}
	return all
}

// outageOf returns the first scope that fails because the server does, or nil.
func outageOf(scopes []Scope) *Scope {
	for i := range scopes {
		if failure := scopes[i].Status.failure(); failure.IsOutage() {
			return &scopes[i]
		}
	}
	return nil
}

// isOutageOfSource reports whether an informer has an error because the server fails the informer whose
// objects are its scopes. What sets the scopes is not to blame for that.
func isOutageOfSource(s *Status) bool {
	failure := s.failure()
	return failure.IsSource && failure.Resource.Resource != "" && failure.IsOutage()
}
