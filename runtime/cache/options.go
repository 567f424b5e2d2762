package cache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/gate"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/compression"
	"github.com/typedinformers/informer-gen/runtime/fieldselector"
	"github.com/typedinformers/informer-gen/runtime/sharding"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// SharedInformerOption sets a property of informers. It is passed
//
//   - to NewSharedInformerFactory, for all informers of the factory;
//   - to WithOptionsFor, for the informers of one kind in a factory;
//   - to InformerFor, Acquire or Kind.NewInformer, for one informer.
//
// An option of a kind replaces the same option of the factory. But an object must match all
// selectors, all tweaks are called, that of the factory first, and Without… of the factory
// cannot be revoked. For one kind, an option that is not a selector, a Without… or a backoff may
// be set only once. A function or map that is nil has no effect.
//
// Options with a type argument, such as WithTransform, are about one kind. For it they need no
// WithOptionsFor.
//
// A mistake in an option is an *OptionError: Kind.NewInformer and Acquire return it, and so does
// WaitForCacheSync of a factory, at once. Start logs it. An informer with a mistake in its options
// never runs. Its Status has the reason Misconfigured.
type SharedInformerOption func(optionSet)

// optionSet is *options. It is an interface because a package that names SharedInformerOption would otherwise compile methods of all
// generic types that the fields of options lead to.
type optionSet interface{ isOptionSet() }

func (o *options) isOptionSet() {}

// optionOf returns the option that changes options by set.
func optionOf(set func(*options)) SharedInformerOption {
	return func(of optionSet) { set(of.(*options)) }
}

// options are the values that SharedInformerOptions set for a factory, or for one kind.
type options struct {
	// object is the Go type of the kind. It is nil for a factory.
	object reflect.Type

	settings  []func(*settings)
	scopes    []Scope // normal and sorted, nil if not set
	later     bool    // SetScopes names the scopes
	labels    []labels.Selector
	fields    []fields.Selector
	only      []string // paths of fields, nil for all
	without   []string // paths of fields
	tweak     func(*metav1.ListOptions)
	resync    *time.Duration
	onError   WatchErrorHandler
	onStatus  func(context.Context, status.Change)
	transform gate.Transform
	indexers  []indexer.Function
	sourceOf  func(namespace string) (source.Source, bool)
	writes    *writes.Observer
	shard     *sharding.Selector

	// ofKind has the options of each kind in a factory.
	ofKind   map[reflect.Type]*options
	set      map[string]bool // the options that were set and may be set only once
	mistakes []error
}

// newOptions applies options to those of a kind, or of a factory if object is nil.
func newOptions(object reflect.Type, set []SharedInformerOption) *options {
	o := &options{object: object}
	o.apply(set)
	return o
}

func (o *options) apply(set []SharedInformerOption) {
	for _, option := range set {
		if option == nil {
			o.mistake("SharedInformerOption", "an option is nil; remove it")
			continue
		}
		option(o)
	}
}

// clone returns a copy to which other options can be applied.
func (o *options) clone() *options {
	copied := *o
	copied.settings, copied.labels, copied.fields = slices.Clip(o.settings), slices.Clip(o.labels), slices.Clip(o.fields)
	copied.without = slices.Clip(o.without)
	copied.mistakes, copied.set = slices.Clip(o.mistakes), maps.Clone(o.set)
	return &copied
}

// of returns the options of a kind in those of a factory.
func (o *options) of(object reflect.Type) *options {
	if o.ofKind == nil {
		o.ofKind = map[reflect.Type]*options{}
	}
	if o.ofKind[object] == nil {
		o.ofKind[object] = &options{object: object}
	}
	return o.ofKind[object]
}

// mistake records a mistake in an option.
func (o *options) mistake(option, format string, args ...any) {
	o.mistakes = append(o.mistakes, optionError(option, o.object, format, args...))
}

// err returns all mistakes.
func (o *options) err() error {
	errs := slices.Clone(o.mistakes)
	for _, kind := range o.ofKind {
		errs = append(errs, kind.mistakes...)
	}
	return errors.Join(errs...)
}

