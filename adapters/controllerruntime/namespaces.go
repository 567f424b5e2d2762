package crcache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/adapters/clientgo"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// WithNamespacesLabeled is an option of NewFunc: the cache follows namespaced kinds in the namespaces that a label selector selects now.
//
//	crcache.NewFunc(crcache.WithNamespacesLabeled("team=web"))
//
// It needs the rights to list and to watch namespaces. When a namespace gets the label, its objects are listed, and handlers get
// them as new ones; a read in it waits for its list. When a namespace loses the label or is deleted, handlers get a delete event
// with DeleteStateUnknown for each of its objects. A read in a namespace that is not followed is an error that says so. In one that
// was followed before, NotFound is its reason, so a reconciler ends as after a delete. A kind of WithReferenced has the objects that are
// referenced, in any namespace. The first sync of a kind needs the rights in all namespaces of that moment.
//
// ByObject.Namespaces of a kind replaces the namespaces for that kind. DefaultNamespaces is a mistake.
func WithNamespacesLabeled(selector string) Option {
	return func(s *settings) error {
		parsed, err := labels.Parse(selector)
		if err != nil {
			return fmt.Errorf("crcache: WithNamespacesLabeled: %q is not a label selector: %w; write for example team=web", selector, err)
		}
		if parsed.Empty() {
			return errors.New("crcache: WithNamespacesLabeled: the selector is empty, which selects all namespaces; leave the option out for all of them")
		}
		return s.setNamespaces(&namespaces{title: "with the labels " + parsed.String(), option: "WithNamespacesLabeled", selector: parsed.String()})
	}
}

// WithNamespacesOf is WithNamespacesLabeled for namespaces that the program knows. The cache calls follow once it is started, until ctx
// ends. follow calls set with all namespaces, and again each time they change. It may return nil if they will not change any more.
// Its error is in the log and in the Status of the informers, which keep the namespaces that they have, and follow is called again after
// a second, and later after at most 30. The error of set names a namespace that cannot exist; nothing has changed then.
func WithNamespacesOf(follow func(ctx context.Context, set func(namespaces ...string) error) error) Option {
	return func(s *settings) error {
		if follow == nil {
			return errors.New("crcache: WithNamespacesOf needs a function, but it is nil; leave the option out for all namespaces")
		}
		return s.setNamespaces(&namespaces{title: "of WithNamespacesOf", option: "WithNamespacesOf", source: follow})
	}
}

// namespaces has the namespaces that the cache follows now.
type namespaces struct {
	title, option string // in errors
	// selector and informer are of WithNamespacesLabeled. The informer has metadata.
	selector string
	informer *cache.SharedIndexInformer[*metav1.PartialObjectMetadata]
	// source is of WithNamespacesOf.
	source func(context.Context, func(...string) error) error

	mu sync.Mutex // guards the fields below
	// now has the namespaces of the last set, and err the reason if they could not be replaced. isSet is closed by the first set.
	now   []string
	isSet chan struct{}
	err   error
	// known has all namespaces that were ever followed.
	known map[string]struct{}
	// following are the informers of source.
	following map[*entry]struct{}
}

func (s *settings) setNamespaces(n *namespaces) error {
	var errs []error
	switch {
	case s.namespaces == nil:
	case s.namespaces.option == n.option:
		errs = append(errs, fmt.Errorf("crcache: %s is there twice; pass all namespaces to one, such as team in (web, db)", n.option))
	default:
		errs = append(errs, fmt.Errorf("crcache: %s and %s both name the namespaces; remove one of them", s.namespaces.option, n.option))
	}
	if s.namespaced.limited {
		errs = append(errs, fmt.Errorf("crcache: %s and Options.DefaultNamespaces both name the namespaces; remove one of them, or set ByObject.Namespaces for the kinds that have others", n.option))
	}
	n.known, n.following, n.isSet = map[string]struct{}{}, map[*entry]struct{}{}, make(chan struct{})
	s.namespaces = n
	return errors.Join(errs...)
}

// follows reports whether an entry is followed in the namespaces of now.
func (s *settings) follows(e *entry) bool {
	return s.namespaces != nil && e.namespaced && !e.plan.limited && e.names == nil
}

