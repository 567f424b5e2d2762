package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/partition"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// Scope is a part of a collection that an informer lists and watches separately: the objects of a
// namespace that all selectors select. An empty selector selects all objects.
//
// The scopes of an informer share no object. So each has a namespace of its own. Several scopes of one namespace are
// allowed only if each has the field selector metadata.name=, with another name: for rights that name a resource.
type Scope struct {
	// Namespace is empty for all namespaces. Such a scope has no others next to it.
	Namespace string
	// OtherNamespaces makes a scope of all namespaces that no other scope names. There is one at most, and its
	// Namespace is empty. It needs the rights to list and to watch all namespaces.
	OtherNamespaces              bool
	LabelSelector, FieldSelector string
	// ShardSelector is the String of a sharding.Selector, which may have several ranges. The informer sends it to
	// the server. A server may ignore it, so the informer also filters, before it decodes.
	ShardSelector string

	// among, if it is not nil, has the namespaces that a scope of all namespaces is limited to; see
	// WithClusterWatch.
	among *scoping.Namespaces
}

// String returns the namespace, quoted, and the selectors.
func (s Scope) String() string {
	text := strconv.Quote(s.Namespace)
	switch {
	case s.among != nil:
		text += " limited to " + plural(s.among.Len(), "namespace")
	case s.OtherNamespaces:
		text = "other namespaces"
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
		cmp.Compare(s.among.Len(), other.among.Len()), strings.Compare(s.String(), other.String()))
}

// name names a scope in errors.
func (s Scope) name() string {
	name := "namespace " + s.Namespace
	switch {
	case s.OtherNamespaces:
		name = "other namespaces"
	case s.Namespace == "":
		name = "all namespaces"
	}
	s.Namespace, s.OtherNamespaces = "", false
	if s != (Scope{}) {
		name += " (" + strings.TrimPrefix(s.String(), `"" `) + ")"
	}
	return name
}

// region returns what the scope may have of a kind, apart from its selectors.
func (s Scope) region(isNamespaced bool) partition.Region {
	var region partition.Region
	switch {
	case s.among != nil:
		region.Namespaces = s.among.Without(nil)
	case s.Namespace != "" || !isNamespaced && scoping.OneName(s.FieldSelector) != "":
		region.Namespaces = []string{s.Namespace}
	default:
		return partition.Region{IsWide: true}
	}
	region.Name = scoping.OneName(s.FieldSelector)
	return region
}

