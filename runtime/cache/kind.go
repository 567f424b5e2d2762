package cache

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/shards"
	"github.com/typedinformers/informer-gen/runtime/sharding"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Kind describes a kind and the client for it, so that an informer can be made. Generated
// packages have a function for each of their kinds, such as FooKind(client).
type Kind[T Object] struct {
	Resource schema.GroupVersionResource
	// Kind is the kind in the JSON of the objects, such as Deployment, or empty. A response
	// with another kind is an error; see DecodeOptions.Kind.
	Kind string
	// Protobuf is set for a kind that the API server also has as protobuf; see
	// DecodeOptions.Protobuf.
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
	Open func(namespace string) OpenFunc
	// ListWatch returns the ListerWatcher of a namespace if there are no bodies.
	ListWatch func(namespace string) ListerWatcher[T]
	Indexers  Indexers[T]
	// Object is an object of the Go type to decode to if T is an interface type, such as
	// GenericObject; see DecodeOptions.Object.
	Object runtime.Object
	// WithoutStreamingList is set if the client has no streaming lists, as is the case for
	// fakes; see Settings.WithoutStreamingList.
	WithoutStreamingList bool
}

// NewInformer returns an informer that does not belong to a factory. The caller runs it. The
// error is an *OptionError, or joins several of them.
//
//	informer, err := examplev1.FooKind(client).NewInformer(cache.WithNamespace("team-a"))
//	…
//	go informer.Run(ctx)
func (k Kind[T]) NewInformer(set ...SharedInformerOption) (*SharedIndexInformer[T], error) {
	own := newOptions(reflect.TypeFor[T](), set)
	config, err := k.config(&options{}, own)
	if err != nil {
		return nil, err
	}
	return NewSharedIndexInformer(config), nil
}

// config returns the Config of an informer with the options of a factory and those of the kind.
func (k Kind[T]) config(of, own *options) (Config[T], error) {
	config := Config[T]{Resource: k.Resource, Indexers: k.Indexers}
	config.WithoutStreamingList = k.WithoutStreamingList
	for _, set := range []*options{of, own} {
		for _, change := range set.settings {
			change(&config.Settings)
		}
		if set.resync != nil {
			config.ResyncPeriod = *set.resync
		}
		if set.onError != nil {
			config.WatchErrorHandler = set.onError
		}
		if set.onStatus != nil {
			config.StatusHandler = set.onStatus
		}
		if set.onRelist != nil {
			config.RelistHandler = set.onRelist
		}
		if set.writes != nil {
			config.ReadYourWrites = &OwnWrites{Observer: set.writes}
		}
	}
	config.Decode.Kind = schema.GroupKind{Group: k.Resource.Group, Kind: k.Kind}
	config.Decode.Protobuf, config.Decode.Object = k.Protobuf, k.Object
	if config.ReadYourWrites != nil && k.Server != nil {
		config.ReadYourWrites.Server = k.Server.String()
	}
	config.Transform, _ = own.transform.(TransformFunc[T])
	errs := []error{errors.Join(of.mistakes...), errors.Join(own.mistakes...)}

	if added, _ := own.indexers.(Indexers[T]); added != nil {
		config.Indexers = maps.Clone(k.Indexers)
		if config.Indexers == nil {
			config.Indexers = Indexers[T]{}
		}
		for name, values := range added {
			if _, exists := config.Indexers[name]; exists || name == NamespaceIndex {
				errs = append(errs, optionError("WithIndexers", own.object, "%s has an index %q already; use another name", k.Resource.GroupResource(), name))
			}
			if values == nil {
				errs = append(errs, optionError("WithIndexers", own.object, "index %q of %s has no function; set one", name, k.Resource.GroupResource()))
			}
			config.Indexers[name] = values
		}
	}
	config.configOf = func(base Config[T], scope Scope) (Config[T], error) { return k.scoped(base, of, own, scope) }
	scopes, source, err := k.scopes(of, own)
	if above := cmp.Or(own.clusterWatch, of.clusterWatch); above != nil {
		config.clusterWatch = &clusterWatch{*above, scopes}
	}
	errs = append(errs, err)
	if source != nil {
		part, err := config.configOf(config, Scope{}) // reports a mistake at once
		// No request is sent by these: they tell whether there are bodies.
		config.Open, config.ListerWatcher, config.scopeSource = part.Open, part.ListerWatcher, source
		return config, errors.Join(append(errs, err)...)
	}
	scopes, _ = config.clusterWatch.plan(scopes, nil)
	if len(scopes) > 1 {
		config.ownFirstLists = newOwnFirstLists()
	}
	for _, scope := range scopes {
		part, err := config.configOf(config, scope)
		part.isScope = len(scopes) > 1 || scope.among != nil
		errs = append(errs, err)
		config.scopes = append(config.scopes, part)
	}
	errs = append(errs, config.checkOwnWrites("ReadYourWrites", config.scopes))
	if len(config.scopes) == 1 {
		config = config.scopes[0]
	}
	return config, errors.Join(errs...)
}

