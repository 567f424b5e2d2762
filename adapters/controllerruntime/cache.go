package crcache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Cache is a cache.Cache of controller-runtime. All methods may be called from any goroutine.
type Cache struct {
	laterCache
	*settings
	log logr.Logger

	// informers has the informers in use. The map is replaced as a whole, under mu.
	informers atomic.Pointer[map[informerKey]*informer]
	// types has a *goType for each Go type that readers passed, by its reflect.Type.
	types sync.Map
	// started is closed by Start.
	started chan struct{}

	mu sync.Mutex // guards the fields below
	// entries have the form of their objects as their key.
	entries map[informerKey]*entry
	// absent has the kinds for which GetInformer failed.
	absent  map[schema.GroupVersionKind]absence
	ctx     context.Context // that of Start, or nil
	stopped bool
	running sync.WaitGroup
}

// informerKey identifies an informer.
type informerKey struct {
	gvk  schema.GroupVersionKind
	form form
}

// logger has the name of the logger of controller-runtime's cache.
var logger = log.Log.WithName("controller-runtime").WithName("cache")

func (s *settings) newCache() *Cache {
	c := &Cache{
		settings: s,
		log:      logger,
		started:  make(chan struct{}),
		entries:  map[informerKey]*entry{},
		absent:   map[schema.GroupVersionKind]absence{},
	}
	c.informers.Store(&map[informerKey]*informer{})
	return c
}

// NeedLeaderElection returns false: a manager starts the cache without being the leader.
func (c *Cache) NeedLeaderElection() bool { return false }

// Start runs all informers, present and future, until ctx ends. When it returns, no goroutine of
// the cache is left. A second call is an error.
func (c *Cache) Start(ctx context.Context) error {
	if err := c.start(ctx); err != nil {
		return err
	}
	<-ctx.Done()
	c.mu.Lock()
	c.stopped = true // no informer is added to running any more
	c.mu.Unlock()
	c.running.Wait()
	return nil
}

func (c *Cache) start(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx != nil {
		return errors.New("informer already started: call Start of a cache once")
	}
	c.log.Info("Starting the cache of informer-gen, which follows a kind from its first use on")
	c.ctx = logr.NewContext(ctx, c.log)
	c.runNamespaces()
	for _, e := range c.entries {
		c.run(e)
	}
	close(c.started)
	return nil
}

// run runs an entry. The caller holds mu.
func (c *Cache) run(e *entry) {
	switch {
	case c.ctx == nil: // Start will call run
	case c.stopped:
		e.informer.Stop() // so that no one waits for it
	default:
		var ctx context.Context
		ctx, e.cancel = context.WithCancel(c.ctx)
		c.running.Go(func() {
			e.informer.Run(ctx)
			if c.ctx.Err() == nil { // it was removed, so its memory is released
				e.informer.Stop()
			}
		})
		c.followScopes(ctx, e)
	}
}

// WaitForCacheSync waits until Start was called and all informers that exist then are synced. If
// ctx ends first, or an informer stops, it logs each that is not synced with the reason, and
// returns false. An informer that is synced stays so, also while it lists a namespace or an object that came later.
func (c *Cache) WaitForCacheSync(ctx context.Context) bool {
	select {
	case <-c.started:
	case <-ctx.Done():
		return false
	}
	synced := true
	for _, i := range *c.informers.Load() {
		switch err := i.wait(ctx, false); {
		case err == nil, errors.Is(err, errRemoved):
		default:
			synced = false
			c.log.Error(context.Cause(ctx), "Informer is not synced", "kind", i.entry.gvk.Kind, "form", i.form.String(), "reason", i.entry.reason())
		}
	}
	return synced
}

// GetInformer returns the informer of the kind of obj, in the form of obj. It is a complete
// SharedIndexInformer of client-go, also over several namespaces. If there is none yet, it is
// added, and runs if the cache does. Then GetInformer waits until the informer is synced, unless
// BlockUntilSynced(false) is among the options.
func (c *Cache) GetInformer(ctx context.Context, obj client.Object, options ...ctrlcache.InformerGetOption) (ctrlcache.Informer, error) {
	gvk, err := c.kindOf(obj)
	if err != nil {
		return nil, err
	}
	return informerOrError(c.getInformer(ctx, informerKey{gvk, formOf(obj)}, options))
}

