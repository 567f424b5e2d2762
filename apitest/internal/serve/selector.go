package serve

import (
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
)

// Selector says which requests a fault or a Method is for.
type Selector struct {
	// Verb is a verb of RBAC, apply, or * for any. A streaming list is both a list and a watch.
	Verb string
	// Resource is a plural name, * for any resource, or a path that belongs to no resource.
	Resource string
	// Group and Version are empty for any.
	Group, Version string
	// Subresource is * for any or none. It is ignored if it is empty and Resource is *.
	Subresource string
	// Namespace and Name are empty for any.
	Namespace, Name string
}

// Matches reports whether a request is one of those selected.
func (s *Selector) Matches(r *Request) bool {
	if strings.HasPrefix(s.Resource, "/") {
		return s.Resource == r.HTTP.URL.Path && (s.Verb == "*" || strings.EqualFold(s.Verb, r.HTTP.Method))
	}
	return r.Kind != nil && s.matchesVerb(r) && s.MatchesKind(r.Kind) && s.matchesSubresource(r) &&
		(s.Namespace == "" || s.Namespace == r.Namespace) && (s.Name == "" || s.Name == r.ObjectName())
}

func (s *Selector) matchesVerb(r *Request) bool {
	switch s.Verb {
	case "*", r.Verb:
		return true
	case "list":
		return r.Verb == "watch" && IsTrue(r.Query, "sendInitialEvents")
	case "apply":
		header, _, _ := strings.Cut(r.HTTP.Header.Get("Content-Type"), ";")
		return r.Verb == "patch" && strings.HasPrefix(header, applyType)
	}
	return false
}

// applyType is the beginning of the media types of server-side apply.
var applyType = strings.TrimSuffix(string(types.ApplyYAMLPatchType), "+yaml")

// MatchesKind reports whether requests for a kind may be selected.
func (s *Selector) MatchesKind(kind *kinds.Kind) bool {
	return (s.Resource == "*" || s.Resource == kind.Resource) && (s.Group == "" || s.Group == kind.Group) && (s.Version == "" || s.Version == kind.Version)
}

func (s *Selector) matchesSubresource(r *Request) bool {
	return s.Subresource == "*" || s.Resource == "*" && s.Subresource == "" || s.Subresource == r.Subresource
}
