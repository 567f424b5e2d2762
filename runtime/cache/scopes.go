package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// Scope is a part of a collection that an informer lists and watches on its own: the objects of
// a namespace that all selectors select. An empty selector selects all objects. Scopes may overlap: an
// object that several scopes have is kept once.
type Scope struct {
	// Namespace is empty for all namespaces.
	Namespace                    string
	LabelSelector, FieldSelector string
	// ShardSelector is the String of a sharding.Selector. The informer sends it to the server, which
	// may ignore it, and filters itself before it decodes.
	ShardSelector string

	// among, if it is not nil, has the namespaces that a scope of all namespaces is limited to; see
	// WithClusterWatch.
	among *scoping.Namespaces
}

// String returns the namespace, quoted, and the selectors.
func (s Scope) String() string {
	text := strconv.Quote(s.Namespace)
	if s.among != nil {
		text += " limited to " + plural(s.among.Len(), "namespace")
	}
	if s.LabelSelector != "" {
		text += " labels " + s.LabelSelector
	}
	if s.FieldSelector != "" {
		text += " fields " + s.FieldSelector
	}
	if s.ShardSelector != "" {
		text += " shard " + s.ShardSelector
	}
	return text
}

func (s Scope) compare(other Scope) int {
	return cmp.Or(strings.Compare(s.Namespace, other.Namespace), strings.Compare(s.LabelSelector, other.LabelSelector),
		strings.Compare(s.FieldSelector, other.FieldSelector), strings.Compare(s.ShardSelector, other.ShardSelector),
		cmp.Compare(s.among.Len(), other.among.Len()))
}

// name names a scope in errors. One that only excludes namespaces is that of the others.
func (s Scope) name() string {
	name := "namespace " + s.Namespace
	if s.Namespace == "" {
		name = "all namespaces"
		isOther := func(condition string) bool { return strings.HasPrefix(condition, "metadata.namespace!=") }
		if all := strings.Split(s.FieldSelector, ","); !slices.ContainsFunc(all, func(condition string) bool { return !isOther(condition) }) {
			name, s.FieldSelector = "other namespaces", ""
		}
	}
	s.Namespace = ""
	if s != (Scope{}) {
		name += " (" + strings.TrimPrefix(s.String(), `"" `) + ")"
	}
	return name
}

// of returns the scope of the Config.
func (c *Config[T]) of() Scope {
	if c.scope == nil {
		return Scope{Namespace: c.Namespace}
	}
	return *c.scope
}

// normal returns the normal form of a scope. Scopes that select the same by the same conditions have
// equal ones.
func (s Scope) normal() (Scope, error) {
	// The name becomes a part of a URL. And a server returns no objects for a name that no namespace can have.
	if problems := validation.IsDNS1123Label(s.Namespace); s.Namespace != "" && len(problems) > 0 {
		return s, fmt.Errorf("%q cannot be the name of a namespace: %s", s.Namespace, strings.Join(problems, "; "))
	}
	normal, err := s, error(nil)
	if normal.LabelSelector, err = scoping.Labels(s.LabelSelector); err != nil {
		return s, fmt.Errorf("%q is not a label selector: %w; write for example app=web,tier!=cache", s.LabelSelector, err)
	}
	if normal.FieldSelector, err = scoping.Fields(s.FieldSelector); err != nil {
		return s, fmt.Errorf("%q is not a field selector: %w; write for example spec.nodeName=node-7", s.FieldSelector, err)
	}
	shard, err := sharding.Parse(s.ShardSelector)
	if err != nil {
		return s, err // it names the selector
	}
	normal.ShardSelector = shard.String()
	return normal, nil
}

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

// WithNamespace limits informers to one namespace; "" for all namespaces. As an option of a
// factory it has no effect on cluster-scoped kinds. For such a kind it is a mistake.
func WithNamespace(namespace string) SharedInformerOption { return WithNamespaces(namespace) }

// WithNamespaces limits informers to some namespaces. An informer lists and watches each of them
// on its own, and keeps all objects in one cache. The rights in these namespaces are sufficient.
// Status.Scopes has the state of each. SetScopes changes them later.
func WithNamespaces(namespaces ...string) SharedInformerOption {
	scopes := make([]Scope, len(namespaces))
	for i, namespace := range namespaces {
		scopes[i].Namespace = namespace
	}
	return func(o *options) {
		named := slices.IndexFunc(namespaces, func(namespace string) bool { return namespace != "" })
		if named >= 0 && slices.Contains(namespaces, "") {
			o.mistake("WithNamespaces", `"" means all namespaces, so it cannot stand next to %q; remove one of them`, namespaces[named])
			return
		}
		o.setScopes("WithNamespaces", scopes)
	}
}

// WithScopes limits informers to some scopes. Their selectors are added to those of other options:
// an object has to match both.
//
//	cache.WithScopes(cache.Scope{Namespace: "team-a"}, cache.Scope{LabelSelector: "app=web"})
//
// Scopes are a union and may overlap: the second one has the objects of team-a too that are labeled
// app=web. To exclude a namespace from a scope, add metadata.namespace!=team-a to its FieldSelector.
func WithScopes(scopes ...Scope) SharedInformerOption {
	scopes = slices.Clone(scopes)
	return func(o *options) { o.setScopes("WithScopes", scopes) }
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
	o.scopes, o.source = normal, nil
}

