package kinds

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/apitest/internal/fields"
)

// Registry has the kinds of a server: those of Kubernetes, which all servers share, and those that
// were added. The Kinds in it never change.
type Registry struct {
	// Scheme has the Go types of built-in kinds. It may be nil.
	Scheme *runtime.Scheme
	// added has the kinds that are not among the built-in ones, in the order in which they came.
	added []*Kind
	// byGVR and byGVK have the added kinds, and the built-in ones that have a Go type here.
	byGVR map[schema.GroupVersionResource]*Kind
	byGVK map[schema.GroupVersionKind]*Kind
	// refused has the kinds that were not added.
	refused []refusedKind
	// Changes counts the changes of the kinds.
	Changes int
	// managers keep the managed fields of the kinds that were written. It is nil after a change.
	managers map[endpoint]*fields.Manager
}

// refusedKind is a kind that is wrong, or contradicts another one.
type refusedKind struct {
	Kind
	err error
}

// NewRegistry returns a Registry with the kinds of Kubernetes.
func NewRegistry() *Registry {
	return &Registry{byGVR: map[schema.GroupVersionResource]*Kind{}, byGVK: map[schema.GroupVersionKind]*Kind{}}
}

// Resource returns the kind of a resource, or nil.
func (g *Registry) Resource(gvr schema.GroupVersionResource) *Kind {
	if kind := g.byGVR[gvr]; kind != nil {
		return kind
	}
	shared := builtIns().byGVR[gvr]
	if shared == nil || g.byGVK[shared.GroupVersionKind] != nil {
		return nil
	}
	return g.typed(shared)
}

// Kind returns a kind, or nil.
func (g *Registry) Kind(gvk schema.GroupVersionKind) *Kind {
	if kind := g.byGVK[gvk]; kind != nil {
		return kind
	}
	if shared := builtIns().byGVK[gvk]; shared != nil {
		return g.typed(shared)
	}
	return nil
}

// typed returns a built-in kind with its Go type, if the scheme has that.
func (g *Registry) typed(shared *Kind) *Kind {
	if g.Scheme == nil || !g.Scheme.Recognizes(shared.GroupVersionKind) {
		return shared
	}
	empty, err := g.Scheme.New(shared.GroupVersionKind)
	if err != nil {
		return shared
	}
	kind := *shared
	kind.Type = empty
	g.byGVK[kind.GroupVersionKind], g.byGVR[kind.GVR()] = &kind, &kind
	return &kind
}

// All returns all kinds: first the built-in ones in the order of discovery, then those that were
// added.
func (g *Registry) All() iter.Seq[*Kind] {
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

// Of returns a kind of a resource in any version, or nil.
func (g *Registry) Of(gr schema.GroupResource) *Kind {
	if kind := builtIns().byResource[gr]; kind != nil {
		return g.Kind(kind.GroupVersionKind)
	}
	for _, kind := range g.added {
		if kind.GroupResource() == gr {
			return kind
		}
	}
	return nil
}

// Add adds the kinds that are right. The error joins the errors of the others.
func (g *Registry) Add(kinds ...Kind) error {
	var errs []error
	for _, kind := range kinds {
		if err := g.check(kind); err != nil {
			g.refused = append(g.refused, refusedKind{kind, err})
			errs = append(errs, err)
			continue
		}
		g.put(kind)
	}
	return errors.Join(errs...)
}

// check returns the errors of a kind by itself, or next to the kinds that the server has.
func (g *Registry) check(kind Kind) error {
	if err := kind.validate(); err != nil {
		return err
	}
	if other := g.Resource(kind.GVR()); other != nil && other.GroupVersionKind != kind.GroupVersionKind {
		return fmt.Errorf("apitest: %s is the resource of %s and of %s; give one of them another name", kind.GVR(), other.Kind, kind.Kind)
	}
	if other := g.Of(kind.GroupResource()); other != nil && other.Namespaced != kind.Namespaced {
		return fmt.Errorf("apitest: %s is namespaced for one of %s and %s, and cluster-scoped for the other; give them one scope", kind.GroupResource(), other.GroupVersionKind, kind.GroupVersionKind)
	}
	return nil
}

// WhyRefused returns why a kind that matches was not added, or nil.
func (g *Registry) WhyRefused(matches func(*Kind) bool) error {
	for i := range g.refused {
		if matches(&g.refused[i].Kind) {
			return g.refused[i].err
		}
	}
	return nil
}

// put adds a kind. One with a Schema takes the place of the same kind. One without gives it its Go
// type and its TypeConverter, if that kind is built in or has a Schema.
func (g *Registry) put(kind Kind) {
	kind.complete()
	old := g.Kind(kind.GroupVersionKind)
	switch {
	case old == nil:
		// The versions of a built-in kind that Kubernetes has removed behave as those it has.
		if shared := builtIns().byResource[kind.GroupResource()]; shared != nil && kind.Schema == nil {
			kind.BuiltIn = shared.BuiltIn
		}
	case kind.Schema != nil:
	case old.Schema != nil || !old.Custom():
		addsType, addsConverter := old.Type == nil && kind.Type != nil, old.TypeConverter == nil && kind.TypeConverter != nil
		if !addsType && !addsConverter {
			return
		}
		next := *old
		if addsType {
			next.Type = kind.Type
		}
		if addsConverter {
			next.TypeConverter = kind.TypeConverter
		}
		kind = next
	}
	g.managers = nil
	g.Changes++
	added := &kind
	i := slices.IndexFunc(g.added, func(k *Kind) bool { return k.GroupVersionKind == kind.GroupVersionKind })
	switch {
	case i >= 0:
		delete(g.byGVR, old.GVR())
		g.added[i] = added
	case old == nil:
		g.added = append(g.added, added)
	}
	g.byGVK[kind.GroupVersionKind], g.byGVR[kind.GVR()] = added, added
}

// endpoint is where objects of a kind are written.
type endpoint struct {
	kind        *Kind
	subresource string
}
