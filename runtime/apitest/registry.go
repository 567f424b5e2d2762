package apitest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// registry has the kinds of a server. The Kinds in it never change.
type registry struct {
	kinds []*Kind // in the order in which they came
	byGVR map[schema.GroupVersionResource]*Kind
	byGVK map[schema.GroupVersionKind]*Kind
}

func newRegistry() *registry {
	return &registry{byGVR: map[schema.GroupVersionResource]*Kind{}, byGVK: map[schema.GroupVersionKind]*Kind{}}
}

// add adds kinds, or none of them if one is wrong.
func (g *registry) add(kinds ...Kind) error {
	for _, kind := range kinds {
		if err := kind.validate(); err != nil {
			return err
		}
		if other := g.byGVR[kind.gvr()]; other != nil && other.GroupVersionKind != kind.GroupVersionKind {
			return fmt.Errorf("apitest: %s is the resource of %s and of %s; give one of them another name", kind.gvr(), other.Kind, kind.Kind)
		}
		for _, other := range g.kinds {
			if other.groupResource() == kind.groupResource() && other.Namespaced != kind.Namespaced {
				return fmt.Errorf("apitest: %s is namespaced in one version and not in another", kind.groupResource())
			}
		}
	}
	for _, kind := range kinds {
		old := g.byGVK[kind.GroupVersionKind]
		if old != nil && old.Schema != nil && kind.Schema == nil {
			if old.Type == nil && kind.Type != nil {
				kind.complete()
				kind = old.withType(kind.Type)
			} else {
				continue
			}
		}
		g.put(old, kind)
	}
	return nil
}

// put adds a kind in place of old, which may be nil.
func (g *registry) put(old *Kind, kind Kind) {
	kind.complete()
	added := &kind
	if old == nil {
		g.kinds = append(g.kinds, added)
	} else {
		g.kinds[slices.Index(g.kinds, old)] = added
		delete(g.byGVR, old.gvr())
	}
	g.byGVK[kind.GroupVersionKind] = added
	g.byGVR[kind.gvr()] = added
}

// withType returns a copy of k with a Go type.
func (k *Kind) withType(empty runtime.Object) Kind {
	next := *k
	next.Type = empty
	return next
}

func (k *Kind) validate() error {
	switch {
	case k.Kind == "" || k.Version == "" || k.Resource == "":
		return fmt.Errorf("apitest: kind %q with resource %q needs a kind, a version and a resource", k.GroupVersionKind, k.Resource)
	case strings.ContainsAny(k.Resource, "/ ") || k.Resource != strings.ToLower(k.Resource):
		return fmt.Errorf("apitest: kind %s: %q is not the name of a resource; use the lower case plural", k.Kind, k.Resource)
	}
	return nil
}

// complete fills in names that follow from others.
func (k *Kind) complete() {
	k.Singular = cmp.Or(k.Singular, strings.ToLower(k.Kind))
	k.List = cmp.Or(k.List, k.Kind+"List")
}

func (k *Kind) gvr() schema.GroupVersionResource {
	return k.GroupVersion().WithResource(k.Resource)
}

func (k *Kind) groupResource() schema.GroupResource {
	return schema.GroupResource{Group: k.Group, Resource: k.Resource}
}

func (k *Kind) apiVersion() string { return k.GroupVersion().String() }

// custom reports whether the kind is a custom resource.
func (k *Kind) custom() bool { return k.builtIn == nil }