// ScopeSource tells an informer which scopes to follow, as long as it runs. Run of the informer calls
// the function, which calls set with all scopes, each time they change, and returns when ctx ends. The
// error of set is that of SharedIndexInformer.SetScopes. If the function returns before, Status has its
// error, and the function is called again after a while; the scopes stay meanwhile. It returns nil
// before if the scopes do not change any more.
type ScopeSource func(ctx context.Context, set func(scopes ...Scope) error) error

// WithScopeSource limits an informer to the scopes of a source, which may change while the informer
// runs. The informer is not synced before the source has told the first scopes, and the lists of all
// scopes are in the cache. An empty set is one: the informer is synced then, and has no objects. As an
// option of a factory it has no effect on cluster-scoped kinds.
func WithScopeSource(source ScopeSource) SharedInformerOption {
	return func(o *options) {
		o.once("WithNamespaces") // both set the scopes
		if source == nil {
			o.mistake("WithScopeSource", "the source is nil; pass for example the result of ScopesFrom")
			return
		}
		o.source, o.scopes = source, nil
	}
}

// ScopesFrom returns the ScopeSource of a channel. When the channel is closed, the last scopes stay. If
// there is a mistake in some scopes, Status has it until the next ones come. The source is for one
// informer.
func ScopesFrom(scopes <-chan []Scope) ScopeSource {
	return func(ctx context.Context, set func(scopes ...Scope) error) error {
		for {
			select {
			case <-ctx.Done():
				return nil
			case next, open := <-scopes:
				if !open {
					return nil
				}
				_ = set(next...) // Status has the error
			}
		}
	}
}

// ScopesOf returns a ScopeSource with a scope for each object of another informer, which the caller
// runs: with one of Namespaces, and a label selector, each namespace that has these labels.
//
//	namespaces, err := corev1informers.NamespaceKind(client).NewInformer(cache.WithLabelSelector("team=web"))
//	…
//	cache.WithScopeSource(cache.ScopesOf(namespaces, func(n *corev1.Namespace) cache.Scope { return cache.Scope{Namespace: n.Name} }))
//
// While that informer does not follow the server, Status has its error.
func ScopesOf[N Object](objects *SharedIndexInformer[N], scope func(N) Scope) ScopeSource {
	return func(ctx context.Context, set func(scopes ...Scope) error) error {
		changed := make(chan struct{}, 1)
		note := func() {
			select {
			case changed <- struct{}{}:
			default:
			}
		}
		defer objects.controller.observers.Add(note)()
		noted := ResourceEventHandlerFuncs[N]{
			AddFunc: func(N, bool) { note() }, UpdateFunc: func(N, N) { note() }, DeleteFunc: func(N, bool) { note() },
		}
		reg, err := objects.AddEventHandler(noted, WithHandlerName("ScopesOf"))
		if err != nil {
			return sourceErrorOf(objects, err)
		}
		defer func() { _ = objects.RemoveEventHandler(reg) }() // it is of this informer
		synced := reg.Synced()
		report := sourceReport(ctx)
		note() // the informer may have failed before
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-objects.Ended():
				return sourceErrorOf(objects, ErrStopped)
			case <-synced:
				synced = nil // the first scopes
			case <-changed:
			}
			// Not Status: the errors of other handlers do not matter.
			if err := objects.controller.statusOfAll().Err; err != nil {
				report(sourceErrorOf(objects, err))
				continue
			}
			if synced != nil {
				continue
			}
			var scopes []Scope
			for _, obj := range objects.GetStore().List() {
				scopes = append(scopes, scope(obj))
			}
			_ = set(scopes...) // Status has the error
		}
	}
}

// sourceKey is the key of the function in the context of a ScopeSource that gets its errors.
type sourceKey struct{}

// sourceReport returns the function that sets the error of a source, which goes on.
func sourceReport(ctx context.Context) func(error) {
	report, ok := ctx.Value(sourceKey{}).(func(error))
	if !ok { // a program calls the source by itself
		return func(error) {}
	}
	return report
}

// errNoScopes is the error of a source that has returned before it told any scopes.
var errNoScopes = errors.New("the source of the scopes has returned before it told any; call set with the scopes")

// sourceWorked is how long a call of a source that tells scopes has to go on, for the wait after its failure to
// begin at the shortest again. A source that fails soon after its scopes would otherwise be called each second.
const sourceWorked = time.Minute

// scopeSourceError is the error of an informer whose objects are the scopes of another one.
type scopeSourceError struct {
	resource schema.GroupVersionResource
	// namespaces are those that the informer is limited to.
	namespaces []string
	verb       string
	err        error
}

