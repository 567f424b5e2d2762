package cache

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// normalScopes returns the normal forms of scopes, sorted, each once.
func normalScopes(option string, o *options, scopes []Scope) ([]Scope, error) {
	all := make([]Scope, 0, len(scopes))
	var errs []error
	for _, scope := range scopes {
		normal, err := scope.normal()
		if err != nil {
			errs = append(errs, optionError(option, o.object, "%w", err))
		}
		all = append(all, normal)
	}
	slices.SortFunc(all, Scope.compare)
	return slices.Compact(all), errors.Join(errs...)
}

// contradictions returns why scopes of a kind, which are normal, are no partition, by the namespace that is in several
// of them.
func contradictions(scopes []Scope, isNamespaced bool) map[string]error {
	found := map[string]error{}
	var wide []Scope
	type named struct {
		first Scope
		names map[string]Scope // has "" for a scope of the whole namespace
	}
	spaces := map[string]*named{}
	for _, scope := range scopes {
		region := scope.region(isNamespaced)
		if region.IsWide {
			wide = append(wide, scope)
			continue
		}
		if spaces[scope.Namespace] == nil {
			spaces[scope.Namespace] = &named{scope, map[string]Scope{region.Name: scope}}
			continue
		}
		of := spaces[scope.Namespace]
		other, overlaps := of.names[region.Name]
		if whole, has := of.names[""]; has && !overlaps {
			other, overlaps = whole, true
		}
		if region.Name == "" && !overlaps {
			other, overlaps = of.first, true
		}
		if overlaps {
			found[scope.Namespace] = fmt.Errorf("the scopes %s and %s may have the same objects; use one scope for the namespace, with one selector of each kind, or a second informer, or give each scope the field selector metadata.name= with another name", other, scope)
		}
		of.names[region.Name] = scope
	}
	switch {
	case len(wide) > 1 && isNamespaced:
		found[""] = fmt.Errorf("the scopes %s and %s both have all namespaces; use one of them, or a second informer", wide[0], wide[1])
	case len(wide) > 1 || len(wide) == 1 && !isNamespaced && len(spaces) > 0:
		found[""] = errors.New("a cluster-scoped kind has several scopes; use one, or give each the field selector metadata.name= with another name")
	case len(wide) == 1 && !wide[0].OtherNamespaces && len(spaces) > 0:
		found[""] = fmt.Errorf("the scope %s has all namespaces, and there are scopes of single namespaces; set its OtherNamespaces if it should have all other namespaces, or remove one of them", wide[0])
	}
	return found
}

// checkScopes returns an error if scopes of a kind, which are normal, are no partition.
func checkScopes(option string, o *options, scopes []Scope, isNamespaced bool) error {
	found := contradictions(scopes, isNamespaced)
	var errs []error
	for _, namespace := range slices.Sorted(maps.Keys(found)) {
		errs = append(errs, optionError(option, o.object, "%w", found[namespace]))
	}
	return errors.Join(errs...)
}

// WithNamespace limits informers to one namespace; "" means all namespaces. As an option of a
// factory it has no effect on cluster-scoped kinds. As an option of such a kind it is an error.
func WithNamespace(namespace string) SharedInformerOption {
	return inNamespaces("WithNamespace", namespace)
}

// WithNamespaces limits informers to some namespaces. An informer lists and watches each of them
// separately, and keeps all objects in one cache. It needs rights only in these namespaces.
// Status.Scopes has the state of each. SetScopes changes them later.
func WithNamespaces(namespaces ...string) SharedInformerOption {
	return inNamespaces("WithNamespaces", namespaces...)
}

// inNamespaces is not inlined: each generated factory would compile its closure, and the types that it reaches.
//
//go:noinline
func inNamespaces(option string, namespaces ...string) SharedInformerOption {
	scopes := make([]Scope, len(namespaces))
	for i, namespace := range namespaces {
		scopes[i].Namespace = namespace
	}
	return optionOf(func(o *options) {
		named := slices.IndexFunc(namespaces, func(namespace string) bool { return namespace != "" })
		if named >= 0 && slices.Contains(namespaces, "") {
			o.mistake(option, `"" means all namespaces, so it cannot be combined with %q; remove one of them`, namespaces[named])
			return
		}
		o.setScopes(option, scopes)
	})
}

// WithScopes limits informers to some scopes. Their selectors are added to those of other options:
// an object has to match both.
//
//	cache.WithScopes(cache.Scope{Namespace: "team-a"}, cache.Scope{OtherNamespaces: true, LabelSelector: "app=web"})
//
// The informer has all objects of team-a, and those of other namespaces with the label app=web. For two selectors in one
// namespace, use two informers.
func WithScopes(scopes ...Scope) SharedInformerOption {
	scopes = slices.Clone(scopes)
	return optionOf(func(o *options) { o.setScopes("WithScopes", scopes) })
}

func (o *options) setScopes(option string, scopes []Scope) {
	o.once("WithNamespaces") // another name for some scopes
	if len(scopes) == 0 {
		o.mistake(option, `there is no namespace; name at least one, or "" for all namespaces`)
		return
	}
	normal, err := normalScopes(option, o, scopes)
	if err != nil {
		o.mistakes = append(o.mistakes, err)
		return
	}
	o.scopes, o.later = normal, false
}

// WithScopesLater lets an informer begin without scopes, if the program does not know them yet. Before the first SetScopes the
// informer sends no request and is not synced, and Status says so. SetScopesError tells why there are none. As an option of a
// factory it has no effect on cluster-scoped kinds.
func WithScopesLater() SharedInformerOption {
	return optionOf(func(o *options) {
		o.once("WithNamespaces") // which names the scopes too
		o.later, o.scopes = true, nil
	})
}

// WithShard limits informers to a shard, the objects whose hash is in its ranges:
//
//	cache.WithShard(sharding.Split(sharding.UID, 4)[0])
//
// It applies to each of their scopes without a ShardSelector. The informer requests the shard from the
// server if servers know the key. Most servers ignore that (https://kep.k8s.io/5866 is alpha), so
// the informer also drops other objects before it decodes them; Stats.Dropped counts them. The zero value selects
// all objects: as an option of a kind it replaces the shard of the factory.
//
// With sharding.Owner, an object whose controller changes may leave the shard: OnDelete has its last
// cached state then, and an unknown final state.
func WithShard(shard sharding.Selector) SharedInformerOption {
	return optionOf(func(o *options) {
		o.once("WithShard")
		o.shard = &shard
	})
}
