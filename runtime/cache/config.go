package cache

import (
	"context"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/internal/packing"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/gate"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/ownwrites"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/pack"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/reflector"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/compression"
	"github.com/typedinformers/informer-gen/runtime/wire"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// config has the settings of an informer, or of a part of it, from a Kind and options. It has Open or source.
type config struct {
	settings
	// form stores objects of the Go type.
	form store.Form
	Open bodies.OpenFunc
	// source returns the objects if Open is nil. fake is set if its client is a fake of client-go.
	source source.Source
	fake   bool

	Resource          schema.GroupVersionResource
	Namespace         string
	functions         []indexer.Function
	ResyncPeriod      time.Duration
	Transform         gate.Transform
	WatchErrorHandler WatchErrorHandler
	ReadYourWrites    *ownWritesOf
	StatusHandler     func(context.Context, status.Change)

	// scopes are the configs of the first scopes of an informer of a Kind, if there are several. Each
	// has an Open or a source of its own.
	scopes []config
	// scope is the one that the config is for, and rule has its client-side rules. isScope is set if the
	// informer has others, or may have.
	scope   Scope
	rule    *scoping.Rule
	isScope bool
	// mayBeForbidden is set if no one waits for the first list of the scope while the right to it is missing.
	mayBeForbidden bool
	// isNamespaced is Kind.Namespaced.
	isNamespaced bool
	// scopesLater is set if there are no scopes before SetScopes.
	scopesLater bool
	// configOf returns the config of a scope of the informer that base configures.
	configOf func(base config, scope Scope) (config, error)

	// firstLists, if it is not nil, limits the informers that read their first list at one
	// time to its capacity. ownFirstLists does that for the scopes of one informer.
	firstLists, ownFirstLists chan struct{}
	// random is reflector.Settings.Random.
	random func(time.Duration) time.Duration
}

// gate returns the Source through which the objects of a scope enter, and counts the bytes. held has those that need not be decoded again.
func (c *config) gate(read *stats.Traffic, held source.Held) *gate.Gate {
	s := gate.Settings{
		Form: c.form, Client: c.source, Decode: &c.Decode, Transform: c.Transform, Rule: c.rule,
		ObjectError: func(name listed.Name, err error) error {
			return &status.ObjectError{Resource: c.Resource, Namespace: name.Namespace, Name: name.Name, Err: err}
		},
	}
	if c.Open != nil {
		s.Open, s.Held = read.CountBytes(c.Open), held
		// With the detector, a handler that writes to an object must not change others: these are not the ones to report.
		s.Shared = held != nil && !c.MutationDetector
	}
	if c.isScope {
		s.Namespace = c.Namespace
	}
	return gate.New(s)
}

// reflector returns the settings of the Reflector of a scope.
func (c *config) reflector(id frontier.ID, pace *protocol.Pace, from *gate.Gate) reflector.Settings {
	s := reflector.Settings{
		Resource: &c.Resource, Scope: id, Source: from, Fake: c.fake,
		KeepsUndecodable: c.ReadYourWrites != nil, StreamingList: c.StreamingList, Backoffs: waitsOf(c.Backoffs),
		FirstLists: [2]chan struct{}{c.ownFirstLists, c.firstLists}, // the others of this informer do not wait in front of other informers
		Pace:       pace, Random: c.random,
	}
	if packing := packingOf(c); packing != nil {
		s.Source = &pack.Source{Source: from, Packing: packing}
	}
	if c.isScope {
		s.Title = c.scope.name()
	}
	return s
}

// newCache returns the cache of an informer. It is no method: a package that uses a
// Kind would compile the types of an Indexer again.
func newCache(c *config) *indexer.Indexer {
	c.pack()
	x := indexer.New(c.form)
	if packing := packingOf(c); packing != nil {
		packing.IndexWith(x.CallEarly())
	}
	_ = x.AddIndexes(c.functions...) // no name is taken yet
	if packingOf(c) != nil || c.decodes() {
		x.KeepHashes()
	}
	return x
}

// checkDecoder lets the decoders of all scopes compare objects.
func (c *config) checkDecoder(by *wire.Check) {
	c.Decode.Check = by
	for i := range c.scopes {
		c.scopes[i].Decode.Check = by
	}
}

// decodes reports whether the informer, or one of its scopes, decodes bodies.
func (c *config) decodes() bool {
	return c.Open != nil || slices.ContainsFunc(c.scopes, func(scope config) bool { return scope.Open != nil })
}

// pack makes the cache, and all scopes, pack the objects if Packing is set.
func (c *config) pack() {
	compression := c.Packing
	if compression == nil && c.Transform == nil {
		compression = packing.Default
	}
	if compression == nil {
		return
	}
	packing := pack.New(compression)
	c.form, c.Decode.Packer = store.KeptForm(c.form, packing), packing
	for i := range c.scopes {
		c.scopes[i].form, c.scopes[i].Decode.Packer = c.form, packing
	}
}

// packingOf returns the Packing of the objects; nil if they are not packed. It is no method: a package that uses a Kind would compile
// the type of the result again.
func packingOf(c *config) *pack.Packing {
	packing, _ := c.Decode.Packer.(*pack.Packing)
	return packing
}

// isInterface reports whether only Decode.Object tells the Go type of the objects.
func (c *config) isInterface() bool { return c.form.Type().Kind() == reflect.Interface }

// objectType returns the Go type of the objects; nil if it is not known.
func (c *config) objectType() reflect.Type {
	if c.isInterface() {
		return reflect.TypeOf(c.Decode.Object)
	}
	return c.form.Type()
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

// ownKind tells which responses to writes have an object of the informer.
func (c *config) ownKind() ownwrites.Kind {
	return ownwrites.Kind{
		GroupVersion: c.Resource.GroupVersion(), Kind: c.Decode.Kind.Kind,
		IsMetadata: c.objectType() == reflect.TypeFor[*metav1.PartialObjectMetadata](),
	}
}

// warnOfLimit logs a warning if the server accepts objects above the limit.
func (c *config) warnOfLimit(logger klog.Logger) {
	if limit := c.Decode.MaxObjectBytes; c.Open != nil && limit > 0 && limit < wire.EtcdRequestBytes {
		logger.Info("MaxObjectBytes is below etcd's default limit for a request; the server may store objects that the informer fails on or skips",
			"limit", limit, "etcd", wire.EtcdRequestBytes)
	}
}

// ownFrom returns where an informer learns of the writes of this program.
func (c *config) ownFrom(name func() string) ownwrites.From {
	from := ownwrites.From{Server: c.ReadYourWrites.Server, Resource: c.Resource, Name: name}
	if from.Server != "" { // a fake has none
		from.Observer = c.ReadYourWrites.Observer
	}
	return from
}

// name returns the name of the collection for errors and logs: the resource, or the Go
// type if there is none. It has the namespace of a config with one, but not those of several scopes.
func (c *config) name() string {
	name := c.plainName()
	if c.Namespace != "" {
		return name + " in namespace " + c.Namespace
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
		return "" // only the decoder knows the Go type
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

// settings are the values of options that do not depend on the type of the objects. A factory has them for all of its
// informers. The option for a field is named With and the field's name, or the field's name if that begins with Without.
type settings struct {
	Decode                              wire.Options
	DecoderCheck                        int // one object in so many; 0 for none
	StreamingList, HandlerPanicRecovery bool
	InformerName                        string
	MutationDetector                    bool
	Backoffs                            map[Reason]Backoff
	Packing                             compression.Method
	UpdateGuard                         *writes.Observer
	WithoutUpdateGuard                  bool
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

// newOwnFirstLists returns the limit of an informer with several scopes.
func newOwnFirstLists() chan struct{} { return make(chan struct{}, maxFirstLists/2) }

// maxFirstLists is the number of scopes of the informers of a factory that read their first list at one
// time, so that a program with a hundred kinds does not overload the server at its start.
const maxFirstLists = 10
