package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/mutation"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/reflector"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/sharding"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// config is what an informer, or a part of it, is made of: by a Kind and options. It has Open or source.
type config struct {
	settings
	// form is that of the Go type of the objects.
	form store.Form
	Open OpenFunc
	// source returns the objects if Open is nil. limits are those of its client.
	source source.Source
	limits source.Limits

	Resource          schema.GroupVersionResource
	Namespace         string
	functions         []indexer.Function
	ResyncPeriod      time.Duration
	Transform         reflector.Transform
	WatchErrorHandler WatchErrorHandler
	ReadYourWrites    *ownWritesOf
	StatusHandler     StatusHandler

	// scopes are the configs of the first scopes of an informer of a Kind, if there are several. Each
	// has an Open or a source of its own.
	scopes []config
	// scope is the one that the config is for, and rule what is known of it. isScope is set if the
	// informer has others, or may have.
	scope   Scope
	rule    *scoping.Rule
	isScope bool
	// isNamespaced is that of the Kind.
	isNamespaced bool
	// clusterWatch is nil without WithClusterWatch.
	clusterWatch *clusterWatch
	// scopeSource sets the scopes, if it is not nil. There are none at first then.
	scopeSource ScopeSource
	// configOf returns the config of a scope of the informer that base configures.
	configOf func(base config, scope Scope) (config, error)

	// firstLists, if it is not nil, limits the informers that read their first list at one
	// time to its capacity. ownFirstLists does that for the scopes of one informer.
	firstLists, ownFirstLists chan struct{}
	// cache, if it is not nil, has objects that need not be decoded again.
	cache source.Held
	// random is reflector.Settings.Random.
	random func(time.Duration) time.Duration
}

// reflector returns what the Reflector of a scope needs to know.
func (c *config) reflector(id scopeID, traffic *stats.Traffic) reflector.Settings {
	s := reflector.Settings{
		Resource: c.Resource.GroupResource(), Scope: id, Form: c.form, Open: c.Open, Source: c.source, Limits: c.limits, Decode: &c.Decode,
		// With the detector, a handler that writes to an object must not change others: these are not the ones to report.
		Held: c.cache, Shared: c.cache != nil && !c.MutationDetector,
		Transform: c.Transform, Rule: c.rule, KeepsUndecodable: c.ReadYourWrites != nil,
		StreamingList: c.StreamingList, WithoutStreamingList: c.WithoutStreamingList, Backoffs: waitsOf(c.Backoffs),
		Traffic: traffic, Random: c.random,
	}
	if c.isScope {
		s.Title, s.Namespace = c.scope.name(), c.Namespace
	}
	s.ObjectError = func(name listed.Name, err error) error {
		return &ObjectError{Resource: c.Resource, Object: ObjectName(name), Err: err}
	}
	for _, limit := range []chan struct{}{c.ownFirstLists, c.firstLists} { // the others of this informer do not wait in front of other informers
		if limit != nil {
			s.FirstLists = append(s.FirstLists, limit)
		}
	}
	return s
}

// newCache returns the cache of an informer, and sets c.cache for the decoder. It is no method: a package that uses a
// Kind would compile the types of an Indexer again.
func newCache(c *config) *indexer.Indexer {
	var detector *mutation.Detector
	if c.MutationDetector {
		detector = mutation.New(c.name())
	}
	x := indexer.New(c.form, detector)
	_ = x.AddIndexes(c.functions...) // no name is taken yet
	useCache := func(c *config) {    // the decoder takes unchanged objects from x
		if c.Open != nil {
			x.KeepHashes()
			c.cache = x
		}
	}
	useCache(c)
	for i := range c.scopes {
		useCache(&c.scopes[i])
	}
	return x
}

// isInterface reports whether only DecodeOptions.Object tells the Go type of the objects.
func (c *config) isInterface() bool { return c.form.Type().Kind() == reflect.Interface }

// objectType returns the Go type of the objects; nil if it is not known.
func (c *config) objectType() reflect.Type { return objectType(c.form, c.Decode) }

func objectType(form store.Form, decode DecodeOptions) reflect.Type {
	if form.Type().Kind() == reflect.Interface {
		return reflect.TypeOf(decode.Object)
	}
	return form.Type()
}

// ownWritesOf is where an informer learns of the writes of this program.
type ownWritesOf struct {
	// Observer sees the responses to the writes.
	Observer *writes.Observer
	// Server is the base URL of the API server, such as https://10.0.0.1:6443.
	Server string

	// selects sets the selectors of a request, if it is not nil.
	selects func(*metav1.ListOptions)
}

