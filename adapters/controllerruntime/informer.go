package crcache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/adapters/clientgo"
	"github.com/typedinformers/informer-gen/internal/synced"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// errRemoved is returned by reads of an informer that RemoveInformer has removed.
var errRemoved = errors.New("the informer was removed")

// informer is the informer of a kind in one form, as client-go's interface. The embedded one
// shows the objects of the entry in the form. informer adds that it can be removed while the
// entry lives on, and that a successor can replace it; see file follow.go.
type informer struct {
	laterInformer
	toolscache.SharedIndexInformer
	entry *entry
	form  form
	// prefix begins the names of the form's indexes in the store.
	prefix string
	lister *cache.Lister[cache.Object]
	// ready is closed when reads return all objects.
	ready <-chan struct{}
	// removed is closed by RemoveInformer, or after moved.
	removed chan struct{}
	// moved is closed when successor has replaced the informer.
	moved     chan struct{}
	successor atomic.Pointer[informer]
	// fields has the functions of IndexField by the name of the field. It is replaced as a whole.
	fields atomic.Pointer[map[string]client.IndexerFunc]

	mu       sync.Mutex // guards the fields below, and writes of fields and successor
	handlers map[toolscache.ResourceEventHandlerRegistration]struct{}
	// indexers has the arguments of AddIndexers, for the successor.
	indexers toolscache.Indexers
	// isFollowed is set while Cache.follow runs, and followers are the handlers that it waits for.
	isFollowed bool
	followers  sync.WaitGroup
}

// newInformer returns an informer that reads an entry.
func newInformer(e *entry, f form, number int) *informer {
	i := &informer{
		entry:    e,
		form:     f,
		prefix:   fmt.Sprintf("%s#%d:", f, number),
		lister:   cache.NewLister(e.informer.GetIndexer(), e.informer.Resource().GroupResource()),
		ready:    e.informer.Synced(),
		removed:  make(chan struct{}),
		moved:    make(chan struct{}),
		handlers: map[toolscache.ResourceEventHandlerRegistration]struct{}{},
		indexers: toolscache.Indexers{},
	}
	i.fields.Store(&map[string]client.IndexerFunc{})
	i.SharedIndexInformer = clientgo.SharedIndexInformerOf(e.informer, clientgo.View{
		Name:   i.prefix,
		Object: i.show,
	})
	return i
}

// key returns the key of the informer in the cache.
func (i *informer) key() informerKey { return informerKey{i.entry.gvk, i.form} }

// name names the informer in errors and logs.
func (i *informer) name() string { return fmt.Sprintf("%s informer of %s", i.form, i.entry.resource) }

// show returns a stored object in the form.
func (i *informer) show(obj cache.Object) runtime.Object {
	if i.form == metadata {
		return metadataOf(obj, i.entry.gvk)
	}
	return obj
}

// latest returns the informer, or its successor after that has replaced it.
func (i *informer) latest() *informer {
	if isClosed(i.moved) {
		return i.successor.Load()
	}
	return i
}

// wait waits until reads return all objects. It returns errRemoved if the informer
// is removed meanwhile. If isNew is set and ctx has ended, it fails even if the first list was
// faster than the caller.
func (i *informer) wait(ctx context.Context, isNew bool) error {
	cause := context.Cause(ctx)
	switch {
	case !isNew && isClosed(i.ready):
		return nil
	case cause == nil:
		select {
		case <-i.ready:
			return nil
		case <-i.removed:
		case <-ctx.Done():
			cause = context.Cause(ctx)
		case <-i.entry.informer.Ended():
			cause = cache.ErrStopped
		}
	}
	if isClosed(i.removed) {
		return errRemoved
	}
	return apierrors.NewTimeoutError(fmt.Sprintf("failed waiting for the %s to sync, for objects of the kind %s (%v): %s", i.name(), i.entry.gvk.Kind, cause, i.entry.reason()), 0)
}