// normal returns the normal form of a scope. Scopes with the same conditions have equal normal forms.
func (s Scope) normal() (Scope, error) {
	// The name becomes a part of a URL. And a server returns no objects for a name that no namespace can have.
	if s.OtherNamespaces && s.Namespace != "" {
		return s, fmt.Errorf("a scope of OtherNamespaces has no namespace of its own, but this one has %q; remove one of them", s.Namespace)
	}
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

// contradictions returns why scopes of a kind, which are normal, are no partition, by the namespace that is in several
// of them.
func contradictions(scopes []Scope, isNamespaced bool) map[string]error {
	found := map[string]error{}
	var wide []Scope
	names := map[string]map[string]Scope{} // by the namespace
	for _, scope := range scopes {
		region := scope.region(isNamespaced)
		if region.IsWide {
			wide = append(wide, scope)
			continue
		}
		of := names[scope.Namespace]
		if of == nil {
			of = map[string]Scope{}
			names[scope.Namespace] = of
		}
		for name, other := range of {
			if name == region.Name || name == "" || region.Name == "" {
				found[scope.Namespace] = fmt.Errorf("the scopes %s and %s may have the same objects; use one scope for the namespace, with one selector of each kind, or a second informer, or give each scope the field selector metadata.name= with another name", other, scope)
			}
		}
		of[region.Name] = scope
	}
	switch {
	case len(wide) > 1 && isNamespaced:
		found[""] = fmt.Errorf("the scopes %s and %s both have all namespaces; use one of them, or a second informer", wide[0], wide[1])
	case len(wide) > 1 || len(wide) == 1 && !isNamespaced && len(names) > 0:
		found[""] = errors.New("a cluster-scoped kind has several scopes; use one, or give each the field selector metadata.name= with another name")
	case len(wide) == 1 && !wide[0].OtherNamespaces && len(names) > 0:
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

func inNamespaces(option string, namespaces ...string) SharedInformerOption {
	scopes := make([]Scope, len(namespaces))
	for i, namespace := range namespaces {
		scopes[i].Namespace = namespace
	}
	return func(o *options) {
		named := slices.IndexFunc(namespaces, func(namespace string) bool { return namespace != "" })
		if named >= 0 && slices.Contains(namespaces, "") {
			o.mistake(option, `"" means all namespaces, so it cannot be combined with %q; remove one of them`, namespaces[named])
			return
		}
		o.setScopes(option, scopes)
	}
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

// ScopeSource sets the scopes that an informer follows: ScopesFrom, ScopesOf, or a ScopeSourceFunc.
type ScopeSource interface {
	// Follow is called by Run of the informer. It calls set with all scopes each time they change, and returns
	// when ctx ends. Several goroutines may call set. Its error is that of SharedIndexInformer.SetScopes. When the
	// scopes no longer change, Follow may return nil earlier. If it returns an error earlier, Status has the
	// error, the scopes stay, and the informer calls Follow again after a delay.
	Follow(ctx context.Context, set func(scopes ...Scope) error) error
}

// ScopeSourceFunc is a ScopeSource whose Follow is the function.
type ScopeSourceFunc func(ctx context.Context, set func(scopes ...Scope) error) error

// Follow calls f.
func (f ScopeSourceFunc) Follow(ctx context.Context, set func(scopes ...Scope) error) error {
	return f(ctx, set)
}

// WithScopeSource limits an informer to the scopes of a source, which may change while the informer
// runs. Before the source has called set, the informer sends no request, and Status says so. The informer is
// synced when the source has called set and the lists of all scopes are in the cache. After a call of set without scopes, the informer is synced and has no objects. As an option of a
// factory it has no effect on cluster-scoped kinds.
func WithScopeSource(source ScopeSource) SharedInformerOption {
	return func(o *options) {
		o.once("WithNamespaces") // both set the scopes
		if function, is := source.(ScopeSourceFunc); source == nil || is && function == nil {
			o.mistake("WithScopeSource", "the source is nil; pass for example the result of ScopesFrom")
			return
		}
		if from, is := source.(*scopesFrom); is && from.scopes == nil {
			o.mistake("ScopesFrom", "the channel is nil, so it would never have scopes; make one")
			return
		}
		o.source, o.scopes = source, nil
	}
}

// ScopesFrom returns the ScopeSource of a channel. When the channel is closed, the last scopes stay.
// Status has the error of invalid scopes until the next scopes arrive. Each value of a channel has one receiver. So a
// second informer with the same source, also one of another kind in a factory, is a mistake in its options, unless
// the first one has ended.
func ScopesFrom(scopes <-chan []Scope) ScopeSource { return &scopesFrom{scopes: scopes} }

type scopesFrom struct {
	scopes <-chan []Scope

	mu sync.Mutex // guards user
	// user is the informer that receives the scopes, or nil.
	user scopeReceiver
}

// scopeReceiver is a SharedIndexInformer of any kind.
type scopeReceiver interface {
	Ended() <-chan struct{}
	name() string
	// scopeChannel returns the channel of ScopesFrom, or nil.
	scopeChannel() <-chan []Scope
}

// Follow sets what the channel has.
func (s *scopesFrom) Follow(ctx context.Context, set func(scopes ...Scope) error) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case next, open := <-s.scopes:
			if !open {
				return nil
			}
			_ = set(next...) // Status has the error
		}
	}
}

// claim makes an informer the user of the channel. It returns an error if another informer is, or one of others.
func (s *scopesFrom) claim(user scopeReceiver, object reflect.Type, others ...scopeReceiver) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.user != nil {
		others = append(others, s.user)
	}
	for _, other := range others {
		if other.scopeChannel() == s.scopes && !isClosed(other.Ended()) {
			return optionError("ScopesFrom", object, "the informer of %s receives from the same channel, so each would get only some of the scopes; use a channel for each informer, or a source other than ScopesFrom", other.name())
		}
	}
	s.user = user
	return nil
}

