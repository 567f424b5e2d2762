package crcache

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/adapters/clientgo"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// entry is a kind in one form: its list, its watch and its store. Informers of metadata may read an entry of typed objects.
type entry struct {
	*resolved // its form is the form of the stored objects
	// resource names the kind in errors: "pods" or "foos.example.com".
	resource   string
	namespaced bool
	// fields are the paths of WithFields; nil for all fields. trim removes the others from an object that was read live.
	fields []string
	trim   func(cache.Object)
	// packed is set if the objects that the informer returns belong to the reader.
	packed bool
	plan   *plan
	// names has the references of WithReferenced, and owners the entries of their owners. Both are nil for other kinds.
	names    *names
	owners   []*entry
	informer *cache.SharedIndexInformer[cache.Object]
	// undecodable is closed when an object does not fit the Go type.
	undecodable     chan struct{}
	noteUndecodable func()

	// The lock of the Cache guards the fields below.

	// cancel ends the informer. It is nil until the informer runs, and does not change then.
	cancel context.CancelFunc
	// readers are the informers that read the entry, by their form.
	readers [numForms]*informer
	// dependents counts the entries of which this one is an owner.
	dependents int
	// views counts the informers that have ever read the entry, for the names of their indexes.
	views int
}

// resolved has the facts of the server and the scheme about a kind in a form.
type resolved struct {
	informerKey
	mapping *meta.RESTMapping
	// object is an example of the objects.
	object runtime.Object
	// owners are the kinds that the references of WithReferenced are in, in the order of these.
	owners []*resolved
}

// newEntry returns the entry of a kind in a form.
func (s *settings) newEntry(of *resolved) (*entry, error) {
	e := &entry{
		resolved:    of,
		resource:    of.mapping.Resource.GroupResource().String(),
		namespaced:  of.mapping.Scope.Name() != meta.RESTScopeNameRoot,
		undecodable: make(chan struct{}),
	}
	e.noteUndecodable = sync.OnceFunc(func() { close(e.undecodable) })
	e.plan = s.planFor(of.gvk, e.namespaced)
	if references := s.referenced[of.gvk]; references != nil {
		e.names = &names{references: references}
	}
	client, err := s.restClient(of.mapping)
	if err != nil {
		return nil, err
	}
	kind := cache.Kind[cache.Object]{
		Resource:   of.mapping.Resource,
		Kind:       of.gvk.Kind,
		Namespaced: e.namespaced,
		Object:     of.object,
		Protobuf:   s.protobufOf(of.gvk),
		Server:     bodies.Server(client),
		Open:       opener(client, of.mapping.Resource, e.plan.bookmarks),
	}
	fields, err := s.keepFields(e, &kind)
	if err != nil {
		return nil, fmt.Errorf("cannot cache %s: %w", e.resource, err)
	}
	if e.informer, err = kind.NewInformer(append(s.optionsOf(e), fields...)...); err != nil {
		return nil, fmt.Errorf("cannot cache %s: %w", e.resource, err)
	}
	return e, nil
}

// optionsOf returns the options of the informer of an entry.
func (s *settings) optionsOf(e *entry) []cache.SharedInformerOption {
	scopes := cache.WithScopesLater()
	if e.names == nil && !s.follows(e) {
		scopes = cache.WithScopes(e.plan.scopes(e.namespaced)...)
	}
	options := []cache.SharedInformerOption{
		scopes,
		cache.WithResync(e.plan.resync()),
		cache.WithoutTypeMeta(), // which copies get
	}
	options = append(options, s.decoding...)
	if e.form == typed {
		options = append(options, cache.WithStatusHandler(e.onStatus))
	} else {
		options = append(options, cache.WithInformerName(e.form.String())) // so that its metrics are its own
	}
	if e.plan.transforms {
		options = append(options, cache.WithTransform(e.transform))
	}
	if e.plan.withoutManagedFields {
		options = append(options, cache.WithoutFields("metadata.managedFields"))
	}
	if compression := s.packing.of(e.gvk); compression != nil {
		e.packed = true
		options = append(options, cache.WithPacking(compression))
	}
	if s.own != nil {
		options = append(options, cache.WithReadYourWrites(s.own))
	}
	if s.watchErrors != nil {
		options = append(options, cache.WithWatchErrorHandler(clientgo.WatchErrorHandler(e.resource, e.gvk.String(), s.watchErrors)))
	}
	return options
}