// remove ends the informer, but not its entry. Its handlers are not called any more.
func (i *informer) remove() {
	i.mu.Lock()
	defer i.mu.Unlock()
	close(i.removed)
	for handler := range i.handlers {
		_ = i.SharedIndexInformer.RemoveEventHandler(handler) // it is one of its own
	}
	clear(i.handlers)
}

// HasSynced reports whether reads return all objects.
func (i *informer) HasSynced() bool { return isClosed(i.latest().ready) }

// GetStore returns the objects.
func (i *informer) GetStore() toolscache.Store { return i.GetIndexer() }

// GetIndexer returns the objects with the indexes of AddIndexers.
func (i *informer) GetIndexer() toolscache.Indexer {
	return i.latest().SharedIndexInformer.GetIndexer()
}

// LastSyncResourceVersion returns the version of the objects.
func (i *informer) LastSyncResourceVersion() string {
	return i.latest().SharedIndexInformer.LastSyncResourceVersion()
}

// Run returns at once: the cache runs its informers.
func (i *informer) Run(<-chan struct{}) {}

// RunWithContext returns at once, like Run.
func (i *informer) RunWithContext(context.Context) {}

// GetController returns a Controller that is synced when the informer is.
func (i *informer) GetController() toolscache.Controller {
	return controllerOf(controller{i.latest().SharedIndexInformer.GetController(), i})
}

// controller is the Controller of an informer.
type controller struct {
	toolscache.Controller
	informer *informer
}

func (c controller) HasSynced() bool         { return c.informer.HasSynced() }
func (c controller) checker() synced.Checker { return c.informer.checker() }

// checker returns a DoneChecker that is done when HasSynced is true.
func (i *informer) checker() synced.Checker { return synced.New(i.name(), i.latest().ready) }

// own returns the informer of a versionedInformer.
func (i *informer) own() *informer { return i }

// IsStopped reports whether the informer was removed, or the cache has ended.
func (i *informer) IsStopped() bool {
	i = i.latest()
	return isClosed(i.removed) || i.SharedIndexInformer.IsStopped()
}

// AddEventHandler calls handler for all objects, in the form.
func (i *informer) AddEventHandler(handler toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandlerWithOptions(handler, toolscache.HandlerOptions{})
}

// AddEventHandlerWithResyncPeriod is AddEventHandler with a period of its own.
func (i *informer) AddEventHandlerWithResyncPeriod(handler toolscache.ResourceEventHandler, period time.Duration) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandlerWithOptions(handler, toolscache.HandlerOptions{ResyncPeriod: &period})
}

// AddEventHandlerWithOptions is AddEventHandler with options.
func (i *informer) AddEventHandlerWithOptions(handler toolscache.ResourceEventHandler, options toolscache.HandlerOptions) (toolscache.ResourceEventHandlerRegistration, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case isClosed(i.moved):
		return i.successor.Load().AddEventHandlerWithOptions(handler, options)
	case isClosed(i.removed):
		return nil, fmt.Errorf("cannot add a handler to the %s: %w", i.name(), errRemoved)
	case i.isFollowed && handler != nil:
		return i.addFollower(handler, options)
	}
	return i.addLocked(handler, options)
}

func (i *informer) addLocked(handler toolscache.ResourceEventHandler, options toolscache.HandlerOptions) (toolscache.ResourceEventHandlerRegistration, error) {
	registration, err := i.SharedIndexInformer.AddEventHandlerWithOptions(handler, options)
	if err == nil {
		i.handlers[registration] = struct{}{}
	}
	return registration, err
}

// RemoveEventHandler removes a handler. It may be called twice.
func (i *informer) RemoveEventHandler(registration toolscache.ResourceEventHandlerRegistration) error {
	if of, ok := registration.(interface{ own() *follower }); ok {
		return i.removeFollower(of.own())
	}
	return i.latest().removeHandler(registration)
}

func (i *informer) removeHandler(registration toolscache.ResourceEventHandlerRegistration) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.handlers, registration)
	return i.SharedIndexInformer.RemoveEventHandler(registration)
}

