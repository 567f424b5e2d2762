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
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// entry is one kind of a Cache: one list and watch and one store for all forms.
type entry struct {
	gvk schema.GroupVersionKind
	// resource names the kind in errors: "pods" or "foos.example.com".
	resource   string
	namespaced bool
	// packed is set if the objects that the informer returns belong to the reader.
	packed   bool
	plan     *plan
	informer *cache.SharedIndexInformer[cache.Object]
	// cancel ends the informer. It is nil until the informer runs. The lock of the Cache guards it. It
	// is set before the informer runs, and not changed then.
	cancel context.CancelFunc

	applying sync.Mutex // held over each change of the form of the informer; guards hasEnded
	hasEnded bool

	mu sync.Mutex // guards what follows; never held while the informer changes
	// object has the Go type of the kind. It is nil until there is a typed form.
	object runtime.Object
	forms  [numForms]*informer
	// decoded are the forms that the informer decodes for, or will once applied is closed.
	decoded decoding
	applied <-chan struct{}
	// views counts the forms that were ever added, for the names of their indexes.
	views int
	fallback
}

// newEntry returns the entry of a kind, whose first form will be first. object is nil unless that
// is typed.
func (s *settings) newEntry(mapping *meta.RESTMapping, first form, object runtime.Object) (*entry, error) {
	gvk := mapping.GroupVersionKind
	e := &entry{
		gvk:        gvk,
		resource:   mapping.Resource.GroupResource().String(),
		namespaced: mapping.Scope.Name() != meta.RESTScopeNameRoot,
	}
	e.decoded[first] = true
	e.plan = s.planFor(gvk, e.namespaced)
	scopes, withoutBookmarks := e.plan.scopes(e.namespaced)
	client, err := s.restClient(mapping)
	if err != nil {
		return nil, err
	}
	kind := cache.Kind[cache.Object]{
		Resource:   mapping.Resource,
		Kind:       gvk.Kind,
		Namespaced: e.namespaced,
		Protobuf:   s.protobufOf(gvk),
		Server:     serverOf(client),
		Open:       opener(client, mapping.Resource.Resource, withoutBookmarks),
	}
	kind.Object, _ = e.decoded.options(object)
	options := []cache.SharedInformerOption{
		cache.WithScopes(scopes...),
		cache.WithResync(e.plan.resync()),
		cache.WithoutTypeMeta(), // which copies get
		cache.WithStatusHandler(e.onStatus),
	}
	if e.plan.transforms {
		options = append(options, cache.WithTransform(e.transform))
	}
	if e.plan.withoutManagedFields {
		options = append(options, cache.WithoutManagedFields())
	}
	if compression := s.packing.of(gvk); compression != nil {
		e.packed = true
		options = append(options, cache.WithPacking(compression))
	}
	if s.own != nil {
		options = append(options, cache.ReadYourWrites(s.own))
	}
	if s.watchErrors != nil {
		options = append(options, cache.WithWatchErrorHandler(clientgo.WatchErrorHandler(e.resource, gvk.String(), s.watchErrors)))
	}
	if e.informer, err = kind.NewInformer(options...); err != nil {
		return nil, fmt.Errorf("cannot cache %s: %w", e.resource, err)
	}
	return e, nil
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

// transform calls the transform of the object's namespace, for each form that is stored.
func (e *entry) transform(obj cache.Object) (cache.Object, error) {
	transform := e.plan.transform(obj.GetNamespace())
	if transform == nil {
		return obj, nil
	}
	dual, ok := obj.(*wire.Dual)
	if !ok {
		if metadata, ok := obj.(*metav1.PartialObjectMetadata); ok { // one transform may be for all kinds
			metadata.SetGroupVersionKind(e.gvk)
		}
		return transformed(transform, obj)
	}
	object, err := transformed(transform, dual.Object)
	if err != nil {
		return nil, err
	}
	untyped, err := transformed(transform, dual.Unstructured)
	if err != nil {
		return nil, err
	}
	if cache.MetaObjectToName(object) != cache.MetaObjectToName(untyped) {
		return nil, errors.New("the transform changed the name or the namespace of one of the two forms of the object")
	}
	return &wire.Dual{Object: object, Unstructured: untyped}, nil
}

// transformed returns what transform returns for obj, which must be of the same Go type: readers
// get it in their type.
func transformed[T cache.Object](transform toolscache.TransformFunc, obj T) (T, error) {
	result, err := transform(obj)
	if err != nil {
		return obj, err
	}
	same, ok := result.(T)
	switch {
	case !ok || reflect.TypeOf(same) != reflect.TypeOf(obj):
		return obj, fmt.Errorf("the transform returned a %T for a %T; return an object of the same type", result, obj)
	case reflect.ValueOf(same).IsNil():
		return obj, fmt.Errorf("the transform returned neither an object nor an error for a %T", obj)
	}
	return same, nil
}

// add adds a form, which is typed if object is not nil. The caller holds the lock of the Cache. It calls apply after it, or
// await of the informer if ready is not nil.
func (e *entry) add(f form, object runtime.Object, hasStarted bool) (added *informer, ready chan<- struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if object != nil {
		e.object = object
	}
	e.views++
	added = newInformer(e, f, e.views)
	if e.forms[f] != nil { // which is about to be removed
		e.forget(f)
	}
	e.forms[f] = added
	if !hasStarted || f == metadata { // metadata is made from what is stored now, too
		added.ready = e.informer.Synced()
		return added, nil
	}
	becomesReady := make(chan struct{})
	added.ready = becomesReady
	return added, becomesReady
}

// remove removes an informer, and reports whether it was the last one. The caller holds the lock of
// the Cache, and calls apply after it: what is decoded serves the other forms too.
func (e *entry) remove(i *informer) (last bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.forms[i.form] != i {
		return false // another one was added since
	}
	e.forms[i.form] = nil
	e.forget(i.form)
	return e.used() == (decoding{})
}

// used returns the forms in use.
func (e *entry) used() (used decoding) {
	for f := range e.forms {
		used[f] = e.forms[f] != nil
	}
	return used
}

// apply lets the informer decode for the forms in use that can be decoded. It waits for index functions, which may read other
// kinds. So the caller holds no lock of the Cache once the informer runs.
func (e *entry) apply() {
	e.applying.Lock()
	defer e.applying.Unlock()
	e.lockApplied()
	e.mu.Unlock()
}

// lockApplied locks mu when the informer decodes for the forms in use that can be decoded. applying is held.
func (e *entry) lockApplied() {
	for {
		e.mu.Lock()
		want := e.decodable().essence()
		if want == e.decoded || want == (decoding{}) {
			return
		}
		object := e.object
		e.mu.Unlock()
		applied, err := e.informer.SetForm(want.options(object))
		if err != nil { // the informer is not that of newEntry
			panic(err)
		}
		e.mu.Lock()
		e.decoded, e.applied = want, applied
		e.mu.Unlock()
	}
}

// pending returns a channel that is closed when the store has objects for all forms that can be
// decoded, as far as is known now. For a form that cannot, it is closed when it is tried again.
func (e *entry) pending(f form) <-chan struct{} {
	e.applying.Lock()
	defer e.applying.Unlock()
	e.lockApplied()
	defer e.mu.Unlock()
	if e.failed[f] != nil {
		return e.retried
	}
	return e.applied
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
