package cache

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// Kind describes a kind and the client for it, so that an informer can be made. Generated
// packages have a function for each of their kinds, such as FooKind(client).
type Kind[T Object] struct {
	Resource schema.GroupVersionResource
	// Kind is the kind in the JSON of the objects, such as Deployment, or empty. A response
	// with another kind is an error; see wire.Options.Kind.
	Kind string
	// Protobuf is set for a kind that the API server also has as protobuf; see
	// wire.Options.Protobuf.
	Protobuf   runtime.Object
	Namespaced bool
	// Server identifies the API server, or is nil. Its String is the URL. A factory has an
	// informer of its own for each URL that a kind is read from. It compares values of Server
	// before it calls String, so their type must be comparable. Clients without a Server, such as
	// fakes, share an informer.
	Server fmt.Stringer
	// Open returns the OpenFunc of a namespace, or nil for a client without bodies. The
	// namespace is empty for all namespaces, and for cluster-scoped kinds. Open may be nil. Neither
	// Open nor ListWatch may call the factory, whose lock is held.
	Open func(namespace string) bodies.OpenFunc
	// ListWatch returns the ListerWatcher of a namespace if there are no bodies. It may be nil.
	ListWatch func(namespace string) ListerWatcher[T]
	Indexers  Indexers[T]
	// Object is an object of the Go type to decode to if T is an interface type, such as
	// Object; see wire.Options.Object.
	Object runtime.Object
}

// erasedKind returns a Kind as the machine reads it.
func erasedKind[T Object](k *Kind[T]) *kind {
	e := &kind{
		form: store.FormOf[T](), Resource: k.Resource, Kind: k.Kind, Protobuf: k.Protobuf, Namespaced: k.Namespaced, Server: k.Server, Open: k.Open,
		functions: otherIndexes(erasedIndexers(k.Indexers)), Object: k.Object,
	}
	if listWatch := k.ListWatch; listWatch != nil {
		e.source = func(namespace string) (source.Source, bool) { return listWatch(namespace).erased() }
	}
	return e
}

// kind is a Kind without its type parameter.
type kind struct {
	form       store.Form
	Resource   schema.GroupVersionResource
	Kind       string
	Protobuf   runtime.Object
	Namespaced bool
	Server     fmt.Stringer
	Open       func(namespace string) bodies.OpenFunc
	source     func(namespace string) (source.Source, bool)
	functions  []indexer.Function
	Object     runtime.Object
}

// newMachine returns an informer that does not belong to a factory.
func (k *kind) newMachine(set []SharedInformerOption) (machine, error) {
	own := newOptions(k.form.Type(), set)
	config, err := k.config(&options{}, own)
	if err != nil {
		return nil, err
	}
	return newInformer(config), nil
}

// config returns the config of an informer with the options of a factory and those of the kind.
func (k *kind) config(of, own *options) (config, error) {
	made := config{form: k.form, Resource: k.Resource, functions: k.functions}
	for _, set := range []*options{of, own} {
		for _, change := range set.settings {
			change(&made.settings)
		}
		if set.resync != nil {
			made.ResyncPeriod = *set.resync
		}
		if set.onError != nil {
			made.WatchErrorHandler = set.onError
		}
		if set.onStatus != nil {
			made.StatusHandler = set.onStatus
		}
		if set.writes != nil {
			made.ReadYourWrites = &ownWritesOf{Observer: set.writes}
		}
	}
	made.readEnvironment()
	made.Decode.Kind = schema.GroupKind{Group: k.Resource.Group, Kind: k.Kind}
	made.Decode.Protobuf, made.Decode.Object = k.Protobuf, k.Object
	if made.ReadYourWrites != nil && k.Server != nil {
		made.ReadYourWrites.Server = k.Server.String()
	}
	made.Transform = own.transform
	errs := append([]error{errors.Join(of.mistakes...), errors.Join(own.mistakes...)}, made.setFields(of, own)...)
	if made.Packing != nil && made.Transform != nil {
		errs = append(errs, transformOfPacked("WithTransform", own.object))
	}

	for _, added := range own.indexers {
		isSame := func(known indexer.Function) bool { return known.Name == added.Name }
		if added.Name == NamespaceIndex || slices.ContainsFunc(made.functions, isSame) {
			errs = append(errs, optionError("WithIndexers", own.object, "%s has an index %q already; use another name", k.Resource.GroupResource(), added.Name))
		}
		if added.Values == nil {
			errs = append(errs, optionError("WithIndexers", own.object, "index %q of %s has no function; set one", added.Name, k.Resource.GroupResource()))
		}
		made.functions = append(slices.Clip(made.functions), added)
	}
	made.configOf = func(base config, scope Scope) (config, error) { return k.scoped(base, of, own, scope) }
	made.isNamespaced = k.Namespaced
	scopes, isLater, err := k.scopes(of, own)
	if err == nil {
		err = checkScopes("WithNamespaces", own, scopes, k.Namespaced)
	}
	errs = append(errs, err)
	if isLater {
		part, err := made.configOf(made, Scope{}) // reports a mistake at once
		// No request is sent by these: they tell whether there are bodies.
		made.Open, made.source, made.fake, made.scopesLater = part.Open, part.source, part.fake, true
		return made, errors.Join(append(errs, err, made.guardFields(own, k.Server, &part))...)
	}
	if len(scopes) > 1 {
		made.ownFirstLists = newOwnFirstLists()
	}
	for _, scope := range scopes {
		part, err := made.configOf(made, scope)
		part.isScope = len(scopes) > 1
		errs = append(errs, err)
		made.scopes = append(made.scopes, part)
	}
	errs = append(errs, made.guardFields(own, k.Server, &made.scopes[0]))
	if len(made.scopes) == 1 {
		made = made.scopes[0]
	}
	return made, errors.Join(errs...)
}