// AddIndexers adds indexes over the objects in the form.
func (i *informer) AddIndexers(indexers toolscache.Indexers) error {
	if isClosed(i.moved) {
		return i.latest().AddIndexers(indexers)
	}
	guarded := make(toolscache.Indexers, len(indexers))
	for name, values := range indexers {
		if name == toolscache.NamespaceIndex {
			guarded[name] = values
			continue
		}
		guarded[name] = func(obj any) ([]string, error) {
			if isClosed(i.removed) {
				return nil, nil // no one reads the index
			}
			return values(obj)
		}
	}
	if err := i.SharedIndexInformer.AddIndexers(guarded); err != nil {
		return err
	}
	i.mu.Lock()
	maps.Copy(i.indexers, indexers)
	successor := i.successor.Load()
	i.mu.Unlock()
	if successor != nil { // it has those of before
		return successor.AddIndexers(indexers)
	}
	return i.keepIndexes()
}

// keepIndexes is called after indexes were added. It removes them again if the informer was
// removed meanwhile.
func (i *informer) keepIndexes() error {
	if !isClosed(i.removed) || isClosed(i.moved) {
		return nil // dropIndexes will find them
	}
	i.dropIndexes()
	return fmt.Errorf("cannot add an index to the %s: %w", i.name(), errRemoved)
}

// dropIndexes removes the indexes of an informer that was removed.
func (i *informer) dropIndexes() {
	indexer := i.entry.informer.GetIndexer()
	var own []string
	for name := range indexer.Indexers() {
		if strings.HasPrefix(strings.TrimPrefix(name, fieldPrefix), i.prefix) {
			own = append(own, name)
		}
	}
	indexer.RemoveIndexers(own...)
}

// SetTransform returns an error: the transforms of all forms are among the options of the cache.
func (i *informer) SetTransform(toolscache.TransformFunc) error {
	return fmt.Errorf("the transform of %s belongs to the cache; set DefaultTransform or ByObject in cache.Options", i.entry.resource)
}

// setShard returns an error: the cache runs the informer, and its options have no shard.
func (i *informer) setShard() error {
	return fmt.Errorf("cannot limit the %s to a shard, because cache.Options has none; use an informer of a generated factory with cache.WithShard", i.name())
}

// SetWatchErrorHandler returns an error: the handler is among the options of the cache.
func (i *informer) SetWatchErrorHandler(toolscache.WatchErrorHandler) error {
	return fmt.Errorf("the watch error handler of %s belongs to the cache; set DefaultWatchErrorHandler in cache.Options", i.entry.resource)
}

// SetWatchErrorHandlerWithContext returns an error, like SetWatchErrorHandler.
func (i *informer) SetWatchErrorHandlerWithContext(toolscache.WatchErrorHandlerWithContext) error {
	return i.SetWatchErrorHandler(nil)
}

// indexField adds an index for field selectors. It has each value once, and not a second time
// for all namespaces. The error begins with that of the indexer, because programs compare it.
func (i *informer) indexField(field string, extract client.IndexerFunc) error {
	values := func(obj cache.Object) []string {
		if isClosed(i.removed) {
			return nil
		}
		return extract(i.show(obj).(client.Object))
	}
	if err := i.entry.informer.AddIndexers(cache.Indexers[cache.Object]{i.fieldIndex(field): values}); err != nil {
		return fmt.Errorf("%w, for the field %q of %s as %s", err, field, i.entry.resource, i.form)
	}
	i.mu.Lock()
	fields := maps.Clone(*i.fields.Load())
	fields[field] = extract
	i.fields.Store(&fields)
	successor := i.successor.Load()
	i.mu.Unlock()
	if successor != nil { // it has those of before
		return successor.indexField(field, extract)
	}
	return i.keepIndexes()
}

// fieldIndex returns the name of the index for a field. Those of AddIndexers begin with prefix.
func (i *informer) fieldIndex(field string) string { return fieldPrefix + i.prefix + field }

// fieldPrefix begins the names of indexes for fields.
const fieldPrefix = "field:"