// once records that an option is set. For a kind, a second one is a mistake. In a factory, the
// last one counts.
func (o *options) once(option string) {
	if o.object == nil {
		return
	}
	if o.set == nil {
		o.set = map[string]bool{}
	}
	if o.set[option] {
		o.mistake(option, "it is set twice, and one of the two would have no effect; remove one")
	}
	o.set[option] = true
}

// typed returns the options that an option of a kind, with a Go type, is for, or nil for a mistake.
func (o *options) typed(option string, object reflect.Type) *options {
	switch o.object {
	case nil:
		return o.of(object)
	case object:
		return o
	}
	o.mistake(option, "the option is for %v; move it out of the options for %v", object, o.object)
	return nil
}

// setting returns an option that changes settings.
func setting(change func(*settings)) SharedInformerOption {
	return optionOf(func(o *options) { o.settings = append(o.settings, change) })
}

// WithOptionsFor applies options to the informers of one kind in a factory:
//
//	cache.WithOptionsFor[*v1.Foo](cache.WithLabelSelector("app=web"), cache.WithNamespaces("team-a", "team-b"))
//
// T is the Go type of the objects. If it is *unstructured.Unstructured, the options are for all
// informers of such objects. Pass options for one of them to InformerFor.
func WithOptionsFor[T Object](set ...SharedInformerOption) SharedInformerOption {
	return optionOf(func(o *options) {
		if o.object != nil {
			o.mistake("WithOptionsFor", "WithOptionsFor[%v] is among the options for a kind; move it to the options of the factory", reflect.TypeFor[T]())
			return
		}
		o.of(reflect.TypeFor[T]()).apply(set)
	})
}

// WithLabelSelector limits informers to the objects that selector selects on the server, for
// example "app=web,tier!=cache".
func WithLabelSelector(selector string) SharedInformerOption {
	return optionOf(func(o *options) {
		parsed, err := labels.Parse(selector)
		if err != nil {
			o.mistake("WithLabelSelector", "%q is not a label selector: %w; write for example app=web,tier!=cache", selector, err)
			return
		}
		if !parsed.Empty() {
			o.labels = append(o.labels, parsed)
		}
	})
}

// WithFieldSelector limits the informers of one kind to the objects that selector selects on the
// server:
//
//	cache.WithFieldSelector(examplev1.FooFieldSpecColor.Is("blue"))
//	cache.WithFieldSelector(fieldselector.Field[*corev1.Pod, string]("spec.nodeName").Is(node))
func WithFieldSelector[T Object](selector fieldselector.Selector[T]) SharedInformerOption {
	return optionOf(func(o *options) {
		if o = o.typed("WithFieldSelector", reflect.TypeFor[T]()); o != nil && !selector.Selector().Empty() {
			o.fields = append(o.fields, selector.Selector())
		}
	})
}

// WithTweakListOptions lets tweak change the options of every list and watch. The informers depend
// on the paging, versions and timeouts that they request: tweak must not change these. It cannot
// remove the selectors of other options. Several goroutines call it at one time.
func WithTweakListOptions(tweak func(*metav1.ListOptions)) SharedInformerOption {
	return tweakingListOptions(tweak)
}

// tweakingListOptions is not inlined, for the reason of inNamespaces.
//
//go:noinline
func tweakingListOptions(tweak func(*metav1.ListOptions)) SharedInformerOption {
	return optionOf(func(o *options) {
		if tweak != nil {
			o.once("WithTweakListOptions")
			o.tweak = tweak
		}
	})
}

// WithResync sets the interval at which each handler gets every cached object again, as an update, instead of that of the
// factory; 0 for never. A resync does not list again. For one kind of a factory:
//
//	cache.WithOptionsFor[*v1.Foo](cache.WithResync(time.Minute))
func WithResync(period time.Duration) SharedInformerOption {
	return optionOf(func(o *options) {
		o.once("WithResync")
		if period < 0 {
			o.mistake("WithResync", "%v is negative; use 0 for no resync", period)
		}
		o.resync = &period
	})
}