// scoped returns the config of one scope of an informer, whose config is base.
func (k *kind) scoped(base config, of, own *options, scope Scope) (config, error) {
	part := base
	part.scopes, part.scopesLater = nil, false
	part.Namespace, part.scope = scope.Namespace, scope
	if own := base.ReadYourWrites; own != nil {
		part.ReadYourWrites = &ownWritesOf{Observer: own.Observer, Server: own.Server} // without the selectors of another scope
	}
	if !k.Namespaced && (scope.Namespace != "" || scope.OtherNamespaces) {
		return part, k.clusterScoped(own, scope)
	}
	err := k.addSource(&part, own)
	byLabels, byFields := selectorsOf(of, own, scope)
	shard, mistake := k.shardOf(of, own, scope)
	rule := scoping.NewRule(byFields, shard)
	if scope.OtherNamespaces {
		rule.Others = scoping.NewOthers()
	}
	part.rule = &rule
	part.tweak(scoping.Tweak(byLabels, byFields, shard, of.tweak, own.tweak))
	return part, errors.Join(err, mistake)
}

func (k *kind) clusterScoped(own *options, scope Scope) error {
	if scope.OtherNamespaces {
		return optionError("WithScopes", own.object, "%s is cluster-scoped, so it has no OtherNamespaces; remove that", k.Resource.GroupResource())
	}
	return optionError("WithNamespaces", own.object, "%s is cluster-scoped, so it has no namespace %q; remove the option, or the namespace of the scope", k.Resource.GroupResource(), scope.Namespace)
}

// scopes returns the scopes to follow at first, one with an empty namespace for all of them, or that SetScopes names them later.
func (k *kind) scopes(of, own *options) (scopes []Scope, isLater bool, err error) {
	all := []Scope{{}}
	switch {
	case own.later:
		return nil, true, nil
	case own.scopes != nil:
		for _, scope := range own.scopes {
			if !k.Namespaced && (scope.Namespace != "" || scope.OtherNamespaces) {
				return all, false, k.clusterScoped(own, scope)
			}
		}
		return own.scopes, false, nil
	case k.Namespaced && of.later:
		return nil, true, nil
	case k.Namespaced && of.scopes != nil:
		return of.scopes, false, nil
	}
	return all, false, nil
}

// addSource adds the source of the objects of the namespace of config.
func (k *kind) addSource(config *config, own *options) error {
	namespace := config.Namespace
	if own.sourceOf != nil {
		if config.source, config.fake = own.sourceOf(namespace); config.source == nil {
			return optionError("WithListerWatcher", own.object, "the function returned the zero ListerWatcher for namespace %q; return that of NewListWatch", namespace)
		}
		return nil
	}
	if k.Open != nil {
		config.Open = k.Open(namespace)
	}
	if config.Open != nil && config.ReadYourWrites != nil {
		if k.Server == nil {
			return optionError("WithReadYourWrites", own.object, "the Kind of %s has no Server, so its writes are not known; set it to the base URL of the client", k.Resource.GroupResource())
		}
		if !config.ReadYourWrites.Observer.Attached() {
			return optionError("WithReadYourWrites", own.object, "no client has the transport of the Observer, so no write is seen; call config.Wrap(own.Transport) before the clients are made from config")
		}
	}
	if config.Open != nil && config.isInterface() && k.Object == nil {
		return optionError("Kind", own.object, "the Kind of %s has no Object, so the Go type of the objects is not known; set it", k.Resource.GroupResource())
	}
	if config.Open == nil && k.source != nil {
		config.source, config.fake = k.source(namespace)
	}
	if config.Open == nil && config.source == nil {
		return optionError("Kind", own.object, "the Kind of %[1]s has neither Open nor ListWatch, or they return nothing, as with a fake clientset that has no client of %[1]s; set one of them, or pass cache.WithListerWatcher(func(namespace string) cache.ListerWatcher[%[2]v] { return cache.NewViewListWatch[%[2]v](client) }) to the factory or to cache.InformerFor, where client is a typed or dynamic client", k.Resource.GroupResource(), k.form.Type())
	}
	return nil
}

// shardOf returns the shard of a scope: its own, that of the kind, or that of the factory.
func (k *kind) shardOf(of, own *options, scope Scope) (shard sharding.Selector, err error) {
	switch {
	case scope.ShardSelector != "":
		shard, _ = sharding.Parse(scope.ShardSelector) // it was parsed before
	case own.shard != nil:
		shard = *own.shard
	case of.shard != nil:
		shard = *of.shard
	}
	if shard.Key().ByNamespace() && !k.Namespaced {
		return shard, optionError("WithShard", own.object, "%s is cluster-scoped, so all its objects have the same hash of %s; use %s for it, or an empty Selector for all objects: cache.WithOptionsFor[%v](cache.WithShard(…))",
			k.Resource.GroupResource(), shard.Key(), sharding.UID, k.form.Type())
	}
	return shard, nil
}

// selectorsOf returns the selectors of a scope and those of options together.
func selectorsOf(of, own *options, scope Scope) (byLabels, byFields string) {
	byLabels, byFields = scope.LabelSelector, scope.FieldSelector
	if selector := scoping.AllOf(append(slices.Clip(of.labels), own.labels...)); !selector.Empty() {
		byLabels = scoping.And(byLabels, selector.String())
	}
	if len(own.fields) > 0 {
		byFields = scoping.And(byFields, fields.AndSelectors(own.fields...).String())
	}
	return byLabels, byFields
}
