package crcache

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// WithReferenced is an option of NewFunc: of the kind of obj, the cache has the objects that cached objects of other kinds refer to, and
// no others.
//
//	crcache.NewFunc(crcache.WithReferenced(&corev1.Secret{}, crcache.By(&webv1.Site{}, func(site *webv1.Site) []types.NamespacedName {
//		return []types.NamespacedName{{Name: site.Spec.TLS.SecretName}}
//	})))
//
// The cache follows the owners, here Sites, and each object with a list and a watch of its own, by its name. So it needs no
// right to list all: the resourceNames of a Role are enough. Controllers that watch the kind get the events of these objects. After
// the last reference is gone, an object leaves the cache, and handlers get a delete event with DeleteStateUnknown, as for an object
// that a label selector no longer selects.
//
// Get of an object that is not referenced, or not listed yet, reads it from the server, with the right to get it, and within
// rest.Config.QPS. It never returns an older state than a Get before. List has the referenced objects.
//
// Mistakes are kinds that refer to one another in a circle, and Label or Field of the kind in ByObject. With Namespaces of it, or with
// WithNamespacesLabeled, a Get in other namespaces reads none from the server: it is an error.
func WithReferenced(obj client.Object, by ...Reference) Option {
	return func(s *settings) error {
		gvk, err := s.kindIn("WithReferenced", obj)
		switch {
		case err != nil:
			return err
		case s.referenced[gvk] != nil:
			return fmt.Errorf("crcache: WithReferenced(%s) is there twice; pass all results of By to one", gvk.Kind)
		case len(by) == 0:
			return fmt.Errorf("crcache: WithReferenced(%s) has no references, so no object would ever be cached; pass crcache.By(owner, function)", gvk.Kind)
		}
		var errs []error
		for _, reference := range by {
			if reference.names == nil {
				errs = append(errs, fmt.Errorf("crcache: WithReferenced(%s) has a reference without a function; pass crcache.By(owner, function)", gvk.Kind))
				continue
			}
			owner, err := s.kindIn("WithReferenced("+gvk.Kind+"): By", reference.object)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			reference.owner = informerKey{owner, formOf(reference.object)}
			s.referenced[gvk] = append(s.referenced[gvk], reference)
		}
		return errors.Join(errs...)
	}
}

// Reference has the references in objects of a kind. By makes one.
type Reference struct {
	object client.Object
	owner  informerKey // of object, set by WithReferenced
	names  func(client.Object) []types.NamespacedName
}

// By returns the references that names finds in the objects of a kind, which owner names together with their form: typed,
// unstructured or metadata. names is called with each cached object, and again when that changes. It must not write to the object, whose
// kind is empty. An empty Namespace is that of the object, and an empty Name is no reference.
//
// If names panics, the references of that object stay as they are, and the log and the Status of the informer have the panic.
func By[T client.Object](owner T, names func(T) []types.NamespacedName) Reference {
	r := Reference{object: owner}
	if names != nil {
		r.names = func(obj client.Object) []types.NamespacedName { return names(obj.(T)) }
	}
	return r
}

// checkReferences returns the mistakes that all options show together.
func (s *settings) checkReferences() error {
	var errs []error
	for _, gvk := range slices.SortedFunc(maps.Keys(s.referenced), compareKinds) {
		for _, p := range s.plansOf(gvk) {
			errs = append(errs, checkSelectors(gvk.Kind, p))
		}
		if circle := s.circle(gvk, nil); circle != nil && circle[0] == slices.MinFunc(circle, compareKinds) { // once
			kinds := make([]string, len(circle))
			for n, of := range circle {
				kinds[n] = of.Kind
			}
			if len(kinds) == 1 {
				errs = append(errs, fmt.Errorf("crcache: WithReferenced(%s): the references are in objects of the same kind, so none would ever be cached; leave out that By", gvk.Kind))
				continue
			}
			errs = append(errs, fmt.Errorf("crcache: Referenced: objects of the kinds %s refer to one another in a circle, so none would ever be cached; leave out one By", strings.Join(append(kinds, kinds[0]), ", ")))
		}
	}
	if err := errors.Join(errs...); err != nil || len(s.referenced) == 0 {
		return err
	}
	var err error
	if s.uncached, err = client.New(s.config, client.Options{HTTPClient: s.client, Scheme: s.scheme, Mapper: s.mapper}); err != nil {
		return fmt.Errorf("crcache: Referenced: cannot make a client: %w", err)
	}
	return nil
}

// checkSelectors returns an error if a plan selects some of the objects of a kind.
func checkSelectors(kind string, p *plan) error {
	if p == nil {
		return nil
	}
	for _, config := range p.namespaces {
		if config.LabelSelector != nil && !config.LabelSelector.Empty() || config.FieldSelector != nil && !config.FieldSelector.Empty() {
			return fmt.Errorf("crcache: WithReferenced(%s): the references tell which objects are cached, but the options of the manager also select some by labels or fields; set ByObject[%[1]s].Label to labels.Everything() and Field to fields.Everything()", kind)
		}
	}
	return nil
}

// circle returns the kinds that refer to a kind, and so on, if these are in a circle through it. path are the kinds between.
func (s *settings) circle(gvk schema.GroupVersionKind, path []schema.GroupVersionKind) []schema.GroupVersionKind {
	if len(path) > 0 && path[0] == gvk {
		return path
	}
	if slices.Contains(path, gvk) {
		return nil // a circle of others
	}
	for _, reference := range s.referenced[gvk] {
		if circle := s.circle(reference.owner.gvk, append(slices.Clip(path), gvk)); circle != nil {
			return circle
		}
	}
	return nil
}

func compareKinds(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) }

// names has the references of an entry of WithReferenced, and the reads from the server.
type names struct {
	references []Reference
	live       live
}

// sources returns the sources of the scopes of an entry of WithReferenced.
func (e *entry) sources() (sources []cache.ScopeSource) {
	for n, reference := range e.names.references {
		sources = append(sources, cache.ScopesOf(e.owners[n].informer, func(owner cache.Object) ([]cache.Scope, error) {
			return e.scopesOf(reference.names(owner.(client.Object)), owner)
		}))
	}
	return sources
}

// scopesOf returns the scopes of the objects that an owner refers to.
func (e *entry) scopesOf(references []types.NamespacedName, owner cache.Object) (scopes []cache.Scope, err error) {
	for _, name := range references {
		scope := cache.Scope{FieldSelector: fields.OneTermEqualSelector("metadata.name", name.Name).String()}
		if e.namespaced {
			scope.Namespace = cmp.Or(name.Namespace, owner.GetNamespace())
		}
		switch _, isCached := e.plan.config(scope.Namespace); {
		case name.Name == "":
		case e.namespaced && scope.Namespace == "":
			err = fmt.Errorf("it refers to %s %q without a namespace, and has none itself; return the namespace from the function of By", e.resource, name.Name)
		case isCached:
			scopes = append(scopes, scope)
		}
	}
	return scopes, err
}