// WithWatchErrorHandler sets the function that is called with errors of lists and watches. It never blocks the
// informer. The default logs them at verbosity 2. An informer that has not followed the server
// for ten seconds is logged with either of them, once, with the reason and what to do.
func WithWatchErrorHandler(handler WatchErrorHandler) SharedInformerOption {
	return optionOf(func(o *options) {
		if handler != nil {
			o.once("WithWatchErrorHandler")
			o.onError = handler
		}
	})
}

// WithStatusHandler sets the function that is called when the Status of an informer has another Phase or Reason, or an
// error with another text; or one of Scopes has. It is not called for another version, number
// of objects or list of undecodable objects.
//
// It is called as a WatchErrorHandler is, and never blocks the informer. While it blocks, changes may be merged: Old is then the
// state of the call before, and New is the last one. So it always gets the last state. With
// several namespaces, changes that follow one another quickly are merged, too. An
// informer that is Stopped from the beginning, because of a mistake in its options or because its
// factory was shut down before, causes no call. Several calls may have the same New.Reason, and the last one is
// that of the stop: compare it with Old.Reason before an action that must happen once.
func WithStatusHandler(handler func(ctx context.Context, change status.Change)) SharedInformerOption {
	return optionOf(func(o *options) {
		if handler != nil {
			o.once("WithStatusHandler")
			o.onStatus = handler
		}
	})
}

// WithTransform changes the objects of one kind before they are stored:
//
//	cache.WithTransform(func(foo *v1.Foo) (*v1.Foo, error) { foo.Spec.Notes = ""; return foo, nil })
func WithTransform[T Object](transform TransformFunc[T]) SharedInformerOption {
	return optionOf(func(o *options) {
		if o = o.typed("WithTransform", reflect.TypeFor[T]()); o != nil && transform != nil {
			o.once("WithTransform")
			o.transform = erasedTransform(transform)
		}
	})
}

// WithIndexers adds indexes to those of the Kind.
func WithIndexers[T Object](indexers Indexers[T]) SharedInformerOption {
	return optionOf(func(o *options) {
		if o = o.typed("WithIndexers", reflect.TypeFor[T]()); o != nil && indexers != nil {
			o.once("WithIndexers")
			o.indexers = erasedIndexers(indexers)
		}
	})
}

// WithListerWatcher sets the ListerWatcher of one kind, which is used instead of the
// client of the factory. of gets each namespace that the informer is limited to, or
// "" for all of them. It must not call the factory, whose lock is held. For example, a test with a fake clientset provides the
// objects of a view of another project's kind:
//
//	cache.WithListerWatcher(func(namespace string) cache.ListerWatcher[*PodSummary] {
//		return cache.NewViewListWatch[*PodSummary](kubeclient.CoreV1().Pods(namespace))
//	})
func WithListerWatcher[T Object](of func(namespace string) ListerWatcher[T]) SharedInformerOption {
	return optionOf(func(o *options) {
		if o = o.typed("WithListerWatcher", reflect.TypeFor[T]()); o != nil && of != nil {
			o.once("WithListerWatcher")
			o.sourceOf = func(namespace string) (source.Source, bool) { return of(namespace).erased() }
		}
	})
}

// WithReadYourWrites lets informers show the writes of this program at once, before the watch reports
// them. own sees the responses to all requests of the clients whose rest.Config has its transport:
//
//	own := &writes.Observer{}
//	config.Wrap(own.Transport)
//	client := versioned.NewForConfigOrDie(config)
//	factory := informers.NewSharedInformerFactory(client, 0, cache.WithReadYourWrites(own))
//
// When a create, update, patch or apply returns, also one of a subresource that returns the object,
// listers have its result or a newer state. When a delete returns, they do not have the
// object any more, unless it has finalizers or a grace period. Handlers hear each state once, in
// order. An object outside the scope of the informer has no effect. No write waits for an event. It calls
// the transform and the index functions, which therefore must not write to the same kind with such a
// client.
//
// The watch alone tells of: the writes of other programs; the objects of a DeleteCollection; new states
// if a field selector has other fields than metadata.name and metadata.namespace; writes
// through another API version; and, if the versions of a server are not numbers, everything. With a fake
// clientset the option has no effect. docs/read-your-writes.md says more.
func WithReadYourWrites(own *writes.Observer) SharedInformerOption {
	return optionOf(func(o *options) {
		o.once("WithReadYourWrites")
		if own == nil {
			o.mistake("WithReadYourWrites", "the Observer is nil; pass the one whose Transport the rest.Config of the clients has")
			return
		}
		o.writes = own
	})
}

