package cache

import (
	"context"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// Config configures an informer or a Controller. Only Open or ListerWatcher is
// required.
type Config[T Object] struct {
	// Settings do not depend on T. A factory sets them for all of its informers.
	Settings
	// Open returns the bodies of responses. The informer decodes them as they arrive, in
	// several goroutines.
	Open OpenFunc
	// ListerWatcher returns the objects if Open is nil.
	ListerWatcher ListerWatcher[T]
	// Resource names the collection in logs, errors and Status.
	Resource schema.GroupVersionResource
	// Namespace is the one that Open or ListerWatcher is limited to, for Status; empty
	// for all.
	Namespace string
	// Indexers are the indexes of the cache. NamespaceIndex is always there.
	Indexers Indexers[T]
	// ResyncPeriod is the interval at which each handler gets every cached object again,
	// as an update; 0 for never. A resync does not list again.
	ResyncPeriod time.Duration
	// Transform changes objects before they are stored.
	Transform TransformFunc[T]
	// WatchErrorHandler is called with errors of lists and watches. It never blocks the
	// informer. The default logs them at verbosity 2. An informer that has not followed the server
	// for ten seconds is logged with either of them, once, with the reason and what to do.
	WatchErrorHandler WatchErrorHandler
	// ReadYourWrites, if it is not nil, shows the writes of this program at once; see the option of
	// that name. It needs Open.
	ReadYourWrites *OwnWrites
	// StatusHandler is called when the Phase, the Reason or the error of Status changes. It
	// never blocks the informer.
	StatusHandler StatusHandler
	// RelistHandler is called after each list. It never blocks the informer.
	RelistHandler RelistHandler

	// scopes are the Configs of the first scopes of an informer of a Kind, if there are several. Each
	// has an Open or a ListerWatcher of its own.
	scopes []Config[T]
	// scope is the one that the Config is for, and rule what is known of it. isScope is set if the
	// informer has others, or may have.
	scope   *Scope // nil if the Config is not of a Kind
	rule    *scoping.Rule
	isScope bool
	// clusterWatch is nil without WithClusterWatch.
	clusterWatch *clusterWatch
	// scopeSource tells the scopes, if it is not nil. There are none at first then.
	scopeSource ScopeSource
	// configOf returns the Config of a scope of the informer that base configures. It is nil if the
	// informer is not of a Kind.
	configOf func(base Config[T], scope Scope) (Config[T], error)

	// firstLists, if it is not nil, limits the informers that read their first list at one
	// time to its capacity. ownFirstLists does that for the scopes of one informer.
	firstLists, ownFirstLists chan struct{}
	// cache, if it is not nil, has objects that need not be decoded again.
	cache *Indexer[T]
}

// OwnWrites is where an informer learns of the writes of this program.
type OwnWrites struct {
	// Observer sees the responses to the writes.
	Observer *writes.Observer
	// Server is the base URL of the API server, such as https://10.0.0.1:6443.
	Server string

	// selects sets the selectors of a request, if it is not nil.
	selects func(*metav1.ListOptions)
}

// name returns the name of the collection for errors and logs: the resource, or the Go
// type if there is none. It has the namespace of the Config, but not those of several scopes.
func (c *Config[T]) name() string {
	name := c.plainName()
	if c.Namespace != "" {
		return name + " in namespace " + c.Namespace
	}
	if c.scope != nil && c.scope.among != nil {
		return name + " in " + plural(c.scope.among.Len(), "namespace")
	}
	if c.isScope && c.Namespace == "" && c.rule.HasTerms() {
		return name + " in other namespaces"
	}
	return name
}

func (c *Config[T]) plainName() string {
	if c.Resource.Resource != "" {
		return c.Resource.GroupResource().String() + seenAs[T](c.Resource.Resource)
	}
	return strings.TrimPrefix(reflect.TypeFor[T]().String(), "*")
}

// of returns the scope of the Config.
func (c *Config[T]) of() Scope {
	if c.scope == nil {
		return Scope{Namespace: c.Namespace}
	}
	return *c.scope
}

// checkOwnWrites returns an error if the writes of this program cannot be assigned to scopes.
func (c *Config[T]) checkOwnWrites(option string, scopes []Config[T]) error {
	if c.ReadYourWrites == nil || len(scopes) < 2 {
		return nil
	}
	rules := make([]*scoping.Rule, len(scopes))
	for i := range scopes {
		rules[i] = scopes[i].rule
	}
	if a, b, found := scoping.Overlap(rules); found {
		return optionError(option, reflect.TypeFor[T](), "the scopes %s and %s may have the same objects, so a write cannot be assigned to one of them; use disjoint namespaces or shards, or exclude a namespace by the field selector metadata.namespace!=, or remove ReadYourWrites", *scopes[a].scope, *scopes[b].scope)
	}
	return nil
}

// seenAs returns " as " and the name of T if T is a view of the resource. It returns ""
// if the resource has the name of T, or if T is an untyped object.
func seenAs[T Object](resource string) string {
	kind := reflect.TypeFor[T]()
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

// isInterface reports whether only DecodeOptions.Object tells the Go type of the objects.
func isInterface[T Object]() bool { return reflect.TypeFor[T]().Kind() == reflect.Interface }

// tweak calls change with the options of every request, if it is not nil.
func (c *Config[T]) tweak(change func(*metav1.ListOptions)) {
	if change == nil {
		return
	}
	if c.ReadYourWrites != nil {
		c.ReadYourWrites = &OwnWrites{c.ReadYourWrites.Observer, c.ReadYourWrites.Server, change}
	}
	if open := c.Open; open != nil {
		c.Open = func(ctx context.Context, options metav1.ListOptions, accept string) (io.ReadCloser, error) {
			change(&options)
			return open(ctx, options, accept)
		}
	}
	if source := c.ListerWatcher; source != nil {
		c.ListerWatcher = &ListWatch[T]{
			ListFunc: func(ctx context.Context, options metav1.ListOptions) (Page[T], error) {
				change(&options)
				return source.List(ctx, options)
			},
			WatchFunc: func(ctx context.Context, options metav1.ListOptions) (EventStream[T], error) {
				change(&options)
				return source.Watch(ctx, options)
			},
			client: clientKindOf(source),
		}
	}
}

// Settings are the part of a Config that does not depend on the type of the objects.
// A factory has one Settings for all of its informers. The option for a field is named
// With and the field's name, or the field's name if that begins with Without.
type Settings struct {
	// Decode sets how objects are decoded. A ListerWatcher decodes by itself, so with
	// one only WithoutManagedFields and WithoutAnnotations have an effect. There is an
	// option for each field of Decode but Kind, Protobuf and ReadOnly.
	Decode DecodeOptions
	// StreamingList reads lists as a stream, through the watch, also if the objects are JSON.
	// By default an informer reads a stream if the objects are protobuf, or come from a
	// ListerWatcher, and the server supports it. It reads JSON as a list, which a server
	// encodes in little more than half the time: all objects in one response, or pages of 500
	// after that has failed.
	StreamingList bool
	// WithoutStreamingList never reads lists as a stream. A test with a fake clientset needs
	// it, because a fake has no streaming lists; generated factories detect a fake.
	WithoutStreamingList bool
	// HandlerPanicRecovery lets a handler continue with the next event after a panic.
	// The panic is logged, and the informer is Degraded with the reason HandlerPanic
	// until the handler is removed. By default a panic ends the program. A handler that
	// calls runtime.Goexit, as t.Fatal in a test does, always continues, in another
	// goroutine, and is reported in the same way. All of this holds for a hook too, but it
	// is only logged.
	HandlerPanicRecovery bool
	// InformerName tells the informers of one part of a program from those of others, in metrics
	// and on the debug page. It becomes a label of metrics, so it must not depend on data of
	// users. By default it is empty.
	InformerName string
	// MutationDetector panics when an object of the cache was changed. The message names
	// the handler and the changed fields. It is for tests: it is slow and keeps a copy of
	// each object.
	MutationDetector bool
	// MutationValues makes MutationDetector print the values of the changed fields too,
	// which may be those of Secrets.
	MutationValues bool
	// Backoffs set how long to wait before a failed list or watch is retried, by the
	// reason of the failure. The entry under "" is for all reasons without an entry. A
	// zero or missing value keeps its default: 0.8 s, doubled up to 30 s; after
	// Unauthorized 2 s up to 8 s; after Forbidden and NotFound 2 s up to 24 s; after
	// Decode, Refused and Redirected 2 s up to one minute. If Backoffs is empty, at most
	// ten requests fail in a minute, for each namespace that the informer is limited to.
	Backoffs map[Reason]Backoff
}

// Backoff is how long an informer waits before it retries a failed list or watch:
// Initial after the first failure, twice as long after each further one, and at most
// Max. Up to a quarter of the wait is added at random, so that clients that failed
// together do not return together. If a Retry-After header asks for a longer wait, the
// informer waits that long, up to five minutes.
type Backoff struct {
	Initial, Max time.Duration
}

// waitsOf returns the waits that Settings.Backoffs set, with the defaults.
func waitsOf(set map[Reason]Backoff) protocol.Backoffs {
	waits := make(protocol.Backoffs, len(set))
	for reason, wait := range set {
		waits[string(reason)] = protocol.Backoff(wait)
	}
	return waits.WithDefaults()
}

// Field is a field by which a server selects objects of the kind T, by its JSON
// path; its values are of type V. The generated clientset has a constant for each
// +kubebuilder:selectablefield:
//
//	const FooFieldSpecColor cache.Field[*v1.Foo, string] = "spec.color"
type Field[T Object, V FieldValue] string

// FieldValue is the type of a selectable field: a string, a boolean or an integer
// (https://kep.k8s.io/4358).
type FieldValue interface {
	~string | ~bool |
		~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Is selects the objects whose field has that value.
func (f Field[T, V]) Is(value V) FieldSelector[T] {
	return FieldSelector[T]{fields.OneTermEqualSelector(string(f), fieldValue(value))}
}

// IsNot selects the objects whose field has another value.
func (f Field[T, V]) IsNot(value V) FieldSelector[T] {
	return FieldSelector[T]{fields.OneTermNotEqualSelector(string(f), fieldValue(value))}
}

// fieldValue returns a value as a server compares it. It ignores a method String of its
// type.
func fieldValue[V FieldValue](value V) string {
	switch v := reflect.ValueOf(value); {
	case v.Kind() == reflect.String:
		return v.String()
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	default:
		return strconv.FormatUint(v.Uint(), 10)
	}
}

// FieldSelector selects objects of the kind T on the server. The zero value selects
// all of them.
type FieldSelector[T Object] struct {
	selector fields.Selector
}

// And selects the objects that s and all others select.
func (s FieldSelector[T]) And(others ...FieldSelector[T]) FieldSelector[T] {
	var terms []fields.Selector
	for _, selector := range append([]FieldSelector[T]{s}, others...) {
		if selector.selector != nil {
			terms = append(terms, selector.selector)
		}
	}
	if len(terms) == 0 {
		return FieldSelector[T]{}
	}
	return FieldSelector[T]{fields.AndSelectors(terms...)}
}

// String returns s as metav1.ListOptions.FieldSelector; empty for all objects.
func (s FieldSelector[T]) String() string {
	if s.selector == nil {
		return ""
	}
	return s.selector.String()
}