// name returns the name of the collection for errors and logs: the resource, or the Go
// type if there is none. It has the namespace of the Config, but not those of several scopes.
func (c *config) name() string {
	name := c.plainName()
	if c.Namespace != "" {
		return name + " in namespace " + c.Namespace
	}
	if c.scope.among != nil {
		return name + " in " + plural(c.scope.among.Len(), "namespace")
	}
	if c.scope.OtherNamespaces && c.isScope {
		return name + " in other namespaces"
	}
	return name
}

func (c *config) plainName() string {
	if c.Resource.Resource != "" {
		return c.Resource.GroupResource().String() + seenAs(c.form.Type(), c.Resource.Resource)
	}
	return strings.TrimPrefix(c.form.Type().String(), "*")
}

// seenAs returns " as " and the name of a Go type if that is a view of the resource. It returns ""
// if the resource has the name of the type, or if the objects are untyped.
func seenAs(kind reflect.Type, resource string) string {
	if kind.Kind() == reflect.Interface {
		return "" // the form of the objects may change
	}
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	name := strings.ToLower(kind.Name())
	if strings.HasPrefix(resource, name[:max(0, len(name)-1)]) || // plurals differ in their end
		strings.HasPrefix(kind.PkgPath(), "k8s.io/apimachinery/") {
		return ""
	}
	return " as " + kind.String()
}

// tweak calls change with the options of every request, if it is not nil.
func (c *config) tweak(change func(*metav1.ListOptions)) {
	if change == nil {
		return
	}
	if c.ReadYourWrites != nil {
		c.ReadYourWrites = &ownWritesOf{c.ReadYourWrites.Observer, c.ReadYourWrites.Server, change}
	}
	if open := c.Open; open != nil {
		c.Open = func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
			change(&options)
			return open(ctx, options, accept)
		}
	}
	if c.source != nil {
		c.source = &source.Tweaked{Source: c.source, Change: change}
	}
}

// settings are what options change that do not depend on the type of the objects. A factory has them for all of its
// informers. The option for a field is named With and the field's name, or the field's name if that begins with Without.
type settings struct {
	Decode                                                    DecodeOptions
	StreamingList, WithoutStreamingList, HandlerPanicRecovery bool
	InformerName                                              string
	MutationDetector                                          bool
	Backoffs                                                  map[Reason]Backoff
}

// Backoff is how long an informer waits before it retries a failed list or watch:
// Initial after the first failure, longer by half after each further one, and at most
// Max. Each wait is shortened at random, by up to a half, so that clients that failed
// together do not return together. It counts from the begin of the failed request. The waits begin
// again with Initial after any answer of the API server that is not a failure, also after 410 Gone.
// If a Retry-After header asks for a longer wait, the informer waits that long, up to five minutes.
type Backoff struct {
	Initial, Max time.Duration
}

// waitsOf returns the waits that WithBackoff has set, with the defaults.
func waitsOf(set map[Reason]Backoff) protocol.Backoffs {
	waits := make(protocol.Backoffs, len(set))
	for reason, wait := range set {
		waits[string(reason)] = protocol.Backoff(wait)
	}
	return waits.WithDefaults()
}

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
	// fakes; see the option of that name.
	WithoutStreamingList bool
}

// erasedKind returns a Kind as the machine reads it.
func erasedKind[T Object](k *Kind[T]) *kind {
	e := &kind{
		form: store.FormOf[T](), Resource: k.Resource, Kind: k.Kind, Protobuf: k.Protobuf, Namespaced: k.Namespaced, Server: k.Server, Open: k.Open,
		functions: otherIndexes(erasedIndexers(k.Indexers)), Object: k.Object, WithoutStreamingList: k.WithoutStreamingList,
	}
	if listWatch := k.ListWatch; listWatch != nil {
		e.source = func(namespace string) (source.Source, source.Limits) { return erasedSource(listWatch(namespace)) }
	}
	return e
}

// kind is a Kind without its type parameter.
type kind struct {
	form                 store.Form
	Resource             schema.GroupVersionResource
	Kind                 string
	Protobuf             runtime.Object
	Namespaced           bool
	Server               fmt.Stringer
	Open                 func(namespace string) OpenFunc
	source               func(namespace string) (source.Source, source.Limits)
	functions            []indexer.Function
	Object               runtime.Object
	WithoutStreamingList bool
}

