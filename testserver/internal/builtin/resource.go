package builtin

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/names"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// resource is the storage of a kind.
type resource struct {
	*registry.Store
	kind kind
}

func newResource(k kind, typer runtime.ObjectTyper, options generic.RESTOptionsGetter) (*resource, error) {
	strategy := strategy{ObjectTyper: typer, NameGenerator: names.SimpleNameGenerator, kind: k}
	store := &registry.Store{
		NewFunc:                   k.newObject,
		NewListFunc:               k.newList,
		DefaultQualifiedResource:  k.groupResource(),
		SingularQualifiedResource: schema.GroupResource{Group: k.Group, Resource: k.singular},
		CreateStrategy:            strategy,
		UpdateStrategy:            strategy,
		DeleteStrategy:            strategy,
		ResetFieldsStrategy:       strategy,
		TableConvertor:            rest.NewDefaultTableConvertor(k.groupResource()),
	}
	var attributes storage.AttrFunc // the metadata
	switch k.GroupKind() {
	case namespaceKind:
		attributes = namespaceAttributes
	case podKind:
		store.DeleteStrategy, store.ReturnDeletedObject = podStrategy{strategy}, true
	case eventKind:
		attributes = eventAttributes
		store.TTLFunc = func(_ runtime.Object, _ uint64, _ bool) (uint64, error) {
			return uint64(eventTTL / time.Second), nil
		}
	}
	if err := store.CompleteWithOptions(&generic.StoreOptions{RESTOptions: options, AttrFunc: attributes}); err != nil {
		return nil, fmt.Errorf("build the storage of %s: %w", k.resource, err)
	}
	return &resource{Store: store, kind: k}, nil
}

// ShortNames are listed by discovery.
func (r *resource) ShortNames() []string { return shortNames[r.kind.resource] }

// observe calls written after each write, also in a dry run.
func (r *resource) observe(written func(runtime.Object)) {
	r.AfterCreate = func(object runtime.Object, _ *metav1.CreateOptions) { written(object) }
	r.AfterUpdate = func(object runtime.Object, _ *metav1.UpdateOptions) { written(object) }
	r.AfterDelete = func(object runtime.Object, _ *metav1.DeleteOptions) { written(object) }
}

// status is the subresource status of a resource.
type status struct{ store *registry.Store }

func (r *resource) status() status {
	store := *r.Store
	strategy := statusStrategy{store.UpdateStrategy.(strategy)}
	store.UpdateStrategy, store.ResetFieldsStrategy = strategy, strategy
	return status{&store}
}

func (s status) New() runtime.Object { return s.store.New() }

// Destroy does nothing, because the resource closes the storage.
func (status) Destroy() {}

func (s status) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	return s.store.Get(ctx, name, options)
}

// Update ignores the request to create the object: the status of nothing cannot be written.
func (s status) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, create rest.ValidateObjectFunc, update rest.ValidateObjectUpdateFunc, _ bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	return s.store.Update(ctx, name, info, create, update, false, options)
}

func (s status) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return s.store.GetResetFields()
}

func (s status) ConvertToTable(ctx context.Context, object, options runtime.Object) (*metav1.Table, error) {
	return s.store.ConvertToTable(ctx, object, options)
}