// readsIn reports whether an entry of WithReferenced is read in the namespaces of now only, but for the objects that are referenced.
func (s *settings) readsIn(e *entry) bool {
	return s.namespaces != nil && e.namespaced && !e.plan.limited && e.names != nil
}

// addNamespaceInformer adds the informer of WithNamespacesLabeled.
func (s *settings) addNamespaceInformer() error {
	n := s.namespaces
	if n == nil || n.selector == "" {
		return nil
	}
	mapping := &meta.RESTMapping{
		Resource: corev1.SchemeGroupVersion.WithResource("namespaces"), GroupVersionKind: namespaceKind, Scope: meta.RESTScopeRoot,
	}
	client, err := s.restClient(mapping)
	if err != nil {
		return fmt.Errorf("crcache: %s: %w", n.option, err)
	}
	kind := cache.Kind[*metav1.PartialObjectMetadata]{
		Resource: mapping.Resource,
		Kind:     namespaceKind.Kind,
		Server:   bodies.Server(client),
		Open:     opener(client, mapping.Resource, func(string) bool { return true }),
	}
	options := []cache.SharedInformerOption{cache.WithLabelSelector(n.selector), cache.WithoutFields("metadata.managedFields"), cache.WithInformerName("followed")}
	if s.watchErrors != nil {
		options = append(options, cache.WithWatchErrorHandler(clientgo.WatchErrorHandler("namespaces", namespaceKind.String(), s.watchErrors)))
	}
	if n.informer, err = kind.NewInformer(options...); err != nil {
		return fmt.Errorf("crcache: %s: %w", n.option, err)
	}
	return nil
}

var namespaceKind = corev1.SchemeGroupVersion.WithKind("Namespace")

// followScopes sets the scopes of an entry, if these change, until ctx ends. The caller holds mu.
func (c *Cache) followScopes(ctx context.Context, e *entry) {
	var follow func() error
	switch {
	case e.names != nil:
		sources := e.sources()
		follow = func() error { return cache.FollowScopes(ctx, e.informer, sources...) }
	case c.follows(e):
		follow = func() error { return c.namespaces.follow(ctx, e) }
	default:
		return
	}
	c.running.Go(func() {
		if err := follow(); err != nil && ctx.Err() == nil {
			c.log.Error(err, "The objects that are followed do not change any more", "kind", e.gvk.Kind)
		}
	})
}

// runNamespaces runs the informer or the function that names the namespaces. The caller holds the lock of the Cache.
func (c *Cache) runNamespaces() {
	n, ctx := c.namespaces, c.ctx
	switch {
	case n == nil:
	case n.informer != nil:
		c.running.Go(func() { n.informer.Run(ctx) })
	default:
		c.running.Go(func() { c.runSource(ctx) })
	}
}