// WithStreamingList reads lists as a stream, through the watch (https://kep.k8s.io/3157). It is for API servers before
// Kubernetes 1.33, which hold the whole response to a LIST in memory. By default an informer reads a LIST, which costs a
// server and its client less time: all objects in one response, or pages of 500 after that has failed. Fakes
// of client-go have no streaming lists, so the option has no effect for them.
func WithStreamingList() SharedInformerOption {
	return setting(func(s *settings) { s.StreamingList = true })
}

// WithHandlerPanicRecovery lets a handler continue with the next event after a panic.
// The panic is logged, and the informer is Degraded with the reason HandlerPanic
// until the handler is removed. An error of a list or a watch comes first in Status.
// By default a panic ends the program. A handler that calls runtime.Goexit, as t.Fatal
// in a test does, always continues, in another goroutine, and is reported in the same
// way. All of this holds for a hook too, but it is only logged.
func WithHandlerPanicRecovery() SharedInformerOption {
	return setting(func(s *settings) { s.HandlerPanicRecovery = true })
}

// WithInformerName tells the informers of one part of a program from those of others, in metrics
// and on the debug page. The name becomes a label of metrics, so it must not depend on data of
// users. By default it is empty.
func WithInformerName(name string) SharedInformerOption {
	return setting(func(s *settings) { s.InformerName = name })
}

// WithMutationDetector panics when an object of the cache was changed. The message names
// the handler and the changed fields. It is for tests: it is slow and keeps a copy of
// each object.
func WithMutationDetector() SharedInformerOption {
	return setting(func(s *settings) { s.MutationDetector = true })
}

// WithFieldDetector shows, in tests, which code reads fields that WithFields or WithoutFields leaves out: objects have there what no
// server sends. A text is "left out by WithFields: spec.tolerations", a number is -1111111111 or its
// first bits, a time is in the year 1111, and a pointer, a list or a map has one such element. So a test fails, or its
// output has that text. To find out which fields a program reads, run its tests with all fields, leave fields out, and run them again.
//
// These stay zero: booleans, integers that have a Go type of their own, which are enumerations, interfaces other than any, maps without
// text as keys, what is inside of itself, and managedFields. An untyped object has only the texts of the fields that it has on the server.
// Nothing reports a read. The servers of package apitest and module testserver have an option of this name for all informers of their
// clients.
func WithFieldDetector() SharedInformerOption {
	return setting(func(s *settings) { s.Decode.MarkFields = true })
}

// WithBackoff sets how long to wait before a failed list or watch is retried, for a reason of the failure. The wait
// for the reason "" is for all reasons without one. The last option counts. A
// zero value keeps its default: 0.6 s up to 8 s, which is about ten requests a minute;
// after Unauthorized 3.5 s up to 10 s; after Forbidden and NotFound 3.5 s up to 30 s; after an
// object that cannot be decoded or transformed, whose reason is Decode, 3.5 s up to one minute. The
// wait of Expired is for lists that follow each other because watches cannot go on.
func WithBackoff(reason Reason, backoff Backoff) SharedInformerOption {
	return setting(func(s *settings) {
		backoffs := map[Reason]Backoff{reason: backoff}
		for other, wait := range s.Backoffs {
			if other != reason {
				backoffs[other] = wait
			}
		}
		s.Backoffs = backoffs // the map may belong to another informer
	})
}

// WithoutTypeMeta leaves the kind and apiVersion of objects empty, as those of client-go's informers. By default each object
// has them, also if a list leaves them out of its items. It has no effect on *unstructured.Unstructured and *metav1.PartialObjectMetadata.
func WithoutTypeMeta() SharedInformerOption {
	return setting(func(s *settings) { s.Decode.WithoutTypeMeta = true })
}