// onStatus notes that an object does not fit the Go type.
func (e *entry) onStatus(context.Context, status.Change) {
	if err := e.informer.Status().Err; errors.As(err, new(*wire.DecodeError)) { // the Status may have changed again
		e.noteUndecodable()
	}
}

// builtIn begins the import paths of the kinds that each API server encodes as protobuf.
const builtIn = "k8s.io/api/"

// protobufOf returns an object of the Go type of a kind if servers have the kind as protobuf, and
// nil otherwise.
func (s *settings) protobufOf(gvk schema.GroupVersionKind) runtime.Object {
	object, err := s.scheme.New(gvk)
	if err != nil {
		return nil // it is only read unstructured
	}
	if _, decodes := object.(interface{ Unmarshal([]byte) error }); decodes && strings.HasPrefix(reflect.TypeOf(object).Elem().PkgPath(), builtIn) {
		return object
	}
	return nil
}

// transform calls the transform of the object's namespace.
func (e *entry) transform(obj cache.Object) (cache.Object, error) {
	transform := e.plan.transform(obj.GetNamespace())
	if transform == nil {
		return obj, nil
	}
	if metadata, ok := obj.(*metav1.PartialObjectMetadata); ok { // one transform may be for all kinds
		metadata.SetGroupVersionKind(e.gvk)
	}
	return transformed(transform, obj)
}

// transformed returns the result of transform for obj, which must be of the same Go type: readers
// get it in their type.
func transformed(transform toolscache.TransformFunc, obj cache.Object) (cache.Object, error) {
	result, err := transform(obj)
	if err != nil {
		return obj, err
	}
	same, ok := result.(cache.Object)
	switch {
	case !ok || reflect.TypeOf(same) != reflect.TypeOf(obj):
		return obj, fmt.Errorf("the transform returned a %T for a %T; return an object of the same type", result, obj)
	case reflect.ValueOf(same).IsNil():
		return obj, fmt.Errorf("the transform returned neither an object nor an error for a %T", obj)
	}
	return same, nil
}

// servesMetadata reports whether informers of metadata may read the entry: it has all objects, with the metadata of the
// server. Index functions may wait for such an informer, so the first list must not wait for them.
func (e *entry) servesMetadata() bool {
	return e.form == typed && !e.plan.transforms && isClosed(e.informer.Synced()) && !isClosed(e.informer.Ended()) && !isClosed(e.undecodable)
}

// add adds an informer that reads the entry. The caller holds the lock of the Cache.
func (e *entry) add(f form) *informer {
	e.views++
	e.readers[f] = newInformer(e, f, e.views)
	return e.readers[f]
}

// remove removes an informer. The caller holds the lock of the Cache.
func (e *entry) remove(i *informer) {
	if e.readers[i.form] == i { // otherwise another one was added since
		e.readers[i.form] = nil
	}
}

// isUsed reports whether an informer reads the entry, or another entry follows the objects that its objects refer to. The caller holds the
// lock of the Cache.
func (e *entry) isUsed() bool { return e.dependents > 0 || e.readers != [numForms]*informer{} }

// reason returns why readers wait.
func (e *entry) reason() string {
	if reason := e.informer.NotSyncedReason(); reason != "" {
		return reason
	}
	return fmt.Sprintf("%s: %v", e.resource, e.informer.Status())
}

// isClosed reports whether done is nil or closed.
func isClosed(done <-chan struct{}) bool {
	if done == nil {
		return true
	}
	select {
	case <-done:
		return true
	default:
		return false
	}
}
