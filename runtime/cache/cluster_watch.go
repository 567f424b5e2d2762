package cache

import (
	"slices"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
)

// clusterWatch is what WithClusterWatch has set for an informer. It does not change.
type clusterWatch struct {
	above int
	// first are the scopes that the options name.
	first []Scope
}

// plan returns the scopes to watch instead of scopes, which are normal. have are those that are
// watched. gone are the namespaces to remove from the sets of some that stay. c may be nil.
func (c *clusterWatch) plan(scopes, have []Scope) (result []Scope, gone map[*scoping.Namespaces][]string) {
	if c == nil {
		return scopes, nil
	}
	gone = map[*scoping.Namespaces][]string{}
	namespaces := map[Scope][]string{} // by the rest of the scope
	for _, scope := range scopes {
		if scope.Namespace == "" {
			result = append(result, scope)
			continue
		}
		rest := scope
		rest.Namespace = ""
		namespaces[rest] = append(namespaces[rest], scope.Namespace)
	}
	sets := map[Scope]*scoping.Namespaces{}
	for _, scope := range have {
		if among := scope.among; among != nil {
			scope.among = nil
			sets[scope] = among
		}
	}
	for rest, names := range namespaces {
		wide, apart := scoping.Plan(names, sets[rest], c.above)
		for _, name := range apart {
			scope := rest
			scope.Namespace = name
			result = append(result, scope)
		}
		if wide != nil {
			if names := wide.Without(names); len(names) > 0 {
				gone[wide] = names
			}
			rest.among = wide
			result = append(result, rest)
		}
	}
	slices.SortFunc(result, Scope.compare)
	return result, gone
}
