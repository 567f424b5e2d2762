package discovery

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
)

// The verbs of discovery, in the order in which the API servers of built-in kinds and of custom
// resources have them.
var (
	builtInVerbs = []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	customVerbs  = []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}
	createVerbs  = []string{"create"}
)

// resources describes the kinds. Groups that were added follow the built-in ones, in alphabetical order.
func resources(of *kinds.Registry) []Resource {
	var builtIn, custom []Resource
	for kind := range of.All() {
		if kinds.IsBuiltIn(kind.GroupVersionKind) {
			builtIn = append(builtIn, describe(kind))
		} else {
			custom = append(custom, describe(kind))
		}
	}
	slices.SortStableFunc(custom, func(a, b Resource) int { return cmp.Compare(a.Group, b.Group) })
	return append(builtIn, custom...)
}

// describe describes a kind.
func describe(k *kinds.Kind) Resource {
	described := Resource{
		GroupVersionKind: k.GroupVersionKind, Name: k.Resource, Singular: k.Singular, Namespaced: k.Namespaced,
		ShortNames: k.ShortNames, Categories: k.Categories, Verbs: customVerbs,
	}
	add := func(name string, gvk schema.GroupVersionKind, verbs []string) {
		described.Subresources = append(described.Subresources, Subresource{Name: name, GroupVersionKind: gvk, Verbs: verbs})
	}
	if k.Status {
		add("status", k.GroupVersionKind, kinds.SubresourceVerbs)
	}
	if k.Scale != nil {
		add("scale", kinds.ScaleKind, kinds.SubresourceVerbs)
	}
	if k.Custom() {
		return described
	}
	described.Verbs = builtInVerbs
	switch {
	case k.BuiltIn.Virtual:
		described.Verbs, described.Virtual = createVerbs, true
	case k.BuiltIn.Single:
		described.Verbs = slices.DeleteFunc(slices.Clone(builtInVerbs), func(verb string) bool { return verb == "deletecollection" })
	}
	for _, name := range k.BuiltIn.Subresources {
		gvk, verbs := k.Subresource(name)
		add(name, gvk, verbs)
	}
	slices.SortFunc(described.Subresources, func(a, b Subresource) int { return cmp.Compare(a.Name, b.Name) })
	return described
}