// GetInformerForKind is GetInformer for the Go type that the scheme has for a kind.
func (c *Cache) GetInformerForKind(ctx context.Context, gvk schema.GroupVersionKind, options ...ctrlcache.InformerGetOption) (ctrlcache.Informer, error) {
	obj, err := c.scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	return informerOrError(c.getInformer(ctx, informerKey{gvk, formOf(obj)}, options))
}

func (c *Cache) getInformer(ctx context.Context, key informerKey, options []ctrlcache.InformerGetOption) (*informer, error) {
	var set ctrlcache.InformerGetOptions
	for _, option := range options {
		option(&set)
	}
	for {
		i, isNew, err := c.informerOf(key)
		c.noteAbsent(key.gvk, err)
		if err != nil {
			return nil, err
		}
		if !ptr.Deref(set.BlockUntilSynced, true) || !isClosed(c.started) {
			return i, nil
		}
		switch err := i.wait(ctx, isNew); {
		case err == nil:
			return i, nil
		case !errors.Is(err, errRemoved):
			return nil, err
		}
	}
}

// RemoveInformer removes the informer of the kind of obj, in the form of obj, with its handlers
// and indexes. Informers of other forms of the kind stay. The next read in the form adds an
// informer again.
func (c *Cache) RemoveInformer(_ context.Context, obj client.Object) error {
	gvk, err := c.kindOf(obj)
	if err != nil {
		return err
	}
	if i := c.unlist(informerKey{gvk, formOf(obj)}); i != nil {
		i.remove() // it waits for index functions, so no lock is held
		c.mu.Lock()
		defer c.mu.Unlock()
		c.release(i)
	}
	return nil
}

// release makes an informer no longer read its entry, which ends with the last one. The caller holds mu.
func (c *Cache) release(i *informer) {
	i.entry.remove(i)
	if c.endUnused(i.entry); i.entry.isUsed() && !c.stopped {
		c.running.Go(i.dropIndexes) // which waits for index functions
	}
}

// endUnused ends an entry if nothing uses it. The caller holds mu.
func (c *Cache) endUnused(e *entry) {
	if e.isUsed() || c.entries[e.informerKey] != e {
		return
	}
	delete(c.entries, e.informerKey)
	if e.cancel != nil {
		e.cancel()
	} else {
		e.informer.Stop() // which never ran
	}
	c.leaveOwners(e)
}

// leaveOwners ends the owners of an entry that nothing else uses. The caller holds mu.
func (c *Cache) leaveOwners(e *entry) {
	for _, owner := range e.owners {
		owner.dependents--
		c.endUnused(owner)
	}
	e.owners = nil
}

// list makes readers find an informer. The caller holds mu.
func (c *Cache) list(i *informer) {
	informers := maps.Clone(*c.informers.Load())
	informers[i.key()] = i
	c.informers.Store(&informers)
}

// unlist makes readers no longer find an informer. It returns the informer, or nil if there was none.
func (c *Cache) unlist(key informerKey) *informer {
	c.mu.Lock()
	defer c.mu.Unlock()
	informers := maps.Clone(*c.informers.Load())
	i := informers[key]
	delete(informers, key)
	c.informers.Store(&informers)
	return i
}

// IndexField adds an index for List with a field selector, before or after Start. extract gets
// objects in the form of obj. Unlike in controller-runtime, the index does not appear in
// GetIndexers of the informer.
func (c *Cache) IndexField(ctx context.Context, obj client.Object, field string, extract client.IndexerFunc) error {
	gvk, err := c.kindOf(obj)
	if err != nil {
		return err
	}
	for {
		i, _, err := c.informerOf(informerKey{gvk, formOf(obj)})
		if err != nil {
			return err
		}
		if err := c.checkIndex(i.entry, field); err != nil {
			return err
		}
		if err := i.indexField(field, extract); !errors.Is(err, errRemoved) {
			return err
		}
	}
}

// kindOf returns the kind of an object or a list.
func (c *Cache) kindOf(obj runtime.Object) (schema.GroupVersionKind, error) {
	return apiutil.GVKForObject(obj, c.scheme)
}