// NewInformer returns an informer that does not belong to a factory. The caller runs it. The
// error is an *OptionError, or joins several of them.
//
//	informer, err := examplev1.FooKind(client).NewInformer(cache.WithNamespace("team-a"))
//	…
//	go informer.Run(ctx)
func (k Kind[T]) NewInformer(set ...SharedInformerOption) (*SharedIndexInformer[T], error) {
	m, err := erasedKind(&k).newMachine(set)
	if err != nil {
		return nil, err
	}
	return faceOf[T](m), nil
}

// newMachine returns an informer that does not belong to a factory.
func (k *kind) newMachine(set []SharedInformerOption) (machine, error) {
	own := newOptions(k.form.Type(), set)
	config, err := k.config(&options{}, own)
	if err != nil {
		return nil, err
	}
	s := newInformer(config)
	if err := s.claimScopes(own.object); err != nil {
		return nil, err
	}
	return s, nil
}

// config returns the config of an informer with the options of a factory and those of the kind.
func (k *kind) config(of, own *options) (config, error) {
	made := config{form: k.form, Resource: k.Resource, functions: k.functions}
	made.WithoutStreamingList = k.WithoutStreamingList
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
	made.Decode.Kind = schema.GroupKind{Group: k.Resource.Group, Kind: k.Kind}
	made.Decode.Protobuf, made.Decode.Object = k.Protobuf, k.Object
	if made.ReadYourWrites != nil && k.Server != nil {
		made.ReadYourWrites.Server = k.Server.String()
	}
	made.Transform = own.transform
	errs := []error{errors.Join(of.mistakes...), errors.Join(own.mistakes...)}

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
	scopes, scopeSource, err := k.scopes(of, own)
	if err == nil {
		err = checkScopes("WithNamespaces", own, scopes, k.Namespaced)
	}
	if above := cmp.Or(own.clusterWatch, of.clusterWatch); above != nil {
		made.clusterWatch = &clusterWatch{*above, scopes}
	}
	errs = append(errs, err)
	if scopeSource != nil {
		part, err := made.configOf(made, Scope{}) // reports a mistake at once
		// No request is sent by these: they tell whether there are bodies.
		made.Open, made.source, made.limits, made.scopeSource = part.Open, part.source, part.limits, scopeSource
		return made, errors.Join(append(errs, err)...)
	}
	scopes, _ = made.clusterWatch.plan(scopes, nil)
	if len(scopes) > 1 {
		made.ownFirstLists = newOwnFirstLists()
	}
	for _, scope := range scopes {
		part, err := made.configOf(made, scope)
		part.isScope = len(scopes) > 1 || scope.among != nil
		errs = append(errs, err)
		made.scopes = append(made.scopes, part)
	}
	if len(made.scopes) == 1 {
		made = made.scopes[0]
	}
	return made, errors.Join(errs...)
}

// scoped returns the config of one scope of an informer, whose config is base.
func (k *kind) scoped(base config, of, own *options, scope Scope) (config, error) {
	part := base
	part.scopes, part.scopeSource = nil, nil
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
	if rule.Among = scope.among; scope.OtherNamespaces {
		rule.Among = scoping.NewOtherNamespaces() // the informer removes those of the other scopes
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

// scopes returns the scopes to follow at first, one with an empty namespace for all of them, or where
// they come from.
func (k *kind) scopes(of, own *options) ([]Scope, ScopeSource, error) {
	all := []Scope{{}}
	switch {
	case own.source != nil:
		return nil, own.source, nil
	case own.scopes != nil:
		for _, scope := range own.scopes {
			if !k.Namespaced && (scope.Namespace != "" || scope.OtherNamespaces) {
				return all, nil, k.clusterScoped(own, scope)
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
func (k *kind) addSource(config *config, own *options) error {
	namespace := config.Namespace
	if own.sourceOf != nil {
		if config.source, config.limits = own.sourceOf(namespace); config.source == nil {
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
	if config.Open != nil && config.isInterface() && k.Object == nil {
		return optionError("Kind", own.object, "the Kind of %s has no Object, so the Go type of the objects is not known; set it", k.Resource.GroupResource())
	}
	if config.Open == nil && k.source != nil {
		config.source, config.limits = k.source(namespace)
	}
	if config.Open == nil && config.source == nil {
		return optionError("Kind", own.object, "the Kind of %s has neither Open nor ListWatch, or both return nil; set one of them", k.Resource.GroupResource())
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
		return shard, optionError("WithShard", own.object, "%s is cluster-scoped, so all its objects have the same hash of %s; use %s for it, or an empty Selector for all objects: cache.For[%v](cache.WithShard(…))",
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