func newOwnFirstLists() chan struct{} { return make(chan struct{}, maxFirstLists/2) }

// scoped returns the Config of one scope of an informer, whose Config is base.
func (k Kind[T]) scoped(base Config[T], of, own *options, scope Scope) (Config[T], error) {
	part := base
	part.scopes, part.scopeSource = nil, nil
	part.Namespace, part.scope = scope.Namespace, &scope
	if own := base.ReadYourWrites; own != nil {
		part.ReadYourWrites = &OwnWrites{Observer: own.Observer, Server: own.Server} // without the selectors of another scope
	}
	if !k.Namespaced && scope.Namespace != "" {
		return part, k.clusterScoped(own, scope.Namespace)
	}
	err := k.addSource(&part, own)
	byLabels, byFields := selectorsOf(of, own, scope)
	shard, mistake := k.shardOf(of, own, scope)
	rule := scoping.NewRule(scope.Namespace, byLabels, byFields, shard)
	rule.Moves = rule.Moves || !shards.IsFixed(shard) || of.tweak != nil || own.tweak != nil
	rule.Among = scope.among
	part.rule = &rule
	part.tweak(sendShard(tweakOf(of, own, byLabels, byFields), shard))
	return part, errors.Join(err, mistake)
}

func (k Kind[T]) clusterScoped(own *options, namespace string) error {
	return optionError("WithNamespaces", own.object, "%s is cluster-scoped, so it has no namespace %q; remove the option, or the namespace of the scope", k.Resource.GroupResource(), namespace)
}

// oneAtATime returns transform as several goroutines may call it, if they do: the Reflectors of
// several scopes, and writers.
func (c *Config[T]) oneAtATime(transform TransformFunc[T]) TransformFunc[T] {
	if transform == nil || c.configOf == nil && c.ReadYourWrites == nil {
		return transform
	}
	var calls atomic.Int32 // in progress and waiting
	turn := make(chan struct{})
	return func(obj T) (T, error) {
		if calls.Add(1) > 1 {
			<-turn
		}
		defer func() {
			if calls.Add(-1) > 0 {
				turn <- struct{}{}
			}
		}()
		return transform(obj)
	}
}

// scopes returns the scopes to follow at first, one with an empty namespace for all of them, or where
// they come from.
func (k Kind[T]) scopes(of, own *options) ([]Scope, ScopeSource, error) {
	all := []Scope{{}}
	switch {
	case own.source != nil:
		return nil, own.source, nil
	case own.scopes != nil:
		for _, scope := range own.scopes {
			if !k.Namespaced && scope.Namespace != "" {
				return all, nil, k.clusterScoped(own, scope.Namespace)
			}
		}
		return own.scopes, nil, nil
	case k.Namespaced && of.source != nil:
		return nil, of.source, nil
	case k.Namespaced && of.scopes != nil:
		return of.scopes, nil, nil
	}
	return all, nil, nil
}