// runSource calls the function of WithNamespacesOf until it returns nil, or ctx ends.
func (c *Cache) runSource(ctx context.Context) {
	n := c.namespaces
	backoff := wait.Backoff{Duration: time.Second, Factor: 2, Jitter: 0.1, Steps: 6, Cap: 30 * time.Second}
	for {
		err := n.source(ctx, n.set)
		if err == nil || ctx.Err() != nil {
			return
		}
		c.log.Error(err, "The function of WithNamespacesOf has failed, so the cache keeps the namespaces that it has")
		n.fail(err)
		timer := time.NewTimer(backoff.Step())
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

// set replaces the namespaces.
func (n *namespaces) set(names ...string) error {
	var errs []error
	for _, name := range names {
		if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
			errs = append(errs, fmt.Errorf("crcache: %q cannot be the name of a namespace: %s", name, strings.Join(problems, "; ")))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.now, n.err = slices.Clone(names), nil
	if !isClosed(n.isSet) {
		close(n.isSet)
	}
	for _, name := range names {
		n.known[name] = struct{}{}
	}
	for e := range n.following {
		n.tell(e)
	}
	return nil
}

// fail keeps the namespaces, with the reason.
func (n *namespaces) fail(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.err = err
	for e := range n.following {
		n.tell(e)
	}
}

// tell sets the scopes of an informer. The mutex is held.
func (n *namespaces) tell(e *entry) {
	if n.err != nil {
		e.informer.SetScopesError(n.err)
		return
	}
	if !isClosed(n.isSet) {
		return
	}
	scopes := make([]cache.Scope, len(n.now))
	for i, name := range n.now {
		scopes[i] = e.plan.scope(name)
	}
	if err := e.informer.SetScopes(scopes...); err != nil && !errors.Is(err, cache.ErrStopped) {
		e.informer.SetScopesError(err)
	}
}

// follow sets the scopes of an informer until ctx ends.
func (n *namespaces) follow(ctx context.Context, e *entry) error {
	if n.informer != nil {
		return cache.FollowScopes(ctx, e.informer, cache.ScopesOf(n.informer, func(namespace *metav1.PartialObjectMetadata) ([]cache.Scope, error) {
			n.mu.Lock()
			n.known[namespace.Name] = struct{}{}
			n.mu.Unlock()
			return []cache.Scope{e.plan.scope(namespace.Name)}, nil
		}))
	}
	n.mu.Lock()
	n.following[e] = struct{}{}
	n.tell(e)
	n.mu.Unlock()
	<-ctx.Done()
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.following, e)
	return nil
}

// await waits until the objects of a namespace are in the cache. It returns an error if the namespace is not followed.
func (n *namespaces) await(ctx context.Context, i *informer, r request) error {
	isFollowed, err := i.entry.informer.WaitForNamespace(ctx, r.key.Namespace)
	switch {
	case isClosed(i.removed):
		return errRemoved
	case err != nil:
		return apierrors.NewTimeoutError(fmt.Sprintf("failed waiting for the %s: %v", i.name(), err), 0)
	case isFollowed:
		return nil
	}
	return n.unknown(i, r)
}

// allow returns an error if a namespace is not followed. It waits until the namespaces are known, and for no objects in them.
func (n *namespaces) allow(ctx context.Context, i *informer, r request) error {
	isKnown := (<-chan struct{})(n.isSet)
	if n.informer != nil {
		isKnown = n.informer.Synced()
	}
	select {
	case <-isKnown:
	case <-i.entry.informer.Ended(): // with the cache
		return apierrors.NewTimeoutError(fmt.Sprintf("failed waiting for the namespaces %s: %v", n.title, cache.ErrStopped), 0)
	case <-ctx.Done():
		return apierrors.NewTimeoutError(fmt.Sprintf("failed waiting for the namespaces %s: %v", n.title, context.Cause(ctx)), 0)
	}
	if !n.has(r.key.Namespace) {
		return n.unknown(i, r)
	}
	return nil
}

// has reports whether a namespace is followed now.
func (n *namespaces) has(name string) (isFollowed bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.informer == nil {
		return slices.Contains(n.now, name)
	}
	if _, isFollowed = n.informer.GetIndexer().Get(cache.ObjectName{Name: name}); isFollowed {
		n.known[name] = struct{}{}
	}
	return isFollowed
}

// unknown returns the error of a read in a namespace that is not followed.
func (n *namespaces) unknown(i *informer, r request) error {
	n.mu.Lock()
	_, wasFollowed := n.known[r.key.Namespace]
	n.mu.Unlock()
	unknown := i.unknownNamespace(r, "it follows the namespaces "+n.title)
	if !wasFollowed {
		return unknown
	}
	notFound := apierrors.NewNotFound(i.entry.mapping.Resource.GroupResource(), r.key.Name)
	notFound.ErrStatus.Message = unknown.Error() + ", and has followed this one before"
	return notFound
}

// get returns an object of the cache, or nil if it does not exist.
func (n *namespaces) get(ctx context.Context, i *informer, key client.ObjectKey) (cache.Object, error) {
	indexer := i.entry.informer.GetIndexer()
	if obj, found := indexer.Get(cache.ObjectName(key)); found {
		return obj, nil
	}
	if err := n.await(ctx, i, request{verb: "get", key: key}); err != nil {
		return nil, err
	}
	obj, _ := indexer.Get(cache.ObjectName(key)) // its list may have come meanwhile
	return obj, nil
}