// resolve finds a kind, and the kinds of its owners. It may ask the server, so it is called without a lock.
func (c *Cache) resolve(key informerKey) (*resolved, error) {
	mapping, err := c.mapper.RESTMapping(key.gvk.GroupKind(), key.gvk.Version)
	if err != nil {
		return nil, err
	}
	own := *mapping
	own.GroupVersionKind = key.gvk // which the mapping of a fake may lack
	of := &resolved{informerKey: key, mapping: &own}
	if of.object, err = c.exampleOf(key); err != nil {
		return nil, err
	}
	for _, reference := range c.referenced[key.gvk] {
		owner, err := c.resolve(reference.owner)
		if err != nil {
			return nil, fmt.Errorf("cannot find the %s objects that refer to %s objects: %w", reference.owner.gvk.Kind, key.gvk.Kind, err)
		}
		of.owners = append(of.owners, owner)
	}
	return of, nil
}

// informerOf returns an informer, and whether it had to be added.
func (c *Cache) informerOf(key informerKey) (i *informer, isNew bool, err error) {
	if i := (*c.informers.Load())[key]; i != nil {
		return i, false, nil
	}
	of, err := c.resolve(key)
	if err != nil {
		return nil, false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := (*c.informers.Load())[key]; i != nil {
		return i, false, nil // another goroutine was faster
	}
	if e := c.entries[informerKey{key.gvk, typed}]; key.form == metadata && e != nil && !c.stopped && e.servesMetadata() {
		i = e.add(metadata)
		i.isFollowed = true
		c.running.Go(func() { c.follow(i) })
	} else {
		if e, err = c.entryOf(of); err != nil {
			return nil, false, err
		}
		i = e.add(key.form)
	}
	c.list(i)
	return i, true, nil
}

// exampleOf returns an object of the Go type of a kind in a form.
func (c *Cache) exampleOf(key informerKey) (runtime.Object, error) {
	switch key.form {
	case untyped:
		return &unstructured.Unstructured{}, nil
	case metadata:
		return &metav1.PartialObjectMetadata{}, nil
	}
	return c.scheme.New(key.gvk)
}

// entryOf returns the entry of a kind in a form. It adds and runs a missing entry, after the entries of its owners. The caller holds
// mu.
func (c *Cache) entryOf(of *resolved) (*entry, error) {
	if e := c.entries[of.informerKey]; e != nil {
		return e, nil
	}
	e, err := c.newEntry(of)
	if err != nil {
		return nil, err
	}
	for _, owner := range of.owners {
		o, err := c.entryOf(owner)
		if err != nil {
			c.leaveOwners(e)
			return nil, err
		}
		o.dependents++
		e.owners = append(e.owners, o)
	}
	c.entries[of.informerKey] = e
	c.run(e)
	return e, nil
}

// goType describes a Go type of objects or lists that callers read into.
type goType struct {
	key informerKey
	// informer is the last one that was used. It may have been removed.
	informer atomic.Pointer[informer]
	layout
}

// typeOf returns what a caller reads that passes out, which is an object or a list. The goType is
// nil unless the form is typed. Schemes are slow, so the kinds of Go types are remembered.
func (c *Cache) typeOf(out runtime.Object, isList bool) (informerKey, *goType, error) {
	if known, ok := c.types.Load(reflect.TypeOf(out)); ok {
		t := known.(*goType)
		return t.key, t, nil
	}
	gvk, err := c.kindOf(out)
	if err != nil {
		return informerKey{}, nil, err
	}
	if isList {
		gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	}
	key := informerKey{gvk, formOf(out)}
	if key.form != typed {
		return key, nil, nil
	}
	object, err := c.scheme.New(gvk)
	if err != nil {
		return key, nil, err
	}
	t := &goType{key: key, layout: layoutOf(object, out, isList)}
	// A Go type of several kinds is the kind that the object says.
	if kinds, _, err := c.scheme.ObjectKinds(out); err == nil && len(kinds) == 1 {
		c.types.Store(reflect.TypeOf(out), t)
	}
	return key, t, nil
}