// addSource adds the source of the objects of the namespace of config.
func (k Kind[T]) addSource(config *Config[T], own *options) error {
	namespace := config.Namespace
	if source, _ := own.sourceOf.(func(string) ListerWatcher[T]); source != nil {
		if config.ListerWatcher = source(namespace); config.ListerWatcher == nil {
			return optionError("WithListerWatcher", own.object, "the function returned nil for namespace %q; return a ListerWatcher", namespace)
		}
		return nil
	}
	if k.Open != nil {
		config.Open = k.Open(namespace)
	}
	if config.Open != nil && config.ReadYourWrites != nil {
		if k.Server == nil {
			return optionError("ReadYourWrites", own.object, "the Kind of %s has no Server, so its writes are not known; set it to the base URL of the client", k.Resource.GroupResource())
		}
		if !config.ReadYourWrites.Observer.Attached() {
			return optionError("ReadYourWrites", own.object, "no client has the transport of the Observer, so no write is seen; call config.Wrap(own.Transport) before the clients are made from config")
		}
	}
	if config.Open != nil && isInterface[T]() && k.Object == nil {
		return optionError("Kind", own.object, "the Kind of %s has no Object, so the Go type of the objects is not known; set it", k.Resource.GroupResource())
	}
	if config.Open == nil && k.ListWatch != nil {
		config.ListerWatcher = k.ListWatch(namespace)
	}
	if config.Open == nil && config.ListerWatcher == nil {
		return optionError("Kind", own.object, "the Kind of %s has neither Open nor ListWatch, or both return nil; set one of them", k.Resource.GroupResource())
	}
	return nil
}

// selectorsOf returns the selectors of a scope and those of options together.
func selectorsOf(of, own *options, scope Scope) (byLabels, byFields string) {
	byLabels, byFields = scope.LabelSelector, scope.FieldSelector
	if selector := allOf(append(slices.Clip(of.labels), own.labels...)); !selector.Empty() {
		byLabels = and(byLabels, selector.String())
	}
	if len(own.fields) > 0 {
		byFields = and(byFields, fields.AndSelectors(own.fields...).String())
	}
	return byLabels, byFields
}

// tweakOf returns a function that applies tweaks and selectors to the options of a request. It
// returns nil if there are none.
func tweakOf(of, own *options, byLabels, byFields string) func(*metav1.ListOptions) {
	if byLabels == "" && byFields == "" && of.tweak == nil && own.tweak == nil {
		return nil
	}
	return func(request *metav1.ListOptions) {
		for _, tweak := range []func(*metav1.ListOptions){of.tweak, own.tweak} {
			if tweak != nil {
				tweak(request)
			}
		}
		// A tweak may have set selectors.
		request.LabelSelector = and(request.LabelSelector, byLabels)
		request.FieldSelector = and(request.FieldSelector, byFields)
	}
}

// shardOf returns the shard of a scope: its own, that of the kind, or that of the factory.
func (k Kind[T]) shardOf(of, own *options, scope Scope) (shard sharding.Selector, err error) {
	switch {
	case scope.ShardSelector != "":
		shard, _ = sharding.Parse(scope.ShardSelector) // it was parsed before
	case own.shard != nil:
		shard = *own.shard
	case of.shard != nil:
		shard = *of.shard
	}
	if shard.Key() == sharding.Namespace && !k.Namespaced {
		return shard, optionError("WithShard", own.object, "%s is cluster-scoped, so all its objects have the same hash of %s; use %s for it, or an empty Selector for all objects: cache.For[%v](cache.WithShard(…))",
			k.Resource.GroupResource(), sharding.Namespace, sharding.UID, reflect.TypeFor[T]())
	}
	return shard, nil
}

// sendShard returns a function that also sends the shard to the server, if a server can know its key.
func sendShard(tweak func(*metav1.ListOptions), shard sharding.Selector) func(*metav1.ListOptions) {
	if shard.Empty() || shard.Key() == sharding.Owner {
		return tweak
	}
	text := shard.String()
	return func(request *metav1.ListOptions) {
		if tweak != nil {
			tweak(request)
		}
		request.ShardSelector = text
	}
}

// allOf returns the selector for what all of selectors select.
func allOf(selectors []labels.Selector) labels.Selector {
	all := labels.NewSelector()
	for _, selector := range selectors {
		requirements, _ := selector.Requirements()
		all = all.Add(requirements...)
	}
	return all
}

// and returns the selector for what two selectors select.
func and(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "," + b
}