// claimScopes makes the informer the only user of the channel of its ScopesFrom, if it has one. others are the other
// informers of its factory. object is the Go type of the kind.
func (s *informer) claimScopes(object reflect.Type, others ...scopeReceiver) error {
	if from, is := s.config.scopeSource.(*scopesFrom); is {
		return from.claim(s, object, others...)
	}
	return nil
}

func (s *informer) scopeChannel() <-chan []Scope {
	if from, is := s.config.scopeSource.(*scopesFrom); is {
		return from.scopes
	}
	return nil
}

// ScopesOf returns a ScopeSource with a scope for each object of another informer. The caller runs that
// informer. This source has each namespace with the label team=web:
//
//	namespaces, err := corev1informers.NamespaceKind(client).NewInformer(cache.WithLabelSelector("team=web"))
//	…
//	cache.WithScopeSource(cache.ScopesOf(namespaces, func(n *corev1.Namespace) cache.Scope { return cache.Scope{Namespace: n.Name} }))
//
// Until that informer is synced, Status says how far it is. While it cannot list or watch, Status has its error.
func ScopesOf[N Object](objects *SharedIndexInformer[N], scope func(N) Scope) ScopeSource {
	return scopesOf(objects.machine, func(obj Object) Scope { return scope(obj.(N)) })
}

func scopesOf(machine machine, scope func(Object) Scope) ScopeSource {
	objects := machine.(*informer)
	return ScopeSourceFunc(func(ctx context.Context, set func(scopes ...Scope) error) error {
		changed := make(chan struct{}, 1)
		note := func() {
			select {
			case changed <- struct{}{}:
			default:
			}
		}
		defer objects.observers.Add(note)()
		noted := eventHandler{"ScopesOf", func(*processor.Notification) { note() }}
		reg, err := objects.addEventHandler(noted, []HandlerOption{WithHandlerName("ScopesOf")})
		stopped := func() error { return fmt.Errorf("%s: %w", objects.name(), ErrStopped) }
		if err != nil {
			return stopped()
		}
		defer func() { _ = objects.RemoveEventHandler(reg) }() // it is of this informer
		synced := reg.Synced()
		report := reportOf(ctx)
		report.of(objects)
		note() // the informer may have failed before
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-objects.Ended():
				return stopped()
			case <-synced:
				synced = nil // the first scopes
			case <-changed:
			}
			// Not Status: the errors of other handlers do not matter.
			if err := objects.statusOfAll().Err; err != nil {
				report.failed(sourceErrorOf(objects, err))
				continue
			}
			if synced != nil {
				report.failed(nil)
				continue
			}
			var scopes []Scope
			for obj := range objects.indexer.All().Each() {
				scopes = append(scopes, scope(obj))
			}
			_ = set(scopes...) // Status has the error
		}
	})
}

// sourceKey is the context key of the sourceReport of a ScopeSource.
type sourceKey struct{}

// sourceReport has the functions by which a source reports to its informer, besides set.
type sourceReport struct {
	// failed sets the error of a source that continues, or nil.
	failed func(error)
	// of sets the informer whose objects are the scopes.
	of func(sourceInformer)
}

// sourceInformer is an informer whose objects are the scopes of another one.
type sourceInformer interface {
	NotSyncedReason() string
	Status() Status
	Resource() schema.GroupVersionResource
}

