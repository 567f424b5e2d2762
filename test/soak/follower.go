package main

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	apiinformers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions/api/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/packed"
	"github.com/typedinformers/informer-gen/runtime/sharding"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// following is a follower without its type parameter.
type following interface {
	name() string
	run(ctx context.Context)
	hasSynced() bool
	status() status.Informer
	// isSelected reports whether the informer follows an object in that state.
	isSelected(slot int, s state) bool
	get(name cache.ObjectName) (state, bool)
	// visit adds a handler, and removes it again after a while.
	visit(ctx context.Context, label string, random *rand.Rand) error
	// await blocks until the handlers know the truth. compare returns how the cache differs from it.
	await(ctx context.Context, truth []state) error
	compare(truth []state, namespace string) error
	errors() []string
}

// informer is what a follower needs of an informer, or of a manager's cache.
type informer[T cache.Object] interface {
	run(ctx context.Context)
	hasSynced() bool
	status() status.Informer
	read(name cache.ObjectName) (T, bool)
	all() iter.Seq[T]
	// countIn returns how many objects the index by namespace has.
	countIn(namespace string) (int, error)
	// add adds a handler, and returns what removes it.
	add(l *ledger[T]) (remove func() error, err error)
}

// follower is an informer with its handlers.
type follower[T cache.Object] struct {
	informer[T]
	title   string
	isQuiet *atomic.Bool // while nothing is written
	content func(T) int32
	selects func(slot int, s state) bool
	// returns is set if objects may leave the informer and come back as they were.
	returns bool
	slots   int
	stay    []*ledger[T]

	mu   sync.Mutex // guards the fields below
	gone []*ledger[T]
}

const (
	// maxBacklog limits the queue of slow handlers.
	maxBacklog = 1000
	slow       = time.Millisecond
)

func newFollower[T cache.Object](f *follower[T], kind cache.Kind[T], options ...cache.SharedInformerOption) (*follower[T], error) {
	own, err := kind.NewInformer(append(options, cache.WithInformerName(f.title))...)
	if err != nil {
		return nil, err
	}
	f.informer = ours[T]{own}
	return f, f.listen()
}

// listen adds the handlers that stay.
func (f *follower[T]) listen() error {
	for label, delay := range map[string]time.Duration{"fast": 0, "slow": slow} {
		l := f.newLedger(label)
		l.delay = delay
		if _, err := f.add(l); err != nil {
			return err
		}
		f.stay = append(f.stay, l)
	}
	return nil
}

func (f *follower[T]) newLedger(label string) *ledger[T] {
	return &ledger[T]{follower: f, label: label, known: make([]state, f.slots*spellings)}
}

// ours is an informer of this runtime.
type ours[T cache.Object] struct{ *cache.SharedIndexInformer[T] }

func (o ours[T]) run(ctx context.Context)              { o.Run(ctx) }
func (o ours[T]) hasSynced() bool                      { return o.HasSynced() }
func (o ours[T]) read(name cache.ObjectName) (T, bool) { return o.GetIndexer().Get(name) }
func (o ours[T]) all() iter.Seq[T]                     { return o.GetIndexer().All() }

func (o ours[T]) status() (now status.Informer) {
	for now = range o.Statuses() {
	}
	return now
}

func (o ours[T]) countIn(namespace string) (int, error) {
	names, err := o.GetIndexer().IndexKeys(cache.NamespaceIndex, namespace)
	return len(names), err
}

func (o ours[T]) add(l *ledger[T]) (remove func() error, err error) {
	options := []cache.HandlerOption{cache.WithHandlerName(l.label)}
	if l.delay > 0 {
		options = append(options, cache.WithBacklogLimit(maxBacklog))
	}
	registration, err := o.AddEventHandler(l, options...)
	return func() error { return o.RemoveEventHandler(registration) }, err
}

func (f *follower[T]) name() string                      { return f.title }
func (f *follower[T]) isSelected(slot int, s state) bool { return f.selects(slot, s) }

