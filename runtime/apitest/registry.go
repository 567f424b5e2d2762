package apitest

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/apitest/internal/discovery"
	"github.com/typedinformers/informer-gen/runtime/apitest/internal/fields"
)

// registry has the kinds of a server: those of Kubernetes, which all servers share, and those that
// were added. The Kinds in it never change.
type registry struct {
	scheme *runtime.Scheme
	// added has the kinds that are not among the built-in ones, in the order in which they came.
	added []*Kind
	// byGVR and byGVK have the added kinds, and the built-in ones that have a Go type here.
	byGVR map[schema.GroupVersionResource]*Kind
	byGVK map[schema.GroupVersionKind]*Kind
	// groups describes the kinds in discovery. It is nil after a change.
	groups *discovery.Groups
	// documents are the answers of discovery, while groups is not nil.
	documents map[string]*document
	// managers keep the managed fields of the kinds that were written. It is nil after a change.
	managers map[endpoint]*fields.Manager
}

func newRegistry() *registry {
	return &registry{byGVR: map[schema.GroupVersionResource]*Kind{}, byGVK: map[schema.GroupVersionKind]*Kind{}}
}

// resource returns the kind of a resource, or nil.
func (g *registry) resource(gvr schema.GroupVersionResource) *Kind {
	if kind := g.byGVR[gvr]; kind != nil {
		return kind
	}
	shared := builtIns().byGVR[gvr]
	if shared == nil || g.byGVK[shared.GroupVersionKind] != nil {
		return nil
	}
	return g.typed(shared)
}

// kind returns a kind, or nil.
func (g *registry) kind(gvk schema.GroupVersionKind) *Kind {
	if kind := g.byGVK[gvk]; kind != nil {
		return kind
	}
	if shared := builtIns().byGVK[gvk]; shared != nil {
		return g.typed(shared)
	}
	return nil
}

// typed returns a built-in kind with its Go type, if the scheme has that.
func (g *registry) typed(shared *Kind) *Kind {
	if g.scheme == nil || !g.scheme.Recognizes(shared.GroupVersionKind) {
		return shared
	}
	empty, err := g.scheme.New(shared.GroupVersionKind)
	if err != nil {
		return shared
	}
	kind := shared.withType(empty)
	g.byGVK[kind.GroupVersionKind], g.byGVR[kind.gvr()] = &kind, &kind
	return &kind
}

// all returns all kinds: first the built-in ones in the order of discovery, then those that were
// added.
func (g *registry) all() iter.Seq[*Kind] {
	return func(yield func(*Kind) bool) {
		for _, shared := range builtIns().kinds {
			if !yield(cmp.Or(g.byGVK[shared.GroupVersionKind], shared)) {
				return
			}
		}
		for _, kind := range g.added {
			if !yield(kind) {
				return
			}
		}
	}
}

// of returns a kind of a resource in any version, or nil.
func (g *registry) of(gr schema.GroupResource) *Kind {
	if kind := builtIns().byResource[gr]; kind != nil {
		return g.kind(kind.GroupVersionKind)
	}
	for _, kind := range g.added {
		if kind.groupResource() == gr {
			return kind
		}
	}
	return nil
}

// add adds kinds, or none of them if one is wrong.
func (g *registry) add(kinds ...Kind) error {
	for _, kind := range kinds {
		if err := kind.validate(); err != nil {
			return err
		}
		if other := g.resource(kind.gvr()); other != nil && other.GroupVersionKind != kind.GroupVersionKind {
			return fmt.Errorf("apitest: %s is the resource of %s and of %s; give one of them another name", kind.gvr(), other.Kind, kind.Kind)
		}
		if other := g.of(kind.groupResource()); other != nil && other.Namespaced != kind.Namespaced {
			return fmt.Errorf("apitest: %s is namespaced in one version and not in another", kind.groupResource())
		}
	}
	for _, kind := range kinds {
		g.put(kind)
	}
	return nil
}

// put adds a kind. One with a Schema takes the place of the same kind. One without gives it its Go
// type, if that kind is built in or has a Schema.
func (g *registry) put(kind Kind) {
	kind.complete()
	old := g.kind(kind.GroupVersionKind)
	switch {
	case old == nil:
		// The versions of a built-in kind that Kubernetes has removed behave as those it has.
		if shared := builtIns().byResource[kind.groupResource()]; shared != nil && kind.Schema == nil {
			kind.builtIn = shared.builtIn
		}
	case kind.Schema != nil:
	case old.Schema != nil || !old.custom():
		if kind.Type == nil || old.Type != nil {
			return
		}
		kind = old.withType(kind.Type)
	}
	g.groups, g.managers = nil, nil
	added := &kind
	i := slices.IndexFunc(g.added, func(k *Kind) bool { return k.GroupVersionKind == kind.GroupVersionKind })
	switch {
	case i >= 0:
		delete(g.byGVR, old.gvr())
		g.added[i] = added
	case old == nil:
		g.added = append(g.added, added)
	}
	g.byGVK[kind.GroupVersionKind], g.byGVR[kind.gvr()] = added, added
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
	if _, err := newPrinter(k.Columns)(); err != nil {
		return fmt.Errorf("apitest: kind %s: %w", k.Kind, err)
	}
	return nil
}

// complete fills in names that follow from others.
func (k *Kind) complete() {
	k.Singular = cmp.Or(k.Singular, strings.ToLower(k.Kind))
	k.List = cmp.Or(k.List, k.Kind+"List")
	k.printer = newPrinter(k.Columns)
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