// WithoutProtobuf lets informers ask for JSON only, for example to read the traffic.
func WithoutProtobuf() SharedInformerOption {
	return setting(func(s *settings) { s.Decode.WithoutProtobuf = true })
}

// WithSkipUndecodable lets informers skip objects that
// cannot be decoded or are larger than WithMaxObjectBytes. Status lists each until a
// later state can be decoded or the object is gone. The cache keeps the last state that
// could be decoded. It has no effect on objects that a client decodes, such as a fake.
func WithSkipUndecodable() SharedInformerOption {
	return setting(func(s *settings) { s.Decode.SkipUndecodable = true })
}

// WithoutObjectTextInErrors leaves text of objects out of errors, but for names, UIDs, versions and the names of
// fields; see wire.Options. It is always set for Secrets.
func WithoutObjectTextInErrors() SharedInformerOption {
	return setting(func(s *settings) { s.Decode.WithoutObjectTextInErrors = true })
}

// WithMaxObjectBytes limits how many bytes of JSON or protobuf an object may have; 0 for wire.DefaultMaxObjectBytes. A
// larger one fails the list or watch, or is skipped by WithSkipUndecodable. An informer logs a warning if the
// limit is below wire.EtcdRequestBytes. The last one counts.
func WithMaxObjectBytes(limit int) SharedInformerOption {
	return setting(func(s *settings) { s.Decode.MaxObjectBytes = limit })
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
		return optionError("InformerFor", object, "the informer exists already, and functions among the options of the two calls cannot be compared; pass them once, in WithOptionsFor, to the factory")
	case first.summary() != second.summary():
		return optionError("InformerFor", object, "the informer exists already with other options: %s, not %s; pass the options once, in WithOptionsFor, to the factory", first.summary(), second.summary())
	}
	return nil
}

func (o *options) hasFunctions() bool {
	return o.tweak != nil || o.onError != nil || o.onStatus != nil || o.transform != nil || o.indexers != nil || o.sourceOf != nil
}

// summary describes the options that are not functions.
func (o *options) summary() string {
	var all settings
	for _, change := range o.settings {
		change(&all)
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
		add("labels", fmt.Sprintf("[%v]", scoping.AllOf(o.labels)))
	}
	if len(o.fields) > 0 {
		var terms []string // in any order
		for _, selector := range o.fields {
			terms = append(terms, selector.String())
		}
		slices.Sort(terms)
		add("fields", terms)
	}
	if o.only != nil {
		add("fields only", o.only)
	}
	if len(o.without) > 0 {
		add("without fields", o.without)
	}
	if o.later {
		add("scopes", "later")
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
	if !reflect.DeepEqual(all, settings{}) {
		add("settings", fmt.Sprintf("%+v", all))
	}
	if text == "" {
		return "none"
	}
	return text
}

// WithPacking lets informers keep each object as its text, compressed, instead of as a Go value. Package
// runtime/packed has a Compression, and WithPackedObjects, the usual way to call WithPacking.
//
// The text is as the API server has sent it, in protobuf if the kind has it, without the members that WithoutFields leaves out. So
// what a reader gets is what the server has sent. An object that came without a text, from a
// ListerWatcher, stays a Go value; PackedStats counts these. WithTransform cannot be combined with it: nothing encodes the result
// of a transform. Leave fields out by an option instead.
//
// Get, List, All and ByIndex decode the objects that they return, at each call. These objects belong to the caller, who may
// change them. Selectors decode the metadata of each object that they look at. Index functions are called when an object
// arrives, one at a time, and cause no decoding. A handler gets an object that has just arrived as it was decoded, which it
// shares with other handlers. Other objects, such as the old one of an update and most of a list, are decoded for it. The
// mutation detector has nothing to compare, finds nothing, and logs that.
func WithPacking(compression compression.Method) SharedInformerOption {
	return setting(func(s *settings) { s.Packing = compression })
}
