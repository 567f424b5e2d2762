package cache

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
	}
	config.Decode.Kind = schema.GroupKind{Group: k.Resource.Group, Kind: k.Kind}
	config.Decode.Protobuf = k.Protobuf
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
	namespaces, err := k.namespaces(of, own)
	errs = append(errs, err)
	var firstLists chan struct{}
	if len(namespaces) > 1 {
		config.Transform = oneAtATime(config.Transform)
		firstLists = make(chan struct{}, maxFirstLists/2)
	}
	tweak := tweakOf(of, own)
	for _, namespace := range namespaces {
		scope := config
		scope.Namespace, scope.scopes, scope.isScope = namespace, nil, len(namespaces) > 1
		scope.ownFirstLists = firstLists
		errs = append(errs, k.addSource(&scope, own))
		scope.tweak(tweak)
		config.scopes = append(config.scopes, scope)
	}
	if len(config.scopes) == 1 {
		config = config.scopes[0]
	}
	return config, errors.Join(errs...)
}

// oneAtATime returns a transform that the Reflectors of several namespaces may call.
func oneAtATime[T Object](transform TransformFunc[T]) TransformFunc[T] {
	if transform == nil {
		return nil
	}
	turn := make(chan struct{}, 1) // holds a token during a call
	return func(obj T) (T, error) {
		turn <- struct{}{}
		defer func() { <-turn }()
		return transform(obj)
	}
}

// namespaces returns the namespaces to follow; one that is "" for all of them.
func (k Kind[T]) namespaces(of, own *options) ([]string, error) {
	switch {
	case k.Namespaced && own.namespaces != nil:
		return own.namespaces, nil
	case k.Namespaced && of.namespaces != nil:
		return of.namespaces, nil
	case own.namespaces != nil && own.namespaces[0] != "":
		return []string{""}, optionError("WithNamespaces", own.object, "%s is cluster-scoped, so it has no namespace %q; remove the option", k.Resource.GroupResource(), own.namespaces[0])
	}
	return []string{""}, nil
}

// addSource adds the source of the objects of the namespace of config.
func (k Kind[T]) addSource(config *Config[T], own *options) error {
	namespace := config.Namespace
	if source, _ := own.source.(func(string) ListerWatcher[T]); source != nil {
		if config.ListerWatcher = source(namespace); config.ListerWatcher == nil {
			return optionError("WithListerWatcher", own.object, "the function returned nil for namespace %q; return a ListerWatcher", namespace)
		}
		return nil
	}
	if k.Open != nil {
		config.Open = k.Open(namespace)
	}
	if config.Open == nil && k.ListWatch != nil {
		config.ListerWatcher = k.ListWatch(namespace)
	}
	if config.Open == nil && config.ListerWatcher == nil {
		return optionError("Kind", own.object, "the Kind of %s has neither Open nor ListWatch, or both return nil; set one of them", k.Resource.GroupResource())
	}
	return nil
}

// tweakOf returns a function that applies tweaks and selectors to the options of a request, or
// nil if there are none.
func tweakOf(of, own *options) func(*metav1.ListOptions) {
	byLabels := allOf(append(slices.Clip(of.labels), own.labels...))
	if byLabels.Empty() && len(own.fields) == 0 && of.tweak == nil && own.tweak == nil {
		return nil
	}
	return func(request *metav1.ListOptions) {
		for _, tweak := range []func(*metav1.ListOptions){of.tweak, own.tweak} {
			if tweak != nil {
				tweak(request)
			}
		}
		// A tweak may have set selectors.
		if !byLabels.Empty() {
			request.LabelSelector = and(request.LabelSelector, byLabels.String())
		}
		if len(own.fields) > 0 {
			request.FieldSelector = and(request.FieldSelector, fields.AndSelectors(own.fields...).String())
		}
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
	return o.tweak != nil || o.onError != nil || o.onStatus != nil || o.transform != nil || o.indexers != nil || o.source != nil
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
	if o.namespaces != nil {
		add("namespaces", fmt.Sprintf("%q", o.namespaces))
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
	if o.resync != nil {
		add("resync", *o.resync)
	}
	if !reflect.DeepEqual(settings, Settings{}) {
		add("settings", fmt.Sprintf("%+v", settings))
	}
	if text == "" {
		return "none"
	}
	return text
}
