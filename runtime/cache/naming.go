package cache

import (
	"slices"
	"strings"
)

// name names the informer in errors and logs.
func (s *informer) name() string {
	all, name := s.reflectors(), s.config.plainName()
	switch chosen := s.set.chosen.Load(); {
	case len(all) == 0 && s.config.scopeSource != nil && !s.HasSynced():
		return name + " in scopes that their source has not set yet"
	case len(all) == 0:
		return name + " in no scope"
	case len(all) == 1 && chosen == nil:
		return s.config.name()
	case len(all) > maxNamed:
		return name + " in " + plural(len(all), scopesNoun(all))
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
func (s *informer) namespaces() []string {
	all := s.reflectors()
	names := make([]string, 0, len(all))
	for _, r := range all {
		if among := r.among(); among != nil {
			names = append(names, among.Without(nil)...)
		} else {
			names = append(names, r.config.Namespace)
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 1 && names[0] == "" {
		return nil
	}
	return names
}