// sameOptions returns an error if two calls for the same informer have options that differ. The
// options of the first call are in effect, so those of the second one would not be. Functions
// cannot be compared, so they differ from each other.
func sameOptions(first, second *options) error {
	object := second.object
	switch {
	case len(second.mistakes) > 0: // those of the first one are known
		return second.err()
	case first.hasFunctions() || second.hasFunctions():
		return optionError("InformerFor", object, "the informer exists already, and functions among the options of the two calls cannot be compared; pass them once, in For, to the factory")
	case first.summary() != second.summary():
		return optionError("InformerFor", object, "the informer exists already with other options: %s, not %s; pass the options once, in For, to the factory", first.summary(), second.summary())
	}
	return nil
}

func (o *options) hasFunctions() bool {
	return o.tweak != nil || o.onError != nil || o.onStatus != nil || o.transform != nil || o.indexers != nil || o.sourceOf != nil || o.source != nil
}

// summary describes the options that are not functions.
func (o *options) summary() string {
	var settings Settings
	for _, change := range o.settings {
		change(&settings)
	}
	text := ""
	add := func(name string, value any) {
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%s %v", name, value)
	}
	if o.scopes != nil {
		add("scopes", o.scopes)
	}
	if len(o.labels) > 0 {
		add("labels", fmt.Sprintf("[%v]", allOf(o.labels)))
	}
	if len(o.fields) > 0 {
		var terms []string // in any order
		for _, selector := range o.fields {
			terms = append(terms, selector.String())
		}
		slices.Sort(terms)
		add("fields", terms)
	}
	if o.clusterWatch != nil {
		add("a watch of the cluster above", *o.clusterWatch)
	}
	if o.shard != nil {
		add("shard", o.shard)
	}
	if o.resync != nil {
		add("resync", *o.resync)
	}
	if o.writes != nil {
		add("read your writes", fmt.Sprintf("%p", o.writes))
	}
	if !reflect.DeepEqual(settings, Settings{}) {
		add("settings", fmt.Sprintf("%+v", settings))
	}
	if text == "" {
		return "none"
	}
	return text
}

// Object is a pointer to an API type, such as *v1.Foo.
type Object = wire.Object

// Dual is an object in two forms; see DecodeOptions.Unstructured.
type Dual = wire.Dual

// ObjectName identifies an object among those of one resource. Namespace is
// empty for cluster-scoped objects. It is comparable and serves as the key of
// maps and of typed work queues. A plain conversion makes one of client-go's cache.ObjectName
// or of a types.NamespacedName, and the reverse: cache.ObjectName(request.NamespacedName).
type ObjectName struct {
	Namespace string
	Name      string
}

// MetaObjectToName returns the name of obj.
func MetaObjectToName(obj metav1.Object) ObjectName {
	return ObjectName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// nameOf returns the name of the object that an item is about.
func nameOf[T Object](item *Item[T]) ObjectName { return ObjectName(listed.NameOf(item)) }

// String returns "namespace/name", or "name" where there is no namespace. It is
// the inverse of ParseObjectName.
func (n ObjectName) String() string {
	if n.Namespace == "" {
		return n.Name
	}
	return n.Namespace + "/" + n.Name
}

// ParseObjectName parses the result of ObjectName.String.
func ParseObjectName(key string) (ObjectName, error) {
	namespace, name, err := SplitMetaNamespaceKey(key)
	return ObjectName{Namespace: namespace, Name: name}, err
}

// MetaNamespaceKeyFunc returns the key of obj, "namespace/name" or "name", for
// work queues of strings.
func MetaNamespaceKeyFunc(obj metav1.Object) string {
	return MetaObjectToName(obj).String()
}

// SplitMetaNamespaceKey returns the namespace and the name in a key of
// MetaNamespaceKeyFunc. The namespace of a cluster-scoped object is empty.
func SplitMetaNamespaceKey(key string) (namespace, name string, err error) {
	first, rest, namespaced := strings.Cut(key, "/")
	switch {
	case !namespaced && first != "":
		return "", first, nil
	case namespaced && first != "" && rest != "" && !strings.Contains(rest, "/"):
		return first, rest, nil
	}
	return "", "", fmt.Errorf("key %q is neither \"name\" nor \"namespace/name\"", key)
}