func reportOf(ctx context.Context) sourceReport {
	report, ok := ctx.Value(sourceKey{}).(sourceReport)
	if !ok { // the program calls the source, not the informer
		return sourceReport{func(error) {}, func(sourceInformer) {}}
	}
	return report
}

// awaitedScopes is what an informer waits for whose source has set no scopes yet.
type awaitedScopes struct {
	text   string
	advice advice.Advice
}

// awaitedScopes returns what the informer waits for. It is called before the source has called set.
func (s *informer) awaitedScopes() *awaitedScopes {
	const none = "its scope source has set no scopes yet"
	from := s.set.source.Load()
	if from == nil {
		return &awaitedScopes{none, advice.NoScopes("", false)}
	}
	reason := (*from).NotSyncedReason()
	if reason == "" { // the source is about to call set
		return &awaitedScopes{none, advice.NoScopes("", false)}
	}
	return &awaitedScopes{
		"its scopes come from an informer that is not synced: " + reason,
		advice.NoScopes((*from).Resource().GroupResource().String(), (*from).Status().Phase == Pending),
	}
}

// errNoScopes is the error of a source that has returned before it called set.
var errNoScopes = errors.New("the scope source returned before it called set; call set with the scopes, or with none")

// sourceWorked is how long a call of a source that has set scopes must run before its failure resets the backoff.
// Otherwise a source that fails soon after each set would be called each second.
const sourceWorked = time.Minute

// scopeSourceError is the error of an informer whose objects are the scopes of another one.
type scopeSourceError struct {
	resource schema.GroupVersionResource
	// namespaces are those that the informer is limited to.
	namespaces []string
	verb       string
	err        error
}

func sourceErrorOf(objects *informer, err error) error {
	return &scopeSourceError{objects.Resource(), objects.namespaces(), objects.statusOfAll().Verb, fmt.Errorf("%s: %w", objects.name(), err)}
}

func (e *scopeSourceError) Error() string { return e.err.Error() }
func (e *scopeSourceError) Unwrap() error { return e.err }

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
	return func(o *options) {
		o.once("WithShard")
		o.shard = &shard
	}
}

// WithClusterWatch lets an informer of more than above namespaces use one watch of all namespaces. It
// needs the rights to list and watch in all of them:
//
//	cache.WithNamespaces(teams...), cache.WithClusterWatch(100)
//
// It applies to scopes that differ only in their namespaces. The informer drops objects of other
// namespaces before it decodes them; Stats.Dropped counts them. A namespace that is added later gets its own
// watch, and the objects of a removed namespace are dropped. When more than above namespaces, and more than 16,
// would have their own watches, the informer lists all namespaces again. HasSynced is false meanwhile, and
// unchanged objects are not decoded again. When at most half of above namespaces are left, each gets its own
// watch again.
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

// SetScopes replaces the scopes of the informer. It may be called at any time before the informer ends.
// The informer lists and watches each new scope separately, closes the watch of each removed one, and
// does not interrupt the others. Handlers get OnDelete, with the last cached state and an unknown final
// state, for each object that no scope has any more. If a namespace gets another scope, with other selectors for
// example, its old one goes on until the new one is listed. Then handlers get the difference. Without scopes the
// informer has no objects.
//
// HasSynced is false until the lists of the new scopes are in the cache. Their objects are added with
// isInInitialList set. Package healthz reports the informer as ready meanwhile.
//
// The error is an *OptionError, or joins several of them, or wraps ErrStopped. Nothing has changed then.
// A handler may call SetScopes. An index function, a transform or a hook must not.
func (s *informer) SetScopes(scopes ...Scope) error {
	if s.config.scopeSource != nil {
		return optionError("SetScopes", s.config.form.Type(), "the scopes of %s come from its WithScopeSource; change them there, or remove the option", s.name())
	}
	_, err := s.setScopes(scopes, false)
	return err
}

// Scopes returns the scopes of the informer, sorted.
func (s *informer) Scopes() []Scope { return s.namedScopes() }

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