func sourceErrorOf[N Object](objects *SharedIndexInformer[N], err error) error {
	return &scopeSourceError{objects.Resource(), objects.controller.namespaces(), objects.controller.statusOfAll().Verb, fmt.Errorf("%s: %w", objects.name(), err)}
}

func (e *scopeSourceError) Error() string { return e.err.Error() }
func (e *scopeSourceError) Unwrap() error { return e.err }

// WithShard limits informers to a shard, the objects whose hash is in its ranges:
//
//	cache.WithShard(sharding.Split(sharding.UID, 4)[0])
//
// It applies to each of their scopes without a ShardSelector. The informer asks the server for the
// shard, unless no server knows its key, and leaves out other objects before they are decoded, because
// most servers ignore the request (https://kep.k8s.io/5866 is alpha). Stats.Dropped counts them. A shard with
// all objects, the zero value, as an option of a kind replaces that of the factory.
//
// With sharding.Owner, an object whose controller changes may leave the shard: OnDelete has its last
// cached state then, and an unknown final state.
func WithShard(shard sharding.Selector) SharedInformerOption {
	return func(o *options) {
		o.once("WithShard")
		o.shard = &shard
	}
}

// WithClusterWatch lets informers follow more than that number of namespaces by one watch of all
// namespaces. It needs the rights to list and watch in all of them:
//
//	cache.WithNamespaces(teams...), cache.WithClusterWatch(100)
//
// It applies to scopes that differ in nothing but their namespaces. What is in other namespaces is left
// out before it is decoded; Stats.Dropped counts it. A namespace that is added later gets a watch of its
// own, and one that is removed is left out from then on. When more than that number, and more than 16, would
// have watches of their own, everything is listed again, and HasSynced is false meanwhile; objects that have
// not changed are not decoded then. When at most half of that number of namespaces are left, each gets a
// watch of its own again.
//
// Scopes returns the scopes as they were set, and Status.Scopes those that are watched.
func WithClusterWatch(above int) SharedInformerOption {
	return func(o *options) {
		o.once("WithClusterWatch")
		if above < 0 {
			o.mistake("WithClusterWatch", "%d is not a number of namespaces; pass 0 or more", above)
			return
		}
		o.clusterWatch = &above
	}
}

// clusterWatch is what WithClusterWatch has set for an informer. It does not change.
type clusterWatch struct {
	above int
	// first are the scopes that the options name.
	first []Scope
}

// plan returns the scopes to watch instead of scopes, which are normal. have are those that are
// watched. gone are the namespaces to remove from the sets of some that stay. c may be nil.
func (c *clusterWatch) plan(scopes, have []Scope) (result []Scope, gone map[*scoping.Namespaces][]string) {
	if c == nil {
		return scopes, nil
	}
	gone = map[*scoping.Namespaces][]string{}
	namespaces := map[Scope][]string{} // by the rest of the scope
	for _, scope := range scopes {
		if scope.Namespace == "" {
			result = append(result, scope)
			continue
		}
		rest := scope
		rest.Namespace = ""
		namespaces[rest] = append(namespaces[rest], scope.Namespace)
	}
	sets := map[Scope]*scoping.Namespaces{}
	for _, scope := range have {
		if among := scope.among; among != nil {
			scope.among = nil
			sets[scope] = among
		}
	}
	for rest, names := range namespaces {
		wide, apart := scoping.Plan(names, sets[rest], c.above)
		for _, name := range apart {
			scope := rest
			scope.Namespace = name
			result = append(result, scope)
		}
		if wide != nil {
			if names := wide.Without(names); len(names) > 0 {
				gone[wide] = names
			}
			rest.among = wide
			result = append(result, rest)
		}
	}
	slices.SortFunc(result, Scope.compare)
	return result, gone
}

// SetScopes replaces the scopes of the informer, at any time before it ends. A scope that was there
// before goes on. A new one is listed and watched on its own, while the others go on. The watch of one
// that is no longer there is closed. OnDelete is called, with the last cached state and an unknown final
// state, for what no other scope has; if a new scope may have it, when its first list does not, or is forbidden.
// Without scopes the informer has no objects.
//
// HasSynced is false until the lists of the new scopes are in the cache. OnAdd of these lists is initial.
// Package healthz keeps an informer ready meanwhile.
//
// The error is an *OptionError, or joins several of them, or wraps ErrStopped, and nothing has changed
// then. A handler may call SetScopes, an index function, a transform or a hook must not.
func (s *SharedIndexInformer[T]) SetScopes(scopes ...Scope) error {
	if s.controller.config.scopeSource != nil {
		return optionError("SetScopes", reflect.TypeFor[T](), "the scopes of %s come from its WithScopeSource; change them there, or remove the option", s.name())
	}
	return s.setScopes(scopes)
}

// Scopes returns the scopes of the informer, sorted.
func (s *SharedIndexInformer[T]) Scopes() []Scope {
	if s.controller.config.clusterWatch != nil {
		return s.controller.namedScopes()
	}
	all := s.controller.reflectors()
	scopes := make([]Scope, len(all))
	for i, r := range all {
		scopes[i] = r.config.of()
	}
	return scopes
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