func (f *follower[T]) get(name cache.ObjectName) (state, bool) {
	obj, ok := f.read(name)
	if !ok {
		return state{}, false
	}
	s, err := stateOf(obj, f.content(obj))
	return s, err == nil
}

func (f *follower[T]) visit(ctx context.Context, label string, random *rand.Rand) error {
	l := f.newLedger(label)
	l.delay = slow * time.Duration(random.IntN(2))
	remove, err := f.add(l)
	if err != nil {
		return err
	}
	// Half of them leave while they hear the initial list.
	stay, cancel := context.WithTimeout(ctx, time.Duration(random.IntN(2000))*time.Millisecond)
	defer cancel()
	<-stay.Done()
	if err := remove(); err != nil {
		return err
	}
	l.leave()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gone = append(f.gone, l)
	return nil
}

func (f *follower[T]) await(ctx context.Context, truth []state) error {
	// A list that is under way has memory and goroutines.
	if err := until(ctx, func() (bool, string) {
		now := f.status().Status
		return now.Phase == status.Watching, now.String()
	}); err != nil {
		return err
	}
	for _, l := range f.stay {
		if err := until(ctx, func() (bool, string) {
			differ, first := l.differ(truth)
			return differ == 0, fmt.Sprintf("%d states differ, such as\n%s\nThe informer is %v", differ, first, f.status().Status)
		}); err != nil {
			return err
		}
	}
	return nil
}

func (f *follower[T]) compare(truth []state, namespace string) error {
	want, ofNamespace := 0, 0
	for index, s := range truth {
		if s.IsAlive && f.selects(index/spellings, s) {
			want++
			if nameOf(index/spellings, 0).Namespace == namespace {
				ofNamespace++
			}
		}
	}
	has := 0
	for obj := range f.all() {
		has++
		name := cache.MetaObjectToName(obj)
		index, err := indexOf(name.Name)
		if err != nil || index >= len(truth) {
			return fmt.Errorf("%s: the cache has %s, which was never created", f.title, name)
		}
		if s, err := stateOf(obj, f.content(obj)); err != nil || s != truth[index] || !f.selects(index/spellings, s) {
			return fmt.Errorf("%s: the cache has %s in %v, and it is %v", f.title, name, s, truth[index])
		}
	}
	if has != want {
		return fmt.Errorf("%s: the cache has %d objects, and there are %d", f.title, has, want)
	}
	if has, err := f.countIn(namespace); err != nil || has != ofNamespace {
		return fmt.Errorf("%s: the index has %d objects of %s, and there are %d (%v)", f.title, has, namespace, ofNamespace, err)
	}
	return nil
}

func (f *follower[T]) errors() (wrong []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range slices.Concat(f.stay, f.gone) {
		wrong = append(wrong, l.errors()...)
	}
	f.gone = nil
	return wrong
}

// choice is the list of scopes or namespaces that an informer follows. It changes.
type choice[E comparable] struct {
	mu     sync.RWMutex // guards the fields below; a write that is checked holds it for reading
	chosen []E
	opened int // after the first ones, of which there are numberOfScopes
	// set tells the informer. It is nil until a manager's cache has started.
	set func(...E) error
}

// replace follows other elements. The caller holds mu.
func (c *choice[E]) replace(next []E) error {
	for _, e := range next {
		if !slices.Contains(c.chosen, e) {
			c.opened++
		}
	}
	c.chosen = next
	return c.set(next...)
}

// scopes are followed by one informer.
type scopes struct{ choice[cache.Scope] }

const numberOfScopes = 10

// has reports whether a state is in one of the scopes. The caller holds mu, or nothing changes them.
func (s *scopes) has(slot int, object state) bool {
	i := slices.IndexFunc(s.chosen, func(scope cache.Scope) bool { return scope.Namespace == namespaceOf(slot%namespaces) })
	return i >= 0 && (s.chosen[i].LabelSelector == "" || s.chosen[i].LabelSelector == "tier="+tierOf(object.Content))
}

// choose chooses the first scopes. Half of them have a selector, and that stays so: the number of objects must not change.
func (s *scopes) choose(random *rand.Rand) {
	for n, namespace := range random.Perm(namespaces)[:numberOfScopes] {
		scope := cache.Scope{Namespace: namespaceOf(namespace)}
		if n%2 == 0 {
			scope.LabelSelector = selectorOf(random)
		}
		s.chosen = append(s.chosen, scope)
	}
}

func selectorOf(random *rand.Rand) string { return "tier=" + tierOf(int32(random.IntN(tiers))) }

// change changes some of the scopes: the namespace, the selector, or which of two neighbors has the selector.
func (s *scopes) change(random *rand.Rand) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := slices.Clone(s.chosen)
	for range 1 + random.IntN(3) {
		n := random.IntN(numberOfScopes)
		namespace := namespaceOf(random.IntN(namespaces))
		switch isThere := slices.ContainsFunc(next, func(other cache.Scope) bool { return other.Namespace == namespace }); {
		case !isThere:
			next[n].Namespace = namespace
		case next[n].LabelSelector != "" && random.IntN(2) == 0:
			next[n].LabelSelector = selectorOf(random)
		default:
			one, other := &next[n], &next[n^1]
			one.LabelSelector, other.LabelSelector = other.LabelSelector, one.LabelSelector
		}
	}
	return s.replace(next)
}

// followers are five informers and a manager.
type followers struct {
	each []following
	// all is the informer of all objects.
	all     *follower[*datav1.Database]
	scopes  *scopes
	manager *manager
}

// opened returns how many scopes a follower had in total.
func (f *followers) opened(name string) int {
	switch name {
	case "scopes":
		return numberOfScopes + f.scopes.opened
	case "manager":
		return numberOfScopes + f.manager.opened
	}
	return 1
}

// follow returns followers that do not run yet. observer observes the clients that are made from config.
func follow(config *rest.Config, observer *writes.Observer, slots int, isQuiet *atomic.Bool, random *rand.Rand) (*followers, error) {
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	content := func(d *datav1.Database) int32 { return contentOf(d.Spec.ClassName, d.Spec.StorageGi, d.Labels) }
	whole := func(title string, selects func(int, state) bool) *follower[*datav1.Database] {
		return &follower[*datav1.Database]{title: title, isQuiet: isQuiet, content: content, selects: selects, slots: slots}
	}
	everything := func(int, state) bool { return true }
	shard := sharding.Split(sharding.UID, 4)[0]
	changing := new(scopes)
	changing.choose(random)
	own, kind := cache.WithReadYourWrites(observer), apiinformers.DatabaseKind(client)
	all, err := newFollower(whole("all", everything), kind, own)
	if err != nil {
		return nil, err
	}
	scoped := whole("scopes", changing.has)
	scoped.returns = true
	if scoped, err = newFollower(scoped, kind, own, cache.WithScopes(changing.chosen...)); err != nil {
		return nil, err
	}
	changing.set = scoped.informer.(ours[*datav1.Database]).SetScopes
	sharded, err := newFollower(whole("shard", func(_ int, s state) bool { return shard.Contains(s.UID) }), kind, own, cache.WithShard(shard))
	if err != nil {
		return nil, err
	}
	view := &follower[*summary]{title: "view", isQuiet: isQuiet, selects: everything, slots: slots, content: func(s *summary) int32 {
		return contentOf(s.Spec.ClassName, s.Spec.StorageGi, s.Labels)
	}}
	databases := datav1.SchemeGroupVersion.WithResource("databases")
	if view, err = newFollower(view, informers.DynamicKind[*summary](client, databases, true), own, cache.WithStreamingList()); err != nil {
		return nil, err
	}
	small, err := newFollower(whole("packed", everything), kind, own, packed.WithPackedObjects())
	if err != nil {
		return nil, err
	}
	managed := whole("manager", nil)
	m, err := manage(config, observer, managed, random)
	return &followers{[]following{all, scoped, sharded, view, small, managed}, all, changing, m}, err
}
